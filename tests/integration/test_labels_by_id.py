"""Classes, starts and scores go by the names of rows and columns, not by the order of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from disnplbm import NPLBM
from disnplbm.cli.main import cli
from disnplbm.errors import InputError

NAMES = [f"s{i:02}" for i in range(40)]
CLASSES = np.repeat(["A", "B"], 20)
ORDER = np.random.default_rng(3).permutation(40)


def values() -> np.ndarray:
    sign = np.where(CLASSES == "A", 5.0, -5.0)[:, None] * np.repeat([1.0, -1.0], 3)
    return sign + np.random.default_rng(0).normal(size=sign.shape)


def table(order: np.ndarray = ORDER) -> pd.DataFrame:
    return pd.DataFrame(values()[order].round(3), index=pd.Index(np.array(NAMES)[order], name="sample"))


def call(*arguments: Any) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def fit(*arguments: Any) -> dict[str, Any]:
    found = call("fit", *arguments, "--iterations", 30, "--force", "--json")
    assert found.exit_code == 0, found.output
    return dict(json.loads(found.stdout))


def refused(*arguments: Any) -> str:
    found = call(*arguments)
    assert isinstance(found.exception, InputError), found.output
    return str(found.exception)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """x.csv in one order, classes.csv and columns.csv in others: report 11."""
    table().add_prefix("g").to_csv(tmp_path / "x.csv")
    pd.DataFrame({"id": NAMES, "class": CLASSES}).to_csv(tmp_path / "classes.csv", index=False)
    columns = pd.DataFrame({"id": [f"g{j}" for j in range(6)], "class": list("uuuvvv")})
    columns[::-1].to_csv(tmp_path / "columns.csv", index=False)
    return tmp_path


def test_classes_are_matched_by_id(folder: Path) -> None:
    """Report 11."""
    classes = ["--row-classes", folder / "classes.csv", "--column-classes", folder / "columns.csv"]
    record = fit(folder / "x.csv", "--id-column", "sample", *classes, "--output", folder / "run")
    assert (record["ari"], record["column_ari"]) == (1.0, 1.0)
    assert "the row classes are in another order than x.csv: matched by their ids" in record["warnings"]
    assert "the column classes are in another order than x.csv: matched by their ids" in record["warnings"]


def test_classes_without_ids_go_by_position_with_a_note(folder: Path) -> None:
    (folder / "plain.csv").write_text("class\n" + "\n".join(CLASSES[ORDER]) + "\n")
    arguments = [folder / "x.csv", "--id-column", "sample", "--row-classes", folder / "plain.csv"]
    record = fit(*arguments, "--output", folder / "run")
    assert record["ari"] == 1.0
    assert "the row classes have no ids: taken in the order of the rows of x.csv" in record["warnings"]


@pytest.mark.parametrize("option", ["--row-classes", "--start"])
def test_ids_that_the_table_does_not_have_are_refused(folder: Path, option: str) -> None:
    odd = pd.DataFrame({"id": [*NAMES[:-1], "z9"], "label": 0})
    odd.to_csv(folder / "odd.csv", index=False)
    said = refused(
        "fit", folder / "x.csv", "--id-column", "sample", option, folder / "odd.csv", "--output", folder / "r"
    )
    assert "that x.csv does not have: z9; give one for each row, by the same names" in said
    assert not (folder / "r").exists()


def test_a_start_is_matched_by_id_and_a_run_folder_too(folder: Path) -> None:
    x, begin = folder / "x.csv", ["--id-column", "sample", "--seed", 4]
    ordered = pd.DataFrame({"id": np.array(NAMES)[ORDER], "label": (CLASSES == "B")[ORDER].astype(int)})
    ordered.to_csv(folder / "ordered.csv", index=False)
    ordered[::-1].to_csv(folder / "reversed.csv", index=False)
    found = [
        fit(x, *begin, "--start", folder / name, "--output", folder / "run") for name in ("ordered.csv", "reversed.csv")
    ]
    assert found[0]["digest"] == found[1]["digest"]
    table(ORDER[::-1]).add_prefix("g").iloc[:, ::-1].to_csv(folder / "y.csv")
    record = fit(folder / "y.csv", *begin, "--start", folder / "run", "--output", folder / "again")
    assert "the row labels to start from are in another order than y.csv: matched by their ids" in record["warnings"]
    assert "the column labels to start from are in another order than y.csv: matched by their ids" in record["warnings"]


def test_a_row_without_a_label_cannot_start(folder: Path) -> None:
    pd.DataFrame({"id": NAMES, "label": ["0"] * 39 + ["NA"]}).to_csv(folder / "start.csv", index=False)
    arguments = [folder / "x.csv", "--id-column", "sample", "--start", folder / "start.csv"]
    said = refused("fit", *arguments, "--output", folder / "r")
    assert "the label of s39 is missing; give every row one" in said


def test_scores_are_matched_by_id_and_leave_out_what_has_no_class(folder: Path) -> None:
    """Reports 11 and 15."""
    fit(folder / "x.csv", "--id-column", "sample", "--output", folder / "run")
    found = call("score", folder / "classes.csv", folder / "run" / "rows.csv", "--json")
    assert json.loads(found.stdout)["ari"] == 1.0
    assert "in another order" in found.stderr
    (folder / "truth.csv").write_text("class\nA\nA\nNA\nB\nB\n")
    (folder / "labels.csv").write_text("label\n0\n0\n1\n1\n1\n")
    found = call("score", folder / "truth.csv", folder / "labels.csv")
    assert found.stdout.startswith("ARI 1.0000")
    assert "1 item without a label left out" in found.stderr


def test_the_fitted_rows_are_known_by_name_in_predict_and_impute(folder: Path) -> None:
    gaps = table().add_prefix("g")
    gaps.iloc[0, 0] = gaps.iloc[7, 3] = np.nan
    gaps.to_csv(folder / "x.csv")
    gaps[::-1].to_csv(folder / "y.csv")
    fit(folder / "x.csv", "--id-column", "sample", "--burn-in", 10, "--output", folder / "run")
    imputed, columns = [], []
    for name in ("x.csv", "y.csv"):
        source = [folder / "run", folder / name, "--id-column", "sample"]
        imputed.append(sorted(call("impute", *source, "--cells").stdout.splitlines()))
        columns.append(call("predict", *source, "--axis", "columns").stdout)
    assert imputed[0] == imputed[1]
    assert len(imputed[0]) == 3
    assert columns[0] == columns[1]
    gaps.rename(index={"s00": "z9"}).to_csv(folder / "z.csv")
    assert "does not have: z9" in refused("impute", folder / "run", folder / "z.csv", "--id-column", "sample")


def test_the_filled_table_calls_its_rows_as_the_table_does(folder: Path) -> None:
    gaps = table().add_prefix("g")
    gaps.iloc[0, 0] = np.nan
    gaps.to_csv(folder / "named.csv")
    gaps.rename_axis(None).to_csv(folder / "unnamed.csv")
    gaps.reset_index().to_parquet(folder / "named.parquet", index=False)
    gaps.to_parquet(folder / "index.parquet")
    gaps.rename_axis(None).to_parquet(folder / "unnamed.parquet")
    fit(folder / "named.csv", "--burn-in", 10, "--output", folder / "run")
    named = ("named.csv", "named.parquet", "index.parquet")
    for name, called in [*((name, "sample") for name in named), ("unnamed.csv", "id"), ("unnamed.parquet", "id")]:
        filled = call("impute", folder / "run", folder / name).stdout
        assert filled.splitlines()[0] == ",".join([called, *gaps.columns]), name
        assert filled.splitlines()[1].startswith("s")


def test_the_estimator_knows_rows_by_name() -> None:
    frame = table()
    frame.columns = list("abcdef")
    frame.iloc[0, 0] = np.nan
    start = pd.Series((CLASSES == "B").astype(int), index=NAMES)
    model = NPLBM(20, burn_in=10, start=(start, None)).fit(frame)
    assert model.digest_ == NPLBM(20, burn_in=10, start=(start.to_numpy()[ORDER], None)).fit(frame).digest_
    for there, back in zip(model.impute(frame), model.impute(frame[::-1]), strict=True):
        np.testing.assert_array_equal(there, back[::-1])
    shares = model.predict_proba(frame, axis="columns")
    np.testing.assert_array_equal(model.predict_proba(frame[::-1], axis="columns"), shares)
    with pytest.raises(InputError, match="rows of X are for rows that the fitted table does not have: z9"):
        model.impute(frame.rename(index={"s00": "z9"}))
    with pytest.raises(InputError, match="row labels to start from"):
        NPLBM(2, start=(start.rename({"s00": "z9"}), None)).fit(frame)
