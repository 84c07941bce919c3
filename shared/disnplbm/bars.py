"""Progress for people: bars on a terminal or in a notebook, a line for each stage elsewhere."""

from __future__ import annotations

import sys
import time
from threading import Timer

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

#: Loading compiled kernels takes less; compiling them takes more.
COMPILING_SECONDS = 2.0


class Bars:
    """One bar a stage, on stderr, on a terminal or in a notebook only; use it as a context manager.

    It is a :class:`disnplbm.engine.stages.Progress`. A stage whose amount of work is not known has a bar that moves to
    and fro.

    Parameters
    ----------
    quiet : bool
        No bars even on a terminal.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = Console(stderr=True)
        self._tasks: dict[str, TaskID] = {}
        self._notes: dict[str, str] = {}
        self._timer = Timer(0, lambda: None)
        self._progress = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(bar_width=28),
            TaskProgressColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", style="dim"),
            console=self.console,
            disable=quiet or not is_interactive(self.console),
        )

    def __enter__(self) -> Bars:
        if not self._progress.disable:
            self._progress.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._timer.cancel()
        if not self._progress.disable:
            self._progress.stop()

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show how far a stage has come."""
        if self._progress.disable:
            return
        if stage == "compiling":
            self._say_if_slow(done)
            return
        if stage == "draws":
            self.say(f"the draws will take up to {total / 2**20:,.1f} MiB on disk")
            return
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(stage, total=total or None, note="")
        self._notes[stage] = note or self._notes.get(stage, "")
        self._progress.update(self._tasks[stage], completed=done, total=total or None, note=self._notes[stage])

    def _say_if_slow(self, done: int) -> None:
        """Say that kernels are being compiled, unless they come from the cache."""
        self._timer.cancel()
        if done == 0:
            message = "compiling the kernels for this kind of data: this happens once and takes under a minute"
            self._timer = Timer(COMPILING_SECONDS, self.say, [message])
            self._timer.daemon = True
            self._timer.start()

    def say(self, message: str) -> None:
        """Print a line above the bars."""
        self._progress.console.print(message, highlight=False, markup=False, soft_wrap=True)


class Lines:
    """A line on stderr for each stage that ends; use it as a context manager.

    It is a :class:`disnplbm.engine.stages.Progress`, for scripts whose output goes to a file.
    """

    def __init__(self) -> None:
        self._began: dict[str, float] = {}
        self._note = ""

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Nothing to close."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Note when a stage begins, and say when it ends."""
        self._note = note or self._note
        if total == 0:
            self._began[stage], self._note = time.perf_counter(), ""
        elif (done, total) == (1, 1) and stage in self._began:
            seconds = time.perf_counter() - self._began.pop(stage)
            print(f"{stage:<10} {seconds:7.1f} s  {self._note}".rstrip(), file=sys.stderr)  # noqa: T201


def is_interactive(console: Console) -> bool:
    """Whether somebody sees a bar move: on a terminal, or in a notebook."""
    return console.is_terminal or console.is_jupyter


def progress_for(*, verbose: bool) -> Bars | Lines:
    """Progress of a call from Python: bars where somebody sees them move, lines elsewhere; none unless asked for."""
    bars = Bars(quiet=not verbose)
    return Lines() if verbose and not is_interactive(bars.console) else bars
