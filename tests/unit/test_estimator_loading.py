"""A run folder is a fitted model again: the one that was saved, or that the command line fitted."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import clone

from disnplbm import NPLBM, InputError
from disnplbm.cli.main import cli
from disnplbm.errors import DisnplbmError, RunError

#: What a clock says; and a fit holds seconds that trace.csv rounds.
OF_THE_MOMENT = {
    "seconds", "seconds_total", "seconds_per_iteration", "seconds_by_stage", "peak_memory_mb",
}  # fmt: skip


def numbers() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    means = np.array([[0.0, 5.0, 2.0], [5.0, 0.0, 2.0]])[np.ix_(np.arange(30) % 2, np.arange(9) % 3)]
    table = pd.DataFrame(rng.normal(means), index=[f" r{i}" for i in range(30)], columns=[f"c{j}" for j in range(9)])
    table.iloc[2, 3] = np.nan
    return table


def vectors() -> Any:
    means = np.array([[0.0, 6.0], [6.0, 0.0]])[np.ix_(np.arange(20) % 2, np.arange(8) // 4)]
    return np.random.default_rng(6).normal(means[..., None], size=(20, 8, 2))


def counts() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rates = np.array([[0.2, 4.0], [3.0, 0.3]])[np.ix_(np.arange(40) % 2, np.arange(16) // 8)]
    return pd.DataFrame(rng.poisson(rates), index=[f"d{i}" for i in range(40)], columns=[f"w{j}" for j in range(16)])


def words() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    own = rng.random((24, 8)) < np.where(np.arange(24)[:, None] % 2 == np.arange(8) % 2, 0.9, 0.1)
    return pd.DataFrame(np.where(own, "yes", "no"), columns=[f"q{j}" for j in range(8)])


def responses() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    table = rng.normal(np.where(np.arange(24)[:, None] % 2 == np.arange(8) % 2, 4.0, -4.0))
    table[rng.random(table.shape) < 0.2] = np.nan
    return pd.DataFrame(table, index=[f"u{i}" for i in range(24)], columns=[f"v{j}" for j in range(8)])


def ages(size: int = 24) -> pd.DataFrame:
    return pd.DataFrame({"age": np.random.default_rng(8).normal(size=size)}, index=[f"u{i}" for i in range(size)])


MODELS = [
    pytest.param(
        (numbers, {"burn_in": 6, "n_chains": 2, "n_restarts": 2, "column_transform": "standardize"}), id="numbers"
    ),
    pytest.param((numbers, {"start": "singletons", "clusters": "2x2", "random_state": 4, "n_shards": 2}), id="last"),
    pytest.param((vectors, {"burn_in": 4, "estimate": "map", "n_shards": 2, "shard_axis": "columns"}), id="vectors"),
    pytest.param((counts, {"cells": "counts", "burn_in": 6, "estimate": "last"}), id="counts"),
    pytest.param((counts, {"cells": "counts", "burn_in": 6, "exposure": (np.arange(1.0, 41), None)}), id="factors"),
    pytest.param((words, {"cells": "categorical", "n_draws": 5, "loss": "binder"}), id="words"),
    pytest.param((responses, {"cells": "responses", "burn_in": 6, "row_covariates": ages()}), id="responses"),
]  # fmt: skip


@pytest.fixture(params=MODELS)
def fitted(request: pytest.FixtureRequest) -> tuple[NPLBM, Any]:
    table, parameters = request.param
    return NPLBM(12, **parameters).fit(table()), table()


def assert_same(left: Any, right: Any) -> None:
    """Both are the same, whatever they are made of."""
    if isinstance(left, pd.DataFrame):
        pd.testing.assert_frame_equal(left, right, check_exact=True)
    elif isinstance(left, tuple | list):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_same(one, other)
    elif isinstance(left, dict):
        assert left.keys() == right.keys()
        assert_same(list(left.values()), [right[name] for name in left])
    elif isinstance(left, np.ndarray):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(left, right)
    elif hasattr(left, "__dataclass_fields__"):
        assert type(left) is type(right)
        assert_same(*({name: getattr(of, name) for name in left.__dataclass_fields__} for of in (left, right)))
    else:
        assert left == right


ATTRIBUTES = [
    "row_labels_",
    "column_labels_",
    "labels_",
    "row_order_",
    "column_order_",
    "n_row_clusters_",
    "n_column_clusters_",
    "block_figures_",
    "blocks_",
    "cells_",
    "log_joint_",
    "row_confidence_",
    "column_confidence_",
    "row_runner_up_",
    "column_runner_up_",
    "diagnosis_",
    "normality_",
    "dispersion_",
    "digest_",
    "sampler_",
    "n_iter_",
    "n_features_in_",
    "warnings_",
    "notes_",
    "row_tree_",
    "column_tree_",
]


def test_a_loaded_model_is_the_model_that_was_saved(fitted: tuple[NPLBM, Any], tmp_path: Path) -> None:
    model, table = fitted
    loaded = NPLBM.load(model.save(tmp_path / "run"))
    shutil.rmtree(tmp_path / "run")
    for name in ATTRIBUTES:
        assert_same(getattr(loaded, name), getattr(model, name))
    assert_same({k: v for k, v in loaded.trace_.items() if k != "seconds"},
                {k: v for k, v in model.trace_.items() if k != "seconds"})  # fmt: skip
    np.testing.assert_allclose(loaded.trace_["seconds"], model.trace_["seconds"], atol=5e-7, rtol=0)
    assert list(getattr(loaded, "feature_names_in_", ())) == list(getattr(model, "feature_names_in_", ()))
    assert_same(loaded.to_frame(), model.to_frame())
    for cut in ((1, 2), ("auto", "auto"), (None, 1)):
        assert_same(loaded.cut(*cut), model.cut(*cut))
        assert_same(loaded.to_frame(*cut), model.to_frame(*cut))
    for axis in ("rows", "columns"):
        for number in (None, 1, "auto"):
            assert_same(loaded.labels_frame(number, axis=axis), model.labels_frame(number, axis=axis))
        assert_same(loaded.explain(table, axis=axis), model.explain(table, axis=axis))
    assert_same(loaded.get_feature_names_out(), model.get_feature_names_out())


def test_a_loaded_model_judges_by_the_draws_of_the_saved_one(fitted: tuple[NPLBM, Any], tmp_path: Path) -> None:
    model, table = fitted
    loaded = NPLBM.load(model.save(tmp_path / "run"))
    if model.draws_ is None:
        assert loaded.draws_ is None
        assert not hasattr(loaded, "predict")
        return
    shutil.rmtree(tmp_path / "run")
    again = pickle.loads(pickle.dumps(loaded))
    for each in (loaded, again):
        assert_same(list(each.draws_), list(model.draws_))
        if model.cells_ == "responses":
            asked = ["u1", "u4"], ["v2", "v3"]
            assert_same(each.predict_responses(*asked), model.predict_responses(*asked))
            continue
        new = table[:7]
        exposure = np.arange(1.0, 8) if isinstance(model.exposure, tuple) else None
        assert_same(each.predict(new, exposure=exposure), model.predict(new, exposure=exposure))
        assert_same(each.predict_proba(new, exposure=exposure), model.predict_proba(new, exposure=exposure))
        assert_same(each.score_samples(new, exposure=exposure), model.score_samples(new, exposure=exposure))
        assert_same(each.impute(table), model.impute(table))


def files_of(folder: Path) -> dict[str, Any]:
    """What a run folder holds, without what a clock says."""
    files: dict[str, Any] = {path.name: path.read_bytes() for path in folder.iterdir()}
    record = json.loads(files["run.json"])
    files["run.json"] = {name: value for name, value in record.items() if name not in OF_THE_MOMENT}
    files.pop("report.html", None)
    return files


def test_a_loaded_model_saves_the_folder_that_it_was_loaded_from(fitted: tuple[NPLBM, Any], tmp_path: Path) -> None:
    model, table = fitted
    first = model.save(tmp_path / "first", table, name="mine")
    assert (first / "report.html").is_file()
    assert_same(files_of(NPLBM.load(first).save(tmp_path / "second", name="mine")), files_of(first))
    assert_same(files_of(NPLBM.load(first).save(tmp_path / "third", table, name="mine")), files_of(first))
    assert NPLBM.load(first).report(tmp_path / "x.html").is_file()


def test_a_loaded_model_is_drawn_as_the_saved_one(tmp_path: Path) -> None:
    model = NPLBM(12, burn_in=6, n_chains=2).fit(numbers())
    loaded = NPLBM.load(model.save(tmp_path / "run"))
    for name in ("plot_heatmap", "plot_trace", "plot_levels", "plot_tree"):
        figures = []
        for each in (model, loaded):
            figure = getattr(each, name)().figure
            figure.canvas.draw()
            figures.append(np.asarray(figure.canvas.buffer_rgba()).copy())
        np.testing.assert_array_equal(*figures)
    assert model._found_html() == loaded._found_html()


def test_a_run_of_the_command_line_is_the_model_of_the_same_options(tmp_path: Path) -> None:
    table = numbers()
    table.to_csv(tmp_path / "table.csv")
    asked = ["fit", str(tmp_path / "table.csv"), "--output", str(tmp_path / "run"), "--shards", "1"]
    asked += ["--iterations", "12", "--burn-in", "6", "--chains", "2"]
    CliRunner().invoke(cli, asked, standalone_mode=False, catch_exceptions=False)
    loaded = NPLBM.load(tmp_path / "run")
    model = NPLBM(12, burn_in=6, n_chains=2).fit(table)
    for name in set(ATTRIBUTES) - {"warnings_"}:
        assert_same(getattr(loaded, name), getattr(model, name))
    assert_same(loaded.predict_proba(table), model.predict_proba(table))
    assert_same(loaded.labels_frame(), model.labels_frame())
    again = clone(loaded).fit(table)
    assert again.digest_ == loaded.digest_


def test_labels_to_start_from_are_no_part_of_a_folder(tmp_path: Path) -> None:
    model = NPLBM(12, start=(np.arange(30) % 2, None)).fit(numbers())
    loaded = NPLBM.load(model.save(tmp_path / "run"))
    assert loaded.digest_ == model.digest_
    assert_same(loaded.explain(numbers()), model.explain(numbers()))
    with pytest.raises(InputError, match="'start' parameter"):
        loaded.fit(numbers())


def test_another_table_is_refused(tmp_path: Path) -> None:
    loaded = NPLBM.load(NPLBM(12).fit(numbers()).save(tmp_path / "run"))
    with pytest.raises(InputError, match="another table"):
        loaded.explain(numbers() + 1.0)


def test_a_folder_without_a_finished_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no finished run"):
        NPLBM.load(tmp_path / "none")
    (tmp_path / "run" / ".disnplbm").mkdir(parents=True)
    (tmp_path / "run" / ".disnplbm" / "request.json").write_text("{}")
    with pytest.raises(InputError, match=r"is not finished; `disnplbm resume .*` continues it"):
        NPLBM.load(tmp_path / "run")


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def edit_record(**changes: Any) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return edit


def replace(old: str, new: str) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return edit


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return NPLBM(12, burn_in=6).fit(numbers()).save(tmp_path_factory.mktemp("loading") / "run")


@pytest.mark.parametrize("name", ["rows.csv", "columns.csv", "blocks.csv", "trace.csv", "heatmap.npz", "draws.npz",
                                  "tree.npz", "similarity.npz", "run.json"])  # fmt: skip
@pytest.mark.parametrize(
    "damage", [cut_short, Path.unlink, lambda path: path.write_bytes(b"")], ids=["half", "gone", "empty"]
)
def test_a_damaged_folder_is_refused_in_one_line(
    saved: Path, tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    folder = Path(shutil.copytree(saved, tmp_path / "run"))
    damage(folder / name)
    with pytest.raises(DisnplbmError) as caught:
        NPLBM.load(folder)
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "damage", "says"),
    [
        ("run.json", edit_record(parameters={"seed": "x"}), r"run.json is damaged \(seed"),
        ("run.json", edit_record(parameters={"unheard_of": 1}), "unheard_of"),
        ("run.json", edit_record(digest="0" * 64), "do not fit the digest"),
        ("run.json", edit_record(notes=[3]), "run.json is damaged"),
        ("trace.csv", replace("alpha", "gamma"), "trace.csv is damaged"),
        ("columns.csv", replace("c0,0", "c0,1"), "does not fit"),
    ],
)
def test_a_folder_that_holds_something_else_is_refused(
    saved: Path, tmp_path: Path, name: str, damage: Callable[[Path], None], says: str
) -> None:
    folder = Path(shutil.copytree(saved, tmp_path / "run"))
    damage(folder / name)
    with pytest.raises(DisnplbmError, match=says):
        NPLBM.load(folder)


def test_draws_of_another_run_are_refused(saved: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(saved, tmp_path / "run"))
    other = NPLBM(12, burn_in=6).fit(numbers().sort_values("c0")).save(tmp_path / "other")
    shutil.copy(other / "draws.npz", folder)
    with pytest.raises(RunError, match=r"draws.npz does not give the labels .*; fit again with force=True"):
        NPLBM.load(folder)
