"""A fitted model writes the run folder that the command line writes of the same table and options, and its report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from disnplbm import NPLBM, InputError
from disnplbm.cli.main import cli

#: Of run.json, what a clock says, and how the file was read.
OF_THE_MOMENT = {
    "created", "seconds", "seconds_total", "seconds_per_iteration", "seconds_by_stage", "peak_memory_mb", "restarts",
}  # fmt: skip
OF_THE_FILE = {"path", "reading", "written", "warnings", "notes"}


def numbers() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    means = np.array([[0.0, 5.0, 2.0], [5.0, 0.0, 2.0]])[np.ix_(np.arange(30) % 2, np.arange(9) % 3)]
    table = pd.DataFrame(rng.normal(means), index=[f"r{i}" for i in range(30)], columns=[f"c{j}" for j in range(9)])
    table.iloc[2, 3] = np.nan
    return table


def counts() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rates = np.array([[0.2, 4.0], [3.0, 0.3]])[np.ix_(np.arange(40) % 2, np.arange(16) // 8)]
    return pd.DataFrame(rng.poisson(rates), index=[f"d{i}" for i in range(40)], columns=[f"w{j}" for j in range(16)])


def words() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    own = rng.random((24, 8)) < np.where(np.arange(24)[:, None] % 2 == np.arange(8) % 2, 0.9, 0.1)
    return pd.DataFrame(np.where(own, "yes", "no"), columns=[f"q{j}" for j in range(8)])


def fit(folder: Path, table: pd.DataFrame, *options: str) -> dict[str, Any]:
    named = not isinstance(table.index, pd.RangeIndex)
    table.to_csv(folder / "table.csv", index=named)
    asked = ["fit", str(folder / "table.csv"), "--output", str(folder / "run"), "--shards", "1", "--iterations", "12"]
    CliRunner().invoke(cli, [*asked, *options], standalone_mode=False, catch_exceptions=False)
    return record_of(folder / "run")


def record_of(folder: Path) -> dict[str, Any]:
    record = json.loads((folder / "run.json").read_text())
    record = {name: value for name, value in record.items() if name not in OF_THE_MOMENT | OF_THE_FILE}
    record["data"] = {name: value for name, value in record["data"].items() if name not in OF_THE_FILE}
    return record


def trace_of(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "trace.csv").drop(columns="seconds")


@pytest.mark.parametrize(
    ("table", "parameters", "options"),
    [
        (numbers(), {"burn_in": 6, "n_chains": 2, "n_restarts": 2, "column_transform": "standardize"},
         ["--burn-in", "6", "--chains", "2", "--restarts", "2", "--transform", "standardize"]),
        (counts(), {"cells": "counts", "burn_in": 6}, ["--cells", "counts", "--burn-in", "6"]),
        (words(), {"cells": "categorical"}, ["--cells", "categorical"]),
    ],
    ids=["numbers", "counts", "words"],
)  # fmt: skip
def test_a_saved_model_is_the_folder_of_the_command_line(
    tmp_path: Path, table: pd.DataFrame, parameters: dict[str, Any], options: list[str]
) -> None:
    record = fit(tmp_path, table, *options)
    saved = NPLBM(12, **parameters).fit(table).save(tmp_path / "saved", table, name="table.csv")
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert {path.name for path in saved.iterdir()} == names
    for name in names - {"run.json", "trace.csv", "report.html"}:
        assert (saved / name).read_bytes() == (tmp_path / "run" / name).read_bytes(), name
    pd.testing.assert_frame_equal(trace_of(saved), trace_of(tmp_path / "run"))
    assert len(record["profiles"]) == record["row_clusters"]
    assert record_of(saved) == record


def test_commands_read_a_saved_model(tmp_path: Path) -> None:
    fit(tmp_path, numbers(), "--burn-in", "6")
    NPLBM(12, burn_in=6).fit(numbers()).save(tmp_path / "saved")
    for command in (
        ["report", str(tmp_path / "saved")],
        ["explain", str(tmp_path / "saved"), "--table", str(tmp_path / "table.csv")],
        ["predict", str(tmp_path / "saved"), str(tmp_path / "table.csv"), "--output", str(tmp_path / "new.csv")],
    ):
        outcome = CliRunner().invoke(cli, command)
        assert outcome.exit_code == 0, outcome.output


def test_a_report_is_one_file_and_a_folder_with_something_in_it_is_kept(tmp_path: Path) -> None:
    model = NPLBM(12).fit(numbers())
    page = model.report(tmp_path / "x.html", numbers(), name="<b>mine</b>")
    assert [path.name for path in tmp_path.iterdir()] == ["x.html"]
    text = page.read_text()
    assert "&lt;b&gt;mine&lt;/b&gt;" in text
    assert "<b>mine" not in text
    with pytest.raises(InputError, match=r"not empty; choose another folder or add force=True"):
        model.save(tmp_path)
    assert not (model.save(tmp_path, force=True) / ".disnplbm.new").exists()
    assert page.exists()


def test_another_table_is_no_part_of_a_report(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another table"):
        NPLBM(12).fit(numbers()).report(tmp_path / "x.html", numbers() + 1.0)
    assert list(tmp_path.iterdir()) == []
