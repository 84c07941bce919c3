"""Draws on disk: kept one by one, packed into one file, read lazily, and refused when damaged."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disnplbm.errors import RunError
from disnplbm.objects import ObjectStore, open_store
from disnplbm.posterior.draw_store import draws_bytes, open_draws, pack_draws, put_draw, write_draws
from disnplbm.posterior.draws import Draw, Draws

from .draw_samples import draw_of, meta_of, random_draws, table

VALUES = table(30, 6, 2, missing=0.1)
META = replace(meta_of(VALUES, power=0.5), transform="log1p", column_names=("a", "é", "c", "d", "e", "f"), row_limit=9)
DRAWS = random_draws(VALUES, META, 5, k=4, n_groups=3)


def same(a: Draw, b: Draw) -> None:
    assert (a.chain, a.iteration, a.log_joint, a.alpha, a.beta) == (b.chain, b.iteration, b.log_joint, b.alpha, b.beta)
    for left, right in (
        (a.row_labels, b.row_labels),
        (a.column_labels, b.column_labels),
        (a.blocks.count, b.blocks.count),
        (a.blocks.mean, b.blocks.mean),
        (a.blocks.scatter, b.blocks.scatter),
    ):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return open_store(tmp_path / "work")


def test_stored_draws_pack_into_one_file_in_order(store: ObjectStore, tmp_path: Path) -> None:
    others = [replace(draw, chain=1, iteration=draw.iteration * 10) for draw in DRAWS]
    for draw in [*others, *reversed(DRAWS), DRAWS[2]]:  # in any order, and one twice
        put_draw(store, draw)
    store.put("draws/0/readme.txt", b"not a draw")
    packed = pack_draws(store, tmp_path / "draws.npz", META)
    assert len(packed) == 10
    for got, expected in zip(packed, [*DRAWS, *others], strict=True):
        same(got, expected)


def test_file_knows_what_the_draws_have_in_common(tmp_path: Path) -> None:
    write_draws(DRAWS, tmp_path / "draws.npz", META)
    draws = open_draws(tmp_path / "draws.npz")
    assert (draws.n_rows, draws.n_columns, draws.dimension, draws.power) == (30, 6, 2, 0.5)
    assert draws.meta.transform == "log1p"
    assert draws.meta.column_names == ("a", "é", "c", "d", "e", "f")
    assert (draws.meta.row_limit, draws.meta.column_limit) == (9, None)
    np.testing.assert_array_equal(draws.frame.centre, META.numbers.frame.centre)
    np.testing.assert_array_equal(draws.frame.scale, META.numbers.frame.scale)
    np.testing.assert_array_equal(draws.prior.mu0, META.numbers.prior.mu0)
    np.testing.assert_array_equal(draws.prior.psi0, META.numbers.prior.psi0)
    assert (draws.prior.kappa0, draws.prior.nu0) == (META.numbers.prior.kappa0, META.numbers.prior.nu0)
    for name in ("chain", "iteration", "log_joint", "row_clusters", "column_clusters", "alpha", "beta"):
        np.testing.assert_array_equal(getattr(draws.numbers(), name), getattr(DRAWS.numbers(), name))
    np.testing.assert_array_equal(draws.labels("rows"), DRAWS.labels("rows"))
    np.testing.assert_array_equal(draws[1:4].labels("columns"), DRAWS[1:4].labels("columns"))


def test_equal_draws_make_equal_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_draws(iter(list(DRAWS)), tmp_path / name, META)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_numpy_alone_reads_the_file(tmp_path: Path) -> None:
    write_draws(DRAWS, tmp_path / "draws.npz", META)
    with np.load(tmp_path / "draws.npz", allow_pickle=False) as archive:
        assert archive["3/row_labels"].dtype == np.uint8
        np.testing.assert_array_equal(archive["3/row_labels"], DRAWS.row_labels(3))
        np.testing.assert_array_equal(archive["log_joint"], DRAWS.numbers().log_joint)
        assert json.loads(archive["meta"].tobytes())["n_rows"] == 30


def test_draws_are_pickled_with_their_file_or_their_memory(tmp_path: Path) -> None:
    write_draws(DRAWS, tmp_path / "draws.npz", META)
    for draws in (DRAWS[1:], open_draws(tmp_path / "draws.npz")[1:]):
        back: Draws = pickle.loads(pickle.dumps(draws))
        assert len(back) == 4
        same(back[0], DRAWS[1])


def test_only_one_draw_is_in_memory_at_a_time(store: ObjectStore, tmp_path: Path) -> None:
    values = np.zeros((200_000, 1, 1))
    meta = meta_of(values)
    draw = draw_of(values, meta, np.zeros(200_000, dtype=int), np.zeros(1, dtype=int))
    for iteration in range(1, 21):
        put_draw(store, replace(draw, iteration=iteration))
    tracemalloc.start()
    draws = pack_draws(store, tmp_path / "draws.npz", meta)
    assert sum(len(one.row_labels) for one in draws) == 4_000_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A draw's labels take 0.8 MB as int32; all twenty would take 16 MB, or 4 MB in a byte each.
    assert peak < 3.5e6


@pytest.mark.parametrize(("n", "p", "k", "n_groups", "d"), [(1, 1, 1, 1, 1), (5000, 40, 60, 9, 2), (700, 9, 300, 5, 1)])
def test_size_is_told_beforehand(n: int, p: int, k: int, n_groups: int, d: int, tmp_path: Path) -> None:
    """Random labels and statistics hardly compress: the bound is close to what they take."""
    values = table(n, p, d)
    meta = meta_of(values)
    rng = np.random.default_rng(0)
    rows = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    columns = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, p - n_groups)])
    one = draw_of(values, meta, rows, columns)
    store = open_store(tmp_path / "work")
    for iteration in range(1, 13):
        put_draw(store, replace(one, iteration=iteration))
    pack_draws(store, tmp_path / "draws.npz", meta)
    bound = draws_bytes(n, p, 12, n_row_clusters=k, n_column_clusters=n_groups, dimension=d)
    assert (tmp_path / "draws.npz").stat().st_size <= bound
    assert sum(store.size(key) for key in store.list("draws")) <= bound
    raw = 12 * (n * (1 if k <= 256 else 2) + p + 8 * k * n_groups * (1 + d + d * d))
    assert bound < 1.001 * raw + 12 * 6000 + 20_000


def test_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"there are no draws at .*draws\.npz; fit again with draws"):
        open_draws(tmp_path / "draws.npz")


def use_all(path: Path) -> None:
    draws = open_draws(path)
    for index in range(len(draws)):
        _ = draws[index], draws.row_labels(index), draws.column_labels(index)


def test_every_damaged_byte_is_noticed_or_harmless(tmp_path: Path) -> None:
    """Whichever byte is flipped (every third is), a RunError of one line comes, or the draws as they were."""
    path = tmp_path / "draws.npz"
    write_draws(DRAWS[:1], path, META)
    whole = path.read_bytes()
    noticed = 0
    places = range(0, len(whole), 3)
    for at in places:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        try:
            same(open_draws(path)[0], DRAWS[0])
        except RunError as error:
            noticed += "\n" not in str(error)
    assert noticed > len(places) / 2


def test_cut_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "draws.npz"
    write_draws(DRAWS, path, META)
    whole = path.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(RunError, match="are damaged"):
            open_draws(path)


def rewritten(path: Path, name: str, array: np.ndarray) -> None:
    """Replace an array of an archive."""
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays[name] = array
    np.savez_compressed(path, **arrays)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("0/row_labels", np.full(30, 200, dtype=np.uint8)),  # beyond the blocks
        ("0/row_labels", np.zeros(30, dtype=np.uint8)),  # clusters without members
        ("0/row_labels", np.zeros(29, dtype=np.uint8)),
        ("0/row_labels", np.zeros(30, dtype=np.int64)),
        ("0/row_labels", np.zeros(10**8, dtype=np.uint8)),  # would take 100 MB
        ("0/mean", np.zeros((2, 2, 2))),
        ("row_clusters", np.full(5, 10**12)),
        ("row_clusters", np.zeros(5, dtype=np.int64)),
        ("alpha", np.ones(4)),
        ("meta", np.frombuffer(b"{}", dtype=np.uint8)),
        ("meta", np.frombuffer(b'{"format": 99}', dtype=np.uint8)),
    ],
)
def test_archives_that_do_not_fit_together_are_refused(name: str, array: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "draws.npz"
    write_draws(DRAWS, path, META)
    rewritten(path, name, array)
    tracemalloc.start()
    with pytest.raises(RunError, match=r"are damaged|of another version"):
        use_all(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e6


def test_a_member_longer_than_its_array_is_not_taken_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "draws.npz"
    write_draws(DRAWS, path, META)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["0/count.npy"] += bytes(10**8)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    draws = open_draws(path)
    tracemalloc.start()
    with pytest.raises(RunError, match="are damaged"):
        draws[0]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e6


def test_pickled_arrays_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "draws.npz"
    write_draws(DRAWS, path, META)
    out = io.BytesIO()
    np.save(out, np.array([print] * 5, dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["alpha.npy"] = out.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(RunError, match="are damaged"):
        open_draws(path)


def test_damaged_objects_are_named(store: ObjectStore, tmp_path: Path) -> None:
    put_draw(store, DRAWS[0])
    whole = bytes(store.get("draws/0/1.npz"))
    for bad in (b"", b"PK", whole[:-30], whole[:200] + b"xx" + whole[202:]):
        store.put("draws/0/1.npz", bad)
        with pytest.raises(RunError, match=r"object draws/0/1\.npz in .* is damaged .*: delete it and run again"):
            pack_draws(store, tmp_path / "draws.npz", META)
        assert not (tmp_path / "draws.npz").exists()


def test_objects_of_another_run_are_named(store: ObjectStore, tmp_path: Path) -> None:
    put_draw(store, DRAWS[0])
    with pytest.raises(RunError, match=r"object draws/0/1\.npz"):
        pack_draws(store, tmp_path / "draws.npz", replace(META, n_rows=31))
    store.put("draws/0/2.npz", bytes(store.get("draws/0/1.npz")))
    with pytest.raises(RunError, match=r"object draws/0/2\.npz in .* is of another draw"):
        pack_draws(store, tmp_path / "draws.npz", META)


FULL = """
import pickle, resource, sys
from pathlib import Path
from disnplbm.errors import RunError
from disnplbm.posterior.draw_store import write_draws
draws = pickle.load(open(sys.argv[1] + "/draws.pickle", "rb"))
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    write_draws(draws, Path(sys.argv[1], "draws.npz"), draws.meta)
except RunError as error:
    print(error)
"""


def test_full_disk_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: the system refuses the write the same way."""
    (tmp_path / "draws.pickle").write_bytes(pickle.dumps(DRAWS))
    run = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True)
    assert run.stdout.startswith(f"cannot write {tmp_path}/draws.npz: ")
    assert not run.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["draws.pickle"]
