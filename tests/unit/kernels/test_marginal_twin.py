"""Log marginals and the restaurant process in kernels against the plain ones."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.kernels.blocks import KernelPrior
from disnplbm.kernels.marginal import log_marginals
from disnplbm.kernels.partition_prior import PartitionPrior, log_partition
from disnplbm.model import marginal, partition
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Statistics, cells_by_group


@pytest.mark.parametrize("d", [1, 2, 3, 9])
@pytest.mark.parametrize("power", [1.0, 0.5])
def test_log_marginals_equal_the_plain_ones(d: int, power: float) -> None:
    rng = np.random.default_rng(d)
    root = rng.normal(size=(d, d))
    prior = NIWPrior(rng.normal(size=d), 0.3, root @ root.T + np.eye(d), d + 0.6)
    values = rng.normal(size=(8, 30, d)) * 5
    values[rng.random((8, 30)) < 0.2] = np.nan
    sets = cells_by_group(values, np.arange(30, dtype=np.int32) % 5, 6)  # the last group is empty
    got = log_marginals(sets, KernelPrior.of(prior, power))
    assert got.shape == (8, 6)
    np.testing.assert_allclose(got, marginal.log_marginal(sets, prior, power), rtol=1e-12, atol=1e-10)
    assert not got[:, 5].any()


def test_sets_of_a_billion_cells_keep_their_digits() -> None:
    prior = NIWPrior(0.1, 0.5, 2.0, 2.5)
    sets = Statistics(np.array([1e9]), np.array([[0.2]]), np.array([[[3e9]]]))
    assert log_marginals(sets, KernelPrior.of(prior, 1.0))[0] == pytest.approx(
        float(marginal.log_marginal(sets, prior)[0]), rel=1e-13
    )


@pytest.mark.parametrize("concentration", [0.05, 1.0, 30.0])
def test_the_restaurant_process_equals_the_plain_one(concentration: float) -> None:
    sizes = np.random.default_rng(0).integers(1, 1000, 40)
    assert log_partition(sizes, PartitionPrior.of(concentration)) == pytest.approx(
        partition.log_crp(sizes, concentration), rel=1e-13
    )
