"""Sweeps side by side open no more clusters than an iteration can carry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from disnplbm.kernels.urn import urn
from disnplbm.sampler import growth
from disnplbm.sampler.growth import MOST_BLOCKS, bounded
from disnplbm.sampler.parameters import Parameters

from .runs import blocks_of, run


def test_a_sweep_opens_half_of_what_there_is_room_for() -> None:
    parameters = Parameters(n_shards=4)
    for sweeps in (1, 4):
        limit = bounded(urn(1.0), 100, 40, parameters, 1, sweeps=sweeps).limit
        assert limit == 100 + math.ceil((MOST_BLOCKS // 40 - 100) / (2 * sweeps))
    assert bounded(urn(1.0), 1000, 50, parameters, 1).limit == 1000


@pytest.mark.parametrize(
    ("parameters", "iteration"),
    [
        (Parameters(n_shards=1), 1),
        (Parameters(n_shards=4, sampler="split-merge", approach=10), 11),
        (Parameters(n_shards=4, row_limit=5), 1),
    ],
)
def test_an_exact_sweep_opens_what_it_draws(parameters: Parameters, iteration: int) -> None:
    prior = urn(1.0, parameters.row_limit)
    assert bounded(prior, 1000, 50, parameters, iteration) == prior


def test_sparse_counts_from_a_random_start_stay_within_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(0)
    rates = np.exp(generator.normal(0.0, 1.5, (600, 1)) + generator.normal(0.0, 0.4, (1, 200)))
    counts = generator.poisson(0.03 * rates).astype(float)[..., None]
    free = run(counts, Parameters(n_shards=4), 3)
    most = max(state.chain.n_row_clusters * state.chain.n_column_clusters for state in free.states)
    assert most > 2000
    monkeypatch.setattr(growth, "MOST_BLOCKS", 1500)
    held = run(counts, Parameters(n_shards=4), 6)
    # The row sweep leaves the columns as they are, and each of four shards may round up.
    for state in held.states:
        assert state.chain.n_row_clusters * state.chain.n_column_clusters <= 1500 + 4 * 30


def test_the_bound_is_not_felt_by_tables_that_the_model_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    values = blocks_of(400, 30, 8, 3, seed=1)[0]
    held = run(values, Parameters(n_shards=4), 10)
    monkeypatch.setattr(growth, "MOST_BLOCKS", 10**9)
    assert run(values, Parameters(n_shards=4), 10).bytes() == held.bytes()
