"""A worker reads labels of a shard that it did not write last, and no others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disnplbm.objects.addressed import ObjectLost
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.iteration_id import IterationId
from disnplbm.sampler.packing import pack_labels
from disnplbm_worker import last_labels
from disnplbm_worker.last_labels import LastLabels

from .prepared import folder_store

AT = IterationId("run", 0, 3)


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return folder_store(tmp_path)


def packed(*labels: int) -> bytes:
    return pack_labels(np.array(labels, dtype=np.int32))


def test_what_was_written_last_is_not_read(store: ObjectStore) -> None:
    kept = LastLabels(store)
    key = kept.put(AT, 1, packed(0, 1, 1))
    assert LastLabels(store).get("run", 0, 1, key).tolist() == [0, 1, 1]
    store.delete([key])
    assert kept.get("run", 0, 1, key).tolist() == [0, 1, 1]
    with pytest.raises(ObjectLost):
        LastLabels(store).get("run", 0, 1, key)


def test_labels_of_an_earlier_iteration_or_of_another_worker_are_read(store: ObjectStore) -> None:
    kept, other = LastLabels(store), LastLabels(store)
    earlier = kept.put(AT, 1, packed(0, 1))
    theirs = other.put(AT.shifted(1), 1, packed(1, 0))
    mine = kept.put(AT.shifted(1), 1, packed(1, 1))
    assert [kept.get("run", 0, 1, key).tolist() for key in (earlier, theirs, mine)] == [[0, 1], [1, 0], [1, 1]]
    store.delete([earlier])
    with pytest.raises(ObjectLost):
        kept.get("run", 0, 1, earlier)


def test_labels_that_find_no_room_are_read(store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_labels, "KEPT_BYTES", 10)
    kept = LastLabels(store)
    key = kept.put(AT, 1, packed(*range(50)))
    assert kept.get("run", 0, 1, key).tolist() == list(range(50))
    store.delete([key])
    with pytest.raises(ObjectLost):
        kept.get("run", 0, 1, key)
