"""A family of cells that the product has never seen: the samplers visit every pair of partitions as they should."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disnplbm.sampler.parameters import Parameters
from marks import long

from .goodness import judge
from .problems import ALPHA, BETA
from .tabled import Tabled
from .waiting_times import Times, WaitingTimes

#: Table, a missing cell, likelihood power, shards, sampler.
CASES = [
    long((3, 3), False, 1.0, 1, "collapsed"),
    ((3, 4), True, 0.5, 1, "collapsed"),
    long((3, 4), True, 1.0, 1, "split-merge"),
    long((6, 3), False, 0.5, 3, "split-merge"),
    long((6, 3), True, 1.0, 4, "split-merge"),
    long((3, 3), True, 1.0, 2, "split-merge"),
]


def waits(shape: tuple[int, int], *, missing: bool, power: float) -> Tabled:
    """Times of two kinds of rows and of columns, as far apart as leaves the posterior wide."""
    n, p = shape
    mean = np.exp(0.9 * ((np.arange(n)[:, None] % 2) + (np.arange(p) % 2)))
    values = np.random.default_rng(5).exponential(mean)
    if missing:
        values[1, 1] = np.nan
    return Tabled.of(shape, WaitingTimes(power), lambda rows: Times(values[rows]))


@pytest.mark.parametrize(("shape", "missing", "power", "n_shards", "sampler"), CASES)
def test_visits_agree_with_the_enumerated_posterior(
    shape: tuple[int, int], missing: bool, power: float, n_shards: int, sampler: str
) -> None:
    target = waits(shape, missing=missing, power=power)
    parameters = Parameters(alpha=ALPHA, beta=BETA, power=power, n_shards=n_shards, sampler=sampler, seed=11)
    draws = target.sampled(parameters, 1000, 2 if sampler == "collapsed" else 8)
    verdict = judge(draws, target)
    print(verdict)
    assert verdict.agrees, verdict
    assert not judge(draws, replace(target, alpha=BETA, beta=ALPHA)).agrees
    assert not judge(draws, replace(target, family=target.family.tempered(2.0 * power))).agrees
