"""How many clusters a run shows first: ``--clusters`` and ``--tree-loss``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from .console import call, fit
from .test_cells import rows_of, write_csv
from .test_cut import groups, labels


def record(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "run.json").read_text())
    return found


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_csv(tmp_path_factory.mktemp("clusters") / "x.csv", groups())


def test_a_level_that_is_asked_for_is_shown_first_and_the_chain_stays(table: Path, tmp_path: Path) -> None:
    fine, level = tmp_path / "fine", tmp_path / "level"
    for folder, asked in ((fine, "fine"), (level, "3x2")):
        done = fit(table, folder, "--cells", "counts", "--clusters", asked, iterations=10)
        assert done.code == 0, done.err
    assert record(fine)["digest"] == record(level)["digest"]
    assert "level" not in record(fine)
    assert "level" not in rows_of(fine, "rows.csv")[0]
    found = record(level)["level"]
    assert isinstance(found, dict)
    assert (found["rows"], found["columns"]) == (3, 2)
    assert found["sentence"].startswith("Shown first: 3 of ")
    assert found["sentence"].endswith("3 row clusters and 2 column clusters were asked for.")
    assert record(level)["parameters"]["clusters"] == "3x2"  # type: ignore[index]
    assert call("cut", level, "--rows", "auto", "--columns", "auto").code == 0
    for axis in ("rows", "columns"):
        assert np.array_equal(labels(level / "cut-3x2", axis), labels(level, axis, "level"))


def test_a_level_of_draws_says_how_sure_it_is(table: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    options = ("--cells", "counts", "--chains", 2, "--draws", 4, "--clusters", 3)
    done = fit(table, run, *options, iterations=20)
    assert done.code == 0, done.err
    found = record(run)["level"]
    assert isinstance(found, dict)
    certainty = found["axes"]["rows"]["certainty"]
    assert (certainty["draws"], certainty["chains"]) == (8, 2)
    confidence = [float(row["level_confidence"]) for row in rows_of(run, "rows.csv")]
    assert np.mean(confidence) == pytest.approx(certainty["mean_confidence"], abs=1e-3)
    assert f"{certainty['mean_confidence']:.0%} certain on average, by 8 draws of 2 chains" in done.out
    cut = call("cut", run, "--rows", 3)
    assert cut.code == 0, cut.err
    again = [float(row["confidence"]) for row in rows_of(run / "cut-3xall", "rows.csv")]
    assert again == confidence
    assert "% certain on average, by 8 draws of 2 chains" in cut.out
    assert call("cut", run, "--rows", 3).code == 0


def test_what_is_no_level_is_refused_in_one_line(table: Path, tmp_path: Path) -> None:
    done = fit(table, tmp_path / "run", "--clusters", "0x2", iterations=2)
    assert done.code == 2
    assert "--clusters 0x2 is no level; give auto, fine, a number from 1, or two of them" in done.err


def test_a_tree_of_real_numbers_merges_by_the_loss_that_is_asked_for(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    noise = np.where(np.arange(60) % 5 == 0, 3.0, 1.0)[:, None] * rng.normal(size=(60, 40))
    values = np.where((np.arange(60) % 2)[:, None] == 0, 1.0, -1.0) * np.where(np.arange(40) % 2, 1.0, -1.0) + noise
    table = write_csv(tmp_path / "x.csv", values)
    losses = {}
    for loss in ("shared", "model"):
        done = fit(table, tmp_path / loss, "--tree-loss", loss, "--start", "singletons", iterations=3)
        assert done.code == 0, done.err
        with np.load(tmp_path / loss / "tree.npz") as stored:
            losses[loss] = stored["rows_losses"]
            assert json.loads(stored["meta"].tobytes())["loss"] == loss
    assert record(tmp_path / "shared")["digest"] == record(tmp_path / "model")["digest"]
    assert losses["shared"].min() >= 0.0
    assert not np.allclose(losses["shared"], losses["model"])
