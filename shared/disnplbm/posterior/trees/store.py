"""The trees of a run on disk, with the blocks that a level of them is made of.

``tree.npz`` is an archive of plain arrays, which ``numpy.load`` reads:

- ``rows`` and ``columns``: each tree as ``scipy.cluster.hierarchy`` reads it;
- ``rows_losses``, ``columns_losses``: the loss of log joint by each merge;
- ``rows_sizes``, ``columns_sizes``: members of each fine cluster;
- the statistics of the fine blocks, in the units of the table, by the names that the family gives them;
- ``meta``: the bytes of a JSON record of the family.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import InputError, RunError, first_line
from disnplbm.families.base import Family
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.shared_variance import SharedVariance
from disnplbm.files import whole_file
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.notes import Hint
from disnplbm.posterior.archive import DAMAGE, add_array, check, read_array
from disnplbm.posterior.draw_store import meta_of, read_blocks, record_of
from disnplbm.posterior.draws import Axis, DrawsMeta
from disnplbm.posterior.result import Result
from disnplbm.posterior.trees.growing import Tree, grow_tree

#: Clusters of an axis up to which a tree is grown: it takes time with the square of their number.
MOST_CLUSTERS = 2000

AXES: tuple[Axis, Axis] = ("rows", "columns")


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """The trees of a run's clusters, and the blocks of the fine ones.

    Parameters
    ----------
    blocks : Statistics of shape (K, L)
        In the units of the table.
    meta : DrawsMeta
        Of the run.
    """

    rows: Tree
    columns: Tree
    blocks: Any
    meta: DrawsMeta

    @property
    def whole_cells(self) -> NDArray[np.int64]:
        """Cells of each block if none is missing, shape (K, L)."""
        return np.outer(self.rows.sizes, self.columns.sizes)

    def merge_blocks(self, rows: Labels, columns: Labels) -> Any:
        """Statistics of the blocks of a level, without what is set aside there.

        Parameters
        ----------
        rows, columns : ndarray of int32, shapes (K,) and (L,)
            Branch of each fine cluster; negative for what is set aside.
        """
        family, there, across = self.meta.family, rows >= 0, columns >= 0
        blocks = family.aggregate(self.blocks[there], rows[there], int(rows.max()) + 1, axis=0)
        return family.aggregate(blocks[:, across], columns[across], int(columns.max()) + 1, axis=1)


def family_of_levels(family: Family, blocks: Any) -> Family:
    """The family that levels are compared by: real numbers share a variance there."""
    return SharedVariance.of(family, blocks) if isinstance(family, Gaussian) else family


def grow_trees(result: Result, meta: DrawsMeta) -> Trees | None:
    """Grow the trees of a result; None where there are more than :data:`MOST_CLUSTERS` clusters."""
    if max(result.n_row_clusters, result.n_column_clusters) > MOST_CLUSTERS:
        return None
    last, sizes = result.trace.last, (np.bincount(result.row_labels), np.bincount(result.column_labels))
    rows, columns = (
        grow_axis(axis, result.blocks, size, concentration, meta)
        for axis, size, concentration in zip(AXES, sizes, (last.alpha, last.beta), strict=True)
    )
    return Trees(rows, columns, result.blocks, meta)


def grow_axis(axis: Axis, blocks: Any, sizes: NDArray[np.integer], concentration: float, meta: DrawsMeta) -> Tree:
    """Grow the tree of one axis.

    Parameters
    ----------
    blocks : Statistics of shape (K, L)
    sizes : ndarray of int, shape (K,) or (L,)
        Members of each cluster of that axis.
    concentration : float
        Of that axis.
    """
    family, limit = family_of_levels(meta.family, blocks), meta.row_limit if axis == "rows" else meta.column_limit
    # A shared variance weighs no partition.
    prior = PartitionPrior.of(concentration, limit) if family is meta.family else None
    return grow_tree(blocks if axis == "rows" else blocks.T, sizes, prior, family)


def save_trees(trees: Trees, path: Path) -> None:
    """Write trees; the file appears whole or not at all."""
    with whole_file(path, "wb") as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for axis, tree in (("rows", trees.rows), ("columns", trees.columns)):
            add_array(archive, axis, tree.linkage)
            add_array(archive, f"{axis}_losses", tree.losses)
            add_array(archive, f"{axis}_sizes", tree.sizes)
        for name, array in zip(trees.blocks.names, trees.blocks.arrays, strict=True):
            add_array(archive, name, array)
        add_array(archive, "meta", np.frombuffer(json.dumps(record_of(trees.meta)).encode(), dtype=np.uint8))


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

            meta = meta_of(json.loads(array("meta", None, np.uint8).tobytes()))
            trees = []
            for axis, length in (("rows", meta.n_rows), ("columns", meta.n_columns)):
                sizes = array(f"{axis}_sizes", None, np.int64)
                merges = len(sizes) - 1
                check(merges >= 0 and bool((sizes >= 1).all()) and int(sizes.sum()) == length)
                pairs = array(axis, (merges, 4), np.float64)[:, :2].astype(np.int32)
                # Each node but the last is joined once, and after it came to be.
                check(np.array_equal(np.sort(pairs, axis=None), np.arange(2 * merges)))
                check(bool((pairs.max(axis=1, initial=-1) < len(sizes) + np.arange(merges)).all()))
                trees.append(Tree(sizes, pairs, array(f"{axis}_losses", (merges,), np.float64)))
            shape = len(trees[0].sizes), len(trees[1].sizes)
            blocks = read_blocks(array, meta.family, shape)
    except DAMAGE as error:
        raise RunError(f"{path} is damaged ({first_line(error)}); fit again with ", Hint("force")) from error
    return Trees(trees[0], trees[1], blocks, meta)
