"""A table of three parts: the samplers visit every tuple of partitions as often as the enumerated posterior says.

``pytest -rP`` shows what was measured.
"""

from __future__ import annotations

import pytest

from disnplbm.sampler.parameters import Parameters

from .goodness import judge
from .mixed import BETAS, mixed
from .problems import ALPHA

#: Draws, and iterations between two of them.
DRAWS = {"collapsed": (3000, 2), "split-merge": (1500, 8)}


@pytest.mark.long
@pytest.mark.parametrize(
    ("rows", "first", "power", "n_shards", "sampler"),
    [
        (3, 0, 1.0, 1, "collapsed"),
        (3, 1, 0.5, 1, "collapsed"),
        (3, 2, 1.0, 1, "collapsed"),
        (3, 0, 1.0, 2, "split-merge"),
        (3, 1, 1.0, 1, "split-merge"),
        (3, 2, 0.5, 2, "split-merge"),
        (4, 0, 0.5, 4, "split-merge"),
    ],
)
def test_visits_agree_with_the_enumerated_posterior(
    rows: int, first: int, power: float, n_shards: int, sampler: str
) -> None:
    target = mixed(rows, power).turned(first)
    parameters = Parameters(alpha=ALPHA, beta=BETAS[0], power=power, n_shards=n_shards, sampler=sampler, seed=11)
    draws = target.sampled(parameters, *DRAWS[sampler])
    verdict = judge(draws, target)
    print(verdict)
    assert verdict.agrees, verdict
    assert not judge(draws, target.with_beta(BETAS[2])).agrees
    for part in range(len(BETAS)):
        assert not judge(draws, target.without(part)).agrees, part
