"""What is done now and then: uploads that were abandoned are swept away."""

from __future__ import annotations

import threading

import structlog

from disnplbm.errors import DisnplbmError
from disnplbm_dashboard.backend import Backend

_log = structlog.get_logger(__name__)

#: Seconds between two rounds.
_INTERVAL = 600.0


class Housekeeper:
    """Sweeps, from a thread."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="housekeeper", daemon=True)

    def start(self) -> None:
        """Begin, with a round at once."""
        self._thread.start()

    def stop(self) -> None:
        """No more rounds."""
        self._stop.set()

    def _run(self) -> None:
        while True:
            try:
                for upload in self._backend.uploads.sweep():
                    _log.info("an abandoned upload was swept away", upload=upload)
            except DisnplbmError as error:
                _log.warning("not swept", reason=str(error))
            if self._stop.wait(_INTERVAL):
                return
