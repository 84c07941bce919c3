"""The object store on a real S3 server."""

from __future__ import annotations

import os
import traceback

import pytest

from disnplbm.errors import RunError
from disnplbm.objects import ObjectStore, open_store
from services.seaweedfs import SeaweedFS


@pytest.fixture
def prefix(request: pytest.FixtureRequest, seaweedfs: SeaweedFS, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a part of the bucket that only this test writes to."""
    for name, value in seaweedfs.environment.items():
        monkeypatch.setenv(name, value)
    return f"{seaweedfs.url}/{request.node.name}"


@pytest.fixture
def store(prefix: str) -> ObjectStore:
    return open_store(prefix)


def test_objects_come_back_and_go(store: ObjectStore) -> None:
    store.put("a/b.bin", b"one")
    store.put("a/b.bin", memoryview(b"two"))
    store.put("a/empty", b"")
    assert bytes(store.get("a/b.bin")) == b"two"
    assert bytes(store.get("a/empty")) == b""
    assert store.size("a/b.bin") == 3
    assert store.exists("a/b.bin")
    assert not store.exists("a/x")
    assert store.list("a") == ["a/b.bin", "a/empty"]
    assert store.list() == ["a/b.bin", "a/empty"]
    store.delete(["a/b.bin", "a/never"])
    assert store.list() == ["a/empty"]


def test_a_prefix_is_not_seen_by_its_neighbour(store: ObjectStore, prefix: str) -> None:
    store.put("x", b"1")
    assert open_store(f"{prefix}/inner").list() == []
    assert open_store(f"{prefix}2").list() == []


def test_more_objects_than_one_page_of_a_listing(store: ObjectStore) -> None:
    keys = [f"many/{number:05d}" for number in range(1100)]
    for key in keys:
        store.put(key, b"")
    assert store.list("many") == keys


def test_parts_add_up(store: ObjectStore) -> None:
    data = os.urandom(3_000_000)
    store.put("large", data)
    parts = [bytes(part) for part in store.parts("large", 2**20)]
    assert [len(part) for part in parts] == [2**20, 2**20, 3_000_000 - 2 * 2**20]
    assert b"".join(parts) == data


@pytest.mark.parametrize("megabytes", [0, 1, 12], ids=["empty", "one-put", "several-parts"])
def test_a_writer_shows_the_object_when_it_is_closed(store: ObjectStore, megabytes: int) -> None:
    piece = os.urandom(2**20)
    with store.writer("written") as writer:
        for _ in range(megabytes):
            writer.write(piece)
        assert not store.exists("written")
    assert bytes(store.get("written")) == piece * megabytes


def test_a_writer_left_by_an_exception_leaves_nothing(store: ObjectStore) -> None:
    def interrupted() -> None:
        with store.writer("half") as writer:
            writer.write(os.urandom(6 * 2**20))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interrupted()
    assert store.list() == []


def test_a_missing_object_is_one_line_that_names_it(store: ObjectStore, prefix: str) -> None:
    with pytest.raises(RunError, match=rf"^object never is missing in {prefix}") as caught:
        store.get("never")
    assert "\n" not in str(caught.value)


def test_a_wrong_secret_is_one_line_without_it(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not-the-secret")
    store = open_store(prefix)
    for act in (lambda: store.put("x", b"1"), lambda: store.get("x"), lambda: store.exists("x"), store.list):
        with pytest.raises(RunError, match=r"no permission in s3://.*; check AWS_ACCESS_KEY_ID") as caught:
            act()
        assert "\n" not in str(caught.value)
        assert "not-the-secret" not in str(caught.value)
        assert "not-the-secret" not in "".join(traceback.format_exception(caught.value))


def test_an_object_survives_a_killed_server(store: ObjectStore, seaweedfs: SeaweedFS) -> None:
    store.put("kept", b"one")
    seaweedfs.kill()
    seaweedfs.start()
    assert bytes(store.get("kept")) == b"one"
