"""Tables of several parts, from their sources to a problem."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birds import birds, save
from disnplbm.cell_types import MIXED
from disnplbm.data import sharding
from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.mixed.columns import SourceOfParts
from disnplbm.data.mixed.frames import find_parts_in_memory
from disnplbm.data.mixed.manifest import ManifestOfParts, load_any_manifest
from disnplbm.data.reading import Reading
from disnplbm.data.shards import prepare
from disnplbm.data.working import TypedTable, WorkingTable
from disnplbm.engine.local import LocalEngine
from disnplbm.engine.options import Options
from disnplbm.engine.parts import check_asked, open_tables, prepare_parts, read_parts
from disnplbm.engine.problem import (
    Problem,
    StoredShards,
    build_problem,
    join_parts,
    problem_of_dealt,
    problem_of_manifest,
    stored_problem,
)
from disnplbm.errors import InputError, RunError
from disnplbm.objects import ObjectStore, open_store
from disnplbm.runs.request import Request

OPTIONS = Options(cells=MIXED, iterations=4)

NUMBERS, WORDS = ["bill", "flipper", "mass"], ["island", "origin"]

TWO_PARTS = [*NUMBERS, *WORDS]


def prepared(source: SourceOfParts, store: ObjectStore | None = None, n_shards: int | str = 2) -> ManifestOfParts:
    store = open_store("memory://") if store is None else store
    dataset = read_parts(source, store, "dataset", lambda done, total: None, {})
    return prepare_parts(source, dataset, store, "shards", Request("x", "x", n_shards), OPTIONS)


def opened(*paths: Path, cells: str = MIXED, transform: str | None = None, **reading: Any) -> SourceOfParts:
    return open_tables(paths, Reading(**reading), cells, transform)


def digests(manifest: ManifestOfParts) -> list[list[str]]:
    return [[shard.sha256 for shard in part.shards] for part in manifest.parts]


def labels_after(problem: Problem, iterations: int = 4) -> tuple[list[int], float]:
    """Labels of the rows and the log joint after some iterations."""
    with LocalEngine(problem.shards, problem.parameters, problem.families, 1) as engine:
        state = engine.start(problem.start("random"))
        for _ in range(iterations):
            state = engine.step(state)
    return state.row_labels(problem.n_items).tolist(), state.chain.log_joint + problem.log_constant


def test_each_part_is_prepared_as_a_table_of_its_own(tmp_path: Path) -> None:
    frame, store = birds(), open_store("memory://")
    manifest = prepared(opened(save(frame, tmp_path / "birds.csv")), store)
    assert (manifest.n, manifest.p, manifest.axis, manifest.n_shards, manifest.cells) == (60, 9, "rows", 2, MIXED)
    assert manifest.columns == ((0, 5), (1, 2, 3), (4, 7), (6,), (8,))
    numbers = frame[["bill", "flipper", "mass"]].reset_index()
    alone = ingest(ArraySource(frame[["bill", "flipper", "mass"]]), store, "alone")
    expected = prepare(alone, store, "alone", n_shards=2, axis="rows", transform="standardize")
    part = manifest.parts[1]
    assert [shard.sha256 for shard in part.shards] == [shard.sha256 for shard in expected.shards]
    assert (part.dataset_sha256, part.transform, part.n) == (alone.sha256, "standardize", len(numbers))


def test_a_manifest_of_parts_is_found_again_by_its_seal(tmp_path: Path) -> None:
    store = open_store("memory://")
    manifest = prepared(opened(save(birds(), tmp_path / "birds.csv")), store)
    assert load_any_manifest(store, "shards", manifest.seal) == manifest
    one = manifest.parts[0]
    assert load_any_manifest(store, one.prefix, one.seal) == one
    store.put("shards/0/manifest.json", b"{}")
    with pytest.raises(RunError):
        load_any_manifest(store, "shards", manifest.seal)


def test_a_table_in_two_files_is_the_same_table_in_one_with_two_parts(tmp_path: Path) -> None:
    frame = birds()[TWO_PARTS]
    whole = opened(save(frame, tmp_path / "whole.csv"), id_column="bird")
    first = save(frame[NUMBERS], tmp_path / "first.csv")
    second = save(frame[WORDS], tmp_path / "second.parquet")
    split = opened(first, second, id_column="bird")
    stores = [open_store("memory://") for _ in range(2)]
    one, two = (prepared(source, store) for source, store in zip((whole, split), stores, strict=True))
    assert digests(one) == digests(two)
    assert (one.dataset_sha256, one.columns) == (two.dataset_sha256, two.columns)
    ends = [labels_after(stored_problem(store, m, OPTIONS)) for store, m in zip(stores, (one, two), strict=True)]
    assert ends[0] == ends[1]
    # In another order of the rows it is the same table too, but for what tells the order.
    save(frame[WORDS].iloc[::-1], second)
    assert digests(prepared(opened(first, second, id_column="bird"))) == digests(one)


def test_rows_that_a_file_lacks_are_missing_there(tmp_path: Path) -> None:
    frame = birds()
    first = save(frame[["bill", "flipper"]].iloc[:50], tmp_path / "first.csv")
    second = save(frame[["island", "origin"]].iloc[10:], tmp_path / "second.csv")
    manifest = prepared(opened(first, second, id_column="bird"))
    assert (manifest.n, [part.missing for part in manifest.parts]) == (60, [2 * 10 + 1, 2 * 10])
    assert any("second.csv is matched by the names of rows: 40 rows" in note for note in manifest.warnings)


def test_with_auto_each_file_is_what_its_cells_look_like(tmp_path: Path) -> None:
    frame = birds()
    first = save(frame[["bill", "flipper"]], tmp_path / "first.csv")
    second = save(frame[["island", "origin"]], tmp_path / "second.csv")
    manifest = prepared(opened(first, second, cells="auto", id_column="bird"))
    assert [(part.cells, part.transform) for part in manifest.parts] == [("gaussian", "none"), ("categorical", "none")]
    assert any(note.startswith("second.csv: the cells are taken as categories") for note in manifest.warnings)


def test_columns_are_looked_for_in_all_files(tmp_path: Path) -> None:
    frame = birds()
    first = save(frame[["bill", "flipper", "ringed"]], tmp_path / "first.csv")
    second = save(frame[["island", "mass"]], tmp_path / "second.csv")
    source = opened(first, second, id_column="bird", drop_columns=("mass", "flipper"), columns_as=("ringed=counts",))
    assert source.column_names == ["bill", "ringed", "island"]
    assert [part.cells for part in source.parts] == ["gaussian", "counts", "categorical"]
    with pytest.raises(InputError, match=r"first\.csv is given twice"):
        opened(first, second, first, id_column="bird")
    with pytest.raises(InputError, match="has no column 'beak'"):
        opened(first, second, id_column="bird", drop_columns=("beak",))
    with pytest.raises(InputError, match="has no column 'ring' for id_column"):
        opened(first, second, id_column="ring")


def test_a_frame_gives_the_bits_of_its_file(tmp_path: Path) -> None:
    frame = birds()
    of_file = prepared(opened(save(frame, tmp_path / "birds.csv")))
    of_frame = prepared(find_parts_in_memory(frame, MIXED, {}, None))
    assert digests(of_file) == digests(of_frame)
    assert of_file.dataset_sha256 == of_frame.dataset_sha256


def test_stored_parts_give_the_problem_of_parts_in_memory(tmp_path: Path) -> None:
    frame, store = birds()[TWO_PARTS], open_store("memory://")
    stored = stored_problem(store, prepared(opened(save(frame, tmp_path / "birds.csv")), store), OPTIONS)
    numbers = WorkingTable(ArraySource(frame[NUMBERS]), n_shards=2, axis="rows")
    known, _ = numbers.transform("standardize")
    moments = known.mean, known.covariance, known.observed
    first = build_problem(numbers.shards, 2, OPTIONS, "rows", *moments, complete=False)
    words = TypedTable(
        ArraySource(frame[WORDS], words="only"),
        cells="categorical",
        exposure="none",
        transform="none",
        n_shards=2,
        axis="rows",
    )
    second = problem_of_dealt(words.prepared, words.shards, replace(OPTIONS, cells="categorical"))
    joined = join_parts([first, second], OPTIONS)
    assert (joined.parameters, joined.n_columns, joined.log_constant) == (
        stored.parameters,
        stored.n_columns,
        stored.log_constant,
    )
    assert joined.parameters.sampler == "split-merge"
    assert labels_after(joined) == labels_after(stored)
    with pytest.raises(ValueError, match="not cut into the same shards"):
        join_parts([first, replace(second, shards=second.shards[:1])], OPTIONS)


def test_shards_in_a_store_are_loaded_part_by_part(tmp_path: Path) -> None:
    store = open_store("memory://")
    manifest = prepared(opened(save(birds()[TWO_PARTS], tmp_path / "birds.csv")), store, n_shards=3)
    whole, bare = stored_problem(store, manifest, OPTIONS), problem_of_manifest(manifest, OPTIONS)
    shards = StoredShards(store, manifest, bare)
    assert (len(shards), shards.n_bytes) == (3, sum(part.memory_bytes(e) for part in manifest.parts for e in range(3)))
    assert labels_after(replace(bare, shards=list(shards))) == labels_after(whole)
    assert (bare.complete, bare.n_columns) == ((False, True), (3, 2))
    stored_problem(store, manifest, OPTIONS, consume=True)
    assert not any(store.exists(shard.key) for part in manifest.parts for shard in part.shards)


def test_the_number_of_shards_is_that_of_all_parts_together(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("ONE_SHARD_NUMBERS", 1000), ("SHARD_NUMBERS", 400), ("SHARD_ITEMS", 10)):
        monkeypatch.setattr(sharding, name, number)
    rng = np.random.default_rng(0)
    tables = {name: rng.normal(size=(100, 6)) for name in "ab"}
    assert prepared(find_parts_in_memory(tables, "gaussian", {}, None), n_shards="auto").n_shards == 3
    alone = {"a": tables["a"]}
    assert prepared(find_parts_in_memory(alone, "gaussian", {}, None), n_shards="auto").n_shards == 1


def test_a_lone_column_of_counts_is_compared_with_nothing(tmp_path: Path) -> None:
    manifest = prepared(opened(save(birds(), tmp_path / "birds.csv")))
    assert manifest.parts[3].facts["exposure"] == "none"
    two = birds().assign(chicks=lambda frame: (frame["eggs"] - 1).clip(lower=0))
    manifest = prepared(opened(save(two, tmp_path / "two.csv"), columns_as=("chicks=counts",)))
    assert manifest.parts[3].facts["exposure"] == "margins"


def test_what_is_of_one_part_only_is_refused() -> None:
    for asked, options, words in (
        (Request("x", "x", axis="columns"), OPTIONS, "shard_axis"),
        (Request("x", "x", row_factors=[1.0]), OPTIONS, "exposure"),
        (Request("x", "x", row_covariates={"names": [], "values": []}), OPTIONS, "row_covariates"),
        (Request("x", "x"), replace(OPTIONS, join="averaged"), "blockwise"),
    ):
        with pytest.raises(InputError, match=words):
            check_asked(asked, options)
    table = ingest(ArraySource(pd.DataFrame({"a": [1.0, 2.0]})), open_store("memory://"), "d")
    with pytest.raises(InputError, match="`disnplbm fit` alone"):
        prepare(table, open_store("memory://"), "s", cells=MIXED)
