"""What chains that ended have found: everything that a run folder tells and a fitted model knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from disnplbm.cell_types import DENSE, cell_type_of
from disnplbm.data.dataset import rows_of_chunk
from disnplbm.dealing import items_of
from disnplbm.engine.check import BlockCheck
from disnplbm.engine.drive import Ended, last_result
from disnplbm.engine.estimate import estimate
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.engine.problem_part import ProblemPart
from disnplbm.engine.shorts import described
from disnplbm.engine.stages import Stages
from disnplbm.engine.telling import tell_all_profiles
from disnplbm.families.base import BlockFit, SparseCellsOf
from disnplbm.model.statistics import Floats, Labels
from disnplbm.parts import only_part, split_labels
from disnplbm.posterior.draws import Axis, Draws, DrawsMeta
from disnplbm.posterior.result import Result
from disnplbm.posterior.summary import Summary
from disnplbm.posterior.trees.first import FirstLevel, LevelCurves, choose_first, first_level
from disnplbm.posterior.trees.grown import Trees, grow_all_drawn, grow_trees
from disnplbm.report.heatmap import Heatmap, HeatmapBuilder
from disnplbm.sampler.shard import Shard


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What chains that ended have found.

    Parameters
    ----------
    result : Result
        The partitions that are reported.
    meta : DrawsMeta
        What all draws have in common.
    draws, summary : Draws and Summary, optional
        Of all chains, where some draws are kept.
    trees : Trees, optional
        Where there are few enough clusters to grow trees of them.
    curves : LevelCurves, optional
        What there is to know of all levels, where there are trees.
    level : FirstLevel, optional
        That is shown first, where it merges clusters.
    profiles : dict of list of dict
        What makes each cluster, by axis, where that was asked for and the table is small.
    fits : tuple of BlockFit or None
        How the blocks of each part fit the model, where their cells have a check.
    heatmaps : tuple of Heatmap
        Pictures of each part.
    restarts : dict, optional
        What the short chains came to, where there are some.
    """

    result: Result
    meta: DrawsMeta
    draws: Draws | None
    summary: Summary | None
    trees: Trees | None
    curves: LevelCurves | None
    level: FirstLevel | None
    profiles: dict[Axis, list[dict[str, Any]]]
    fits: tuple[BlockFit | None, ...]
    heatmaps: tuple[Heatmap, ...]
    restarts: dict[str, Any] | None = None

    @property
    def fit(self) -> BlockFit | None:
        """Of a table of one part."""
        return only_part(self.fits)

    @property
    def heatmap(self) -> Heatmap:
        """Of a table of one part."""
        return only_part(self.heatmaps)

    @property
    def shown(self) -> tuple[Labels, Labels]:
        """Cluster of each row and of each column at the level that is shown first; -1 for what is set aside there."""
        return _shown_first(self.result, self.level)


