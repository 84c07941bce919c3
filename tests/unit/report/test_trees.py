"""What a page knows of the levels of a run, and the pictures that they are shown in."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from disnplbm.errors import InputError
from disnplbm.posterior.trees.cutting import cut_labels, most_branches
from disnplbm.report import matrix
from disnplbm.report import trees as module
from disnplbm.report.bands import clustered_bands
from disnplbm.report.document import run_document
from disnplbm.report.folder import read_run_folder
from disnplbm.report.heatmap import Heatmap, HeatmapBuilder
from disnplbm.report.trees import levels
from unit.report.levels_of_pages import FAMILIES, PATH, text, trees_of, write_folder


def test_the_pages_are_tested_against_what_python_cuts_now() -> None:
    """If it fails: write the file again, see unit/report/levels_of_pages.py, and run the tests of the pages."""
    found, now = (json.loads(each) for each in (PATH.read_text(encoding="utf-8"), text()))
    assert found == now


@pytest.mark.parametrize("name", FAMILIES)
def test_every_branch_of_every_cut_is_together_among_the_leaves(name: str) -> None:
    for tree in (trees_of(name).rows, trees_of(name).columns):
        assert sorted(tree.leaves.tolist()) == list(range(len(tree.sizes)))
        assert most_branches(tree) > 2
        for number in range(1, most_branches(tree) + 1):
            shown = cut_labels(tree, number)[tree.leaves]
            for label in range(number):
                places = np.flatnonzero(shown == label)
                # What is set aside comes behind the branch that it came off, never within it.
                assert np.array_equal(places, np.arange(places[0], places[-1] + 1))


def test_the_larger_of_two_branches_comes_first() -> None:
    tree = trees_of("numbers").rows
    first = int(tree.leaves[0])
    node = len(tree.sizes) * 2 - 2
    while node >= len(tree.sizes):
        node = max(tree.pairs[node - len(tree.sizes)].tolist(), key=lambda below: (tree.members[below], -below))
    assert node == first


def test_a_picture_has_its_clusters_in_the_order_that_is_asked_for(tmp_path: Path) -> None:
    labels = np.array([0, 0, 1, 2, 2, 2])
    bands = clustered_bands(labels, 100, 1, np.array([2, 0, 1]))
    assert bands.order.tolist() == [3, 4, 5, 0, 1, 2]
    assert (bands.clusters.tolist(), bands.shown.tolist()) == ([0, 3, 5, 6], [2, 0, 1])
    builder = HeatmapBuilder(labels, [0, 1], shown_rows=np.array([2, 0, 1]), shown_columns=np.array([1, 0]))
    builder.add(np.arange(12.0).reshape(6, 2), np.arange(6))
    builder.finish().save(tmp_path / "heatmap.npz")
    found = Heatmap.load(tmp_path / "heatmap.npz").reordered
    np.testing.assert_allclose(found.mean[:, 0], [7.0, 9.0, 11.0, 1.0, 3.0, 5.0], rtol=1e-6)
    assert (found.rows.shown.tolist(), found.columns.shown.tolist()) == ([2, 0, 1], [1, 0])
    with pytest.raises(ValueError, match="a label of its own"):
        replace(bands, labels=np.array([0, 0, 1])).check()


def test_too_many_blocks_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert levels(trees_of("numbers"), {})["blocks"] is not None
    monkeypatch.setattr(module, "MAX_BLOCKS", 53)
    assert levels(trees_of("numbers"), {})["blocks"] is None


def test_a_report_has_levels_where_the_picture_is_in_their_order(samples: ModuleType, tmp_path: Path) -> None:
    trees = trees_of("numbers")
    folder = write_folder(samples, tmp_path / "run", trees, shown=True)
    first = {"rows": 3, "columns": 2, "sentence": "Three kinds of rows."}
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    (folder / "run.json").write_text(json.dumps(record | {"level": first}), encoding="utf-8")
    document = run_document(read_run_folder(folder))
    assert document["levels"]["first"] == first
    assert document["levels"]["rows"]["least"] == 2
    assert document["matrix"]["reordered"]["rows"]["labels"] == trees.rows.leaves.tolist()
    (folder / "tree.npz").unlink()
    assert run_document(read_run_folder(folder))["levels"] is None


def test_a_picture_of_an_earlier_version_has_none(samples: ModuleType, tmp_path: Path) -> None:
    folder = write_folder(samples, tmp_path / "run", trees_of("numbers"), shown=False)
    document = run_document(read_run_folder(folder))
    assert document["levels"] is None
    assert document["matrix"]["reordered"]["rows"]["labels"] == list(range(9))


def test_trees_of_another_run_are_refused(samples: ModuleType, tmp_path: Path) -> None:
    folder = write_folder(samples, tmp_path / "run", trees_of("numbers"), shown=True)
    rows = columns = np.array([0, 1] * 5)
    other = samples.write_run_folder(tmp_path / "other", samples.block_matrix(rows, columns), rows, columns)
    shutil.copy(folder / "tree.npz", other)
    with pytest.raises(InputError, match=r"does not fit rows\.csv and columns\.csv"):
        read_run_folder(other)


def test_names_are_in_the_order_of_the_picture_or_left_out(
    samples: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"row {i}" for i in range(60)]
    folder = read_run_folder(write_folder(samples, tmp_path / "run", trees_of("numbers"), row_names=names))
    found = run_document(folder)["names"]
    assert found["rows"] == [names[row] for row in folder.heatmap.reordered.rows.order]
    assert len(found["columns"]) == 24
    monkeypatch.setattr(matrix, "MAX_NAMES", 24)
    assert run_document(folder)["names"] == {"rows": None, "columns": found["columns"]}
