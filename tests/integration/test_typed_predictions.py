"""``disnplbm predict`` and ``impute`` for runs on counts, 0/1 and categories."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from .console import Outcome, assert_refused, call, fit, save_csv

NAMES = [f"s{i}" for i in range(60)]


def counts(n: int, seed: int) -> NDArray[np.float64]:
    """Counts of rows of two kinds, in turn, over columns of two kinds."""
    kinds = (np.arange(n)[:, None] + np.arange(10)) % 2
    return np.random.default_rng(seed).poisson(np.array([0.3, 3.0])[kinds]).astype(float)


def write(path: Path, cells: NDArray[np.float64], names: list[str] | None = None) -> Path:
    """A table in text, blank where a cell is missing, with a first column ``id`` if there are names."""
    save_csv(path, cells, names)
    path.write_text(path.read_text().replace("nan", ""))
    return path


def table(path: Path) -> list[list[str]]:
    """Header and records of a file."""
    return list(csv.reader(io.StringIO(path.read_text())))


def labels(path: Path) -> list[str]:
    """Labels of a run's rows.csv or columns.csv."""
    header, *found = table(path)
    return [record[header.index("label")] for record in found]


def records(outcome: Outcome) -> list[dict[str, str]]:
    assert outcome.code == 0, outcome
    return list(csv.DictReader(io.StringIO(outcome.out)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on counts, one on 0/1 and one on two categories, and their tables."""
    folder = tmp_path_factory.mktemp("typed")
    table = counts(60, 1)
    table[4, 5] = np.nan
    table[:, 9] = 0.0
    tables = {"counts": table, "binary": np.minimum(table, 1.0), "categorical": np.minimum(table, 1.0) + 2.0}
    for cells, values in tables.items():
        path = write(folder / f"{cells}.csv", values, NAMES)
        outcome = fit(path, folder / cells, "--cells", cells, "--burn-in", 20, iterations=60)
        assert outcome.code == 0, outcome
    return folder


def test_new_rows_of_counts_get_their_clusters_whatever_the_file(folder: Path) -> None:
    new = counts(40, 2)
    new[:, 9] = 0.0
    fitted = labels(folder / "counts" / "rows.csv")
    np.save(folder / "new.npy", new)
    sp.save_npz(folder / "new.npz", sp.csr_array(new))
    paths = write(folder / "new.csv", new), folder / "new.npy", folder / "new.npz"
    found = [records(call("predict", folder / "counts", path)) for path in paths]
    assert found[0] == found[1] == found[2]
    right = [record["label"] == fitted[i % 2] for i, record in enumerate(found[0])]
    assert np.mean(right) > 0.9
    # The columns may stand in another order, where they have names.
    turned = folder / "turned.csv"
    lines = [line.split(",")[::-1] for line in (folder / "new.csv").read_text().splitlines()]
    turned.write_text("".join(",".join(line) + "\n" for line in lines))
    assert records(call("predict", folder / "counts", turned)) == found[0]


def test_new_columns_are_matched_by_the_names_of_the_rows(folder: Path) -> None:
    whole = records(call("predict", folder / "counts", folder / "counts.csv", "--axis", "columns"))
    fitted = labels(folder / "counts" / "columns.csv")
    assert [record["label"] for record in whole][:9] == fitted[:9]
    head, *lines = (folder / "counts.csv").read_text().splitlines()
    (folder / "mixed.csv").write_text("\n".join([head, *lines[::-1]]) + "\n")
    outcome = call("predict", folder / "counts", folder / "mixed.csv", "--axis", "columns")
    assert records(outcome) == whole
    assert "the rows of" in outcome.err
    (folder / "fewer.csv").write_text("\n".join([head, *lines[1:]]) + "\n")
    assert_refused(
        call("predict", folder / "counts", folder / "fewer.csv", "--axis", "columns"),
        "has 59 rows, and the run was fitted to 60",
    )


def test_counts_where_the_run_saw_none_are_left_out_and_counted(folder: Path) -> None:
    new = counts(3, 2)
    new[:, 9] = 0.0
    without = records(call("predict", folder / "counts", write(folder / "a.csv", new)))
    new[1:, 9] = 5.0
    outcome = call("predict", folder / "counts", write(folder / "b.csv", new))
    assert records(outcome) == without
    assert "2 counts of " in outcome.err
    assert "their columns hold nothing but 0" in outcome.err


@pytest.mark.parametrize(
    ("cells", "wrong", "words"),
    [
        ("counts", -1.0, "-1 is not one of the counts, which are whole numbers from 0; correct the cell"),
        ("counts", 0.5, "0.5 is not one of the counts"),
        ("binary", 2.0, "2 is not one of the 0/1 cells, which are 0 or 1; correct the cell"),
        ("categorical", 4.0, "4 is not one of the categories, which are 2 or 3; correct the cell"),
        ("categorical", 0.0, "0 is not one of the categories, which are 2 or 3; correct the cell"),
    ],
)
def test_a_cell_that_cannot_be_is_named(folder: Path, cells: str, wrong: float, words: str) -> None:
    new = np.full((4, 10), 2.0 if cells == "categorical" else 1.0)
    new[2, 6] = wrong
    path = write(folder / "wrong.csv", new)
    assert_refused(call("predict", folder / cells, path), f"row 3, column c6: {words}")
    np.save(folder / "wrong.npy", np.vstack([new] * 15)[:60])
    outcome = call("predict", folder / cells, folder / "wrong.npy", "--axis", "columns")
    assert_refused(outcome, f"row 3, column 6: {words}")


@pytest.mark.parametrize("cells", ["counts", "binary", "categorical"])
def test_missing_cells_are_listed_and_filled(folder: Path, cells: str) -> None:
    (cell,) = records(call("impute", folder / cells, folder / f"{cells}.csv", "--cells"))
    assert (cell["row"], cell["column"]) == ("s4", "c5")
    if cells == "categorical":
        assert cell["value"] == "3"
        assert 0.5 < float(cell["probability"]) < 1.0
    else:
        assert cell["value"] == cell["mean"]
        assert float(cell["sd"]) > 0.0
    outcome = call("impute", folder / cells, folder / f"{cells}.csv", "--output", folder / "filled.csv")
    assert "1 missing cell of 1 column (c5) filled" in outcome.out
    filled = table(folder / "filled.csv")
    given = table(folder / f"{cells}.csv")
    assert filled[0] == given[0]
    for i, (ours, theirs) in enumerate(zip(filled[1:], given[1:], strict=True)):
        for j, (value, there) in enumerate(zip(ours, theirs, strict=True)):
            if (i, j) == (4, 6):
                assert value == cell["value"]
            else:
                assert value == there if j == 0 else float(value) == float(there)


def test_percentages_are_categories_only_with_their_sign(tmp_path: Path) -> None:
    kinds = (np.arange(40)[:, None] + np.arange(6)) % 2
    plain = write(tmp_path / "plain.csv", 10.0 * kinds + 10.0, [f"s{i}" for i in range(40)])
    lines = plain.read_text().splitlines()
    signed = tmp_path / "signed.csv"
    signed.write_text("\n".join([lines[0], *(line.replace(",", "%,").replace("%", "", 1) + "%" for line in lines[1:])]))
    outcome = fit(signed, tmp_path / "run", "--cells", "categorical", "--burn-in", 20, iterations=60)
    assert outcome.code == 0, outcome
    assert len(records(call("predict", tmp_path / "run", signed))) == 40
    for command in (("predict",), ("predict", "--axis", "columns"), ("impute",)):
        assert_refused(call(*command, tmp_path / "run", plain), "held percentages in the run's table", "write it")


def test_nothing_missing_is_said(folder: Path) -> None:
    whole = counts(60, 1)
    outcome = call("impute", folder / "counts", write(folder / "whole.csv", whole, NAMES), "--cells")
    assert records(outcome) == []
    assert "no cell is missing" in outcome.err
    fewer = write(folder / "fewer.csv", whole[1:], NAMES[1:])
    assert_refused(call("impute", folder / "counts", fewer), "has 59 rows and the run in")
