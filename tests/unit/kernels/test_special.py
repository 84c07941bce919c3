"""The kernels' own logarithm, exponential and log-gamma against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from disnplbm.kernels.choice import accept, choose, log_gammas, logs
from disnplbm.kernels.special import exp, log, log_gamma

ULP = np.finfo(float).eps


def test_the_logarithm_is_right_within_2_units_in_the_last_place() -> None:
    rng = np.random.default_rng(0)
    wide = np.exp(rng.uniform(-700, 700, 200_000))
    near_one = 1.0 + rng.uniform(-0.3, 0.4, 200_000)
    for x in (wide, near_one, np.array([1.0, 2.0, 0.5, np.sqrt(2), np.sqrt(0.5), 2.3e-308, 1.7e308])):
        expected = np.log(x)
        assert np.abs(logs(x) - expected).max(initial=0, where=expected == 0) == 0
        assert (np.abs(logs(x) - expected) <= 2 * np.spacing(np.abs(expected))).all()


def test_logarithms_of_a_zero_are_minus_infinity() -> None:
    np.testing.assert_array_equal(logs([0.0, 1.0]), [-np.inf, 0.0])


def test_the_exponential_is_right_within_2_units_in_the_last_place() -> None:
    for x in np.concatenate([np.linspace(-700, 700, 20_001), np.linspace(-1, 1, 20_001)]):
        assert abs(exp(x) - np.exp(x)) <= 2 * np.spacing(np.exp(x)), x


def test_logarithm_and_exponential_are_inverse() -> None:
    for x in np.linspace(-700, 700, 20_001):
        assert abs(log(exp(x)) - x) <= 4 * ULP * max(1.0, abs(x)), x


def test_log_gamma_is_right_to_14_digits() -> None:
    rng = np.random.default_rng(1)
    for x in (np.exp(rng.uniform(-20, 50, 100_000)), rng.uniform(0.5, 60.0, 100_000), np.arange(1, 2000) / 2):
        expected = gammaln(x)
        # It is a difference of terms of the size of x log x: near its zeros at 1 and 2 the error is absolute.
        scale = np.maximum(np.abs(expected), 40.0)
        assert (np.abs(log_gammas(x) - expected) / scale).max() < 1e-14


@pytest.mark.parametrize("x", [0.3, 1.0, 7.5, 1e6])
def test_log_gamma_steps_by_a_logarithm(x: float) -> None:
    assert log_gamma(x + 1.0) - log_gamma(x) == pytest.approx(np.log(x), abs=1e-9 * max(1.0, x / 1e5))


def test_choices_follow_their_weights() -> None:
    weights = np.log([0.1, 0.0001, 0.6, 0.2999])
    edges = np.cumsum([0.1, 0.0001, 0.6, 0.2999])
    for uniform in np.linspace(0, 0.99999, 997):
        assert choose(weights + 1234.5, uniform) == np.searchsorted(edges, uniform, side="right")


def test_a_candidate_of_weight_minus_infinity_is_never_chosen() -> None:
    assert {choose(np.array([-np.inf, 0.0, -np.inf]), u) for u in (0.0, 0.5, 1 - ULP)} == {1}


def test_acceptance_follows_the_ratio() -> None:
    assert accept(0.0, 1 - ULP)
    assert accept(np.log(0.3), 0.29)
    assert not accept(np.log(0.3), 0.31)
    assert accept(-1e9, 0.0)
    assert not accept(-np.inf, 1e-300)
