"""The power at the elbow of made-up curves."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disnplbm.errors import InputError
from disnplbm.posterior.elbow import Elbow, choose_power

POWERS = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0])

#: A run of powers on 600 x 40 cells of 6 x 4 blocks with skewed noise: K, L and fit are right at power 0.2.
SKEWED: dict[str, Any] = {
    "powers": POWERS,
    "fit": [-2.3138, -2.2461, -2.2192, -1.5991, -1.4355, -1.42, -1.3848],
    "fit_error": [0.0004, 0.0004, 0.0015, 0.04, 0.0, 0.0028, 0.0034],
    "row_clusters": [3.67, 3.0, 2.33, 4.67, 6.0, 9.33, 14.33],
    "column_clusters": [1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 5.0],
}


def chosen(blocks: Any, fit: Any, error: float = 0.0, powers: Any = POWERS) -> Elbow:
    return choose_power(powers, fit, np.full(len(powers), error), blocks, np.ones(len(powers)))


def test_the_elbow_of_a_measured_curve() -> None:
    found = choose_power(**SKEWED)
    assert (found.power, found.index, found.reason) == (0.2, 4, "elbow")
    assert found.sentence == (
        "The curve bends at power 0.2: 24.0 blocks (6.0 x 4.0 clusters)"
        " bring 95% of the gain in fit that 71.7 blocks at power 1 bring,"
        " and beyond it more blocks buy little fit."
    )


@given(st.integers(1, 5), st.floats(0.6, 0.95), st.floats(1.5, 3.0))
def test_two_straight_pieces_meet_at_the_elbow(corner: int, share: float, ratio: float) -> None:
    steps = np.arange(len(POWERS))
    blocks = ratio**steps
    fit = np.interp(blocks, [blocks[0], blocks[corner], blocks[-1]], [0.0, share, 1.0])
    scaled = (blocks[corner] - blocks[0]) / (blocks[-1] - blocks[0])
    found = chosen(blocks, fit)
    if share - scaled >= 0.1:
        assert (found.reason, found.index) == ("elbow", corner)
    else:
        assert (found.reason, found.power) == ("straight", 1.0)


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.integers(1, 50))
def test_units_of_fit_and_of_blocks_do_not_matter(shift: float, scale: float, factor: int) -> None:
    moved = {**SKEWED, "fit": shift + scale * np.array(SKEWED["fit"])}
    moved["fit_error"] = scale * np.array(SKEWED["fit_error"])
    moved["row_clusters"] = factor * np.array(SKEWED["row_clusters"])
    assert choose_power(**moved).index == 4


def test_noise_does_not_move_the_elbow() -> None:
    rng = np.random.default_rng(0)
    blocks = np.array([1.0, 4.0, 9.0, 12.0, 30.0, 60.0, 150.0])
    fit = np.array([0.0, 0.4, 0.8, 0.95, 0.96, 0.98, 1.0])
    for _ in range(200):
        found = chosen(blocks * rng.uniform(0.95, 1.05, 7), fit + rng.normal(0.0, 0.02, 7), 0.02)
        assert found.index in (2, 3)
        assert found.reason == "elbow"


def test_of_ties_that_with_the_fewest_blocks_is_taken() -> None:
    blocks = [1.0, 10.0, 11.0, 12.0, 40.0, 70.0, 101.0]
    fit = [0.0, 0.90, 0.915, 0.93, 0.94, 0.96, 1.0]
    assert chosen(blocks, fit).power == 0.1
    assert chosen(blocks, fit, 0.01).power == 0.02


def test_a_power_beaten_by_another_is_never_taken() -> None:
    # Weak powers scatter over more clusters than are there, and buy no fit with them.
    found = chosen([9.0, 8.0, 2.0, 10.0, 12.0, 30.0, 80.0], [0.0, 0.0, 0.0, 0.9, 0.92, 0.95, 1.0])
    assert found.power == 0.1
    assert found.heights[0] < found.heights[1] < found.heights[2] == found.heights[-1] == 0.0


def test_a_lucky_weak_power_does_not_hide_the_others() -> None:
    # The best fit of all belongs to 12 blocks, by chance: the curve still ends at 150.
    blocks, fit = [1.0, 4.0, 9.0, 12.0, 30.0, 60.0, 150.0], [0.0, 0.4, 0.8, 1.01, 0.97, 0.99, 1.0]
    assert chosen(blocks, fit, 0.02).power == 0.1


def test_of_equal_powers_the_first_is_taken() -> None:
    assert chosen([1.0, 1.0, 6.0, 6.0, 6.0, 20.0, 60.0], [0.0, 0.0, 0.9, 0.9, 0.9, 0.95, 1.0]).power == 0.05


@pytest.mark.parametrize(
    ("blocks", "fit", "error", "reason"),
    [
        pytest.param([1, 4, 9, 30, 30, 30, 31], [0, 0.5, 0.8, 1, 1, 1, 1.001], 0.0, "level", id="the model fits"),
        pytest.param([4, 4, 4, 4, 4, 4, 4], [1, 1, 1, 1, 1, 1, 1], 0.0, "flat", id="all the same"),
        pytest.param([1, 2, 4, 8, 16, 32, 64], [1, 1, 1, 1, 1, 1, 1], 0.0, "flat", id="blocks without fit"),
        pytest.param([1, 1, 1, 1, 1, 1, 1], [0, 1, 2, 3, 4, 5, 6], 0.0, "flat", id="fit without blocks"),
        pytest.param([1, 1, 2, 2, 3, 3, 4], [0, 0.1, 0, 0.1, 0, 0.1, 0.1], 0.1, "flat", id="noise"),
        pytest.param([1, 2, 4, 8, 16, 32, 64], [1, 2, 4, 8, 16, 32, 64], 0.0, "straight", id="straight"),
        pytest.param([1, 2, 4, 8, 16, 32, 64], [1, 1, 1, 2, 4, 10, 64], 0.0, "straight", id="bent the other way"),
        pytest.param([1, 2, 4, 8, 16, 32, 64], [0, 0, 0, 0, 0.3, 0.75, 1], 0.2, "unclear", id="within the error"),
    ],
)
def test_without_an_elbow_the_power_is_1(blocks: list[float], fit: list[float], error: float, reason: str) -> None:
    found = chosen(blocks, fit, error)
    assert (found.power, found.index, found.reason) == (1.0, 6, reason)
    assert found.sentence.endswith("so the curve has no clear bend. Use power 1.")


def test_one_power_is_that_power() -> None:
    alone = chosen([4.0], [1.0], powers=np.array([1.0]))
    assert (alone.power, alone.sentence) == (
        1.0,
        "Only power 1 was tried, so the curve has no clear bend. Use power 1.",
    )


def test_the_record_is_json() -> None:
    assert json.loads(json.dumps(choose_power(**SKEWED).to_dict()))["power"] == 0.2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"powers": POWERS[::-1]}, "must rise from above 0 and end with 1: use "),
        ({"powers": POWERS / 2}, ",0.5,1$"),
        ({"powers": POWERS - 0.01}, "must rise"),
        ({"fit": [0.0] * 6}, "shapes"),
        ({"fit": [np.nan] * 7}, "finite"),
        ({"fit_error": [-1.0] * 7}, "not negative"),
    ],
)
def test_figures_that_do_not_match_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        choose_power(**{**SKEWED, **change})
