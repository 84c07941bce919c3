"""New rows whose numbers are written otherwise than in the table that a run was fitted to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from .console import assert_refused, blocks, call, fit

X = blocks()[0][:, :4] / 20 + 0.1
"""Cells that are plain as fractions."""

Write = Callable[[float], str]


def percent(value: float) -> str:
    return f"{100 * value:.1f}%".replace(".", ",")


def hundredfold(value: float) -> str:
    return f"{100 * value:.1f}".replace(".", ",")


def write(path: Path, first: Write, others: Write = hundredfold, rows: int = len(X), *, gap: bool = False) -> Path:
    """A table with semicolons; its first column, called share, is written in a way of its own."""
    lines = ["sample;share;b;c;d"]
    for i, row in enumerate(X[:rows]):
        cells = ["" if gap else first(row[0]), *map(others, row[1:])]
        lines.append(f"s{i};{';'.join(cells)}")
    path.write_text("\n".join(lines) + "\n")
    return path


def fitted(folder: Path, table: Path, *options: object) -> Path:
    assert fit(table, folder, "--burn-in", 5, *options, iterations=15).code == 0
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run whose first column held percentages, one where it held none, and one where all columns did."""
    folder = tmp_path_factory.mktemp("runs")
    ways: dict[str, tuple[Write, Write]] = {
        "percent": (percent, hundredfold),
        "plain": (hundredfold, hundredfold),
        "all": (percent, percent),
    }
    return {name: fitted(folder / name, write(folder / f"{name}.csv", *ways[name])) for name in ways}


@pytest.mark.parametrize("command", ["predict", "impute"])
def test_percentages_are_no_plain_numbers(runs: dict[str, Path], tmp_path: Path, command: str) -> None:
    plain, signed = write(tmp_path / "plain.csv", hundredfold), write(tmp_path / "signed.csv", percent)
    line = assert_refused(call(command, runs["percent"], plain), f"{plain}: column share held percentages")
    assert "behind the numbers, as there" in line
    line = assert_refused(call(command, runs["plain"], signed), f"{signed}: column share held no percentages")
    assert "without the sign" in line
    assert call(command, runs["percent"], signed).code == call(command, runs["plain"], plain).code == 0


def test_percentages_are_looked_for_wherever_the_sign_is_missing(runs: dict[str, Path], tmp_path: Path) -> None:
    table = write(tmp_path / "x.csv", hundredfold, percent)
    assert_refused(call("predict", runs["all"], table), "column share held percentages")
    assert_refused(call("predict", runs["plain"], table), "columns b, c, d held no percentages")
    # Blank in all of the first lines, and a number far below them.
    lines = [f"s{i};;b;c;d".replace("b;c;d", ";".join(map(hundredfold, X[0, 1:]))) for i in range(300)]
    table.write_text("\n".join(["sample;share;b;c;d", *lines, f"s;{hundredfold(0.8)};1;1;1"]) + "\n")
    assert_refused(call("predict", runs["percent"], table), "column share held percentages")


def test_a_column_without_values_differs_in_nothing(runs: dict[str, Path], tmp_path: Path) -> None:
    table = write(tmp_path / "x.csv", percent, rows=3, gap=True)
    assert call("predict", runs["percent"], table).code == call("predict", runs["plain"], table).code == 0


def test_a_format_without_the_sign_is_told_what_the_numbers_are(runs: dict[str, Path], tmp_path: Path) -> None:
    table = tmp_path / "x.parquet"
    frame = pd.DataFrame(X * [1, 100, 100, 100], columns=["share", "b", "c", "d"])
    frame.to_parquet(table)
    outcome = call("predict", runs["percent"], table)
    assert outcome.code == 0
    assert "note: column share held percentages in the run's table, read as fractions (0.81 for 81%)" in outcome.err
    assert outcome.out.splitlines()[0] == "id,label,probability,none,log_density"
    labels = [line.split(",")[1] for line in outcome.out.splitlines()[1:]]
    signed = call("predict", runs["percent"], write(tmp_path / "signed.csv", percent))
    assert labels == [line.split(",")[1] for line in signed.out.splitlines()[1:]]
    assert "percentages in the run's table" not in call("predict", runs["plain"], table).err


def test_percentages_of_a_table_that_is_turned_and_of_new_columns(tmp_path: Path) -> None:
    table = write(tmp_path / "x.csv", percent, percent)
    run = fitted(tmp_path / "run", table, "--transpose")
    assert json.loads((run / "run.json").read_text())["data"]["written"]["percent"] == "all"
    plain = write(tmp_path / "plain.csv", hundredfold, hundredfold)
    assert call("predict", run, table).code == 0
    assert_refused(call("predict", run, plain), "held percentages in the run's table")
    straight = fitted(tmp_path / "straight", table)
    assert call("predict", straight, table, "--axis", "columns").code == 0
    assert_refused(call("predict", straight, plain, "--axis", "columns"), "rows s0, s1, s2, s3, s4 and 55 more held")
    # The percentages of one column in the run are in one row of the table that is turned: new ones tell nothing of it.
    mixed = fitted(tmp_path / "mixed", write(tmp_path / "mixed.csv", percent), "--transpose")
    assert call("predict", mixed, write(tmp_path / "new.csv", percent), "--transpose").code == 0


def test_the_decimal_comma_of_the_run_holds_for_numbers_that_can_be_read_in_two_ways(
    runs: dict[str, Path], tmp_path: Path
) -> None:
    table = tmp_path / "x.csv"
    table.write_text("sample;share;b;c;d\ns0;1.234;2.345;12.500;1.250\ns1;1.111;2.222;3.333;4.444\n")
    assert_refused(call("predict", runs["plain"], table), "'1.234' is not a number")
    outcome = call("predict", runs["plain"], table, "--decimal", ".")
    assert outcome.code == 0
    table.write_text(table.read_text().replace(".", ","))
    outcome = call("predict", runs["plain"], table)
    assert outcome.code == 0
    assert "note: read as the table of the run was: --decimal ," in outcome.err
    table.write_text("sample;share;b;c;d\ns0;1.2;2.345;12.500;1.250\n")
    outcome = call("predict", runs["plain"], table)
    assert outcome.code == 0
    assert f"note: the numbers of {table} have a decimal point, and the run's table has a decimal" in outcome.err


def test_a_run_from_before_this_was_written_down_is_asked_as_before(runs: dict[str, Path], tmp_path: Path) -> None:
    record = json.loads((runs["percent"] / "run.json").read_text())
    assert record["data"]["written"] == {"decimal": ",", "percent": [0], "axis": "columns"}
    del record["data"]["written"]
    table = write(tmp_path / "x.csv", percent)
    run = fitted(tmp_path / "run", table)
    (run / "run.json").write_text(json.dumps(record))
    assert call("predict", run, write(tmp_path / "plain.csv", hundredfold)).code == 0


def test_a_table_that_is_no_text_has_no_marks(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    run = fitted(tmp_path / "run", tmp_path / "x.npy")
    assert json.loads((run / "run.json").read_text())["data"]["written"] == {}
    assert call("predict", run, tmp_path / "x.npy").code == 0
