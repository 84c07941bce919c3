"""Structure that the sampler must find, and choices under which it is known not to."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.parameters import Parameters

from .runs import blocks_of, run

SEEDS = range(5)


def mirrored(layout: str) -> tuple[Floats, Labels]:
    """Rows of two profiles with equal means that mirror each other, +5 and -5 on halves of ten columns."""
    profile = np.arange(100) // 50 if layout == "mixed" else np.arange(100) % 2
    sign = np.where(np.arange(10) < 5, 5.0, -5.0)
    means = np.where(profile[:, None] == 0, sign, -sign)
    return (means + np.random.default_rng(7).normal(size=(100, 10)))[..., None], profile


@pytest.mark.parametrize("n_shards", [1, 2, 4])
@pytest.mark.parametrize("layout", ["one profile a shard", "mixed"])
def test_mirrored_profiles_are_found_for_every_layout_and_seed(layout: str, n_shards: int) -> None:
    values, profile = mirrored(layout)
    for seed in SEEDS:
        chain = run(values, Parameters(n_shards=n_shards, seed=seed), 40)
        assert adjusted_rand_score(profile, chain.rows) == 1.0, seed
        assert adjusted_rand_score(np.arange(10) < 5, chain.columns) == 1.0, seed


@pytest.mark.parametrize("n_shards", [2, 4])
def test_mirrored_profiles_are_not_found_from_one_cluster(n_shards: int) -> None:
    """Known and documented: from one cluster no single row or column gains by leaving."""
    values, profile = mirrored("mixed")
    for seed in SEEDS:
        chain = run(values, Parameters(n_shards=n_shards, seed=seed), 40, start="one")
        assert adjusted_rand_score(profile, chain.rows) < 0.1, seed


@pytest.mark.parametrize("view", ["global", "local"])
def test_the_averaged_join_merges_mirrored_profiles(view: str) -> None:
    """Known and documented: the published join sees a cluster's mean over all columns, which is 0 for both profiles."""
    values, profile = mirrored("one profile a shard")
    found = [
        adjusted_rand_score(
            profile, run(values, Parameters(n_shards=2, seed=seed, join="averaged", view=view), 40).rows
        )
        for seed in SEEDS
    ]
    assert max(found) < 0.5


def test_shifted_patterns_over_two_shards_are_told_apart() -> None:
    pattern = np.arange(200) % 2
    means = np.repeat(np.array([[3.0, -3.0, 0.0], [0.0, 3.0, -3.0]]), 20, axis=1)
    values = means[pattern] + 0.5 * np.random.default_rng(0).normal(size=(200, 60))
    for seed in SEEDS:
        chain = run(values[..., None], Parameters(n_shards=2, seed=seed), 40)
        assert adjusted_rand_score(pattern, chain.rows) == 1.0, seed


def test_rows_and_columns_are_symmetric() -> None:
    """The transpose with alpha and beta swapped has the same posterior: the traces agree within Monte Carlo error."""
    values, _, _ = blocks_of(14, 9, 3, 2, seed=5, sd=5.0)

    def batches(table: Floats, alpha: float, beta: float) -> tuple[Floats, Floats]:
        chain = run(table, Parameters(alpha=alpha, beta=beta, seed=1), 1500)
        sizes = [(s.chain.n_row_clusters, s.chain.broadcast.parts[0].n_column_clusters) for s in chain.states[101:]]
        joined = np.column_stack([chain.trace[100:], np.array(sizes, dtype=float)]).reshape(20, 70, 3).mean(axis=1)
        return joined.mean(axis=0), joined.var(axis=0, ddof=1) / 20

    mean, variance = batches(values, 2.5, 0.4)
    mirror, mirror_variance = batches(np.swapaxes(values, 0, 1).copy(), 0.4, 2.5)
    deviation = (mean - mirror[[0, 2, 1]]) / np.sqrt(variance + mirror_variance[[0, 2, 1]])
    assert np.abs(deviation).max() < 4.0, deviation
