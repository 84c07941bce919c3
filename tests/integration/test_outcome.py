"""The end of a run: the same files whether its shards are in memory or are read from a store one at a time."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.shards import Manifest, prepare
from disnplbm.engine import problem as problems
from disnplbm.engine.drive import Ended, InMemory, Step, drive
from disnplbm.engine.options import Options
from disnplbm.engine.outcome import write_outcome
from disnplbm.engine.problem import Problem, StoredShards, problem_of_manifest, stored_problem
from disnplbm.objects import ObjectStore, open_store
from disnplbm.posterior.draw_store import put_draw
from disnplbm.runs.request import Request, RunRequest
from disnplbm.runs.results import RESULT_FILES

N_SHARDS = 3


@dataclass(frozen=True)
class Case:
    """Chains that ended, with all that their outcome is made from."""

    store: ObjectStore
    manifest: Manifest
    options: Options
    ended: list[Ended]
    problem: Problem

    def write(self, folder: Path, problem: Problem) -> dict[str, Any]:
        folder.mkdir()
        created = datetime.now(UTC).isoformat(timespec="seconds")
        request = RunRequest(asked=Request("table", "table.csv"), options=self.options.to_dict(), created=created)
        draws = self.store.under("runs/7")
        return write_outcome(folder, self.store, draws, problem, self.manifest, request, self.options, self.ended)


def cells(missing: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(40, 14, 2)) + 4 * (np.arange(40) % 2)[:, None, None]
    x[rng.random((40, 14)) < missing] = np.nan
    return x


@pytest.fixture(params=[("rows", 0.0), ("columns", 0.1)], ids=["rows", "columns-missing"])
def case(request: pytest.FixtureRequest) -> Case:
    axis, missing = request.param
    store = open_store("memory://")
    manifest = prepare(
        ingest(ArraySource(cells(missing)), store, "datasets/1"), store, "shards/1", n_shards=N_SHARDS, axis=axis
    )
    options = Options(iterations=8, burn_in=4, chains=2)
    problem = stored_problem(store, manifest, options)

    def keep(step: Step) -> bool:
        if step.draw is not None:
            put_draw(store.under("runs/7"), step.draw)
        return False

    ended = drive(problem, options, problem.start("random"), InMemory(keep), 1)
    return Case(store, manifest, options, ended, problem)


def stored(case: Case) -> Problem:
    problem = problem_of_manifest(case.manifest, case.options)
    return replace(problem, shards=StoredShards(case.store, case.manifest, problem))


def test_the_files_do_not_depend_on_where_the_shards_are(case: Case, tmp_path: Path) -> None:
    first = case.write(tmp_path / "memory", case.problem)
    second = case.write(tmp_path / "store", stored(case))
    assert first["digest"] == second["digest"]
    assert {file.name for file in (tmp_path / "store").iterdir()} == set(RESULT_FILES)
    for name in sorted(set(RESULT_FILES) - {"run.json", "report.html"}):
        assert (tmp_path / "memory" / name).read_bytes() == (tmp_path / "store" / name).read_bytes(), name
    assert first["diagnosis"] == second["diagnosis"]


def test_one_stored_shard_is_in_memory_at_a_time(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[weakref.ref[Any]] = []
    held: list[int] = []
    load = problems.load_shard

    def counted(*arguments: Any) -> Any:
        held.append(sum(shard() is not None for shard in alive))
        values = load(*arguments)
        alive.append(weakref.ref(values))
        return values

    monkeypatch.setattr(problems, "load_shard", counted)
    gc.disable()
    try:
        case.write(tmp_path / "run", stored(case))
    finally:
        gc.enable()
    # For the blocks' moments, for what makes the clusters of both axes of a small table, and for the pictures.
    assert held == [0] * (4 * N_SHARDS)


def test_shards_in_memory_are_let_go(case: Case, tmp_path: Path) -> None:
    case.write(tmp_path / "run", case.problem)
    assert list(case.problem.shards) == []


def test_a_problem_is_known_without_its_shards(case: Case) -> None:
    loaded, bare = case.problem, problem_of_manifest(case.manifest, case.options)
    assert len(bare.shards) == 0
    for name in ("parameters", "axis", "n_items", "n_columns", "log_constant", "complete"):
        assert getattr(bare, name) == getattr(loaded, name), name
    items, others = (40, 14) if case.manifest.axis == "rows" else (14, 40)
    part, of_loaded = bare.only_part, loaded.only_part
    assert part.observed == of_loaded.observed
    assert (bare.n_items, bare.n_columns, len(part.frame.centre)) == (items, (others,), 2)
    assert bare.complete == (case.manifest.missing == 0,)
    np.testing.assert_array_equal(part.frame.scale, of_loaded.frame.scale)
    np.testing.assert_array_equal(part.prior.psi0, of_loaded.prior.psi0)


def test_a_single_shard_is_framed_as_all_of_them_are(case: Case) -> None:
    manifest, problem = case.manifest, problem_of_manifest(case.manifest, case.options)
    for index, whole in enumerate(case.problem.shards):
        values = problems.load_shard(case.store, manifest, index)
        shard = problem.shard([values], index)
        assert shard.only_part.cells.values.tobytes() == whole.only_part.cells.values.tobytes()
        assert (shard.index, shard.n_shards, shard.complete) == (index, N_SHARDS, whole.complete)
