"""Rows whose class is not known take no part in the scores."""

from __future__ import annotations

import base64
import csv
import json
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from disnplbm.cli.main import cli
from disnplbm.report.classes import UNKNOWN
from disnplbm.report.document import run_document
from disnplbm.report.folder import read_run_folder


def test_rows_without_a_class_are_left_out_of_the_scores(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    classes = ["low"] * 20 + ["high"] * 20
    values = np.where(np.array(classes) == "low", -5.0, 5.0)[:, None] + rng.normal(size=(40, 6))
    classes[3], classes[30] = "", "NA"
    lines = [
        "class,a,b,c,d,e,f",
        *(",".join([name, *map(str, row)]) for name, row in zip(classes, values, strict=True)),
    ]
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n")
    arguments = ["fit", str(tmp_path / "x.csv"), "--row-classes", "class", "--output", str(tmp_path / "run"), "--json"]
    record = json.loads(CliRunner().invoke(cli, arguments, catch_exceptions=False).stdout)
    assert record["ari"] == 1.0
    assert "2 rows have no known class: they are left out of the scores" in record["warnings"]
    with (tmp_path / "run" / "rows.csv").open(newline="") as file:
        known = [row["known_class"] for row in csv.DictReader(file)]
    assert known == ["" if name == "NA" else name for name in classes]
    folder = read_run_folder(tmp_path / "run")
    shown = run_document(folder)["classes"]
    assert shown["columns"] is None
    assert shown["rows"]["names"] == ["high", "low"]
    number = {"high": 0, "low": 1, "": UNKNOWN}
    order = folder.heatmap.reordered.rows.order
    assert list(base64.b64decode(shown["rows"]["of"])) == [number[known[row]] for row in order]
