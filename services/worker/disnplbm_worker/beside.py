"""Keeps a process beside the worker for as long as that lives."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import structlog

_log = structlog.get_logger(__name__)

#: Seconds before a process that ended is started again.
_PAUSE = 1.0


class Beside:
    """A module that runs as a process of its own, started again should it end; use it as a context manager.

    When the block is left it is told to stop, and waited for. If an exception leaves the block, it is told twice.

    Parameters
    ----------
    module : str
    arguments : sequence of str
    """

    def __init__(self, module: str, arguments: Sequence[str]) -> None:
        # With -P the interpreter does not take a module in the current folder for one of ours.
        self._command = [sys.executable, "-P", "-m", module, *arguments]
        self._module = module
        # The handler of a signal may come to stop it while it is being stopped.
        self._lock = threading.RLock()
        self._stopping = threading.Event()

    def __enter__(self) -> Self:
        self._process = self._started()
        threading.Thread(target=self._watch, name="beside", daemon=True).start()
        return self

    def stop(self, *, at_once: bool = False) -> None:
        """Have it end what it is at, and take no more; or have it leave at once, which a second signal tells it."""
        with self._lock:
            if not self._stopping.is_set():
                self._process.terminate()
                self._stopping.set()
            if at_once:
                # Two equal signals may arrive as one.
                self._process.send_signal(signal.SIGINT)

    def has_ended(self, seconds: float) -> bool:
        """Whether it has ended, or does so within some seconds."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
            return True
        return False

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.stop(at_once=kind is not None)
        self._process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        # A Ctrl-C in the terminal is for the worker, which then stops this one.
        return subprocess.Popen(self._command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 - our own

    def _watch(self) -> None:
        while True:
            code = self._process.wait()
            if self._stopping.is_set():
                return
            _log.error("a process of the worker ended: starting it again", module=self._module, code=code)
            time.sleep(_PAUSE)
            with self._lock:
                if self._stopping.is_set():
                    return
                try:
                    self._process = self._started()
                except OSError as error:
                    _log.error("a process of the worker does not start", module=self._module, reason=str(error))
