"""With several shards the sampler is an approximation, and its distance from the posterior is bounded here.

``benchmarks/shards_total_variation.py`` measures it with more draws. A handful of rows over two or three shards is the
hardest case: every cluster that a shard opens is drawn again in the join, so that clusters come out too few.
"""

from __future__ import annotations

import pytest

from disnplbm.sampler.parameters import Parameters
from marks import long

from .chains import sampled
from .goodness import MOST_EXCESS, total_variation
from .problems import ALPHA, BETA, problem

#: Upper bounds of the total variation, about 0.1 above what was measured. For comparison, the
#: prior is 0.64 and 0.47 away from the posterior, the uniform distribution 0.66 from either.
BOUNDS = {(3, 4): 0.35, (6, 3): 0.55}


@pytest.mark.parametrize("shape", [(3, 4), long((6, 3))], ids=["3x4", "6x3"])
@pytest.mark.parametrize("n_shards", [2, long(3)])
def test_the_distance_from_the_posterior_is_bounded(shape: tuple[int, int], n_shards: int) -> None:
    target = problem(shape, 1, missing=False)
    parameters = Parameters(alpha=ALPHA, beta=BETA, n_shards=n_shards, seed=11)
    draws = sampled(target, parameters, 1000, 2)
    found = total_variation(target.counts(draws), target.posterior)
    print(found)
    assert found.measured < BOUNDS[shape]
    # The documentation calls it an approximation: if this fails, the documentation is out of date.
    assert found.excess > MOST_EXCESS
