"""A chain swept by workers equals the local engine's, and whatever goes wrong is told in one line."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm.engine.local import LocalEngine
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, stored_problem
from disnplbm.messaging.messages import SweepFailed, SweepTask, Swept
from disnplbm.model.statistics import Floats
from disnplbm.objects.addressed import put_addressed
from disnplbm.objects.store import ObjectStore
from disnplbm.sampler.chain import join_of, master_step, start_chain, start_join
from disnplbm.sampler.packing import (
    pack_broadcast,
    pack_labels,
    pack_start,
    unpack_labels,
    unpack_statistics,
)
from disnplbm.sampler.starts import Start
from disnplbm.sampler.state import ChainState
from disnplbm_worker.problems import Problems
from disnplbm_worker.sweep import Sweeper

from .prepared import PREFIX, Sink, folder_store, prepared, table

SHARDS, STREAM = 3, 2


def task(options: Options, iteration: int, shard: int, **fields: Any) -> SweepTask:
    blank: dict[str, Any] = {"body": None, "body_key": None, "names": None, "names_key": None, "labels_key": None}
    return SweepTask(
        run="r",
        stream=STREAM,
        iteration=iteration,
        shard=shard,
        epoch=1,
        shards_prefix=PREFIX,
        options=options.to_dict(),
        attempt=0,
        published=time.time(),
        shards_seal=None,
        **{**blank, **fields},
    )


def started(options: Options, shard: int, **fields: Any) -> SweepTask:
    return task(options, 0, shard, **{"body": pack_start(Start("random")), **fields})


def iteration(
    sweepers: list[Sweeper], sink: Sink, problem: Problem, options: Options, state: ChainState | None, keys: list[str]
) -> tuple[ChainState, list[str]]:
    """One iteration of a chain, its shards swept by workers in turn and joined as a master does."""
    parameters, start = problem.parameters, Start("random")
    t = 0 if state is None else state.broadcast.iteration
    sink.messages.clear()
    for shard in reversed(range(SHARDS)):
        if state is None:
            given: dict[str, Any] = {"body": pack_start(start)}
        else:
            given = {
                "body": pack_broadcast(state.broadcast),
                "names": pack_labels(state.to_global[shard]),
                "labels_key": keys[shard],
            }
        receipt = sweepers[(shard + t) % len(sweepers)].sweep(task(options, t, shard, **given), 0)
        assert receipt["digest"] == sink.messages[-1].digest  # type: ignore[attr-defined]
    swept = sorted(sink.messages, key=lambda message: message.shard)  # type: ignore[attr-defined]
    if state is None:
        join = start_join(start, parameters, problem.families, problem.n_items, problem.n_columns)
    else:
        join = join_of(state, parameters)
    keys = []
    for message in swept:
        assert isinstance(message, Swept)
        assert message.payload is not None
        join.add(unpack_statistics(message.payload))
        keys.append(message.labels_key)
    joined = join.finish()
    if state is None:
        return start_chain(joined, parameters), keys
    return master_step(joined, state, parameters, complete=problem.complete), keys


@pytest.mark.parametrize(
    ("sampler", "axis", "holes", "d"),
    [
        ("collapsed", "rows", False, 1),
        ("collapsed", "columns", True, 2),
        ("split-merge", "rows", True, 1),
        ("split-merge", "columns", False, 2),
    ],
)
def test_same_chain_as_the_local_engine(tmp_path: Path, sampler: Any, axis: str, holes: bool, d: int) -> None:
    compare_with_local_engine(tmp_path, Options(iterations=8, sampler=sampler, seed=5, burn_in=4), axis, holes, d)


@pytest.mark.parametrize("missing", [False, True])
def test_the_same_chain_of_counts(tmp_path: Path, missing: bool) -> None:
    """Their statistics travel without zeros where no cell is missing."""
    counts = np.random.default_rng(2).poisson(0.5, (60, 30)).astype(np.float64)
    counts[3, 4] = np.nan if missing else 1.0
    compare_with_local_engine(tmp_path, Options(iterations=8, cells="counts", seed=5), values=counts)


def compare_with_local_engine(
    folder: Path,
    options: Options,
    axis: str = "rows",
    holes: bool = False,
    d: int = 1,
    values: Floats | None = None,
) -> None:
    """Fail unless workers and the local engine come to the same bits in every iteration."""
    store, sink = folder_store(folder), Sink()
    cells = "gaussian" if options.cells == "auto" else options.cells
    manifest = prepared(store, table(36, 15, d, holes=holes) if values is None else values, SHARDS, axis, cells)
    problem = stored_problem(store, manifest, options).of_chain(STREAM)
    # Two workers that share a disk, so that none has seen every shard before.
    sweepers = [sink.sweeper(store, folder / "cache") for _ in range(2)]
    with LocalEngine(problem.shards, problem.parameters, problem.families, 1) as engine:
        expected = engine.start(Start("random"))
        state, keys = iteration(sweepers, sink, problem, options, None, [])
        for _ in range(options.iterations):
            expected = engine.step(expected)
            state, keys = iteration(sweepers, sink, problem, options, state, keys)
            assert state.log_joint == expected.chain.log_joint
            for key, labels in zip(keys, expected.labels, strict=True):
                assert np.array_equal(unpack_labels(store.get(key)), labels)
    for found, part in zip(state.broadcast.parts, expected.chain.broadcast.parts, strict=True):
        assert np.array_equal(found.column_labels, part.column_labels)


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    store = folder_store(tmp_path)
    prepared(store, table(36, 15), SHARDS)
    return store


def test_doing_it_again_gives_the_same_digest_and_keys(store: ObjectStore) -> None:
    sink = Sink()
    first = sink.sweeper(store).sweep(started(Options(), 1), 0)
    objects = store.list("runs")
    again = sink.sweeper(store).sweep(started(Options(), 1), 1)
    assert first == again == {"run": "r", "stream": STREAM, "iteration": 0, "shard": 1, "digest": first["digest"]}
    assert store.list("runs") == objects
    assert [message.redelivered for message in sink.messages] == [0, 1]  # type: ignore[attr-defined]


def test_what_is_large_goes_by_key(store: ObjectStore) -> None:
    small, large = Sink(), Sink()
    small.sweeper(store).sweep(started(Options(), 0), 0)
    inline = small.messages[0]
    key = put_addressed(store, "runs/r/states/2/0", pack_start(Start("random")))
    large.sweeper(store, inline_bytes=0).sweep(started(Options(), 0, body=None, body_key=key), 0)
    by_key = large.messages[0]
    assert isinstance(inline, Swept)
    assert isinstance(by_key, Swept)
    assert by_key.payload is None
    assert by_key.payload_key is not None
    assert bytes(store.get(by_key.payload_key)) == inline.payload
    assert by_key.payload_key.startswith(f"runs/r/statistics/{STREAM}/0/0-")
    assert by_key.digest == inline.digest


def test_stale_work_is_dropped(store: ObjectStore) -> None:
    sink = Sink(stale=True)
    assert sink.sweeper(store).sweep(started(Options(), 0), 0)["digest"] is None
    assert not sink.messages
    assert not store.list("runs")


def failure(sink: Sink) -> SweepFailed:
    (message,) = sink.messages
    assert isinstance(message, SweepFailed)
    assert message.starts == 1
    assert "\n" not in message.reason
    return message


@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_lost_labels_are_told_apart(store: ObjectStore, damage: str) -> None:
    sink = Sink()
    sweeper = sink.sweeper(store)
    sweeper.sweep(started(Options(), 1), 0)
    (swept,) = sink.messages
    assert isinstance(swept, Swept)
    key = swept.labels_key
    if damage == "missing":
        store.delete([key])
    else:
        store.put(key, bytes(store.get(key))[:-1] + b"\x7f")
    sink.messages.clear()
    # Who wrote them has them still: it is another worker that misses them.
    receipt = sink.sweeper(store).sweep(task(Options(), 1, 1, body=b"?", names=b"?", labels_key=key), 0)
    assert receipt["digest"] is None
    message = failure(sink)
    assert message.labels_missing
    assert key in message.reason


def test_a_damaged_shard_is_named(store: ObjectStore) -> None:
    store.put(f"{PREFIX}/shards/00002.npy", b"short")
    sink = Sink()
    sink.sweeper(store).sweep(started(Options(), 2), 0)
    message = failure(sink)
    assert not message.labels_missing
    assert message.reason.startswith(f"shard 2 of {PREFIX}, iteration 0: ")
    assert f"{PREFIX}/shards/00002.npy" in message.reason


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"body": None}, "neither a body nor the key"),
        ({"body": b"\xc1"}, "damaged"),
        ({"iteration": 1}, "does not say what the shard's labels are"),
        ({"shard": 3}, "there are 3 shards only"),
        ({"shards_prefix": "shards/gone"}, "object shards/gone/manifest.json is missing"),
    ],
)
def test_a_task_that_cannot_be_done(store: ObjectStore, fields: dict[str, Any], reason: str) -> None:
    sink = Sink()
    record = started(Options(), 0).to_dict() | fields
    sink.sweeper(store).sweep(SweepTask.from_dict(record), 0)
    assert reason in failure(sink).reason


def test_problems_of_a_run_keep_their_prior(store: ObjectStore) -> None:
    problems = Problems(store)
    _, first = problems.of(PREFIX, Options().to_dict())
    for power in np.linspace(0.5, 0.9, 20):
        problems.of(PREFIX, Options(power=float(power)).to_dict())
    assert problems.of(PREFIX, Options().to_dict())[1].families == first.families