def find(
    problem: Problem,
    ended: Sequence[Ended],
    meta: DrawsMeta,
    load_draws: Callable[[], Draws] | None,
    options: Options,
    stages: Stages,
    *,
    tell_of: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Findings:
    """Look at the shards once more, and at the draws if there are any.

    Shards in a list are let go, one by one; of those in a store (:class:`~disnplbm.engine.problem.StoredShards`) one is
    in memory at a time.

    Parameters
    ----------
    ended : sequence of Ended
        In the order of the chains; the first with its state.
    load_draws : callable, optional
        Gives the draws of all chains.
    tell_of : tuple of sequence of str, optional
        Names of the rows and of the columns, if it is to be told what makes each cluster.
    """
    last = last_result(problem, ended)
    result, summary, draws = last, None, None
    if load_draws is not None:
        with stages("consensus"):
            draws = load_draws()
            result, summary = estimate(problem, draws, options, last)
    with stages("trees"):
        drawn = grow_all_drawn(draws, options.tree_loss)
        trees = grow_trees(result, meta, drawn, options.tree_loss)
        curves = None if trees is None else choose_first(trees, drawn, result, options.clusters)
        level = None
        if trees is not None and curves is not None:
            level = first_level(curves.first, trees, drawn, result)
    profiles = dict[Axis, list[dict[str, Any]]]()
    if tell_of is not None:
        with stages("profiles"):
            fine = result.row_labels, result.column_labels
            profiles = tell_all_profiles(problem, options, _shown_first(result, level), fine, tell_of)
    with stages("blocks"):
        fits, heatmaps = _look_at_cells(problem, result, trees)
    restarts = described(options, [chain.starts for chain in ended]) if options.shorts.number else None
    return Findings(result, meta, draws, summary, trees, curves, level, profiles, fits, heatmaps, restarts)


def _shown_first(result: Result, level: FirstLevel | None) -> tuple[Labels, Labels]:
    rows, columns = result.row_labels, result.column_labels
    return (rows, columns) if level is None else (level.rows.branches[rows], level.columns.branches[columns])


def _look_at_cells(
    problem: Problem, result: Result, trees: Trees | None
) -> tuple[tuple[BlockFit | None, ...], tuple[Heatmap, ...]]:
    """Check the blocks, and aggregate the first component of all cells into pictures, part by part.

    In the sorted picture the clusters stand in the order of their trees, so that branches are together.
    """
    builders, check = _builders(problem, result, trees), BlockCheck(problem, result)

    def draw(shard: Shard) -> None:
        items = items_of(shard.index, problem.n_items, shard.n_shards)
        for builder, part, here in zip(builders, problem.parts, shard.parts, strict=True):
            for start, values in _shown(part, here.cells):
                of_values = items[start : start + values.shape[0]]
                if problem.axis == "rows":
                    builder.add(values, of_values)
                else:
                    turned = csr_array(values.T) if isinstance(values, csr_array) else values.T
                    builder.add(turned, np.arange(part.n_columns), of_values)

    def look_at(shard: Shard, beside: ThreadPoolExecutor) -> None:
        # Nothing but these two calls holds the shard, so that it is gone before the next one is there.
        held = [shard]
        checked = beside.submit(lambda: check.add(held.pop()))
        draw(shard)
        checked.result()

    shards = problem.shards
    if isinstance(shards, list):
        for index in range(len(shards)):
            shards[index].drop_cache()
    # The check and the pictures are independent: each adds the shards up in a thread of its own.
    with ThreadPoolExecutor(1, thread_name_prefix="check") as beside:
        for index in reversed(range(len(shards))):
            look_at(shards.pop() if isinstance(shards, list) else shards[index], beside)
    return check.finish(), tuple(builder.finish() for builder in builders)


def _builders(problem: Problem, result: Result, trees: Trees | None) -> list[HeatmapBuilder]:
    """What draws the picture of each part."""
    builders, start = list[HeatmapBuilder](), 0
    for labels in split_labels(result.column_labels, problem.lengths):
        stop, rows, columns = start + int(labels.max()) + 1, None, None
        if trees is not None:
            leaves = trees.columns.leaves
            rows, columns = trees.rows.leaves, leaves[(leaves >= start) & (leaves < stop)] - np.int32(start)
        builders.append(HeatmapBuilder(result.row_labels, labels, shown_rows=rows, shown_columns=columns))
        start = stop
    return builders


def _shown(part: ProblemPart, cells: Any) -> Iterator[tuple[int, Floats | csr_array]]:
    """First item and cells of each stretch of a shard as the pictures have them: numbers in the user's units."""
    if isinstance(cells, SparseCellsOf):
        sparse: csr_array = cells.to_csr()
        if part.cells != DENSE and cell_type_of(part.cells).absent_is_missing:
            yield from _with_missing(sparse)
        else:
            yield 0, sparse
        return
    centre, scale = part.frame.centre[0], part.frame.scale[0]
    for start, values in cells.stretches(rows_of_chunk(part.n_columns, 1)):
        yield start, values[:, :, 0] * scale + centre


def _with_missing(cells: csr_array) -> Iterator[tuple[int, Floats]]:
    """First item and cells of each stretch; those that are not stored are missing."""
    step = rows_of_chunk(cells.shape[1], 1)
    for start in range(0, cells.shape[0], step):
        part = cells[start : start + step]
        dense = np.full(part.shape, np.nan)
        dense[np.repeat(np.arange(part.shape[0]), np.diff(part.indptr)), part.indices] = part.data
        yield start, dense
