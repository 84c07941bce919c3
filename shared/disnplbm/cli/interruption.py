"""Ctrl-C and SIGTERM: every command ends within two seconds, whatever it is doing.

Python runs a signal's handler between two steps of the main thread, and a kernel or its compilation is one step. So a
thread of its own watches (the system writes to its pipe at once), and the command ends in one of three ways:

1. At the signal the command is asked to stop: a chain ends after its iteration, all else is interrupted.
2. After `STOP_SECONDS` a chain is interrupted too.
3. After `UNWIND_SECONDS` more the process leaves where it is (:mod:`disnplbm.leaving`).

A second signal leaves at once.

A master or worker says itself what it does (:class:`Service`): it ends what it has in hand, or leaves.
"""

from __future__ import annotations

import _thread
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, Protocol

from disnplbm.leaving import leave

STOP_SECONDS = 0.9
UNWIND_SECONDS = 0.5

#: Exit code of a command that was interrupted.
CODE = 130

UNFINISHED = "interrupted: the command did not finish; run it again"

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Service(Protocol):
    """What is asked how it ends, from the thread that watches."""

    def on_signal(self, code: int) -> bool:
        """Say what happens at a signal, and whether something in hand is done first.

        If so, the service ends by itself, with that exit code. If not, the main thread is interrupted.
        """
        ...


class Interruption:
    """How this process ends when it is told to; one a process."""

    def __init__(self) -> None:
        self.received = False
        self._installed = False
        self._begun = False
        self._softly = False
        self._hurried = False
        self._before_unwinding: Callable[[], None] | None = None
        self._service: Service | None = None
        self._unwinding = False
        self._code = CODE
        # Who holds it says the last line.
        self._last_line = threading.Lock()
        self._pipe = (-1, -1)

    def install(self) -> None:
        """Watch for signals from now on; from the main thread."""
        self._installed = True
        self._pipe = os.pipe()
        os.set_blocking(self._pipe[1], False)
        threading.Thread(target=self._watch, name="signals", daemon=True).start()
        signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        for number in _SIGNALS:
            signal.signal(number, self._handle)

    def begin(self) -> None:
        """From now on there is something to unwind; before, an interruption leaves at once."""
        self._begun = True

    def attend(self, service: Service) -> None:
        """From now on ask a service what to do. To be told to stop is how it ends: SIGTERM makes the exit code 0."""
        self._service = service
        if self._installed:
            # What its children are told is not for this process.
            os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))

    @contextmanager
    def stop_softly(self) -> Iterator[Callable[[], bool]]:
        """Ask the block to stop at a signal, and interrupt it only if it has not stopped soon after.

        Yields
        ------
        callable
            Whether to stop.
        """
        self._softly = True
        try:
            yield lambda: self.received
        finally:
            self._softly = False

    @contextmanager
    def serving(self, before_unwinding: Callable[[], None]) -> Iterator[None]:
        """A service: to be told to stop is how it ends, so the exit code is 0.

        Parameters
        ----------
        before_unwinding : callable
            Called before the block is interrupted.
        """
        self._before_unwinding, self._code = before_unwinding, 0
        try:
            yield
        except KeyboardInterrupt:
            # It came before the service was up, or while it went down.
            return
        finally:
            self._before_unwinding = None

    def settle(self) -> None:
        """The command has ended and says its last line: signals change nothing from here on."""
        if self._installed:
            self._last_line.acquire()

    def exit(self, code: int) -> None:
        """End the process."""
        if not self.received:
            sys.exit(code)
        # Threads that still compute are not waited for.
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                continue
        os._exit(code)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self._service is not None:
            if self._unwinding:
                self._unwinding = False
                raise SystemExit(self._code)
            return
        if self._last_line.locked():
            return
        first, self.received = not self.received, True
        # Broken-off callbacks are no news for the user.
        sys.unraisablehook = lambda _: None
        if not self._begun:
            # Among imports, some of which make another error of an exception.
            self._leave()
        if self._softly:
            if first and sys.stderr.isatty():
                # Not by print: the signal may have come in the middle of one.
                os.write(2, b"\nstopping after this iteration\n")
            return
        if first or self._hurried:
            self._hurried = False
            if self._before_unwinding is not None:
                self._before_unwinding()
            raise KeyboardInterrupt

    def _watch(self) -> None:
        number = self._next()
        if self._service is not None:
            self._end(self._service, number)
        softly = self._softly
        if not self._again_within(STOP_SECONDS):
            if softly:
                self._softly, self._hurried = False, True
                _thread.interrupt_main()
                # What this call writes to the pipe is no signal from outside.
                self._next()
            self._again_within(UNWIND_SECONDS)
        if self._last_line.acquire(blocking=False):
            self._leave()

    def _end(self, service: Service, number: int) -> NoReturn:
        """End a service."""
        self.received, self._code = True, 0 if number == signal.SIGTERM else CODE
        if service.on_signal(self._code):
            self._next()
        else:
            self._unwinding = True
            # By a signal: the main thread may be in a system call, which goes on when a handler has returned.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            self._next()
            self._again_within(STOP_SECONDS)
        leave()
        os._exit(self._code)

    def _next(self) -> int:
        """The next signal that is to end this process; libraries have handlers for others."""
        while (number := os.read(self._pipe[0], 1)[0]) not in _SIGNALS:
            pass
        return number

    def _leave(self) -> NoReturn:
        line = leave() or UNFINISHED
        # A bar hides the cursor.
        before = "\x1b[?25h\n" if sys.stderr.isatty() else ""
        if self._code == CODE:
            os.write(2, f"{before}disnplbm: {' '.join(line.splitlines())}\n".encode(errors="backslashreplace"))
        os._exit(self._code)

    def _again_within(self, seconds: float) -> bool:
        """Whether another signal comes soon."""
        ready, _, _ = select.select([self._pipe[0]], [], [], seconds)
        if ready:
            os.read(self._pipe[0], 1)
        return bool(ready)


interruption = Interruption()
"""The interruption of this process."""
