"""Runs straight from the cluster's database and object store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from disnplbm.client.runs import Happening, RunStatus, Stages
from disnplbm.runs.records import RunProgress, RunRecord
from disnplbm.runs.request import Request
from disnplbm.runs.service import RunService

#: Who a change is written down for.
ACTOR = "cli"

#: Runs whose progress is asked for in one question.
_AT_A_TIME = 200


class ClusterRuns:
    """The runs of a run service; see :class:`disnplbm.client.runs.Runs`."""

    def __init__(self, service: RunService) -> None:
        self._service = service

    def upload(self, path: Path, reading: Mapping[str, Any], stages: Stages) -> str:
        """Upload a file; the id of its dataset."""
        progress = partial(stages, "uploading")
        return self._service.add_dataset(path, reading, progress=progress, actor=ACTOR).id

    def submit(self, dataset: str, asked: Request, options: Mapping[str, Any]) -> RunStatus:
        """Ask for a run."""
        return self._status(self._service.submit(dataset, asked, options, actor=ACTOR))

    def run(self, run: str) -> RunStatus:
        """One run; Away if the database is."""
        return self._status(self._service.run(run))

    def runs(self, state: str | None, limit: int) -> list[RunStatus]:
        """Runs, the newest first; of one state if it is given."""
        found = self._service.runs(state=state, limit=limit)
        progress: dict[str, RunProgress] = {}
        for first in range(0, len(found), _AT_A_TIME):
            progress |= self._service.progress_of(found[first : first + _AT_A_TIME])
        return [_status_of(run, progress[run.id]) for run in found if run.id in progress]

    def happenings(self, run: str) -> list[Happening]:
        """What happened to a run, in order."""
        return [
            Happening(event.at, event.kind, event.to_state, event.actor, event.reason)
            for event in self._service.events(run)
        ]

    def pause(self, run: str, reason: str) -> RunStatus:
        """Stop a run before its next iteration, until it is resumed."""
        return self._status(self._service.pause(run, ACTOR, reason))

    def resume(self, run: str) -> RunStatus:
        """Go on with a run that was paused, or that failed."""
        return self._status(self._service.resume(run, ACTOR))

    def cancel(self, run: str, reason: str) -> RunStatus:
        """End a run for good."""
        return self._status(self._service.cancel(run, ACTOR, reason))

    def record(self, run: str) -> dict[str, Any]:
        """The run.json of a run that succeeded."""
        found: dict[str, Any] = json.loads(bytes(self._service.read_result(run, "run.json")))
        return found

    def fetch(self, run: str, folder: Path, stages: Stages) -> None:
        """Download the files of a run that succeeded into a folder."""
        self._service.fetch_result(run, folder, partial(stages, "fetching"))

    def _status(self, run: RunRecord) -> RunStatus:
        return _status_of(run, self._service.progress(run.id))


def _status_of(run: RunRecord, progress: RunProgress) -> RunStatus:
    return RunStatus(
        id=run.id,
        name=run.name,
        dataset=run.dataset_id,
        state=run.state.value,
        stage=progress.stage,
        done=progress.done,
        total=progress.total,
        row_clusters=progress.row_clusters,
        column_clusters=progress.column_clusters,
        log_joint=progress.log_joint,
        verdict=run.verdict,
        shards=run.n_shards,
        error=run.error,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
    )
