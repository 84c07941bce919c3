"""A run whose numbers leave the range ends with a sentence that names the row, or the column, as the user counts."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.engine.local import LocalEngine
from disnplbm.errors import RunError, WeightError
from disnplbm.families.gaussian import Gaussian
from disnplbm.model.prior import NIWPrior
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.starts import Start

from .runs import shards_of

HYPER = Gaussian(NIWPrior([0.0], 1.0, [[1.0]], 2.0), 1.0)


@pytest.mark.parametrize(("axis", "noun"), [("rows", "row"), ("columns", "column")])
@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("approach", [0, 100])
def test_an_extreme_cell_is_found_by_its_row(axis: str, noun: str, n_shards: int, approach: int) -> None:
    cells = np.random.default_rng(0).normal(size=(20, 6, 1))
    cells[13, 2] = 1e200
    sampler = "split-merge" if approach == 0 else "collapsed"
    parameters = Parameters(sampler=sampler, n_shards=n_shards, axis=axis)
    engine = LocalEngine(shards_of(cells, n_shards), parameters, [HYPER], 1)
    with engine, pytest.raises(RunError, match=r"the log joint is nan after 0 iterations: "):
        engine.start(Start("random"))
    cells[13, 2] = 0.0
    shards = shards_of(cells, n_shards)
    with LocalEngine(shards, parameters, [HYPER], 1) as engine:
        state = engine.start(Start("random"))
        for shard in shards:
            shard.drop_cache()
        shards[13 % n_shards].only_part.cells.values[13 // n_shards, 2] = 1e200
        with pytest.raises(WeightError, match=f"^{noun} 14: the log weights of its clusters are not finite"):
            engine.step(state)
