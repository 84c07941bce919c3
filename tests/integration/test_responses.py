"""Responses with covariates of rows, of columns and of cells: from files and in Python."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from disnplbm import NPLBM
from disnplbm.errors import InputError

from .console import assert_refused, call, fit
from .serving import no_settings, served  # noqa: F401 - a fixture

N, P = 60, 30

#: Intercept, age, size, price and temperature in 2 x 2 blocks.
SLOPES = np.array([[[0.0, 2.0, 0.5, -1.0, 0.4], [3.0, -1.0, 1.0, 1.0, -0.4]]]).repeat(2, axis=0)
SLOPES[1] = -SLOPES[1]


class Planted(NamedTuple):
    """Responses, NaN where missing, and all that they depend on."""

    responses: NDArray[np.float64]
    of_rows: NDArray[np.float64]
    of_columns: NDArray[np.float64]
    of_cells: NDArray[np.float64]


def planted() -> Planted:
    rng = np.random.default_rng(4)
    of_rows, of_columns, of_cells = rng.normal(30.0, 9.0, (N, 2)), rng.normal(size=(P, 1)), rng.normal(5.0, 2.0, (N, P))
    framed = (of_rows - 30.0) / 9.0
    slopes = SLOPES[np.arange(N) % 2][:, np.arange(P) % 2]
    u = np.broadcast_arrays(1.0, framed[:, :1], framed[:, 1:], of_columns.T, of_cells - 5.0)
    responses = (slopes * np.stack(u, axis=-1)).sum(axis=-1) + 0.5 * rng.normal(size=(N, P))
    responses[rng.random((N, P)) < 0.6] = np.nan
    responses[0, 0] = 0.0  # a response like any other
    return Planted(responses, of_rows, of_columns, of_cells)


def write(path: Path, header: list[str], lines: Any) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *lines])
    return path


def names(axis: str) -> list[str]:
    return [f"{axis}{i}" for i in range(N if axis == "r" else P)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The seen cells in a long table, covariates beside it in another order, some of rows that are in no line."""
    folder, table = tmp_path_factory.mktemp("responses"), planted()
    seen = np.argwhere(~np.isnan(table.responses)).tolist()
    lines = [[f"r{i}", f"c{j}", table.responses[i, j], table.of_cells[i, j]] for i, j in seen]
    write(folder / "long.csv", ["firm", "year", "sales", "temperature"], lines)
    of_rows = [[name, *of_row] for name, of_row in zip(names("r"), table.of_rows.tolist(), strict=True)]
    write(folder / "rows.csv", ["firm", "age", "size"], [["another", 1.0, 2.0], *of_rows[::-1]])
    of_columns = [[name, *of_column] for name, of_column in zip(names("c"), table.of_columns.tolist(), strict=True)]
    write(folder / "columns.csv", ["year", "price"], of_columns)
    return folder


def beside(folder: Path) -> list[Any]:
    return [
        "--cells",
        "responses",
        "--row-covariates",
        folder / "rows.csv",
        "--column-covariates",
        folder / "columns.csv",
    ]


@pytest.fixture(scope="module")
def run(folder: Path) -> Path:
    given = [*beside(folder), "--layout", "long", "--burn-in", 30, "--shards", 2]
    outcome = fit(folder / "long.csv", folder / "run", *given, iterations=80)
    assert outcome.code == 0, outcome
    return folder / "run"


def test_a_long_table_finds_what_was_planted(run: Path) -> None:
    record = json.loads((run / "run.json").read_text())
    assert (record["row_clusters"], record["column_clusters"]) == (2, 2)
    assert any("covariates of 1 row that long.csv does not have are left out" in note for note in record["warnings"])
    for axis in ("rows", "columns"):
        lines = [line.split(",") for line in (run / f"{axis}.csv").read_text().split()[1:]]
        assert adjusted_rand_score([int(name[1:]) % 2 for name, *_ in lines], [line[1] for line in lines]) == 1.0


def test_blocks_have_their_coefficients_with_intervals(run: Path) -> None:
    blocks = list(csv.DictReader((run / "blocks.csv").read_text().splitlines()))
    of_row = {line.split(",")[0]: line.split(",")[1] for line in (run / "rows.csv").read_text().split()[1:]}
    of_column = {line.split(",")[0]: line.split(",")[1] for line in (run / "columns.csv").read_text().split()[1:]}
    scale = {"age": 9.0, "size": 9.0, "price": 1.0, "temperature": 1.0}
    for block in blocks:
        k = next(int(name[1:]) % 2 for name, label in of_row.items() if label == block["k"])
        c = next(int(name[1:]) % 2 for name, label in of_column.items() if label == block["l"])
        for (name, unit), slope in zip(scale.items(), SLOPES[k, c, 1:], strict=True):
            assert float(block[f"slope_{name}"]) == pytest.approx(slope / unit, abs=0.2 / unit)
            assert float(block[f"slope_{name}_low"]) < float(block[f"slope_{name}_high"])
        # The prior, as wide as the responses of the whole table, weighs as much as four cells.
        assert 0.5 <= float(block["sd"]) <= 0.75


