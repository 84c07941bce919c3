"""From rows of the tables to records."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any, cast

from disnplbm.runs.database.models import (
    Chain,
    Checkpoint,
    Dataset,
    Event,
    Iteration,
    Job,
    Ledger,
    Run,
)
from disnplbm.runs.records import (
    ChainRecord,
    CheckpointRecord,
    DatasetRecord,
    DatasetState,
    EventRecord,
    IterationRecord,
    JobKind,
    JobRecord,
    JobState,
    LedgerEntry,
    RunRecord,
)
from disnplbm.runs.states import State
from disnplbm.sampler.short_chains import ShortChains
from disnplbm.sampler.trace_row import TraceRow


def dataset_record(row: Dataset) -> DatasetRecord:
    """A dataset."""
    return DatasetRecord(**{**_columns(row, DatasetRecord), "state": cast(DatasetState, row.state)})


def run_record(row: Run) -> RunRecord:
    """A run."""
    wanted = row.n_shards_wanted
    values = _columns(row, RunRecord)
    return RunRecord(
        **{**values, "state": State(row.state), "n_shards_wanted": "auto" if wanted == "auto" else int(wanted)}
    )


def chain_record(chain: Chain, run: Run) -> ChainRecord:
    """A chain, with what is needed of its run."""
    return ChainRecord(
        run=chain.run_id,
        stream=chain.stream,
        chain=chain.chain,
        short=chain.short,
        iterations=chain.iterations,
        iteration=chain.iteration,
        state=chain.state,
        state_key=chain.state_key,
        published_at=chain.published_at,
        ended=chain.ended,
        awaited=ShortChains.asked(run.options).awaited(chain.short),
        run_state=State(run.state),
        epoch=run.epoch,
        n_shards=run.n_shards,
        shards_prefix=run.shards_prefix,
        request_seal=run.request_seal,
        shards_seal=run.shards_seal,
    )


def ledger_entry(row: Ledger, payload: bytes | None) -> LedgerEntry:
    """A ledger entry; the payload apart, since it is read only where it is needed."""
    return LedgerEntry(run=row.run_id, payload=payload, **_columns(row, LedgerEntry, besides={"run", "payload"}))


def ledger_row(entry: LedgerEntry) -> dict[str, Any]:
    """The columns that a ledger entry fills: :func:`ledger_entry` the other way round."""
    return {"run_id": entry.run, **_columns(entry, LedgerEntry, besides={"run"})}


def iteration_record(row: Iteration) -> IterationRecord:
    """An iteration."""
    figures = TraceRow._make(getattr(row, name) for name in TraceRow._fields)
    return IterationRecord(row.stream, row.iteration, figures, tuple(row.shards))


def iteration_row(record: IterationRecord) -> dict[str, Any]:
    """The columns that an iteration fills: :func:`iteration_record` the other way round."""
    return {**record.row._asdict(), "shards": list(record.shards)}


def checkpoint_record(row: Checkpoint) -> CheckpointRecord:
    """A checkpoint."""
    return CheckpointRecord(row.run_id, row.stream, row.iteration, row.state, row.state_key, tuple(row.labels))


def job_record(row: Job) -> JobRecord:
    """A job."""
    kind, state = cast(JobKind, row.kind), cast(JobState, row.state)
    return JobRecord(kind, row.subject, state, row.published_at, row.attempts, row.error)


def event_record(row: Event) -> EventRecord:
    """An event."""
    return EventRecord(**_columns(row, EventRecord))


def _columns(row: object, record: type[Any], besides: Collection[str] = ()) -> dict[str, Any]:
    """The columns that a record has under the same names."""
    return {field.name: getattr(row, field.name) for field in fields(record) if field.name not in besides}
