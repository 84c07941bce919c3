"""A second answer is reported where the draws have two, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.posterior.consensus import consensus
from disnplbm.posterior.runner_up import share_moved

from .distances import binder_loss, variation_of_information

LOSSES = {"vi": variation_of_information, "binder": binder_loss}
FINE, OTHER = np.arange(120) % 4, np.arange(120) // 30


def drawn(share: float, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """100 noisy draws, that share of them around OTHER and the rest around FINE; and which are around OTHER."""
    rng = np.random.default_rng(seed)
    other = np.arange(100) < round(100 * share)
    centre = np.where(other[:, None], OTHER, FINE)
    return np.where(rng.random(centre.shape) < noise, rng.integers(0, 4, centre.shape), centre).astype(np.uint8), other


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("seed", range(5))
def test_the_smaller_of_two_answers_is_found_with_its_share(name: str, seed: int) -> None:
    draws, _ = drawn(0.4, 0.05, seed)
    result = consensus(draws, name)
    second = result.runner_up
    assert second is not None
    assert variation_of_information(result.labels, FINE) == 0.0
    assert variation_of_information(second.labels, OTHER) == 0.0
    assert second.share == 0.4
    assert second.distance == pytest.approx(LOSSES[name](result.labels, second.labels), abs=1e-9)
    assert second.moved == pytest.approx(88 / 120, abs=0.02)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("noise", [0.0, 0.02, 0.1, 0.3])
def test_one_answer_has_no_runner_up(name: str, noise: float) -> None:
    assert all(consensus(drawn(0.0, noise, seed)[0], name).runner_up is None for seed in range(5))


def test_a_rare_second_answer_is_not_reported() -> None:
    assert consensus(drawn(0.05, 0.02, 0)[0]).runner_up is None


def test_a_doubt_about_one_item_is_no_second_answer() -> None:
    draws = np.tile(FINE, (100, 1)).astype(np.uint8)
    draws[:40, 0] = 1
    result = consensus(draws)
    assert result.runner_up is None
    assert result.confidence[0] == 0.6


def test_moved_items_are_those_outside_the_best_matches() -> None:
    whole, halves = np.zeros(8, dtype=np.int32), (np.arange(8) % 2).astype(np.int32)
    ones = np.ones(8, dtype=np.int64)
    assert share_moved(whole, halves, ones) == share_moved(halves, whole, ones) == 0.5
    assert share_moved(halves, 1 - halves, ones) == 0.0
