"""The trees of a run on disk, with the blocks that a level of them is made of.

``tree.npz`` is an archive of plain arrays, which ``numpy.load`` reads:

- ``rows`` and ``columns``: each tree as ``scipy.cluster.hierarchy`` reads it;
- ``rows_losses``, ``columns_losses``: the loss of log joint by each merge;
- ``rows_sizes``, ``columns_sizes``: members of each fine cluster;
- the statistics of the fine blocks, in the units of the table, by the names that the family gives them;
- ``meta``: the bytes of a JSON record of the family, and of the loss that the trees were grown by.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any, get_args

import numpy as np

from disnplbm.errors import InputError, RunError, first_line
from disnplbm.files import whole_file
from disnplbm.notes import Hint
from disnplbm.posterior.archive import DAMAGE, add_array, check, read_array
from disnplbm.posterior.draw_store import arrays_of, meta_of, read_parts, record_of
from disnplbm.posterior.trees.growing import Tree
from disnplbm.posterior.trees.grown import Trees
from disnplbm.posterior.trees.losses import MOST_CLUSTERS, TreeLoss


def save_trees(trees: Trees, path: Path) -> None:
    """Write trees; the file appears whole or not at all."""
    with whole_file(path, "wb") as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for axis, tree in (("rows", trees.rows), ("columns", trees.columns)):
            add_array(archive, axis, tree.linkage)
            add_array(archive, f"{axis}_losses", tree.losses)
            add_array(archive, f"{axis}_sizes", tree.sizes)
        for name, array in arrays_of(trees.parts):
            add_array(archive, name, array)
        add_array(
            archive,
            "meta",
            np.frombuffer(json.dumps(record_of(trees.meta) | {"loss": trees.loss}).encode(), dtype=np.uint8),
        )


def load_trees(path: Path) -> Trees:
    """Read what :func:`save_trees` wrote.

    Raises
    ------
    InputError
        There is no such file.
    RunError
        It is damaged.
    """
    if not path.is_file():
        raise InputError(
            f"{path.parent} has no tree of its clusters: an earlier version wrote the run, or it has more than"
            f" {MOST_CLUSTERS:,} clusters; fit again, with fewer of them: ",
            Hint("fix_row_clusters", 20),
        )
    try:
        size = path.stat().st_size
        with zipfile.ZipFile(path) as archive:

            def array(name: str, shape: tuple[int, ...] | None, kind: Any) -> Any:
                return read_array(archive, size, name, shape, kind)

            record = json.loads(array("meta", None, np.uint8).tobytes())
            # Files of earlier versions know no other loss.
            meta, loss = meta_of(record), record.get("loss", "shared")
            check(loss in get_args(TreeLoss))
            trees = []
            for axis, length in (("rows", meta.n_rows), ("columns", meta.n_columns)):
                sizes = array(f"{axis}_sizes", None, np.int64)
                merges = len(sizes) - 1
                check(merges >= 0 and bool((sizes >= 1).all()) and int(sizes.sum()) == length)
                pairs = array(axis, (merges, 4), np.float64)[:, :2].astype(np.int32)
                # Each node but the last is joined once, and after it came to be.
                check(np.array_equal(np.sort(pairs, axis=None), np.arange(2 * merges)))
                check(bool((pairs.max(axis=1, initial=-1) < len(sizes) + np.arange(merges)).all()))
                number = len(meta.parts) if axis == "columns" else 1
                check(merges >= number - 1)
                trees.append(Tree(sizes, pairs, array(f"{axis}_losses", (merges,), np.float64), number))
            k, clusters = len(trees[0].sizes), [sorted(trees[1].below(root)) for root in trees[1].roots]
            # Clusters of a part stand together, and are of its columns.
            check([cluster for own in clusters for cluster in own] == list(range(len(trees[1].sizes))))
            check([int(trees[1].sizes[own].sum()) for own in clusters] == list(meta.lengths))
            parts = read_parts(array, meta, [(k, len(own)) for own in clusters])
    except DAMAGE as error:
        raise RunError(f"{path} is damaged ({first_line(error)}); fit again with ", Hint("force")) from error
    return Trees(trees[0], trees[1], parts, meta, loss)
