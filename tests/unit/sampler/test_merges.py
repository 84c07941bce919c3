"""Merges across shards under a limit of clusters."""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.blocks import hyper
from disnplbm.kernels.urn import urn
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Statistics
from disnplbm.sampler.merges import row_merges
from disnplbm.sampler.parameters import Parameters


def test_slots_without_members_do_not_count_towards_the_limit() -> None:
    """Two clusters far apart, of two that there may be, beside three slots that this iteration's sweeps emptied."""
    sizes = np.array([100, 100, 0, 0, 0])
    count = sizes[:, None].astype(np.float64)
    blocks = Statistics(count, np.array([5.0, -5.0, 0, 0, 0])[:, None, None], count[..., None, None].copy())
    prior = hyper(NIWPrior(np.zeros(1), 1.0, np.eye(1), 2.0), 1.0)
    pairs = np.array([1, 0, -1, -1, -1], dtype=np.int32)
    parameters = Parameters(row_limit=2, n_shards=2)
    into = row_merges(sizes, np.zeros(5), blocks, pairs, parameters, urn(1.0, 2), prior, 30)
    np.testing.assert_array_equal(into, np.arange(5))
