"""The levels of a finished run: its trees, and what the blocks of a level are made from."""

from __future__ import annotations

import json
from typing import Any

from disnplbm.files import scratch_folder
from disnplbm.posterior.trees.store import load_trees
from disnplbm.report.folder import is_in_order
from disnplbm.report.heatmap import Heatmap
from disnplbm.report.trees import levels
from disnplbm.runs.records import RunRecord
from disnplbm.runs.results import Results


def read_levels(results: Results, run: RunRecord, overview: Heatmap) -> dict[str, Any] | None:
    """What :func:`disnplbm.report.trees.levels` says of a finished run.

    Returns
    -------
    dict or None
        None where an earlier version wrote the run, or it has too many clusters for a tree.

    Raises
    ------
    RunError
        The store cannot be read, or a file is damaged.
    """
    if "tree.npz" not in results.names(run):
        return None
    with scratch_folder("disnplbm-levels-") as folder:
        path = folder / "tree.npz"
        path.write_bytes(results.get(run, path.name))
        trees = load_trees(path)
    if not is_in_order(trees, overview):
        return None
    return levels(trees, json.loads(bytes(results.get(run, "run.json"))))
