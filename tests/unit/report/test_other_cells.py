"""The document of runs whose cells are counts, yes and no, or categories."""

from __future__ import annotations

import base64
import csv
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.report.document import run_document
from disnplbm.report.folder import read_run_folder
from unit.report.test_pixels import decoded

ROWS, COLUMNS = np.arange(60) % 4, np.arange(12) % 3

#: Shares of three categories, the same in all blocks.
SHARES = (0.1, 0.7, 0.2)


def write(
    samples: ModuleType,
    folder: Path,
    values: NDArray[np.float64],
    cells: str,
    figures: dict[str, tuple[float, ...]],
    **parameters: str,
) -> Path:
    """A run of such cells; all blocks say the same, of which they are sure to a tenth either way."""
    samples.write_run_folder(folder, values, ROWS, COLUMNS)
    run = json.loads((folder / "run.json").read_text())
    run["data"]["cells"], run["ppc"] = cells, None
    run["parameters"] |= parameters
    (folder / "run.json").write_text(json.dumps(run))
    with (folder / "blocks.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        posterior = {
            f"{name}_{part}": tuple(each + shift for each in numbers)
            for name, numbers in figures.items()
            if name != "total"
            for part, shift in (("posterior", 0.0), ("low", -0.1), ("high", 0.1))
        }
        columns = {
            name if len(numbers) == 1 else f"{name}_{c}": each
            for name, numbers in (figures | posterior).items()
            for c, each in enumerate(numbers)
        }
        lines.writerow(["k", "l", "rows", "columns", "cells", *columns])
        lines.writerows([k, l, 15, 4, 60, *columns.values()] for k in range(4) for l in range(3))  # noqa: E741
    return folder


def document_of(folder: Path) -> dict[str, Any]:
    """The document, after its way through JSON."""
    found: dict[str, Any] = json.loads(json.dumps(run_document(read_run_folder(folder)), allow_nan=False))
    return found


def counts() -> NDArray[np.float64]:
    """Row i and column j have factors of their own; nothing else is in them."""
    return np.outer(np.arange(1.0, 61.0), np.arange(1.0, 13.0))


def test_blocks_of_counts_have_a_rate_and_no_spread_or_check(samples: ModuleType, tmp_path: Path) -> None:
    figures = {"total": (90.0,), "rate": (1.5,)}
    folder = write(samples, tmp_path / "run", counts(), "counts", figures, exposure="margins")
    document = document_of(folder)
    (table,) = document["blocks"]["tables"]
    assert set(table) == {"cells", "total", "rate", "posterior"}
    assert table["rate"] == [[1.5] * 3] * 4
    assert table["posterior"] == {
        "rate": {"mean": [[1.5] * 3] * 4, "low": [[1.4] * 3] * 4, "high": [[1.6] * 3] * 4},
    }
    assert document["matrix"]["blocks"] == {
        "rate": [[1.5] * 3] * 4,
        "intervals": {"rate": [[[1.4] * 3] * 4, [[1.6] * 3] * 4]},
    }
    assert document["run"]["ppc"] is None
    assert "exposure" in document["run"]["parameters"]
    assert {"kappa0", "psi0_factor", "covariance"}.isdisjoint(document["run"]["parameters"])
    assert "NaN" not in json.dumps(document)


@pytest.mark.parametrize("order", ["original", "reordered"])
def test_a_picture_of_counts_knows_what_totals_let_expect(samples: ModuleType, tmp_path: Path, order: str) -> None:
    folder = write(samples, tmp_path / "run", counts(), "counts", {"rate": (1.0,)}, exposure="margins")
    matrix = document_of(folder)["matrix"]
    view = matrix[order]
    expected = np.outer(view["rows"]["exposure"], view["columns"]["exposure"])
    np.testing.assert_allclose(expected, decoded(view["images"]["mean"]).reshape(expected.shape), rtol=1e-4)
    assert matrix["pixel"] == "ratio"


def test_expected_counts_are_of_all_rows_that_a_pixel_covers(samples: ModuleType, tmp_path: Path) -> None:
    rows = np.arange(1500) % 4
    table = np.random.default_rng(0).poisson(3.0, (1500, 12)).astype(float)
    folder = samples.write_run_folder(tmp_path / "run", table, rows, COLUMNS)
    run = json.loads((folder / "run.json").read_text())
    run["data"]["cells"], run["parameters"]["exposure"] = "counts", "margins"
    (folder / "run.json").write_text(json.dumps(run))
    axis = document_of(folder)["matrix"]["original"]["rows"]
    totals = [table[start:stop].sum() / (stop - start) for start, stop in zip(axis["start"], axis["stop"], strict=True)]
    np.testing.assert_allclose(axis["exposure"], totals, rtol=1e-3)


def test_counts_by_themselves_are_compared_with_nothing(samples: ModuleType, tmp_path: Path) -> None:
    folder = write(samples, tmp_path / "run", counts(), "counts", {"rate": (1.0,)}, exposure="none")
    matrix = document_of(folder)["matrix"]
    assert "exposure" not in matrix["original"]["rows"]
    assert matrix["pixel"] == "mean"


def test_blocks_of_yes_and_no_are_a_share(samples: ModuleType, tmp_path: Path) -> None:
    values = (counts() % 2 == 0).astype(float)
    document = document_of(write(samples, tmp_path / "run", values, "binary", {"share": (0.25,)}))
    (table,) = document["blocks"]["tables"]
    assert table["share"] == [[0.25] * 3] * 4
    assert (document["blocks"]["components"], document["blocks"].get("categories")) == (1, None)
    assert document["matrix"]["pixel"] == "mean"


def test_blocks_of_categories_have_a_table_for_each(samples: ModuleType, tmp_path: Path) -> None:
    document = document_of(write(samples, tmp_path / "run", counts() % 3, "categorical", {"share": SHARES}))
    blocks = document["blocks"]
    assert [table["share"][0][0] for table in blocks["tables"]] == list(SHARES)
    assert (blocks["components"], blocks["categories"]) == (3, [0, 1, 2])
    assert [matrix[0][0] for matrix in document["matrix"]["blocks"]["shares"]] == list(SHARES)


def test_of_many_categories_the_most_common_are_there(samples: ModuleType, tmp_path: Path) -> None:
    shares = tuple(np.linspace(0.0, 0.2, 11))
    blocks = document_of(write(samples, tmp_path / "run", counts() % 3, "categorical", {"share": shares}))["blocks"]
    assert (blocks["components"], blocks["categories"]) == (11, list(range(3, 11)))
    assert [round(table["share"][0][0], 9) for table in blocks["tables"]] == [round(each, 9) for each in shares[3:]]


def test_a_picture_of_categories_shows_one_of_each_pixels_cells(samples: ModuleType, tmp_path: Path) -> None:
    values = counts() % 5
    values[3, 4] = np.nan
    document = document_of(write(samples, tmp_path / "run", values, "categorical", {"share": (0.2,) * 5}))
    images = document["matrix"]["original"]["images"]
    assert set(images) == {"cells"}
    codes = np.frombuffer(base64.b64decode(images["cells"]["levels"]), np.uint8).reshape(values.shape)
    np.testing.assert_array_equal(codes, np.where(np.isnan(values), 255, values))
    assert document["matrix"]["pixel"] == "cells"


def test_blocks_that_say_nothing_are_refused(samples: ModuleType, tmp_path: Path) -> None:
    folder = write(samples, tmp_path / "run", counts(), "counts", {})
    with pytest.raises(InputError, match=r"blocks\.csv: says nothing of its blocks"):
        read_run_folder(folder)
