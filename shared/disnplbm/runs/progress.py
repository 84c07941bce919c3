"""How far runs have come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select

from disnplbm.runs.database import Database
from disnplbm.runs.database.models import Chain, Dataset, Iteration
from disnplbm.runs.records import DatasetRecord, RunProgress, RunRecord
from disnplbm.runs.rows import dataset_record
from disnplbm.runs.states import State


def datasets_of(database: Database, runs: Sequence[RunRecord]) -> dict[str, DatasetRecord]:
    """The datasets of runs, by id."""
    ids = {run.dataset_id for run in runs}
    with database.reading() as session:
        return {row.id: dataset_record(row) for row in session.scalars(select(Dataset).where(Dataset.id.in_(ids)))}


def progress_of(
    database: Database, runs: Sequence[RunRecord], datasets: Mapping[str, DatasetRecord]
) -> dict[str, RunProgress]:
    """How far runs have come, by id."""
    ids = [run.id for run in runs]
    columns = (Chain.run_id, Chain.stream, Chain.chain, Chain.short, Chain.iteration, Chain.ended)
    last = (Iteration.row_clusters, Iteration.column_clusters, Iteration.log_joint)
    before = (
        (Iteration.run_id == Chain.run_id)
        & (Iteration.stream == Chain.stream)
        & (Iteration.iteration == Chain.iteration - 1)
    )
    query = select(*columns, *last).join(Iteration, before, isouter=True).where(Chain.run_id.in_(ids))
    chains: dict[str, list[Any]] = {run_id: [] for run_id in ids}
    with database.reading() as session:
        for row in session.execute(query):
            chains[row.run_id].append(row)
    return {run.id: _progress(run, datasets[run.dataset_id], chains[run.id]) for run in runs}


def _progress(run: RunRecord, dataset: DatasetRecord, chains: list[Any]) -> RunProgress:
    # Iteration t is under way, so t - 1 are done; 0 is the start.
    done = sum(max(chain.iteration - 1, 0) for chain in chains)
    started = [chain for chain in chains if chain.log_joint is not None]
    stage = _stage(run, dataset, all(chain.ended for chain in chains))
    if run.row_clusters is not None:
        return RunProgress(done, run.iterations_total, run.row_clusters, run.column_clusters, run.log_joint, stage)
    if not started:
        return RunProgress(done, run.iterations_total, None, None, None, stage)
    # The first chain, or one of its short chains while it waits for them.
    first = min(started, key=lambda chain: (chain.short is not None, chain.chain))
    return RunProgress(done, run.iterations_total, first.row_clusters, first.column_clusters, first.log_joint, stage)


def _stage(run: RunRecord, dataset: DatasetRecord, all_ended: bool) -> str:
    """What is being done for a run, in a word."""
    if run.state == State.PENDING:
        return "reading" if dataset.state == "UPLOADED" else "sharding"
    if run.state == State.RUNNING:
        return "finishing" if all_ended else "sampling"
    return run.state.lower()
