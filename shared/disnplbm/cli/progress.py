"""Progress on a terminal, silence elsewhere, and a way to stop."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class Bars:
    """One bar a stage, on stderr, on a terminal only; use it as a context manager.

    Parameters
    ----------
    quiet : bool
        No bars even on a terminal.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = Console(stderr=True)
        self._tasks: dict[str, TaskID] = {}
        self._progress = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(bar_width=28),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", style="dim"),
            console=self.console,
            disable=quiet or not self.console.is_terminal,
        )

    def __enter__(self) -> Bars:
        self._progress.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._progress.stop()

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show how far a stage has come."""
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total, note="")
        self._progress.update(self._tasks[stage], completed=done, total=total, note=note)

    def say(self, message: str) -> None:
        """Print a line above the bars."""
        self._progress.console.print(message, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def stop_on_signal() -> Iterator[list[str]]:
    """Collect Ctrl-C and SIGTERM instead of dying; a second one ends the program at once.

    Yields
    ------
    list of str
        Empty until a signal came.
    """
    received: list[str] = []

    def note(number: int, _frame: FrameType | None) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(signal.Signals(number).name)
        print("\nstopping after this iteration; press Ctrl-C again to stop at once", file=sys.stderr)  # noqa: T201

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
