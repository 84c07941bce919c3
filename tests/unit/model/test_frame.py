"""The working frame changes the numbers, never the posterior."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disnplbm.model.frame import Frame
from disnplbm.model.joint import log_joint
from disnplbm.model.marginal import log_marginal
from disnplbm.model.prior import NIWPrior, default_prior
from disnplbm.model.statistics import Statistics, summarise
from statistical.enumeration import Problem

PRIOR = NIWPrior([2.0, -300.0], 0.4, [[3.0, 40.0], [40.0, 9000.0]], 3.1)


def values_of(n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, 2)) * [1.5, 90.0] + [5.0, -200.0]


def frame_of(values: np.ndarray) -> Frame:
    flat = values.reshape(-1, values.shape[-1])
    return Frame.of(flat.mean(axis=0), np.cov(flat.T, bias=True))


@pytest.mark.parametrize("power", [1.0, 0.5])
def test_log_marginals_differ_by_the_jacobian_alone(power: float) -> None:
    values = values_of(9)
    frame = frame_of(values)
    framed = float(log_marginal(summarise(frame.enter(values)), frame.prior(PRIOR), power))
    plain = float(log_marginal(summarise(values), PRIOR, power))
    assert framed + frame.log_jacobian(power * 9) == pytest.approx(plain, abs=1e-9)


def test_statistics_come_back_in_the_users_units() -> None:
    values = values_of(9)
    frame, expected = frame_of(values), summarise(values)
    back = frame.leave(summarise(frame.enter(values)))
    np.testing.assert_allclose(back.mean, expected.mean, rtol=1e-12)
    np.testing.assert_allclose(back.scatter, expected.scatter, rtol=1e-10, atol=1e-9)


def test_the_mean_of_an_empty_set_is_the_centre() -> None:
    frame = frame_of(values_of(9))
    np.testing.assert_array_equal(frame.leave(Statistics.empty((), 2)).mean, frame.centre)


@given(st.floats(1e-140, 1e140))
def test_scales_are_powers_of_two_near_the_standard_deviation(spread: float) -> None:
    scale = Frame.of([0.0], [[spread**2]]).scale[0]
    assert np.frexp(scale)[0] == 0.5
    assert 0.7 < spread / scale < 1.42


def test_a_constant_component_keeps_its_scale() -> None:
    np.testing.assert_array_equal(Frame.of([1.0, 7.0], [[4.0, 0.0], [0.0, 0.0]]).scale, [2.0, 1.0])


@pytest.mark.parametrize(("a", "b"), [(3.7, -20.0), (-1e-3, 5.0), (1e6, 1e9)])
def test_with_the_default_prior_partitions_do_not_see_units(a: float, b: float) -> None:
    values = np.random.default_rng(1).normal(size=(4, 3, 1))

    def posterior(table: np.ndarray) -> np.ndarray:
        prior = default_prior([table.mean()], [[table.var()]])
        return Problem(table, prior, 1.3, 0.7).posterior

    np.testing.assert_allclose(posterior(a * values + b), posterior(values), rtol=1e-5)


def test_with_the_precision_as_scale_they_do() -> None:
    values = np.random.default_rng(1).normal(size=(4, 3, 1))

    def posterior(table: np.ndarray) -> np.ndarray:
        prior = default_prior([table.mean()], [[table.var()]], scale="precision")
        return Problem(table, prior, 1.3, 0.7).posterior

    assert np.abs(posterior(10 * values) - posterior(values)).sum() > 0.1


@pytest.mark.parametrize("power", [1.0, 0.5])
def test_the_joint_is_symmetric_in_rows_and_columns(power: float) -> None:
    values = np.random.default_rng(2).normal(size=(5, 4, 2))
    values[2, 1] = np.nan
    z, w = np.array([0, 1, 0, 0, 1]), np.array([0, 0, 1, 2])
    prior = NIWPrior([0.3, -0.1], 0.6, np.eye(2), 3.4)
    one = log_joint(values, z, w, prior, alpha=2.0, beta=0.3, power=power)
    other = log_joint(np.swapaxes(values, 0, 1), w, z, prior, alpha=0.3, beta=2.0, power=power)
    assert one == pytest.approx(other, abs=1e-10)
