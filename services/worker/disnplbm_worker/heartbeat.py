"""A file whose age says whether a worker lives."""

from __future__ import annotations

import threading
from pathlib import Path

import structlog

from disnplbm.errors import RunError

SECONDS = 5.0
"""Between two touches."""

_log = structlog.get_logger(__name__)


class Heartbeat:
    """Touches a file for as long as the process lives, with or without a broker; use it as a context manager.

    Parameters
    ----------
    path : Path or None
        None is no file at all.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._stop = threading.Event()

    def __enter__(self) -> Heartbeat:
        if self._path is not None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._path.touch()
            except OSError as error:
                raise RunError(
                    f"cannot write the heartbeat file {self._path}: {error.strerror}; set DISNPLBM_HEARTBEAT_FILE to"
                    " another"
                ) from error
            threading.Thread(target=self._beat, args=(self._path,), name="heartbeat", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()

    def _beat(self, path: Path) -> None:
        while not self._stop.wait(SECONDS):
            try:
                path.touch()
            except OSError as error:
                _log.warning("cannot write the heartbeat file", file=str(path), reason=error.strerror)
