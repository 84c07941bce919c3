"""Inputs of the kernels: the state of a chain at its true blocks, or at random labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from disnplbm.data.synthetic import draw_blocks, paper_blocks
from disnplbm.families.gaussian import Gaussian
from disnplbm.kernels.blocks import Clusters, Items, KernelPrior, clusters_of, items_of
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.kernels.statistics import aggregate, cells_by_cluster, cells_by_group
from disnplbm.kernels.sweep import sweep
from disnplbm.model.prior import default_prior
from disnplbm.model.statistics import Floats, Labels, Statistics
from disnplbm.sampler.collapsed import SAMPLER as COLLAPSED
from disnplbm.sampler.columns import column_step
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.part import Part

#: As in the paper.
ALPHA, BETA = 5.0, 2.0


@dataclass(frozen=True, eq=False)
class Table:
    """Synthetic data of shape (n, p, d) and its true labels."""

    values: Floats
    rows: Labels
    columns: Labels
    row_clusters: int
    column_clusters: int

    @property
    def complete(self) -> bool:
        """Whether no cell is missing."""
        return not bool(np.isnan(self.values).any())

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and covariance of the observed cells."""
        cells = self.values.reshape(-1, self.values.shape[2])
        cells = cells[~np.isnan(cells).any(axis=1)]
        return cells.mean(axis=0), np.atleast_2d(np.cov(cells.T, bias=True))


def synthetic(n: int, p: int, d: int = 1, k: int = 10, groups: int = 3, missing: float = 0.0, seed: int = 0) -> Table:
    """Blocks of equal size, shuffled; the paper's own for 10 x 3 blocks and d = 1."""
    generator = np.random.default_rng(seed)
    blocks = paper_blocks() if (k, groups, d) == (10, 3, 1) else draw_blocks(k, groups, d, generator)
    rows = generator.permutation(np.arange(n, dtype=np.int32) % k)
    columns = generator.permutation(np.arange(p, dtype=np.int32) % groups)
    values = generator.standard_normal((n, p, d))
    for cluster in range(k):
        for group in range(groups):
            where = np.ix_(rows == cluster, columns == group)
            values[where] = values[where] @ blocks.roots[cluster, group].T + blocks.means[cluster, group]
    values[generator.random((n, p)) < missing] = np.nan
    return Table(values, rows, columns, k, groups)


@dataclass(frozen=True, eq=False)
class SweepProblem:
    """Everything that one call of the sweep kernel needs."""

    labels: Labels
    uniforms: Floats
    items: Items
    clusters: Clusters
    kernel_prior: KernelPrior
    concentration: float
    row_clusters: int
    column_clusters: int

    @property
    def evaluations(self) -> int:
        """n (K + 1) L: every item in every cluster and alone."""
        return len(self.labels) * (self.row_clusters + 1) * self.column_clusters

    def __call__(self) -> None:
        """Sweep once, from where the last sweep ended."""
        sweep(
            self.labels,
            self.uniforms,
            self.items,
            self.clusters,
            self.kernel_prior,
            PartitionPrior.of(self.concentration),
        )


def sweep_problem(table: Table, *, settle: int = 3) -> SweepProblem:
    """The rows of a table at their true blocks, swept a few times so that the chain is at rest."""
    state = KernelPrior.of(default_prior(*table.moments()), 1.0)
    complete = table.complete
    statistics = cells_by_group(table.values, table.columns, table.column_clusters)
    items = items_of(statistics, state, alike=complete)
    cells = cells_by_cluster(table.values, table.rows, table.row_clusters, complete=complete)
    blocks = aggregate(cells, table.columns, table.column_clusters, axis=1)
    sizes = np.bincount(table.rows, minlength=table.row_clusters).astype(np.float64)
    clusters = clusters_of(sizes, blocks, items, state)
    uniforms = np.random.default_rng(1).random(len(table.rows))
    problem = SweepProblem(
        table.rows.copy(), uniforms, items, clusters, state, ALPHA, table.row_clusters, table.column_clusters
    )
    for _ in range(settle):
        problem()
    return problem


def sweep_from_random_labels(table: Table) -> Callable[[], object]:
    """A sweep in which nearly every row moves, the loading of the blocks included; the same one at every call."""
    state = KernelPrior.of(default_prior(*table.moments()), 1.0)
    items = items_of(cells_by_group(table.values, table.columns, table.column_clusters), state, alike=table.complete)
    labels = np.random.default_rng(2).integers(0, table.row_clusters, len(table.rows)).astype(np.int32)
    cells = cells_by_cluster(table.values, labels, table.row_clusters, complete=table.complete)
    blocks = aggregate(cells, table.columns, table.column_clusters, axis=1)
    sizes = np.bincount(labels, minlength=table.row_clusters).astype(np.float64)
    uniforms = np.random.default_rng(1).random(len(labels))
    return lambda: sweep(
        labels.copy(), uniforms, items, clusters_of(sizes, blocks, items, state), state, PartitionPrior.of(ALPHA)
    )


def column_problem(table: Table, labels: Labels) -> Callable[[], object]:
    """The column step of a table whose rows are at their true clusters and whose columns at the given ones."""
    cells: Statistics = cells_by_cluster(table.values, table.rows, table.row_clusters, complete=table.complete)
    parameters = Parameters(alpha=ALPHA, beta=BETA)
    part = Part(Gaussian(default_prior(*table.moments()), 1.0), labels, cells, BETA)
    return lambda: column_step(cells, part, 0, COLLAPSED, parameters, 1, complete=table.complete)
