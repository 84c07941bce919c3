"""The report of a run on a table of several parts."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

from birds import birds, save
from disnplbm.cli.execution import show
from disnplbm.data.reading import Reading
from disnplbm.engine.fit import prepare_run, run
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.options import Options
from disnplbm.engine.parts import open_tables
from disnplbm.errors import InputError
from disnplbm.report.document import document_of_parts
from disnplbm.report.folder import read_parts_of_run, read_run_folder
from disnplbm.runs.request import Request

NUMBERS, WORDS = ["bill", "flipper", "mass"], ["island", "origin"]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run folder, and what its run.json says."""
    folder = tmp_path_factory.mktemp("parts")
    table = save(birds()[[*NUMBERS, *WORDS]], folder / "birds.csv")
    options = Options(cells="mixed", iterations=60, burn_in=30, draws=20)
    with RunFolder.stage(folder / "run", force=False) as target:
        source = open_tables([table], Reading(), "mixed", None)
        prepare_run(target, source, Request("birds.csv", str(table), n_shards=1), options, silent)
    return target.path, run(target, 1, silent, lambda: nullcontext(lambda: False))


def silent(stage: str, done: int, total: int, note: str = "") -> None:
    """No progress."""


def test_each_part_is_read_with_its_own_columns(fitted: tuple[Path, dict[str, Any]]) -> None:
    folder, record = fitted
    numbers, words = read_parts_of_run(folder)
    assert [part["column_clusters"] for part in record["parts"]] == [
        len(each.columns.sizes) for each in (numbers, words)
    ]
    assert sum(part["column_clusters"] for part in record["parts"]) == record["column_clusters"]
    assert [each.columns.ids.to_pylist() for each in (numbers, words)] == [NUMBERS, WORDS]
    assert [each.cells for each in (numbers, words)] == ["gaussian", "categorical"]
    assert [list(each.blocks.figures) for each in (numbers, words)] == [["mean", "sd"], ["share"]]
    assert words.blocks.figures["share"].shape == (3, record["row_clusters"], len(words.columns.sizes))
    np.testing.assert_allclose(words.blocks.figures["share"].sum(axis=0), 1.0)
    for each in (numbers, words):
        assert each.trees is not None
        assert each.trees.columns.sizes.tolist() == each.columns.sizes.tolist()
        assert each.similarities is not None
        assert each.similarities.columns.clusters.shape == (len(each.columns.sizes),) * 2
    with pytest.raises(InputError, match="one kind of columns"):
        read_run_folder(folder)


def test_the_document_has_one_of_each_part(fitted: tuple[Path, dict[str, Any]]) -> None:
    folder, record = fitted
    document = document_of_parts(read_parts_of_run(folder))
    assert document["kind"] == "parts"
    first = record["parts"][0]["column_clusters"]
    last = record["column_clusters"] - 1
    of_words = f"column clusters {first} to {last}" if last > first else f"column cluster {last}"
    assert document["parts"][1]["title"].endswith(f": 2 columns, {of_words} of the run")
    for part, names in zip(document["parts"], (NUMBERS, WORDS), strict=True):
        found = part["found"]
        assert sorted(found["names"]["columns"]) == sorted(names)
        assert found["run"]["column_clusters"] == record["column_clusters"]
        clusters = [each["cluster"] for each in found["profiles"]["columns"]]
        assert clusters == list(range(found["blocks"]["column_clusters"]))


def test_a_cluster_of_rows_is_told_by_the_columns_of_all_parts(fitted: tuple[Path, dict[str, Any]]) -> None:
    told = [profile["told"] for profile in fitted[1]["profiles"]]
    assert len(told) == 3
    assert any("island" in each and "mass" in each for each in told), told


def test_the_summary_has_a_line_for_each_part(
    fitted: tuple[Path, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    with click.Context(click.Command("fit")):
        show(fitted[1], "report.html", as_json=False)
    lines = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("columns "))
    assert lines[at].startswith("columns    3 columns of real numbers: column cluster")
    assert lines[at + 1].startswith("           2 columns of categories: column cluster")
