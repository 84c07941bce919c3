"""A family of cells that the product has never seen: the samplers visit every pair of partitions as they should."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pytest

from disnplbm.model.partition import log_crp
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard
from marks import long

from .chains import Draws, chain_of, thinned
from .enumeration import Problem
from .goodness import judge
from .problems import ALPHA, BETA
from .waiting_times import Times, WaitingTimes

#: Table, a missing cell, likelihood power, shards, sampler.
CASES = [
    long((3, 3), False, 1.0, 1, "collapsed"),
    ((3, 4), True, 0.5, 1, "collapsed"),
    long((3, 4), True, 1.0, 1, "split-merge"),
    long((6, 3), False, 0.5, 3, "split-merge"),
    ((6, 3), True, 1.0, 4, "split-merge"),
]


@dataclass(frozen=True, eq=False)
class Waits(Problem):
    """A table of waiting times; its prior is the family's."""

    @cached_property
    def posterior(self) -> Floats:
        """Posterior probability of each of :attr:`pairs`, shape (M,)."""
        n, family = len(self.values), WaitingTimes(self.power)
        cells = Times(self.values[..., 0]).by_cluster(np.arange(n, dtype=np.int32), n)
        logs = np.empty(len(self.pairs))
        for m, pair in enumerate(self.pairs):
            z, w = pair[:n], pair[n:]
            rows, columns = np.bincount(z), np.bincount(w)
            blocks = family.aggregate(family.aggregate(cells, z, len(rows), 0), w, len(columns), 1)
            logs[m] = family.log_marginals(blocks).sum() + log_crp(rows, self.alpha) + log_crp(columns, self.beta)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())


def waits(shape: tuple[int, int], *, missing: bool, power: float) -> Waits:
    """Times of two kinds of rows and of columns, as far apart as leaves the posterior wide."""
    n, p = shape
    mean = np.exp(0.9 * ((np.arange(n)[:, None] % 2) + (np.arange(p) % 2)))
    values = np.random.default_rng(5).exponential(mean)
    if missing:
        values[1, 1] = np.nan
    # The prior of real numbers stands idle.
    return Waits(values[..., None], NIWPrior([0.0], 1.0, [[1.0]], 2.0), ALPHA, BETA, power)


def sampled(target: Waits, parameters: Parameters, n_draws: int, thin: int) -> Draws:
    """Draws of both partitions, shape (n_draws, n + p)."""
    values, e = target.values[..., 0], parameters.n_shards
    shards = [Shard(Times(values[i::e]), i, e) for i in range(e)]
    return thinned(chain_of(shards, WaitingTimes(parameters.power), parameters, *values.shape), n_draws, thin)


@pytest.mark.parametrize(("shape", "missing", "power", "n_shards", "sampler"), CASES)
def test_visits_agree_with_the_enumerated_posterior(
    shape: tuple[int, int], missing: bool, power: float, n_shards: int, sampler: str
) -> None:
    target = waits(shape, missing=missing, power=power)
    parameters = Parameters(alpha=ALPHA, beta=BETA, power=power, n_shards=n_shards, sampler=sampler, seed=11)
    draws = sampled(target, parameters, 1200, 2 if sampler == "collapsed" else 8)
    verdict = judge(draws, target)
    print(verdict)
    assert verdict.agrees, verdict
    assert not judge(draws, replace(target, alpha=BETA, beta=ALPHA)).agrees
    assert not judge(draws, replace(target, power=2.0 * power)).agrees
