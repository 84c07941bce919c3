"""Clusters of vectors 6 sd apart are found from the default start with default options: report 21, smaller.

``pytest -rP`` shows what was measured.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from disnplbm import NPLBM
from disnplbm.model.statistics import Floats, Labels
from marks import long

CLUSTERS = 10

#: Of each cluster, by d: a block of many numbers takes more rows to be worth a cluster of its own.
ROWS = {2: 400, 5: 400, 20: 1000}

#: A chain this far below the truth's log joint is stuck.
STUCK = 50.0


def apart(d: int) -> tuple[Floats, Labels]:
    """Row clusters of d-vectors, of which the nearest two have means 6 sd apart."""
    rng = np.random.default_rng([0, d])
    means, z = rng.normal(size=(CLUSTERS, d)), np.repeat(np.arange(CLUSTERS, dtype=np.int32), ROWS[d])
    means *= 6 / pdist(means).min()
    return (means[z] + rng.normal(size=(len(z), d)))[:, None, :], z


@pytest.mark.parametrize(
    ("d", "n_shards"),
    [
        (2, "auto"),
        long(5, 3),
        long(20, "auto"),
        long(20, 2),
    ],
)
def test_clusters_of_vectors_are_found_with_default_options(d: int, n_shards: int | str) -> None:
    x, z = apart(d)
    truth = NPLBM(5, start=(z, None), sampler="collapsed").fit(x).log_joint_
    for seed in range(2):
        model = NPLBM(100, n_shards, random_state=seed).fit(x)
        print(f"d = {d}, seed {seed}: K = {model.n_row_clusters_}, {model.log_joint_ - truth:+.0f} nats of the truth")
        assert abs(model.n_row_clusters_ - CLUSTERS) <= 1
        assert model.log_joint_ > truth - STUCK
