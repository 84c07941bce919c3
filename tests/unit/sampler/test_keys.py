"""Random streams depend on seed, chain, iteration, role and shard, and on nothing else."""

from __future__ import annotations

from itertools import product

import numpy as np

from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.parameters import Parameters

from .runs import blocks_of, run

PLACES = list(product([0, 1], [0, 1], [0, 1, 2], Role, [0, 1, 2]))


def test_the_same_place_gives_the_same_numbers() -> None:
    for seed, chain, iteration, role, shard in PLACES:
        first = random_generator(seed, chain, iteration, role, shard).random(8)
        np.testing.assert_array_equal(random_generator(seed, chain, iteration, role, shard).random(8), first)


def test_different_places_share_no_number() -> None:
    numbers = np.concatenate([random_generator(*place).random(200) for place in PLACES])
    assert len(np.unique(numbers)) == len(numbers)


def test_the_numbers_of_each_stream_are_uniform_and_streams_are_uncorrelated() -> None:
    table = np.array([random_generator(*place).random(2000) for place in PLACES])
    assert np.abs(table.mean(axis=1) - 0.5).max() < 5 / np.sqrt(12 * 2000)
    between = np.corrcoef(table)[np.triu_indices(len(table), 1)]
    assert np.abs(between).max() < 6 / np.sqrt(2000)


def test_the_numbers_of_a_role_are_a_promise() -> None:
    assert {role.name: role.value for role in Role} == {
        "START": 0,
        "SWEEP": 1,
        "JOIN": 2,
        "ROW_PAIRS": 3,
        "COLUMN_SWEEP": 4,
        "COLUMN_PAIRS": 5,
        "COLUMN_START": 6,
        "PARTNERS": 7,
        "CONCENTRATIONS": 8,
        "MEASURE": 9,
        "NEW_CLUSTERS": 10,
        "LABELS": 11,
        "LAUNCHES": 12,
        "SIDES": 13,
        "DECISIONS": 14,
        "COLUMN_SPLITS": 15,
        "BLOCK_SUMMARY": 16,
        "COLUMN_MEASURE": 17,
        "NEW_COLUMN_CLUSTERS": 18,
        "COLUMN_LABELS": 19,
        "CROSSING": 20,
    }


def test_seeds_and_chains_give_other_chains() -> None:
    values, _, _ = blocks_of(40, 12, 3, 2, seed=0, sd=6.0)
    outcomes = {run(values, Parameters(seed=seed, chain=chain), 5).bytes() for seed in (0, 1) for chain in (0, 1)}
    assert len(outcomes) == 4
