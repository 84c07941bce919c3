"""The object store and arrays in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from disnplbm.errors import InputError, RunError
from disnplbm.objects import ObjectStore, get_array, open_store, put_array
from disnplbm.objects.store import StoreAway


@pytest.fixture(params=["folder", "url", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    return open_store({"folder": tmp_path / "a/b", "url": f"file://{tmp_path}/c", "memory": "memory://"}[request.param])


def test_objects_come_back(store: ObjectStore) -> None:
    store.put("a/b.bin", b"one")
    store.put("a/b.bin", memoryview(b"two"))
    store.put("a/c", b"")
    assert bytes(store.get("a/b.bin")) == b"two"
    assert bytes(store.get("a/c")) == b""
    assert store.list("a") == ["a/b.bin", "a/c"]
    assert store.list() == ["a/b.bin", "a/c"]
    assert store.list("nothing") == []
    assert store.size("a/b.bin") == 3
    assert store.exists("a/b.bin")
    assert not store.exists("a/x")
    store.delete(["a/b.bin", "a/never"])
    assert store.list() == ["a/c"]


def test_parts_add_up(store: ObjectStore) -> None:
    data = os.urandom(1000)
    store.put("x", data)
    for size in (1, 7, 999, 1000, 5000):
        parts = list(store.parts("x", size))
        assert b"".join(parts) == data
        assert max(map(len, parts)) <= size


def test_file_can_be_put(store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    store.put("x", tmp_path / "file")
    assert bytes(store.get("x")) == b"content"


def test_writer_shows_its_object_only_when_closed(store: ObjectStore) -> None:
    with store.writer("w/x") as out:
        for _ in range(5):
            out.write(bytes(600_000))
        assert not store.exists("w/x")
    assert store.size("w/x") == 3_000_000


def fail_half_way(store: ObjectStore) -> None:
    with store.writer("w/x") as out:
        out.write(bytes(3_000_000))
        raise KeyError


def test_writer_that_fails_leaves_nothing(store: ObjectStore) -> None:
    with pytest.raises(KeyError):
        fail_half_way(store)
    assert store.list() == []


@pytest.mark.parametrize("key", ["", "/x", "../x", "a/../x", "a//b", "a/", "./x", "a b", "a\\b", "ä", "a/..", "x#1"])
def test_keys_stay_inside_the_store(store: ObjectStore, key: str) -> None:
    for call in (
        lambda: store.put(key, b""),
        lambda: store.get(key),
        lambda: store.delete([key]),
        lambda: store.exists(key),
    ):
        with pytest.raises(InputError, match="bad object key"):
            call()


def test_missing_object_is_named(store: ObjectStore) -> None:
    for call in (store.get, store.size, lambda key: list(store.parts(key))):
        with pytest.raises(RunError, match="object no/where is missing in") as caught:
            call("no/where")  # type: ignore[operator]
        assert "\n" not in str(caught.value)


def test_unknown_scheme_is_refused() -> None:
    with pytest.raises(InputError, match="unknown object store 'ftp://x'"):
        open_store("ftp://x")


@pytest.mark.parametrize(
    "address", ["s3://ada:s3cret@bucket/x", "s3://ada:s3@cr/et@bucket", "gs://ada:s3cret@x", "", " "]
)
def test_an_address_that_holds_a_secret_or_nothing_is_refused(address: str) -> None:
    with pytest.raises(InputError, match=r"AWS_ACCESS_KEY_ID|DISNPLBM_STORE_URL") as caught:
        open_store(address)
    assert "s3c" not in str(caught.value)
    assert "et@" not in str(caught.value)


def test_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot make the folder"):
        open_store(tmp_path / "file" / "below")


FULL = """
import resource, sys
from disnplbm.errors import RunError
from disnplbm.objects import open_store
store = open_store(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
def by_writer():
    with store.writer("b") as out:
        for _ in range(10):
            out.write(bytes(1_000_000))
for call in (lambda: store.put("a", bytes(3_000_000)), by_writer):
    try:
        call()
    except RunError as error:
        print(error)
print(store.list())
"""


def test_full_disk_is_said_and_leaves_no_half_object(tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: the system refuses the write the same way."""
    run = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True)
    first, second, left = run.stdout.splitlines()
    assert (
        first
        == f"cannot write a: no space left in {tmp_path}; free some space or choose another folder, then try again"
    )
    assert second.startswith("cannot write b: no space left")
    assert left == "[]"


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u1", "?"])
def test_arrays_come_back(store: ObjectStore, dtype: str) -> None:
    for shape in ((), (0,), (3,), (2, 3, 4)):
        array = np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
        put_array(store, "x.npy", array)
        assert np.array_equal(get_array(store, "x.npy"), array)
        assert get_array(store, "x.npy").dtype == array.dtype
    put_array(store, "t.npy", np.arange(6.0).reshape(2, 3).T)
    assert np.array_equal(get_array(store, "t.npy"), np.arange(6.0).reshape(2, 3).T)


