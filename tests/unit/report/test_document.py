"""What the page of a run shows: complete, and a pure function of the run folder."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from disnplbm.report.document import run_document
from disnplbm.report.folder import read_run_folder
from unit.report.test_pixels import decoded


def write(samples: ModuleType, folder: Path, n: int = 60, p: int = 12, **options: object) -> Path:
    rows, columns = np.arange(n) % min(n, 4), np.arange(p) % min(p, 3)
    written: Path = samples.write_run_folder(folder, samples.block_matrix(rows, columns), rows, columns, **options)
    return written


def document_of(folder: Path) -> dict[str, Any]:
    """The document, after its way through JSON."""
    document = run_document(read_run_folder(folder))
    found: dict[str, Any] = json.loads(json.dumps(document, allow_nan=False))
    assert found == document
    return found


def test_the_document_has_shape_clusters_scores_and_digest(samples: ModuleType, tmp_path: Path) -> None:
    folder = write(
        samples, tmp_path / "run", scores={"ari": 0.987, "column_ari": 1.0}, warnings=("column a is constant",)
    )
    run = document_of(folder)["run"]
    assert (run["rows"], run["columns"], run["row_clusters"], run["column_clusters"]) == (60, 12, 4, 3)
    assert run["scores"] == {"ari": 0.987, "column_ari": 1.0}
    assert run["notes"] == ["column a is constant"]
    assert run["digest"].startswith("3f9a6c1e")


def test_the_reordered_picture_is_the_sorted_matrix(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(60) % 4, np.arange(12) % 3
    means = np.arange(12.0).reshape(4, 3)
    folder = samples.write_run_folder(tmp_path / "run", means[rows][:, columns], rows, columns)
    view = document_of(folder)["matrix"]["reordered"]
    values = decoded(view["images"]["mean"]).reshape(60, 12)
    np.testing.assert_allclose(values, np.repeat(np.repeat(means, 15, axis=0), 4, axis=1), atol=1e-5)
    assert (view["rows"]["borders"], view["columns"]["borders"]) == ([0, 15, 30, 45, 60], [0, 4, 8, 12])


def test_every_block_is_in_the_table_with_mean_and_spread(samples: ModuleType, tmp_path: Path) -> None:
    document = document_of(write(samples, tmp_path / "run"))
    (table,) = document["blocks"]["tables"]
    assert np.array(table["cells"]).tolist() == [[60] * 3] * 4
    for name in ("mean", "sd", "skewness", "kurtosis", "p"):
        assert np.isfinite(np.array(table[name], dtype=float)).all(), name
    assert document["blocks"]["rows"] == [{"label": k, "size": 15} for k in range(4)]
    assert document["matrix"]["blocks"]["mean"] == table["mean"]


def test_blocks_that_are_plainly_not_normal_are_marked_and_counted(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(200) % 2, np.arange(10) % 2
    values = samples.block_matrix(rows, columns)
    values[np.ix_(rows == 1, columns == 0)] = np.random.default_rng(0).exponential(size=(100, 5))
    document = document_of(samples.write_run_folder(tmp_path / "run", values, rows, columns))
    sentence = "1 of the 4 blocks with at least 20 cells (25% of the cells) is clearly not normal"
    assert document["run"]["ppc"]["sentence"].startswith(sentence)
    assert document["blocks"]["tables"][0]["odd"] == [[False, False], [True, False]]
    plain = document_of(write(samples, tmp_path / "plain"))
    assert plain["run"]["ppc"]["sentence"] == "All 12 blocks with at least 20 cells look normal."
    assert plain["run"]["ppc"]["not_normal"] == 0
    assert not np.array(plain["blocks"]["tables"][0]["odd"]).any()


def test_every_component_of_vector_cells_has_its_table(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(30) % 3, np.arange(8) % 2
    values = np.stack([samples.block_matrix(rows, columns, seed=seed) for seed in range(3)], axis=-1)
    blocks = document_of(samples.write_run_folder(tmp_path / "run", values, rows, columns))["blocks"]
    assert (blocks["components"], len(blocks["tables"])) == (3, 3)
    assert len({json.dumps(table["mean"]) for table in blocks["tables"]}) == 3


@pytest.mark.parametrize(("n", "p"), [(1, 1), (1, 5), (5, 1), (2, 1)])
def test_the_smallest_tables_have_a_document(samples: ModuleType, tmp_path: Path, n: int, p: int) -> None:
    document = document_of(write(samples, tmp_path / "run", n, p, iterations=1))
    assert (document["run"]["rows"], document["run"]["columns"]) == (n, p)
    assert document["traces"]["lines"]["log_joint"]["iteration"] == [1]


def test_blocks_without_cells_have_no_numbers(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(40) % 2, np.array([0, 0, 1])
    values = samples.block_matrix(rows, columns)
    values[:, 2] = np.nan
    document = document_of(samples.write_run_folder(tmp_path / "run", values, rows, columns))
    (table,) = document["blocks"]["tables"]
    assert [line[1] for line in table["cells"]] == [0, 0]
    assert [line[1] for line in table["mean"]] == [None, None]
    picture = decoded(document["matrix"]["reordered"]["images"]["mean"]).reshape(40, 3)
    assert np.isnan(picture).all(axis=0).tolist() == [False, False, True]


def test_of_many_clusters_the_largest_are_there_and_all_are_counted(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(900) % 700, np.arange(5) % 5
    folder = samples.write_run_folder(tmp_path / "run", samples.block_matrix(rows, columns), rows, columns)
    document = document_of(folder)
    assert (len(document["blocks"]["rows"]), document["blocks"]["row_clusters"]) == (60, 700)
    assert len(document["sizes"]["rows"]) == 500
    assert {each["size"] for each in document["blocks"]["rows"]} == {2}
    assert len(document["matrix"]["blocks"]["mean"]) == 700


def test_sizes_name_their_first_members(samples: ModuleType, tmp_path: Path) -> None:
    names = [f"sample {i}" for i in range(60)]
    document = document_of(write(samples, tmp_path / "run", row_names=names))
    first = document["sizes"]["rows"][0]
    assert first["members"] == [f"sample {i}" for i in range(0, 32, 4)]
    assert (first["size"], first["confidence"]) == (15, None)
    assert {len(each["members"]) for each in document["sizes"]["columns"]} == {0}


def test_names_that_look_like_other_types_stay_as_they_are(samples: ModuleType, tmp_path: Path) -> None:
    names = ["NA", "", "null", "1e5", "007", "true", 'say "x"', "a,b", "two\nlines", "é", "-", "0.10"]
    document = document_of(write(samples, tmp_path / "run", column_names=names))
    assert document["matrix"]["original"]["columns"]["first"] == names
