"""A file whose age says whether a master or worker lives."""

from __future__ import annotations

import threading
import time
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
        self._beat_at = time.monotonic()

    @property
    def silence(self) -> float:
        """Seconds since the file was touched last: more than a few where the disk hangs; 0 without a file."""
        return 0.0 if self._path is None else time.monotonic() - self._beat_at

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
                self._beat_at = time.monotonic()
            except OSError as error:
                _log.warning("cannot write the heartbeat file", file=str(path), reason=error.strerror)
