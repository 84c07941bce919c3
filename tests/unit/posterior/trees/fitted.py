"""Small tables of every family, with partitions of their rows and columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from disnplbm.families.base import Cells, Family, Statistics
from disnplbm.families.categories import Categories
from disnplbm.families.categories.cells import MISSING, SparseCodes
from disnplbm.families.counts import Counts
from disnplbm.families.counts.cells import SparseCounts
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.shard import Shard


@dataclass(frozen=True, eq=False)
class Fitted:
    """A table of a family, and labels of its rows and columns."""

    family: Family
    cells: Callable[[slice], Cells]
    rows: Labels
    columns: Labels

    @property
    def sizes(self) -> Labels:
        return np.bincount(self.rows)

    @property
    def blocks(self) -> Statistics:
        return self.blocks_of(self.rows, self.columns)

    def blocks_of(self, rows: Labels, columns: Labels) -> Statistics:
        """Statistics of the blocks of other partitions, whose labels may leave numbers out."""
        k = int(rows.max()) + 1
        by_cluster = self.cells(slice(None)).by_cluster(rows.astype(np.int32), k)
        blocks: Statistics = self.family.aggregate(by_cluster, columns, int(columns.max()) + 1, axis=1)
        return blocks

    def shards(self, number: int) -> list[Shard]:
        return [Shard([self.cells(slice(e, None, number))], e, number) for e in range(number)]


def kinds(n: int, p: int, generator: np.random.Generator, number: int = 2) -> tuple[Labels, Labels, Floats]:
    """Kinds of rows and of columns, and what sets the cells of each pair apart, shape (n, p)."""
    rows, columns = generator.integers(number, size=n), generator.integers(2, size=p)
    level = generator.normal(size=(number, 2))
    return rows.astype(np.int32), columns.astype(np.int32), level[rows][:, columns]


def _labels(n: int, number: int, generator: np.random.Generator) -> Labels:
    """Labels of which each number is there."""
    return generator.permutation(np.arange(n) % number).astype(np.int32)


def gaussian(values: Floats, rows: Labels, columns: Labels, power: float, d: int = 1, *, diagonal: bool) -> Fitted:
    cells = np.repeat(values[..., None], d, axis=-1) * np.arange(1, d + 1)
    cells += 0.1 * np.random.default_rng(3).normal(size=cells.shape)
    cells[1, 1] = np.nan
    prior = NIWPrior([0.0], 1.0, [[1.0]], 3.0, copies=d) if diagonal else NIWPrior([0.0] * d, 1.0, np.eye(d), d + 2.0)

    def made(rows: slice) -> Cells:
        return DenseCells(cells[rows], complete=False, diagonal=diagonal)

    return Fitted(Gaussian(prior, power), made, rows, columns)


def counts(values: Floats, rows: Labels, columns: Labels, power: float) -> Fitted:
    table = np.random.default_rng(4).poisson(np.exp(values)).astype(np.float64)
    table[1, 1] = np.nan
    of_rows, of_columns = np.nansum(table, axis=1) + 1.0, np.nansum(table, axis=0) + 1.0

    def made(rows: slice) -> Cells:
        stored = csr_array(table[rows])
        parts = stored.indptr.astype(np.int64), stored.indices.astype(np.int32), stored.data
        return SparseCounts(*parts, of_rows[rows], of_columns / of_columns.sum(), complete=False)

    return Fitted(Counts(1.5, 0.7, power), made, rows, columns)


def categories(values: Floats, rows: Labels, columns: Labels, power: float) -> Fitted:
    codes = np.digitize(values + 0.3 * np.random.default_rng(5).normal(size=values.shape), [-0.5, 0.5]).astype(np.uint8)
    codes[1, 1] = MISSING
    return Fitted(
        Categories(np.array([0.6, 1.0, 1.4]), power),
        lambda rows: SparseCodes.of(codes[rows], 3, complete=False),
        rows,
        columns,
    )


MAKERS: dict[str, Callable[[Floats, Labels, Labels, float], Fitted]] = {
    "numbers": lambda *given: gaussian(*given, diagonal=False),
    "vectors": lambda *given: gaussian(*given, d=3, diagonal=False),
    "independent numbers": lambda *given: gaussian(*given, d=3, diagonal=True),
    "counts": counts,
    "categories": categories,
}


def fitted(name: str, n: int, p: int, k: int, groups: int, power: float = 1.0, seed: int = 0) -> Fitted:
    """A table of two kinds of rows and columns under partitions that know nothing of them."""
    generator = np.random.default_rng(seed)
    *_, values = kinds(n, p, generator)
    return MAKERS[name](values, _labels(n, k, generator), _labels(p, groups, generator), power)
