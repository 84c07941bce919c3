"""With several shards the sampler is an approximation, whose distance from the posterior is bounded here.

``benchmarks/shards_total_variation.py`` measures it. The bound is the distance of the prior from the posterior: an
approximation that is no nearer has learned nothing from the data.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disnplbm.sampler.parameters import Parameters

from .chains import sampled
from .goodness import MOST_EXCESS, total_variation
from .problems import ALPHA, BETA, problem


@pytest.mark.parametrize("shape", [(3, 4), (6, 3)], ids=["3x4", "6x3"])
@pytest.mark.parametrize("n_shards", [2, 3])
def test_several_shards_are_nearer_to_the_posterior_than_the_prior_is(shape: tuple[int, int], n_shards: int) -> None:
    target = problem(shape, 1, missing=False)
    parameters = Parameters(alpha=ALPHA, beta=BETA, n_shards=n_shards, seed=11)
    found = total_variation(target.counts(sampled(target, parameters, 1200, 2)), target.posterior)
    prior = replace(target, values=np.full_like(target.values, np.nan)).posterior
    assert found.measured < 0.5 * np.abs(prior - target.posterior).sum()
    # The documentation calls it an approximation: if this fails, the documentation is out of date.
    assert found.excess > MOST_EXCESS