def test_numpy_reads_the_objects(tmp_path: Path) -> None:
    put_array(open_store(tmp_path), "x.npy", np.arange(6.0).reshape(2, 3))
    assert np.array_equal(np.load(tmp_path / "x.npy"), np.arange(6.0).reshape(2, 3))


def test_object_that_is_no_array_is_refused(store: ObjectStore) -> None:
    put_array(store, "x.npy", np.zeros(10))
    whole = bytes(store.get("x.npy"))
    for bad in (b"", b"hello", whole[:-1], whole + b"x"):
        store.put("x.npy", bad)
        with pytest.raises(RunError, match=r"object x\.npy"):
            get_array(store, "x.npy")


def test_view_under_a_prefix_is_a_store_of_its_own(store: ObjectStore, tmp_path: Path) -> None:
    store.put("runs/7-other/x", b"outside")
    view = store.under("runs/7")
    view.put("a/b", b"one")
    (tmp_path / "file").write_bytes(b"two")
    view.put("c", tmp_path / "file")
    with view.writer("d") as out:
        out.write(b"three")
    assert view.list() == ["a/b", "c", "d"]
    assert view.list("a") == ["a/b"]
    assert store.list() == ["runs/7-other/x", "runs/7/a/b", "runs/7/c", "runs/7/d"]
    assert bytes(view.get("c")) == bytes(store.get("runs/7/c")) == b"two"
    assert b"".join(view.parts("d", 2)) == b"three"
    assert view.size("d") == 5
    assert view.exists("a/b")
    assert not view.exists("runs/7/a/b")
    view.delete(["a/b", "x"])
    assert store.list("runs/7") == ["runs/7/c", "runs/7/d"]


def test_view_of_a_view(store: ObjectStore) -> None:
    store.put("a/b/c/d", b"one")
    view = store.under("a").under("b/c")
    assert view.list() == ["d"]
    assert bytes(view.get("d")) == b"one"


@pytest.mark.parametrize("prefix", ["", "/a", "..", "a/../..", "a/", "a b"])
def test_view_stays_inside_the_store(store: ObjectStore, prefix: str) -> None:
    with pytest.raises(InputError, match="bad object key"):
        store.under(prefix)
    with pytest.raises(InputError, match="bad object key"):
        store.under("a").get("../x")


def test_view_says_where_an_object_is_missing(store: ObjectStore) -> None:
    with pytest.raises(RunError, match=r"object x is missing in .*/runs/7:"):
        store.under("runs/7").get("x")


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """An object storage that answers everything with the status that the list holds; the address is set."""
    status = [503]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status[0])
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_PUT = do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
    }.items():
        monkeypatch.setenv(name, value)
    yield status
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("status", "away"), [(500, True), (503, True), (429, True), (400, False), (401, False), (403, False), (404, False)]
)
def test_a_server_that_cannot_answer_now_is_away(answering: list[int], status: int, away: bool) -> None:
    answering[0] = status
    found = open_store("s3://bucket/x", patience=0.2)
    for ask in (lambda: found.get("a"), lambda: found.put("a", b"b")):
        with pytest.raises(RunError) as caught:
            ask()
        assert isinstance(caught.value, StoreAway) == away


def test_a_server_that_is_not_there_is_away(answering: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(StoreAway):
        open_store("s3://bucket/x", patience=0.2).get("a")
