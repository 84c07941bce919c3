"""Small tables of any family, with their exact posterior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from disnplbm.families.base import Cells, Family
from disnplbm.model.partition import log_crp
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard

from .chains import Draws, chain_of, thinned
from .enumeration import Problem
from .problems import ALPHA, BETA

#: The prior of real numbers stands idle.
_IDLE = NIWPrior([0.0], 1.0, [[1.0]], 2.0)


@dataclass(frozen=True, eq=False)
class Tabled(Problem):
    """A table whose cells belong to a family, which has the prior.

    Parameters
    ----------
    family : Family
    cells : callable
        The cells of the rows that a slice names.
    """

    family: Family = field(kw_only=True)
    cells: Callable[[slice], Cells] = field(kw_only=True)

    @classmethod
    def of(cls, shape: tuple[int, int], family: Family, cells: Callable[[slice], Cells]) -> Tabled:
        """A table of some rows and columns."""
        return cls(np.zeros((*shape, 1)), _IDLE, ALPHA, BETA, family=family, cells=cells)

    @cached_property
    def posterior(self) -> Floats:
        """Posterior probability of each of :attr:`pairs`, shape (M,)."""
        n, family = len(self.values), self.family
        cells = self.cells(slice(None)).by_cluster(np.arange(n, dtype=np.int32), n)
        logs = np.empty(len(self.pairs))
        for m, pair in enumerate(self.pairs):
            z, w = pair[:n], pair[n:]
            rows, columns = np.bincount(z), np.bincount(w)
            blocks = family.aggregate(family.aggregate(cells, z, len(rows), 0), w, len(columns), 1)
            logs[m] = family.log_marginals(blocks).sum() + log_crp(rows, self.alpha) + log_crp(columns, self.beta)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def sampled(self, parameters: Parameters, n_draws: int, thin: int) -> Draws:
        """Draws of both partitions, shape (n_draws, n + p)."""
        n, e = len(self.values), parameters.n_shards
        shards = [Shard([self.cells(slice(i, None, e))], i, e) for i in range(e)]
        return thinned(chain_of(shards, [self.family], parameters, n), n_draws, thin)
