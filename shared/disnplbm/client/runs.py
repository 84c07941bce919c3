"""What the commands ask of runs, wherever those are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from disnplbm.runs.request import Request

#: Called with what is being done, how much of it is done, and how much there is in all.
Stages = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How a run stands.

    Parameters
    ----------
    state : str
        One of :class:`disnplbm.runs.states.State`.
    stage : str
        What is being done, in a word.
    done, total : int
        Iterations of all chains together.
    row_clusters, column_clusters, log_joint : int, int, float or None
        Those that are reported once the run has succeeded; until then of the first chain after its last iteration.
    verdict : dict or None
        Whether the chains agree (:meth:`disnplbm.posterior.verdict.Verdict.to_dict`), once the run has succeeded.
    shards : int or None
        Known once it runs.
    error : str or None
        Why it FAILED.
    created_at, started_at, finished_at : datetime or None
        In UTC.
    """

    id: str
    name: str
    dataset: str
    state: str
    stage: str
    done: int
    total: int
    row_clusters: int | None
    column_clusters: int | None
    log_joint: float | None
    verdict: dict[str, Any] | None
    shards: int | None
    error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened to a run: when, what became of it, by whom and why."""

    at: datetime
    kind: str
    to_state: str | None
    actor: str
    reason: str


class Runs(Protocol):
    """Runs and their data.

    A run is named by its id, or by a beginning of it, of at least 4 characters, that no other has. All methods raise an
    InputError where there is no such run or its state does not allow what is asked, and a RunError where it cannot be
    done at present.
    """

    def upload(self, path: Path, reading: Mapping[str, Any], stages: Stages) -> str:
        """Upload a file; the id of its dataset.

        Parameters
        ----------
        reading : mapping
            How the file is read: what :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
        """
        ...

    def submit(self, dataset: str, asked: Request, options: Mapping[str, Any]) -> RunStatus:
        """Ask for a run.

        Parameters
        ----------
        options : mapping
            :meth:`disnplbm.engine.options.Options.to_dict`.
        """
        ...

    def run(self, run: str) -> RunStatus:
        """One run; Away if it cannot be asked for."""
        ...

    def runs(self, state: str | None, limit: int) -> list[RunStatus]:
        """Runs, the newest first; of one state if it is given."""
        ...

    def happenings(self, run: str) -> list[Happening]:
        """What happened to a run, in order."""
        ...

    def pause(self, run: str, reason: str) -> RunStatus:
        """Stop a run before its next iteration, until it is resumed."""
        ...

    def resume(self, run: str) -> RunStatus:
        """Go on with a run that was paused, or that failed."""
        ...

    def cancel(self, run: str, reason: str) -> RunStatus:
        """End a run for good."""
        ...

    def record(self, run: str) -> dict[str, Any]:
        """The run.json of a run that succeeded."""
        ...

    def fetch(self, run: str, folder: Path, stages: Stages) -> None:
        """Download the files of a run that succeeded into a folder; each appears whole or not at all."""
        ...
