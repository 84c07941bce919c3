"""Which short chains a chain starts from, and where each of them starts."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.sampler.short_chains import CROSSED, POPULATION, Origin, ShortChains

CROSSING = ShortChains.planned(CROSSED, 1, 4, 100)
JOINTS = np.random.default_rng(0).normal(size=CROSSING.number).tolist()


def origins(joints: list[float], seed: int = 0, chain: int = 0) -> list[Origin]:
    found = [CROSSING.origin(number, joints, seed, chain) for number in range(CROSSING.first, CROSSING.number)]
    assert None not in found
    return [origin for origin in found if origin is not None]


def test_the_population_starts_as_asked_and_waits_for_nothing() -> None:
    assert CROSSING.number == POPULATION + 8
    for number in range(POPULATION):
        assert CROSSING.awaited(number) == 0
        assert CROSSING.origin(number, JOINTS, 0, 0) is None


def test_the_children_of_a_round_wait_for_all_before_it_and_not_for_each_other() -> None:
    awaited = [CROSSING.awaited(number) for number in (*range(POPULATION, CROSSING.number), None)]
    assert awaited == [12, 12, 14, 14, 16, 16, 18, 18, 20]


@pytest.mark.parametrize("planned", [CROSSING, ShortChains.planned("random", 5, 4, 100), ShortChains(0, 0, 0)])
def test_all_of_a_wave_wait_for_the_waves_before_it(planned: ShortChains) -> None:
    before = 0
    for wave in planned.waves():
        assert {planned.awaited(number) for number in wave} == {before}
        before += len(wave)
    assert before == planned.number == planned.awaited(None)


def test_a_round_swaps_rows_and_columns_of_two_of_the_best_so_far() -> None:
    found = origins(JOINTS)
    for first, (one, other) in zip(range(12, 20, 2), zip(found[::2], found[1::2], strict=True), strict=True):
        assert one == other[::-1]
        assert one.rows != one.columns
        assert set(one) <= set(np.argsort(JOINTS[:first])[-POPULATION:])


def test_all_pairs_of_the_best_are_drawn_equally_often() -> None:
    joints = [float(number) for number in range(12)]
    pairs = [CROSSING.origin(12, joints, seed, 0) for seed in range(2640)]
    counts = np.zeros((12, 12), dtype=int)
    np.add.at(counts, tuple(np.array(pairs).T), 1)
    assert not counts.diagonal().any()
    off = counts[~np.eye(12, dtype=bool)]
    # 132 ordered pairs, 20 each on average: chi-square with 131 degrees of freedom.
    assert ((off - 20) ** 2 / 20).sum() < 131 + 4 * np.sqrt(2 * 131)


def test_each_chain_and_each_seed_has_draws_of_its_own() -> None:
    assert origins(JOINTS) != origins(JOINTS, chain=1)
    assert origins(JOINTS) != origins(JOINTS, seed=1)


def test_what_ends_later_changes_nothing() -> None:
    for number in range(POPULATION, CROSSING.number):
        before = JOINTS[: CROSSING.awaited(number)]
        assert CROSSING.origin(number, before, 0, 0) == CROSSING.origin(number, JOINTS, 0, 0)


@pytest.mark.parametrize("shorts", [CROSSING, ShortChains.planned("random", 20, 1, 100)])
def test_the_chain_starts_where_the_first_of_the_best_ended(shorts: ShortChains) -> None:
    joints = [0.0] * shorts.number
    joints[7] = joints[9] = 1.0
    assert shorts.origin(None, joints, 0, 0) == (7, 7)


def test_a_plain_start_has_none() -> None:
    none = ShortChains.planned("one", 1, 20, 100)
    assert (none.number, none.awaited(None), none.origin(None, [], 0, 0)) == (0, 0, None)
