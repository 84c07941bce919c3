"""Uploads are read and datasets sharded once, and what is wrong with a file reaches its owner."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest, load_dataset
from disnplbm.data.sharding import auto_shards, paying_shards
from disnplbm.data.shards import load_manifest
from disnplbm.engine.preparation import read_once
from disnplbm.errors import Away
from disnplbm.messaging.messages import Ingested, IngestTask, JobFailed, Prepared, PrepareTask, Result
from disnplbm.objects.store import ObjectStore
from disnplbm_worker import prepare
from disnplbm_worker.prepare import Preparer

from .prepared import folder_store

CSV = b"name,a,b\nx,1,2\ny,3,\nz,5,6\n"
READING: dict[str, Any] = {"id_column": "name", "class_column": None, "header": "auto"}


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return folder_store(tmp_path)


def upload(store: ObjectStore, data: bytes = CSV) -> IngestTask:
    key = "uploads/7/table.csv"
    store.put(key, data)
    return IngestTask("7", key, len(data), hashlib.sha256(data).hexdigest(), READING, "datasets/7", 0)


def told(store: ObjectStore, task: IngestTask | PrepareTask, seconds: float = 60) -> Result:
    messages: list[Result] = []
    preparer = Preparer(store, messages.append, seconds)
    if isinstance(task, IngestTask):
        preparer.ingest(task)
    else:
        preparer.prepare(task)
    (message,) = messages
    return message


def test_an_upload_becomes_a_dataset(store: ObjectStore) -> None:
    message = told(store, upload(store))
    dataset = load_dataset(store, "datasets/7")
    assert message == Ingested("7", "datasets/7", 3, 2, 1, dataset.sha256, 1, dataset.seal)
    assert dataset.row_names == ["x", "y", "z"]


def test_a_dataset_is_read_once(store: ObjectStore) -> None:
    task = upload(store)
    first = told(store, task)
    store.delete([task.upload_key])
    assert told(store, task) == first


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"a,b\n1,x\n", "table.csv"), (b"", "table.csv is empty"), (b"a,b\n1,2\n", "'name'")],
)
def test_a_faulty_file_is_final(store: ObjectStore, data: bytes, reason: str) -> None:
    message = told(store, upload(store, data))
    assert isinstance(message, JobFailed)
    assert (message.job, message.subject, message.final) == ("ingest", "7", True)
    assert reason in message.reason
    # Nothing of where this worker put it.
    assert "/table.csv" not in message.reason
    assert not store.list("datasets")


def test_an_upload_that_was_cut_is_final(store: ObjectStore) -> None:
    task = upload(store)
    store.put(task.upload_key, CSV[:-2])
    message = told(store, task)
    assert isinstance(message, JobFailed)
    assert message.final
    assert message.reason.startswith("table.csv did not arrive as it was sent")


def test_a_missing_upload_may_be_tried_again(store: ObjectStore) -> None:
    task = upload(store)
    store.delete([task.upload_key])
    message = told(store, task)
    assert isinstance(message, JobFailed)
    assert not message.final
    assert "uploads/7/table.csv is missing" in message.reason


@pytest.mark.parametrize(
    ("n_shards", "axis", "chosen", "count"),
    [("auto", "auto", "rows", 1), (2, "columns", "columns", 2), (9, "rows", "rows", 3)],
)
def test_a_dataset_is_sharded_once(store: ObjectStore, n_shards: int | str, axis: str, chosen: str, count: int) -> None:
    told(store, upload(store))
    sha256 = load_dataset(store, "datasets/7").sha256
    task = PrepareTask("r", "datasets/7", n_shards, axis, "none", 0, None)
    message = told(store, task)
    manifest = load_manifest(store, message.shards_prefix)
    assert message == Prepared("r", f"shards/{sha256[:32]}-7-none-{chosen}-{count}", count, manifest.seal)
    assert (manifest.axis, manifest.n_shards, manifest.dataset) == (chosen, count, "datasets/7")
    store.delete(store.list("datasets/7/chunks"))
    assert told(store, task) == message


def test_as_many_shards_as_pay_where_each_is_a_message(store: ObjectStore) -> None:
    ingest(ArraySource(np.ones((20_000, 60))), store, "datasets/8")
    message = told(store, PrepareTask("r", "datasets/8", "auto", "auto", "none", 0, None))
    assert isinstance(message, Prepared)
    assert message.n_shards == paying_shards(20_000, 60, 1) < auto_shards(20_000, 60, 1)


def test_an_unknown_transform_is_final(store: ObjectStore) -> None:
    told(store, upload(store))
    message = told(store, PrepareTask("r", "datasets/7", 1, "auto", "cube", 0, None))
    assert isinstance(message, JobFailed)
    assert (message.job, message.subject, message.final) == ("prepare", "r", True)
    assert "cube" in message.reason


def test_a_task_that_takes_too_long_may_be_tried_again(store: ObjectStore) -> None:
    message = told(store, upload(store), seconds=0)
    assert isinstance(message, JobFailed)
    assert (message.starts, message.final) == (1, False)
    assert message.reason == "it took longer than 0 s (DISNPLBM_TASK_SECONDS)"


def test_a_server_that_is_away_until_the_time_is_over_is_held_against_nobody(
    store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> NoReturn:
        raise Away("the store is away")

    task, messages = upload(store), list[Result]()
    monkeypatch.setattr(prepare, "read_once", away)
    Preparer(store, messages.append, 0).ingest(task)
    assert messages == []


def test_a_server_that_is_back_in_time_is_waited_for(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = iter([Away("the store is away")])

    def away_once(*given: Any, **more: Any) -> Any:
        for error in tries:
            raise error
        return read_once(*given, **more)

    monkeypatch.setattr(prepare, "read_once", away_once)
    assert isinstance(told(store, upload(store)), Ingested)