def test_a_report_is_there(run: Path) -> None:
    assert "slope_age" in (run / "report.html").read_text()


def test_python_comes_to_the_same_bits(run: Path, folder: Path) -> None:
    """Rows and columns in the order in which the long table has them."""
    table, record = planted(), json.loads((run / "run.json").read_text())
    rows, columns = (
        [line.split(",")[0] for line in (run / f"{axis}.csv").read_text().split()[1:]] for axis in ("rows", "columns")
    )
    i, j = ([int(name[1:]) for name in axis] for axis in (rows, columns))
    cells = np.stack([table.responses, np.where(np.isnan(table.responses), np.nan, table.of_cells)], axis=-1)
    given = {"row_covariates": table.of_rows[i], "column_covariates": table.of_columns[j]}
    model = NPLBM(80, n_shards=2, burn_in=30, cells="responses", **given).fit(cells[np.ix_(i, j)])
    assert model.digest_ == record["digest"]


def test_a_wide_table_is_the_same_one(folder: Path) -> None:
    table = planted()
    cells = [["" if np.isnan(y) else y for y in row] for row in table.responses.tolist()]
    lines = [[name, *row] for name, row in zip(names("r"), cells, strict=True)]
    write(folder / "wide.csv", ["id", *names("c")], lines)
    outcome = fit(folder / "wide.csv", folder / "wide", *beside(folder), iterations=10)
    assert outcome.code == 0, outcome
    record = json.loads((folder / "wide" / "run.json").read_text())
    model = NPLBM(10, cells="responses", row_covariates=table.of_rows, column_covariates=table.of_columns).fit(
        table.responses
    )
    assert model.digest_ == record["digest"]


def test_what_cannot_be_is_said_in_one_line(folder: Path, tmp_path: Path) -> None:
    long, rows = folder / "long.csv", folder / "rows.csv"
    given = ["--cells", "responses", "--layout", "long"]

    def refused(text: str, table: Path, *more: Any) -> None:
        assert_refused(fit(table, tmp_path / "run", *more), text)

    refused("long.csv has 4 columns, and a long table has three", long, "--layout", "long")
    refused(
        "covariates are for responses, and the cells are counts", long, "--cells", "counts", "--row-covariates", rows
    )
    swapped = folder / "columns.csv"
    refused("the covariates of the rows lack r0", long, *given, "--row-covariates", swapped)
    text = write(tmp_path / "text.csv", ["firm", "city"], [[name, "Rome"] for name in names("r")])
    refused("covariates are numbers", long, *given, "--row-covariates", text)
    holes = [[name, "" if name == "r3" else i, 1.0] for i, name in enumerate(names("r"))]
    refused(
        "covariate age of row",
        long,
        *given,
        "--row-covariates",
        write(tmp_path / "a.csv", ["firm", "age", "one"], holes),
    )
    alike = write(tmp_path / "b.csv", ["firm", "age"], [[name, 1.0] for name in names("r")])
    refused("covariate age is the same wherever a response is seen", long, *given, "--row-covariates", alike)
    twice = write(tmp_path / "d.csv", ["firm", "age", "age"], [[name, 1.0, 2.0] for name in names("r")])
    refused("two covariates are called row age: name each differently", long, *given, "--row-covariates", twice)
    huge = write(tmp_path / "e.csv", ["firm", "age"], [[name, 1e308 * (i % 2)] for i, name in enumerate(names("r"))])
    refused("the values of age are too far apart: give them in another unit", long, *given, "--row-covariates", huge)
    many = [f"c{i}" for i in range(51)]
    wide = write(tmp_path / "f.csv", ["firm", *many], [[name, *range(51)] for name in names("r")])
    # The table has one of its own.
    refused("there are 52 covariates, and a fit takes 50", long, *given, "--row-covariates", wide)
    lacking = write(tmp_path / "c.csv", ["firm", "year", "sales", "age"], [["a", "b", 1.0, ""], ["a", "c", 2.0, 3.0]])
    refused("age of row a and column b is missing, and their sales is not", lacking, *given)


