"""The trees of a run's clusters, with what the page makes the blocks of a level from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from disnplbm.posterior.trees.cutting import least_members
from disnplbm.posterior.trees.growing import Tree
from disnplbm.posterior.trees.grown import Trees
from disnplbm.report.folder import Blocks
from disnplbm.report.levels import level_sentence
from disnplbm.report.pixels import encoded_numbers, rounded
from disnplbm.report.tables import shown_components

MAX_BLOCKS = 400_000
"""With more blocks than this the page does not carry what they say: its levels have clusters and no figures."""


def levels(trees: Trees, run: Mapping[str, Any]) -> dict[str, Any]:
    """Both trees, the figures of the fine blocks, the level to show first, and what is known of all levels.

    Parameters
    ----------
    run : mapping
        What run.json says: its ``level`` is there where the level that is shown first merges clusters, and
        ``level_curves`` where this version wrote the run.
    """
    first, curves = run.get("level"), run.get("level_curves")
    few = len(trees.rows.sizes) * len(trees.columns.sizes) <= MAX_BLOCKS
    return {
        "rows": _tree(trees.rows),
        "columns": _tree(trees.columns),
        "blocks": _blocks(trees) if few else None,
        "first": None if first is None else {name: first[name] for name in ("rows", "columns", "sentence")},
        "curves": None if curves is None else {"sentence": level_sentence(curves, short_axes=True)} | curves,
    }


def _tree(tree: Tree) -> dict[str, Any]:
    return {
        "sizes": tree.sizes.tolist(),
        "pairs": tree.pairs.tolist(),
        "heights": rounded(tree.heights),
        "least": least_members(int(tree.sizes.sum())),
    }


def _blocks(trees: Trees) -> dict[str, Any]:
    """Figures of the fine blocks, row cluster by row cluster, and what they weigh in the blocks of a level.

    ``cells`` and ``weights`` are None where each block has all of its cells, and where it weighs them.
    """
    family = trees.meta.family
    figures = {name: np.moveaxis(values, -1, 0) for name, values in family.figures(trees.blocks).items()}
    cells, weights = family.count_cells(trees.blocks), family.weights(trees.blocks)
    whole = trees.whole_cells.astype(np.float64)
    counted = np.asarray(whole if cells is None else cells)
    blocks = Blocks(counted.astype(np.int64), figures)
    components = shown_components(blocks)
    return {
        "cells": None if np.array_equal(counted, whole) else encoded_numbers(counted),
        "weights": None if weights is None or np.array_equal(weights, counted) else encoded_numbers(weights),
        "tables": [
            {name: encoded_numbers(values[component]) for name, values in figures.items()} for component in components
        ],
        "categories": components if blocks.is_shares else None,
    }
