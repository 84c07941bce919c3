"""Levels that Python cuts, for the tests of the pages, which cut the same trees themselves.

`python -m unit.report.levels_of_pages` in tests, with tests on the path, writes dashboard/web/tests/levels.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from disnplbm.posterior.draws import DrawsMeta
from disnplbm.posterior.trees.cutting import cut, cut_labels, most_branches
from disnplbm.posterior.trees.growing import grow_tree
from disnplbm.posterior.trees.grown import Trees
from disnplbm.posterior.trees.store import save_trees
from disnplbm.report.heatmap import HeatmapBuilder
from disnplbm.report.trees import levels
from unit.posterior.trees.fitted import fitted

PATH = Path(__file__).resolve().parents[3] / "dashboard" / "web" / "tests" / "levels.json"

FAMILIES = ("numbers", "vectors", "counts", "categories")


def trees_of(name: str) -> Trees:
    """Trees of 9 row clusters, of which some are too small to be a branch, and of 6 column clusters."""
    case = fitted(name, 60, 24, 9, 6)
    # Clusters of one to eleven rows.
    rows = np.repeat(np.arange(9), [11, 1, 10, 1, 9, 8, 7, 12, 1]).astype(np.int32)
    blocks = case.blocks_of(rows, case.columns)
    of_rows = grow_tree([blocks], np.bincount(rows), None, [case.family])
    of_columns = grow_tree([blocks.T], np.bincount(case.columns), None, [case.family])
    return Trees(of_rows, of_columns, (blocks,), DrawsMeta.of_one(60, 24, case.family))


def sample(name: str) -> dict[str, Any]:
    """What a page is given of the levels of a run, and what Python makes of a few of them."""
    trees = trees_of(name)
    document = levels(trees, {})
    numbers = [(3, 2), (5, None), (None, 4), (1, 1)]
    return {"levels": document, "cuts": [_cut(trees, rows, columns) for rows, columns in numbers]}


def _cut(trees: Trees, rows: int | None, columns: int | None) -> dict[str, Any]:
    family, of_rows, of_columns = trees.meta.family, cut_labels(trees.rows, rows), cut_labels(trees.columns, columns)
    there, across = of_rows >= 0, of_columns >= 0
    blocks = family.aggregate(trees.blocks[there], of_rows[there], int(of_rows.max()) + 1, axis=0)
    blocks = family.aggregate(blocks[:, across], of_columns[across], int(of_columns.max()) + 1, axis=1)
    return {
        "rows": rows,
        "columns": columns,
        "most": [most_branches(trees.rows), most_branches(trees.columns)],
        "row_labels": of_rows.tolist(),
        "column_labels": of_columns.tolist(),
        "nodes": None if rows is None else cut(trees.rows, rows).nodes.tolist(),
        "aside": 0 if rows is None else int(trees.rows.members[cut(trees.rows, rows).aside].sum()),
        "figures": {
            name: [[float(f"{each:.9g}") for each in line] for line in figure[..., 0]]
            for name, figure in family.figures(blocks).items()
        },
    }


def write_folder(samples: ModuleType, folder: Path, trees: Trees, *, shown: bool = True, **names: list[str]) -> Path:
    """A run folder with these trees, its pictures in their order or, as in earlier versions, in that of the labels."""
    rows, columns = (np.repeat(np.arange(len(tree.sizes)), tree.sizes) for tree in (trees.rows, trees.columns))
    values = samples.block_matrix(rows, columns)
    samples.write_run_folder(folder, values, rows, columns, **names)
    if shown:
        builder = HeatmapBuilder(rows, columns, shown_rows=trees.rows.leaves, shown_columns=trees.columns.leaves)
        builder.add(values, np.arange(len(rows)))
        builder.finish().save(folder / "heatmap.npz")
    save_trees(trees, folder / "tree.npz")
    return folder


def text() -> str:
    """What the file holds."""
    return json.dumps({name: sample(name) for name in FAMILIES}, allow_nan=False, indent=1) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
