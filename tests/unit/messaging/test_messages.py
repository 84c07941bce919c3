"""Messages come back as they were; a message of another version is one line."""

from __future__ import annotations

from typing import Any

import pytest

from disnplbm.errors import RunError
from disnplbm.messaging.messages import Ingested, JobFailed, Prepared, Result, SweepFailed, SweepTask, Swept, result_of
from disnplbm.sampler.packing import pack

RESULTS: list[Result] = [
    Swept("r", 2**21, 3, 0, 1, "digest", b"statistics", None, "labels", "w", 0.5, 0.25, 1, "disk"),
    SweepFailed("r", 0, 3, 5, 1, 0, 2, "why", labels_missing=True, worker="w"),
    Ingested("d", "datasets/d", 10, 4, 1, "digest", 2, "seal"),
    Prepared("r", "shards/x", 4, "seal"),
    JobFailed("ingest", "d", 0, 1, "why", final=True),
]


@pytest.mark.parametrize("message", RESULTS, ids=lambda message: message.kind)
def test_results_come_back(message: Result) -> None:
    assert result_of(message.to_bytes()) == message


@pytest.mark.parametrize("body", [b"", b"\xc1", pack(["other", {}]), pack(["swept", {"run": "r"}]), pack(3), pack([])])
def test_what_is_no_result_is_refused(body: bytes) -> None:
    with pytest.raises(RunError):
        result_of(body)


@pytest.mark.parametrize(
    "wrong",
    [
        {"run": 5},
        {"run": "a\0b"},
        {"stream": "0"},
        {"stream": 2**63},
        {"shard": None},
        {"shard": True},
        {"iteration": 1.5},
        {"digest": b"bytes"},
        {"payload": "text"},
        {"labels_key": None},
        {"worker": ["w"]},
        {"seconds": float("nan")},
        {"waited": float("inf")},
        {"waited": "long"},
    ],
    ids=str,
)
def test_values_of_another_kind_are_refused(wrong: dict[str, Any]) -> None:
    swept = RESULTS[0].to_dict()
    with pytest.raises(RunError, match=rf"no Swept of this version: Expected .* at `\$.{next(iter(wrong))}`"):
        result_of(pack(["swept", swept | wrong]))
    # An integer does for a number, and nothing where there may be nothing.
    assert Swept.from_dict(swept | {"seconds": 1, "payload": None}).seconds == 1


def test_a_task_with_a_field_too_many_is_of_another_version() -> None:
    task = SweepTask("r", 0, 1, 2, 0, "shards/x", {}, b"", None, None, None, None, 0, 0.0, None)
    assert SweepTask.from_dict(task.to_dict()) == task
    with pytest.raises(RunError, match="no SweepTask of this version: Object contains unknown field `more`"):
        SweepTask.from_dict(task.to_dict() | {"more": 1})
