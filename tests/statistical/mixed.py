"""A small table of three parts, real numbers, counts and categories over the same rows, with its exact posterior."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Cells, Family
from disnplbm.families.categories import Categories
from disnplbm.families.categories.cells import MISSING, SparseCodes
from disnplbm.families.counts import Counts
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.model.partition import log_crp
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard

from .chains import Draws, chain_of, thinned
from .enumeration import Problem, partitions
from .problems import ALPHA
from .test_families import sparse_cells

#: Concentrations of the columns of each part.
BETAS = (0.3, 3.0, 1.2)

_NUMBERS = NIWPrior([0.5], 0.4, [[1.5]], 3.5)


@dataclass(frozen=True, eq=False)
class TablePart:
    """A part with its prior.

    Parameters
    ----------
    cells : callable
        The cells of the rows that a slice names.
    """

    family: Family
    n_columns: int
    beta: float
    cells: Callable[[slice], Cells]

    def log_marginal(self, z: NDArray[np.int32], w: NDArray[np.int32]) -> float:
        """Log marginal of all blocks of two partitions, and log prior of the columns' partition."""
        n, family = len(z), self.family
        cells = self.cells(slice(None)).by_cluster(np.arange(n, dtype=np.int32), n)
        blocks = family.aggregate(family.aggregate(cells, z, int(z.max()) + 1, 0), w, int(w.max()) + 1, 1)
        return float(family.log_marginals(blocks).sum()) + float(log_crp(np.bincount(w), self.beta))


@dataclass(frozen=True, eq=False)
class Mixed(Problem):
    """A table of parts; draws of it hold the partition of the rows, and then of each part's columns."""

    parts: Sequence[TablePart] = field(kw_only=True)

    @cached_property
    def pairs(self) -> NDArray[np.int32]:
        """Every tuple of partitions, shape (M, n + p)."""
        lists = [list(partitions(number)) for number in (len(self.values), *(part.n_columns for part in self.parts))]
        return np.array([np.concatenate(each) for each in product(*lists)])

    def _split(self) -> Iterator[list[NDArray[np.int32]]]:
        ends = np.cumsum([len(self.values), *(part.n_columns for part in self.parts)])[:-1]
        for each in self.pairs:
            yield np.split(each, ends)

    @cached_property
    def posterior(self) -> Floats:
        """Posterior probability of each of :attr:`pairs`, shape (M,)."""
        logs = []
        for z, *columns in self._split():
            of_parts = sum(part.log_marginal(z, w) for part, w in zip(self.parts, columns, strict=True))
            logs.append(of_parts + float(log_crp(np.bincount(z), self.alpha)))
        weights = np.exp(np.array(logs) - max(logs))
        return np.asarray(weights / weights.sum())

    def cluster_numbers(self) -> NDArray[np.int64]:
        """A number for the numbers of clusters in each of :attr:`pairs`, shape (M,)."""
        numbers = np.array([[labels.max() for labels in each] for each in self._split()])
        return np.unique(numbers, axis=0, return_inverse=True)[1].reshape(-1)

    def sampled(self, parameters: Parameters, n_draws: int, thin: int) -> Draws:
        """Draws of all partitions, shape (n_draws, n + p)."""
        n, e = len(self.values), parameters.n_shards
        shards = [Shard([part.cells(slice(i, None, e)) for part in self.parts], i, e) for i in range(e)]
        families, betas = [part.family for part in self.parts], [part.beta for part in self.parts]
        return thinned(chain_of(shards, families, parameters, n, betas), n_draws, thin)

    def with_beta(self, beta: float) -> Mixed:
        """The same table with one beta for all parts."""
        return replace(self, parts=[replace(part, beta=beta) for part in self.parts])

    def without(self, number: int) -> Mixed:
        """The same table whose cells of one part say nothing."""
        parts = list(self.parts)
        of_nothing = parts[number].family.tempered(1e-9)
        parts[number] = replace(parts[number], family=of_nothing)
        return replace(self, parts=parts)

    def turned(self, by: int) -> Mixed:
        """The same table with its parts in another order."""
        return replace(self, parts=[*self.parts[by:], *self.parts[:by]])


def mixed(rows: int, power: float) -> Mixed:
    """Real numbers, counts and three categories in two columns each, with a missing cell in the first part."""
    rng = np.random.default_rng(7)
    sign = np.cos(np.pi * np.arange(rows))[:, None] * np.cos(np.pi * np.arange(2))
    numbers = 0.5 * sign[..., None] + rng.normal(size=(rows, 2, 1))
    numbers[1, 1] = np.nan
    counts = rng.poisson(2.0 * np.exp(0.4 * sign)).astype(np.float64)
    codes = np.minimum(rng.poisson(np.exp(0.4 * sign)), 2).astype(np.uint8)
    codes[0, 0] = MISSING

    def of_numbers(which: slice) -> Cells:
        return DenseCells(np.ascontiguousarray(numbers[which]), complete=False)

    def of_codes(which: slice) -> Cells:
        return SparseCodes.of(codes[which], 3, base=1, complete=False)

    of_counts = sparse_cells(counts, np.ones(rows), np.ones(2))
    families = (Gaussian(_NUMBERS, power), Counts(1.5, 0.4, power), Categories(np.linspace(0.6, 1.4, 3), power))
    made = zip(families, BETAS, (of_numbers, of_counts, of_codes), strict=True)
    parts = [TablePart(family, 2, beta, cells) for family, beta, cells in made]
    return Mixed(np.zeros((rows, 6, 1)), _NUMBERS, ALPHA, BETAS[0], power, parts=parts)
