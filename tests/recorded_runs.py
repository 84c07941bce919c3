"""Runs in a database, brought by hand to where a test needs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from disnplbm.engine.options import Options
from disnplbm.posterior.verdict import Verdict
from disnplbm.runs.books import Books
from disnplbm.runs.records import Advance, IterationRecord, LedgerEntry, Reported, RunRecord
from disnplbm.runs.request import Request
from disnplbm.runs.service import RunService
from disnplbm.sampler.trace_row import TraceRow

REQUEST = Request("table.csv", "/home/ada/table.csv", n_shards=2, axis="rows")

SHARDS = 2

#: As no iteration of :func:`step` is.
REPORTED = Reported(4, 3, -90.5, Verdict("no_draws", 1).to_dict())


def uploaded(service: RunService, folder: Path) -> str:
    """A dataset; its id."""
    path = folder / "table.csv"
    path.write_text("1,2\n3,4\n")
    return service.add_dataset(path).id


def submitted(service: RunService, folder: Path, /, **options: Any) -> RunRecord:
    """A pending run."""
    return service.submit(uploaded(service, folder), REQUEST, Options(**options).to_dict())


def started(service: RunService, books: Books, folder: Path, /, **options: Any) -> RunRecord:
    """A running run of a dataset that was read, of two shards."""
    run = submitted(service, folder, **options)
    assert books.datasets.mark_ready(run.dataset_id, 2, 2, 1, "aa", 0, f"datasets/{run.dataset_id}")
    assert books.runs.start(run.id, "shards/x", SHARDS)
    return service.run(run.id)


def entry(run: str, iteration: int, shard: int = 0, stream: int = 0, **values: Any) -> LedgerEntry:
    """What a worker found of a shard."""
    values = {
        "digest": f"digest-{iteration}-{shard}",
        "labels_key": labels_key(run, iteration, shard, stream),
        "payload": b"statistics",
        "payload_key": None,
        "worker": "w1",
        "seconds": 0.25,
        **values,
    }
    return LedgerEntry(run=run, stream=stream, iteration=iteration, shard=shard, **values)


def labels_key(run: str, iteration: int, shard: int, stream: int = 0) -> str:
    """Where a shard's labels are."""
    return f"runs/{run}/labels/{stream}/{iteration}/{shard}"


def step(run: str, iteration: int, stream: int = 0, **values: Any) -> Advance:
    """The outcome of an iteration."""
    record = IterationRecord(stream, iteration, TraceRow(-100.0 + iteration, 3, 2, 0.5, 1.0, 1.0), ({"shard": 0},))
    values = {
        "state": b"state-%d" % iteration,
        "state_key": None,
        "labels": tuple(labels_key(run, iteration, shard, stream) for shard in range(SHARDS)),
        "ended": False,
        "record": record if iteration > 0 else None,
        **values,
    }
    return Advance(run=run, stream=stream, iteration=iteration, **values)


def run_to(books: Books, run: str, iteration: int, stream: int = 0) -> None:
    """Do all iterations of a chain before this one."""
    chain = books.chains.find(run, stream)
    assert chain is not None
    for done in range(chain.iteration, iteration):
        for shard in range(SHARDS):
            assert books.ledger.record(entry(run, done, shard, stream)) == "new"
        assert books.chains.advance(step(run, done, stream, ended=done == chain.iterations))
