"""What no worker of ours sends: a run goes on past it, or fails for a reason and goes on once it is resumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from msgspec.structs import replace
from sqlalchemy.orm import Session

from disnplbm.messaging.app import Refused
from disnplbm.messaging.messages import IngestTask, JobFailed, PrepareTask, SweepFailed, SweepTask, Swept
from disnplbm.messaging.queues import DELIVERIES, SWEEP_TASK
from disnplbm.objects.store import open_store
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database, DatabaseAway
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.records import LedgerEntry
from disnplbm.sampler.packing import pack, unpack
from marks import long

from .desk import SHARDS, Desk, digest_of_fit, write_table

Forger = Callable[[Swept], Swept]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_table(tmp_path_factory.mktemp("table"))


@pytest.fixture(scope="module")
def expected(table: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return digest_of_fit(table, tmp_path_factory.mktemp("fit"))


@pytest.fixture
def desk(table: Path, tmp_path: Path) -> Iterator[Desk]:
    database = Database(f"sqlite:///{tmp_path}/runs.sqlite3")
    database.migrate()
    yield Desk(table, database, open_store(tmp_path / "store"))
    database.close()


def _parts(change: Callable[[list[Any]], None]) -> Forger:
    """Changes what the statistics are made of: shard, names, sizes, first, cells, overlap, tries."""

    def forged(message: Swept) -> Swept:
        assert message.payload is not None
        parts = unpack(message.payload)
        change(parts)
        return replace(message, payload=pack(parts), digest="forged")

    return forged


def _of_another_shard(parts: list[Any]) -> None:
    parts[0] = (parts[0] + 1) % SHARDS


def _too_few_sizes(parts: list[Any]) -> None:
    parts[2] = parts[2][:-1]


def _too_many_columns(parts: list[Any]) -> None:
    parts[4] = [np.repeat(array, 2, axis=1) for array in parts[4]]


def _no_arrays(parts: list[Any]) -> None:
    parts[1:] = [None] * (len(parts) - 1)


def _set(part: int, value: float, of: int | None = None) -> Callable[[list[Any]], None]:
    """Puts a value into the first place of an array."""

    def change(parts: list[Any]) -> None:
        array = parts[part] if of is None else parts[part][of]
        array.reshape(-1)[0] = value

    return change


def _tries(**fields: Any) -> Callable[[list[Any]], None]:
    """Adds a try that is sound but for some fields."""

    def change(parts: list[Any]) -> None:
        blocks = parts[4][1].shape[1]
        sound = {
            "a": 0,
            "b": -1,
            "shard": parts[0],
            "anchors": [0, 1],
            "guided": False,
            "contrasts": [0.0] * (3 * blocks + 1),
        }
        kinds = {"anchors": "i8", "guided": "?", "contrasts": "f8"}
        parts[6] = [np.array([value], kinds.get(name, "i4")) for name, value in (sound | fields).items()]

    return change


#: Statistics that are not built as ours are.
DAMAGED: dict[str, Forger] = {
    "garbage": lambda message: replace(message, payload=b"\xc1garbage", digest="forged"),
    "other": lambda message: replace(message, payload=pack({"a": 1}), digest="forged"),
    "another shard": _parts(_of_another_shard),
    "too few sizes": _parts(_too_few_sizes),
    "too many columns": _parts(_too_many_columns),
    "no arrays": _parts(_no_arrays),
}

#: Statistics with values that cannot be.
IMPOSSIBLE: dict[str, Forger] = {
    "a name far above all": _parts(_set(1, 60_000_000)),
    "a name below all": _parts(_set(1, -2)),
    "no member": _parts(_set(2, 0)),
    "a negative size": _parts(_set(2, -5)),
    "sizes whose sum wraps around": _parts(_set(2, 2**62)),
    "a row that is not there": _parts(_set(3, 10**6)),
    "a negative row": _parts(_set(3, -3)),
    "a negative number of cells": _parts(_set(4, -1.0, 0)),
    "a mean that is no number": _parts(_set(4, np.nan, 1)),
    "an infinite scatter": _parts(_set(4, np.inf, 2)),
    "an overlap that is no number": _parts(_set(5, np.nan)),
    "a try of a cluster that is not there": _parts(_tries(a=99)),
    "tries that are single numbers": _parts(lambda parts: parts.__setitem__(6, [np.array(0)] * 6)),
    "a try of no known kind": _parts(_tries(b=-3)),
    "a try of another shard": _parts(_tries(shard=77)),
    "a try of a row that is not there": _parts(_tries(anchors=[0, 10**6])),
    "a try with too few contrasts": _parts(_tries(contrasts=[0.0])),
    "a try with contrasts that are no numbers": _parts(_tries(contrasts=[np.nan] * 19)),
}

#: Those of `make test`: one for each part of the statistics, and one more for the tries.
SHORT = [
    "a name far above all",
    "a negative size",
    "a negative row",
    "a mean that is no number",
    "an overlap that is no number",
    "a try of a cluster that is not there",
    "tries that are single numbers",
]


@pytest.mark.parametrize("restarted", [False, long(True)], ids=["", "restarted"])
@pytest.mark.parametrize("forge", DAMAGED.values(), ids=DAMAGED.keys())
def test_damaged_statistics_are_asked_for_again(desk: Desk, expected: str, forge: Forger, restarted: bool) -> None:
    first, *others = desk.to_iteration(3)
    if restarted:
        # They reached the ledger, and the master died before it looked at them.
        assert Books.of(desk.database).ledger.record(_entry(forge(first))) == "new"
        desk.new_master()
    else:
        desk.take(forge(first).to_bytes())
    for message in others:
        desk.take(message.to_bytes())
    assert desk.digest() == expected


@pytest.mark.parametrize(
    "wrong",
    [
        {"payload": None},
        {"payload_key": "../../etc/passwd"},
        {"payload_key": "runs/RUN/request.json"},
        {"labels_key": ""},
        {"labels_key": "runs/other/labels/0/3/0-0123456789abcdef"},
        {"labels_key": "runs/RUN/labels/0/2/0-0123456789abcdef"},
    ],
    ids=str,
)
def test_objects_of_others_are_not_taken(desk: Desk, expected: str, wrong: dict[str, str | None]) -> None:
    messages = desk.to_iteration(3)
    for message in messages:
        named = {name: value and value.replace("RUN", desk.run) for name, value in wrong.items()}
        desk.take(replace(message, digest="forged", **named).to_bytes())
    for message in messages:
        desk.take(message.to_bytes())
    assert desk.digest() == expected


@pytest.mark.parametrize(
    "forge", [forge if name in SHORT else long(forge) for name, forge in IMPOSSIBLE.items()], ids=IMPOSSIBLE.keys()
)
def test_impossible_statistics_are_asked_for_again(desk: Desk, expected: str, forge: Forger) -> None:
    first, *others = desk.to_iteration(3)
    desk.take(forge(first).to_bytes())
    entries = Books.of(desk.database).ledger.entries(IterationId(desk.run, 0, 3))
    assert entries == [], "nothing of them counts"
    for message in others:
        desk.take(message.to_bytes())
    assert desk.digest() == expected


@pytest.mark.parametrize("name", ["a name far above all", "a negative size"])
def test_impossible_statistics_are_no_conflict(desk: Desk, expected: str, name: str) -> None:
    """The honest worker is not blamed, whoever comes first."""
    messages = desk.to_iteration(3)
    desk.take(messages[0].to_bytes())
    desk.take(IMPOSSIBLE[name](messages[0]).to_bytes())
    for message in messages:
        desk.take(message.to_bytes())
    assert desk.digest() == expected


def test_statistics_that_stay_damaged_fail_the_run_which_can_be_resumed(desk: Desk, expected: str) -> None:
    first, *others = desk.to_iteration(3)
    for message in others:
        desk.take(message.to_bytes())
    for _ in range(3):
        desk.take(DAMAGED["garbage"](first).to_bytes())
    failed = desk.service.run(desk.run)
    assert failed.state == "FAILED"
    assert failed.error is not None
    assert f"shard {first.shard} failed 3 times" in failed.error
    desk.service.resume(desk.run)
    assert desk.digest() == expected


@pytest.mark.parametrize("shard", [-5, SHARDS, 99])
def test_a_shard_that_the_run_does_not_have_is_not_counted(desk: Desk, expected: str, shard: int) -> None:
    messages = desk.to_iteration(3)
    desk.take(replace(messages[0], shard=shard).to_bytes())
    place = (desk.run, 0, 3, shard, messages[0].epoch)
    desk.take(SweepFailed(*place, 0, starts=9, reason="forged", labels_missing=False, worker="w").to_bytes())
    for message in messages:
        desk.take(message.to_bytes())
    assert desk.digest() == expected


@pytest.mark.parametrize("lost", [0, DELIVERIES // 2 - 1, DELIVERIES // 2])
def test_a_shard_that_was_set_aside_counts_if_workers_started_it(desk: Desk, expected: str, lost: int) -> None:
    """Whoever reaches the broker may set it aside: without starts that workers noted it is asked for again."""
    first, *others = desk.to_iteration(3)
    chain = Books.of(desk.database).chains.find(desk.run, 0)
    assert chain is not None
    task = next(
        task for task in desk.done if isinstance(task, SweepTask) and task.iteration == 3 and task.shard == first.shard
    )
    desk.mirror.starts[desk.run, task.name] = lost
    desk.master.inbox.on_dead(SWEEP_TASK, [task.to_dict()])
    if lost < DELIVERIES // 2:
        assert [again.shard for again in desk.bag.tasks] == [first.shard]  # type: ignore[union-attr]
    else:
        assert "is the worker out of memory" in str(desk.service.run(desk.run).error)
        desk.service.resume(desk.run)
    for message in others:
        desk.take(message.to_bytes())
    assert desk.digest() == expected


def test_a_job_that_was_done_does_not_fail_any_more(desk: Desk, expected: str) -> None:
    messages = desk.to_iteration(2)
    for job, subject in (("prepare", desk.run), ("ingest", desk.service.run(desk.run).dataset_id), ("other", desk.run)):
        desk.take(JobFailed(job, subject, 0, 9, "another worker, later", final=True).to_bytes())
    for message in messages:
        desk.take(message.to_bytes())
    assert desk.digest() == expected


@pytest.mark.parametrize("broken", range(1, 5))
@pytest.mark.parametrize("job", ["ingest", "prepare"])
def test_a_job_that_fails_for_good_fails_its_run_whenever_the_database_goes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, job: Literal["ingest", "prepare"], broken: int
) -> None:
    session, sessions = desk.database.session, count(1)

    def goes() -> AbstractContextManager[Session]:
        if next(sessions) == broken:
            raise DatabaseAway("it went away")
        return session()

    monkeypatch.setattr(desk.database, "session", goes)
    subject = desk.run if job == "prepare" else desk.service.run(desk.run).dataset_id
    body = JobFailed(job, subject, 0, 1, "cells are damaged", final=True).to_bytes()
    # What was broken off comes again.
    for _ in range(2):
        desk.take(body)
    failed = desk.service.run(desk.run)
    assert (failed.state, failed.error) == ("FAILED", "cells are damaged")


@pytest.mark.parametrize("kind", ["ingest", "prepare"])
def test_a_job_that_the_broker_never_takes_fails_its_run(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    take = desk.bag.publish_job

    def refuse(task: IngestTask | PrepareTask) -> None:
        if isinstance(task, IngestTask) == (kind == "ingest"):
            raise Refused("the broker refuses it")
        take(task)

    monkeypatch.setattr(desk.bag, "publish_job", refuse)
    desk.go_on(lambda: desk.service.run(desk.run).state == "FAILED")
    assert desk.service.run(desk.run).error == "the broker refuses it"


def _moved(parts: list[Any]) -> None:
    parts[4][1] += 1.0


def test_a_batch_with_duplicates_and_stale_ones_counts_each_shard_once(desk: Desk, expected: str) -> None:
    late = desk.late()
    first, *rest = desk.to_iteration(3)
    acknowledged: list[bool] = []
    desk.master.inbox.on_results(
        [late, first, replace(first, worker="w2"), *rest, late, *rest], lambda: acknowledged.append(True)
    )
    assert acknowledged
    assert desk.digest() == expected


@pytest.mark.parametrize("forged_first", [False, True])
def test_a_batch_with_a_conflict_fails_the_run_and_leaves_nothing_of_the_two(
    desk: Desk, expected: str, forged_first: bool
) -> None:
    late = desk.late()
    first, second, *rest = desk.to_iteration(3)
    two = [_parts(_moved)(first), first] if forged_first else [first, _parts(_moved)(first)]
    desk.master.inbox.on_results([second, second, late, *two, *rest], lambda: None)
    failed = desk.service.run(desk.run)
    assert failed.state == "FAILED"
    assert "not bit-identical" in str(failed.error)
    assert first.shard not in [entry.shard for entry in Books.of(desk.database).ledger.entries(IterationId.of(first))]
    desk.service.resume(desk.run)
    assert desk.digest() == expected


def test_after_a_conflict_neither_is_trusted(desk: Desk, expected: str) -> None:
    first, *_ = desk.to_iteration(3)
    desk.take(_parts(_moved)(first).to_bytes())
    desk.take(first.to_bytes())
    failed = desk.service.run(desk.run)
    assert failed.state == "FAILED"
    assert "not bit-identical" in str(failed.error)
    desk.service.resume(desk.run)
    assert desk.digest() == expected


def _entry(message: Swept) -> LedgerEntry:
    """What the ledger has of a message."""
    return LedgerEntry(**{name: value for name, value in message.to_dict().items() if name != "epoch"})
