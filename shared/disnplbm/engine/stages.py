"""The stages of a run: each is said when it begins, and timed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """Hears how far a stage ("reading", "sampling", "consensus" ...) has come; of "draws", bytes in all."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Take in the work done and the work in all, in a unit of the stage's own.

        A total of 0 means that the amount of work is not known.
        """


def ignore_progress(stage: str, done: int, total: int, note: str = "") -> None:
    """Progress of a run that nobody watches."""


class Stages:
    """Tells a progress when stages begin and end, and adds up what each takes.

    Parameters
    ----------
    seconds : mapping of str to float, optional
        What stages took before, by their names: of an interrupted run, say.

    Attributes
    ----------
    progress : Progress
    seconds : dict of str to float
        In the order in which the stages began.
    """

    def __init__(self, progress: Progress = ignore_progress, seconds: Mapping[str, float] | None = None) -> None:
        self.progress = progress
        self.seconds = dict(seconds or {})

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Time a stage; meanwhile it may tell the progress how far it has come."""
        self.seconds.setdefault(stage, 0.0)
        self.progress(stage, 0, 0)
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] += time.perf_counter() - began
        self.progress(stage, 1, 1)
