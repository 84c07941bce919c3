"""Sweeps side by side open no more clusters than an iteration can carry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.sampler import growth
from disnplbm.sampler.growth import MOST_BLOCKS, limit_openings
from disnplbm.sampler.parameters import Parameters
from disnplbm.samplers import sampler_of

from .runs import blocks_of, run


def test_a_sweep_opens_half_of_what_there_is_room_for() -> None:
    for sweeps in (1, 4):
        limit = limit_openings(PartitionPrior.of(1.0), 100, 40, sweeps=sweeps).limit
        assert limit == 100 + math.ceil((MOST_BLOCKS // 40 - 100) / (2 * sweeps))
    assert limit_openings(PartitionPrior.of(1.0), 1000, 50).limit == 1000


def test_a_limit_of_its_own_stays() -> None:
    prior = PartitionPrior.of(1.0, 5)
    assert limit_openings(prior, 1000, 50) == prior


@pytest.mark.parametrize(
    ("parameters", "iteration", "side_by_side"),
    [
        (Parameters(n_shards=4), 1, True),
        (Parameters(n_shards=4, sampler="split-merge", approach=10), 10, True),
        (Parameters(n_shards=1), 1, False),
        (Parameters(n_shards=4, sampler="split-merge", approach=10), 11, False),
    ],
)
def test_exact_sweeps_are_not_bounded(parameters: Parameters, iteration: int, side_by_side: bool) -> None:
    assert sampler_of(parameters.sampler).sweeps_side_by_side(parameters, iteration) is side_by_side


def test_sparse_counts_from_a_random_start_stay_within_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    rates = np.exp(generator.normal(0.0, 1.5, (600, 1)) + generator.normal(0.0, 0.4, (1, 200)))
    counts = generator.poisson(0.03 * rates).astype(float)[..., None]
    free = run(counts, Parameters(n_shards=4), 3)
    most = max(state.chain.n_row_clusters * state.chain.broadcast.parts[0].n_column_clusters for state in free.states)
    assert most > 2000
    monkeypatch.setattr(growth, "MOST_BLOCKS", 1500)
    held = run(counts, Parameters(n_shards=4), 6)
    # The row sweep leaves the columns as they are, and each of four shards may round up.
    for state in held.states:
        assert state.chain.n_row_clusters * state.chain.broadcast.parts[0].n_column_clusters <= 1500 + 4 * 30


def test_the_bound_is_not_felt_by_tables_that_the_model_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    values = blocks_of(400, 30, 8, 3, seed=1)[0]
    held = run(values, Parameters(n_shards=4), 10)
    monkeypatch.setattr(growth, "MOST_BLOCKS", 10**9)
    assert run(values, Parameters(n_shards=4), 10).bytes() == held.bytes()
