"""The first hour with an own table: it is in after at most one failed try, by the command that the message printed."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from .console import Outcome, assert_refused, call, fit

RNG = np.random.default_rng(15)
ROWS = 24
X = RNG.normal(5, 1, (ROWS, 8)).round(3)
KIND = ["case", "control"] * (ROWS // 2)


def _lines(*rows: str) -> str:
    return "\n".join(rows) + "\n"


def _cells(i: int, columns: int = 8) -> str:
    return ",".join(map(str, X[i, :columns]))


def numeric_header() -> str:
    return _lines(
        "patient,group,2001,2002,2003,2004,2005,2006,2007,2008",
        *(f"p{i:02d},{KIND[i]},{_cells(i)}" for i in range(ROWS)),
    )


def ids() -> str:
    return _lines("patient,a,b,c", *(f"{7001 + 3 * i},{_cells(i, 3)}" for i in range(ROWS)))


def ids_beside_counts() -> str:
    return _lines("patient,a,b,c", *(f"{7001 + 3 * i},{i % 5},{i % 7},{i % 3}" for i in range(ROWS)))


def two_text_columns() -> str:
    return _lines(
        "gene's name,kind of it,a,b,c,remark",
        *(f"g {i},{KIND[i]},{_cells(i, 3)},see page {i}" for i in range(ROWS)),
    )


def genes_in_rows() -> str:
    return _lines(
        "gene\tchromosome\t" + "\t".join(f"s{j}" for j in range(8)),
        *(f"ENSG{i}\tchr{i % 3}\t" + "\t".join(map(str, X[i])) for i in range(ROWS)),
    )


def decimal_commas() -> str:
    return _lines("Ort;x;y;z", *(f"O{i};" + _cells(i, 3).replace(",", ";").replace(".", ",") for i in range(ROWS)))


def blank_column() -> str:
    return _lines("city,a,,b", *(f"c{i},{X[i, 0]},,{'N/A' if i == 5 else X[i, 1]}" for i in range(ROWS)))


def delimiters_at_the_end() -> str:
    return _lines(
        "city,a,smoker,share", *(f"c{i},{X[i, 0]},{'TRUE' if i % 3 else 'FALSE'},{i}.5%," for i in range(ROWS))
    )


@dataclass(frozen=True)
class Table:
    """A table as a person has it, and what is right."""

    write: Callable[[], str]
    name: str
    rows: list[str]
    columns: list[str]
    options: tuple[str, ...] = ()


TABLES = [
    Table(numeric_header, "x.csv", [f"p{i:02d}" for i in range(ROWS)], [str(2001 + j) for j in range(8)]),
    Table(ids, "x.csv", [str(7001 + 3 * i) for i in range(ROWS)], ["a", "b", "c"]),
    Table(ids_beside_counts, "x.csv", [str(7001 + 3 * i) for i in range(ROWS)], ["a", "b", "c"]),
    Table(two_text_columns, "my table.csv", [f"g {i}" for i in range(ROWS)], ["a", "b", "c"]),
    Table(genes_in_rows, "x.tsv", [f"ENSG{i}" for i in range(ROWS)], [f"s{j}" for j in range(8)]),
    Table(genes_in_rows, "x.tsv", [f"s{j}" for j in range(8)], [f"ENSG{i}" for i in range(ROWS)], ("--transpose",)),
    Table(decimal_commas, "x.csv", [f"O{i}" for i in range(ROWS)], ["x", "y", "z"]),
    Table(blank_column, "x.csv", [f"c{i}" for i in range(ROWS)], ["a", "b"]),
    Table(delimiters_at_the_end, "x.csv", [f"c{i}" for i in range(ROWS)], ["a", "smoker", "share"]),
]


def printed_command(outcome: Outcome) -> list[str]:
    """The words of the command that a refusal prints, as a shell takes them apart."""
    line = assert_refused(outcome, "; run: disnplbm ")
    return shlex.split(line.partition("; run: disnplbm ")[2])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.write.__name__ + "".join(table.options))
def test_a_table_is_in_after_at_most_one_failed_try(table: Table, tmp_path: Path) -> None:
    path = tmp_path / table.name
    path.write_text(table.write())
    outcome = fit(path, tmp_path / "run", *table.options)
    if outcome.code != 0:
        outcome = call(*printed_command(outcome))
    assert outcome.code == 0, outcome
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (record["rows"], record["columns"]) == (len(table.rows), len(table.columns))
    for file, names in (("rows.csv", table.rows), ("columns.csv", table.columns)):
        assert [line.split(",")[0] for line in (tmp_path / "run" / file).read_text().splitlines()[1:]] == names


@pytest.mark.parametrize("name", ["two\nlines", "it's\ta \\ tab", "\x7f", "none"])
def test_a_shell_takes_the_printed_command_whatever_a_column_is_called(name: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(_lines(f'"{name}",a,b,c', *(f"g{i},{_cells(i, 3)}" for i in range(ROWS))))
    line = assert_refused(fit(tmp_path / "x.csv", tmp_path / "run", "--header", "yes", "--id-column", "none"))
    command = line.rpartition("run: disnplbm ")[2]
    words = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, text=True, check=True)
    outcome = call(*words.stdout.split("\0")[:-1])
    assert (outcome.code, outcome.record["columns"]) == (0, 3), outcome.err


def test_known_classes_are_scored_by_the_printed_command(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(numeric_header())
    outcome = call(*printed_command(fit(tmp_path / "x.csv", tmp_path / "run")))
    assert "ari" in outcome.record


@pytest.mark.parametrize("command", ["check", "calibrate"])
def test_other_commands_print_theirs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(two_text_columns())
    more = ("--iterations", "8", "--powers", "0.5,1") if command == "calibrate" else ()
    words = printed_command(call(command, "x.csv", *more))
    assert words[0] == command
    outcome = call(*words)
    assert outcome.code == 0, outcome
    assert command == "check" or "--drop-column remark" in outcome.out


def test_beside_a_run_the_command_has_the_options_of_its_own(tmp_path: Path) -> None:
    plain, path = tmp_path / "plain.csv", tmp_path / "x.csv"
    plain.write_text(_lines("name,a,b,c", *(f"g {i},{_cells(i, 3)}" for i in range(ROWS))))
    path.write_text(two_text_columns())
    assert fit(plain, tmp_path / "run", "--draws", 2).code == 0
    for command in ("predict", "impute"):
        words = printed_command(call(command, tmp_path / "run", path))
        assert ("--row-classes" in words) == (command == "predict")
        assert call(*words).code == 0


def test_beside_a_run_a_table_is_in_at_once_if_the_options_of_the_run_fit_it(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(two_text_columns())
    options = ("--id-column", "gene's name", "--drop-column", "remark", "--row-classes", "kind of it")
    assert fit(path, tmp_path / "run", *options, "--draws", 2).code == 0
    for command, classes in (("predict", "--row-classes"), ("impute", "--drop-column")):
        outcome = call(command, tmp_path / "run", path)
        assert outcome.code == 0, outcome
        assert f"{classes} 'kind of it' --drop-column remark" in outcome.err


def test_beside_a_run_a_column_that_named_its_rows_names_those_of_another_table(tmp_path: Path) -> None:
    """One row alone does not show that its first number is a name: the run knows."""
    path, other = tmp_path / "x.csv", tmp_path / "new.csv"
    header = "spectrum,101.1,142.9,186.2"
    path.write_text(_lines(header, *(f"{1000 + 3 * i},{_cells(i, 3)}" for i in range(ROWS))))
    other.write_text(_lines(header, f"61,{_cells(1, 3)}"))
    assert fit(path, tmp_path / "run", "--draws", 2).code == 0
    outcome = call("predict", tmp_path / "run", other)
    assert outcome.code == 0, outcome
    assert "--id-column spectrum" in outcome.err


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_beside_a_run_a_column_that_it_was_fitted_to_names_no_rows(kind: str, tmp_path: Path) -> None:
    """A few ages of which no two are the same look like ids; the run knows better."""

    def table(name: str, ages: list[int]) -> Path:
        path = tmp_path / f"{name}.{kind}"
        frame = pd.DataFrame(X[: len(ages), :3], columns=list("abc"))
        frame.insert(0, "age", ages)
        frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
        return path

    assert fit(table("x", [20 + i % 7 for i in range(ROWS)]), tmp_path / "run", "--draws", 2).code == 0
    outcome = call("predict", tmp_path / "run", table("new", [30, 41, 52, 25]))
    assert outcome.code == 0, outcome
    assert "note: read as the table of the run was: --id-column none" in outcome.err
    assert [line.split(",")[0] for line in outcome.out.splitlines()] == ["id", "0", "1", "2", "3"]


def test_beside_a_run_nobody_is_told_to_leave_out_a_column_that_it_was_fitted_to(tmp_path: Path) -> None:
    path, other = tmp_path / "x.csv", tmp_path / "new.csv"
    header = "name,group,a,b,c"
    path.write_text(_lines(header, *(f"g {i},{i % 2},{_cells(i, 3)}" for i in range(ROWS))))
    outcome = fit(path, tmp_path / "run", "--draws", 2)
    assert any("class_column = 'group' leaves it out" in warning for warning in outcome.record["warnings"])
    other.write_text(path.read_text().replace(",0,", ",low,").replace(",1,", ",high,"))
    for command in ("predict", "impute"):
        outcome = call(command, tmp_path / "run", path)
        assert outcome.code == 0, outcome
        assert "--drop-column" not in outcome.err
        line = assert_refused(call(command, tmp_path / "run", other), "'low' is not a number; the run was fitted to")
        assert "--drop-column" not in line
        assert "--row-classes" not in line
    words = printed_command(call("check", other))
    assert "group" in words


def test_beside_a_run_on_a_table_without_names_no_column_is_called_one_too_many(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(ROWS, 3)))
    path = tmp_path / "new.csv"
    path.write_text(_lines("a,b,c,d", *(_cells(i, 4) for i in range(ROWS))))
    assert fit(tmp_path / "x.npy", tmp_path / "run", "--draws", 2).code == 0
    line = assert_refused(call("predict", tmp_path / "run", path), "has 4 columns, and the run was fitted to 3")
    assert "--drop-column" not in line


def test_beside_a_run_a_table_that_lies_the_other_way_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(genes_in_rows())
    options = ("--id-column", "gene", "--drop-column", "chromosome")
    lacks = "and {} more); if rows and columns are swapped in it, add --transpose"
    for folder, way, rest, other in (
        ("turned", "--transpose", 19, "--no-transpose"),
        ("straight", "--no-transpose", 3, "--transpose"),
    ):
        assert fit(path, tmp_path / folder, *options, way, "--draws", 2).code == 0
        for command in ("predict", "impute"):
            assert call(command, tmp_path / folder, path).code == 0
            assert_refused(call(command, tmp_path / folder, path, other), lacks.format(rest))


def test_what_was_said_already_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(two_text_columns())
    (tmp_path / "classes.txt").write_text("\n".join(KIND) + "\n")
    outcome = fit(path, tmp_path / "run", "--row-classes", tmp_path / "classes.txt", "--drop-column=remark")
    words = printed_command(outcome)
    assert words[words.index("--row-classes") + 1] == str(tmp_path / "classes.txt")
    assert words.count("--row-classes") == 1
    assert [words[i + 1] for i, word in enumerate(words) if word == "--drop-column"] == ["kind of it", "remark"]
    assert call(*words).code == 0


def test_report_25_is_pivoted_by_the_printed_command(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("row,col,value\nbar,bar,1\nbar,caz,2\nfoo,bar,3\n")
    outcome = call("check", tmp_path / "x.csv", "--json")
    assert_refused(outcome, "must be pivoted", "absent pairs are missing")
    found = call(*printed_command(outcome)).record
    assert (found["rows"], found["columns"], found["missing"]) == (2, 2, 1)


def test_check_says_which_way_round_it_reads_the_table(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text(genes_in_rows())
    options = ("--id-column", "gene", "--drop-column", "chromosome")
    out = call("check", tmp_path / "x.tsv", *options).out
    assert "rows are items: ENSG0, ENSG1, ENSG2, ENSG3, ENSG4 and 19 more" in out
    assert "columns are measurements: s0, s1, s2, s3, s4 and 3 more (--transpose swaps them)" in out
    assert "rows are items: s0, s1" in call("check", tmp_path / "x.tsv", *options, "--transpose").out
