"""Real numbers without their zeros: chains visit every pair of partitions as often as the enumerated posterior says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.sparse_cells import SparseCells
from disnplbm.model.frame import Frame
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard

from .chains import Draws, chain_of, thinned
from .enumeration import Problem
from .goodness import judge
from .problems import ALPHA, BETA, problem

N, P = 3, 4

#: Draws, and iterations between two of them.
DRAWS = 2000, 8


def mostly_zero(*, missing: bool, power: float) -> Problem:
    """The noisy table with a weak checkerboard, in which every other cell and the first row but one are 0."""
    whole = problem((N, P), 1, missing=missing, power=power)
    values = whole.values.copy()
    values[(np.add.outer(np.arange(N), np.arange(P)) % 2) == 1] = 0.0
    values[0, :3] = 0.0
    return replace(whole, values=values)


def iterations(target: Problem, parameters: Parameters) -> Iterator[Draws]:
    """A chain on shards that hold the other cells alone, in a frame where 0 is another number."""
    cells, e = target.values[..., 0], parameters.n_shards
    frame = Frame.of([np.nanmean(cells)], [[np.nanvar(cells)]])
    shards = []
    for index in range(e):
        rows = csr_array(cells[index::e])
        stored = rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data
        own = SparseCells(*stored, P, frame, complete=not np.isnan(cells).any())
        shards.append(Shard([own], index, e))
    return chain_of(shards, [Gaussian(frame.prior(target.prior), target.power)], parameters, N)


@pytest.mark.long
@pytest.mark.parametrize(
    ("sampler", "n_shards", "missing", "power"),
    [("collapsed", 1, False, 1.0), ("collapsed", 1, True, 0.5), ("split-merge", 2, True, 1.0)],
)
def test_visits_agree_with_the_enumerated_posterior(sampler: str, n_shards: int, missing: bool, power: float) -> None:
    target = mostly_zero(missing=missing, power=power)
    assert (target.values == 0).mean() > 0.5
    parameters = Parameters(sampler=sampler, alpha=ALPHA, beta=BETA, power=power, seed=11, n_shards=n_shards)
    draws = thinned(iterations(target, parameters), *DRAWS)
    verdict = judge(draws, target)
    print(verdict)
    assert verdict.agrees, verdict
    # As if a cell that is not stored were missing.
    unseen = replace(target, values=np.where(target.values == 0, np.nan, target.values))
    assert not judge(draws, unseen).agrees
