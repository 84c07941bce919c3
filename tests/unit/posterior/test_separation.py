"""How far apart the draws of chains are."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.posterior import separation as module
from disnplbm.posterior.partition_sample import collapse
from disnplbm.posterior.separation import separation

CHAIN = np.repeat([0, 1], 40)


def draws(*bases: np.ndarray, noise: float = 0.1) -> np.ndarray:
    """Forty draws around each base, each item elsewhere with that probability."""
    rng = np.random.default_rng(0)
    parts = []
    for base in bases:
        other = rng.integers(0, 3, (40, len(base)))
        parts.append(np.where(rng.random(other.shape) < noise, other, base))
    return np.concatenate(parts).astype(np.uint8)


def found(labels: np.ndarray, chain: np.ndarray = CHAIN) -> float:
    return separation(collapse(labels)[0], chain, "vi")


def test_chains_around_one_answer_are_not_separate() -> None:
    base = np.arange(60) % 3
    assert abs(found(draws(base, base))) < 0.1


def test_chains_around_two_answers_are() -> None:
    a, b = np.arange(60) % 3, np.arange(60) // 20
    assert found(draws(a, b)) > 0.5
    assert found(draws(a, b, noise=0.0)) == 1.0


def test_chains_that_do_not_move_from_one_answer_are_not() -> None:
    base = np.arange(60) % 3
    assert found(draws(base, base, noise=0.0)) == 0.0
    assert found(draws(base), np.zeros(40, dtype=np.int64)) == 0.0


def test_two_of_three_chains_count_and_names_of_clusters_do_not() -> None:
    a, b = np.arange(60) % 3, np.arange(60) // 20
    chain = np.repeat([0, 1, 2], 40)
    assert found(draws(a, a, b), chain) > 0.5
    assert abs(found(draws(a, 2 - a, a), chain)) < 0.1


def test_a_chain_on_its_way_is_as_far_from_itself() -> None:
    """Both go from one answer to the other: no two answers, and too short."""
    a, b = np.arange(60) % 3, np.arange(60) // 20
    way = np.concatenate([draws(a)[:20], draws(b)[:20]])
    assert found(np.concatenate([way, way])) < 0.1


@pytest.mark.parametrize("work", [1, 10**9])
def test_some_of_the_items_are_enough(monkeypatch: pytest.MonkeyPatch, work: int) -> None:
    monkeypatch.setattr(module, "COMPARISON_WORK", work)
    a, b = np.arange(3000) % 3, np.arange(3000) // 1000
    assert found(draws(a, b)) == pytest.approx(0.57, abs=0.05)
