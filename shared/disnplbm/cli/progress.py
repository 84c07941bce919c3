"""Progress on a terminal, silence elsewhere."""

from __future__ import annotations

from threading import Timer

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

#: Loading compiled kernels takes less; compiling them takes more.
COMPILING_SECONDS = 2.0


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
        self._timer = Timer(0, lambda: None)
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
        self._timer.cancel()
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
            self._tasks[stage] = self._progress.add_task(stage, total=total, note="")
        self._progress.update(self._tasks[stage], completed=done, total=total, note=note)

    def _say_if_slow(self, done: int) -> None:
        """Say that kernels are being compiled, unless they come from the cache."""
        self._timer.cancel()
        if done == 0:
            message = "first use with this kind of data: compiling the kernels, once, for well under a minute"
            self._timer = Timer(COMPILING_SECONDS, self.say, [message])
            self._timer.daemon = True
            self._timer.start()

    def say(self, message: str) -> None:
        """Print a line above the bars."""
        self._progress.console.print(message, highlight=False, markup=False, soft_wrap=True)