def test_a_sparse_matrix_does_not_say_which_responses_are_missing() -> None:
    from scipy.sparse import csr_array

    with pytest.raises(InputError, match="is sparse, so a cell that it does not store is 0"):
        NPLBM(5, cells="responses").fit(csr_array(np.eye(6)))


def test_a_level_of_the_trees_is_cut_from_the_table(run: Path, folder: Path) -> None:
    outcome = call("cut", run, "--rows", 1, "--columns", 2, "--refine", "--output", folder / "cut")
    assert outcome.code == 0, outcome


def test_unseen_cells_are_predicted_of_known_and_of_new_rows_and_columns(
    run: Path, folder: Path, tmp_path: Path
) -> None:
    table, rng = planted(), np.random.default_rng(5)
    of_new, of_newer = np.array([39.0, 30.0]), np.array([1.0])
    # A row like those of number 1, and a column like those of number 0, each known by six responses.
    lines, truth = list[list[Any]](), list[float]()

    def add(k: int, c: int, row: str, column: str, age: float, size: float, price: float, *, seen: bool) -> None:
        temperature = float(rng.normal(5.0, 2.0))
        u = np.array([1.0, (age - 30.0) / 9.0, (size - 30.0) / 9.0, price, temperature - 5.0])
        mean = float(SLOPES[k, c] @ u)
        lines.append([row, column, mean + 0.5 * rng.normal() if seen else "", temperature])
        truth.extend([] if seen else [mean])

    for j in range(12):
        add(1, j % 2, "newcomer", f"c{j}", *of_new.tolist(), table.of_columns[j, 0], seen=j < 6)
        add(j % 2, 0, f"r{j}", "next year", *table.of_rows[j].tolist(), of_newer[0], seen=j < 6)
        add(j % 2, 1, f"r{j}", "c1", *table.of_rows[j].tolist(), table.of_columns[1, 0], seen=False)
    add(1, 0, "newcomer", "next year", *of_new.tolist(), of_newer[0], seen=False)
    asked = write(tmp_path / "asked.csv", ["firm", "year", "sales", "temperature"], lines)
    rows = write(tmp_path / "rows.csv", ["firm", "size", "age"], [["newcomer", *of_new.tolist()[::-1]]])
    columns = write(tmp_path / "columns.csv", ["year", "price"], [["next year", *of_newer.tolist()]])
    given = ["--row-covariates", rows, "--column-covariates", columns]
    outcome = call("predict", run, asked, *given, "--output", tmp_path / "predicted.csv")
    assert outcome.code == 0, outcome
    found = list(csv.DictReader((tmp_path / "predicted.csv").read_text().splitlines()))
    assert [(line["row"], line["column"]) for line in found] == [(line[0], line[1]) for line in lines if line[2] == ""]
    error = np.array([float(line["mean"]) for line in found]) - truth
    assert np.sqrt((error**2).mean()) < 0.4
    for line in found:
        assert float(line["low"]) < float(line["mean"]) < float(line["high"])
        assert 0.45 < float(line["sd"]) < 1.2
    refused = call("predict", run, asked)
    assert_refused(refused, "row newcomer is new, and responses depend on age, size")


def test_python_predicts_the_same_cells_and_names_a_table_that_is_no_list_of_them(run: Path) -> None:
    table = planted()
    model = NPLBM(
        60, burn_in=30, cells="responses", row_covariates=table.of_rows, column_covariates=table.of_columns
    ).fit(table.responses)
    i, j = np.nonzero(np.isnan(table.responses))
    found = model.predict_responses(i, j)
    assert len(found.mean) == len(i)
    assert np.isfinite(found.sd).all()
    with pytest.raises(InputError, match=r"NPLBM\.predict_responses"):
        model.impute(table.responses)
    with pytest.raises(InputError, match="is for responses, and the fitted cells are gaussian"):
        NPLBM(10, burn_in=5, cells="gaussian").fit(np.eye(8)).predict_responses([0], [0])


@pytest.mark.usefixtures("no_settings")
def test_a_server_gives_the_run_of_fit(run: Path, folder: Path, tmp_path: Path) -> None:
    expected = json.loads((run / "run.json").read_text())
    with served(tmp_path / "served") as server:
        ask = ("submit", folder / "long.csv", "--server", f"http://127.0.0.1:{server.port}", "--watch", "--json")
        found = call(*ask, *beside(folder), "--layout", "long", "--burn-in", 30, "--iterations", 80, "--shards", 2)
        assert found.code == 0, found
        assert found.record["digest"] == expected["digest"]
        refused = call(*ask, "--cells", "counts", "--row-covariates", folder / "rows.csv")
        assert_refused(refused, "covariates are for responses")
