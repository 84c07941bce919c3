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
from typing import Any, Self

import structlog
from celery import bootsteps

_log = structlog.get_logger(__name__)

#: Seconds before a process that ended is started again.
_PAUSE = 1.0


class Beside:
    """A module that runs as a process of its own, started again should it end; use it as a context manager.

    It starts when the worker first takes tasks: a broker that refuses the worker is met once. When the block is left it
    is told to stop, and waited for. If an exception leaves the block, it is told twice.
    """

    def __init__(self, module: str, arguments: Sequence[str]) -> None:
        # With -P the interpreter does not take a module in the current folder for one of ours.
        self._command = [sys.executable, "-P", "-m", module, *arguments]
        self._module = module
        # The handler of a signal may come to stop it while it is being stopped.
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def step(self) -> type[bootsteps.StartStopStep]:
        """A step of the worker's consumer that starts the process."""
        beside = self

        class Start(bootsteps.StartStopStep):  # type: ignore[misc]
            """Done anew with each connection; what runs is left alone."""

            requires = ("celery.worker.consumer.tasks:Tasks",)

            def start(self, _consumer: Any) -> None:
                beside.start()

        return Start

    def start(self) -> None:
        """Start the process, unless it was started or told to stop before."""
        with self._lock:
            if self._process is None and not self._stopping.is_set():
                self._process = self._start_process()
                threading.Thread(target=self._watch, args=(self._process,), name="beside", daemon=True).start()

    def stop(self, *, at_once: bool = False) -> None:
        """Have it end what it is at, and take no more; or have it leave at once, which a second signal tells it."""
        with self._lock:
            process, told = self._process, self._stopping.is_set()
            self._stopping.set()
            if process is None:
                return
            if not told:
                process.terminate()
            if at_once:
                # Two equal signals may arrive as one.
                process.send_signal(signal.SIGINT)

    def has_ended(self, seconds: float) -> bool:
        """Whether it has ended, or does so within some seconds."""
        if self._process is None:
            return True
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
            return True
        return False

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.stop(at_once=kind is not None)
        if self._process is not None:
            self._process.wait()

    def _start_process(self) -> subprocess.Popen[bytes]:
        # A Ctrl-C in the terminal is for the worker, which then stops this one.
        return subprocess.Popen(self._command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 - our own

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        while True:
            code = process.wait()
            if self._stopping.is_set():
                return
            _log.error("a process of the worker ended: starting it again", module=self._module, code=code)
            time.sleep(_PAUSE)
            with self._lock:
                if self._stopping.is_set():
                    return
                try:
                    process = self._process = self._start_process()
                except OSError as error:
                    _log.error("a process of the worker does not start", module=self._module, reason=str(error))
