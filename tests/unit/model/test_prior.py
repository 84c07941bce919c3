"""A prior is checked when it is made, and the default one follows the data's units."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disnplbm.errors import InputError
from disnplbm.model.prior import RIDGE, NIWPrior, default_prior


def refused(message: str, **changes: object) -> None:
    arguments = {"mu0": [0.0, 0.0], "kappa0": 1.0, "psi0": np.eye(2), "nu0": 3.0} | changes
    with pytest.raises(InputError, match=re.escape(message)):
        NIWPrior(**arguments)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_nu0_at_its_bound_is_refused_and_the_bound_is_named(d: int) -> None:
    with pytest.raises(InputError, match=re.escape(f"prior: nu0 = {d - 1} must be above d - 1 = {d - 1}")):
        NIWPrior(np.zeros(d), 1.0, np.eye(d), d - 1)
    assert NIWPrior(np.zeros(d), 1.0, np.eye(d), d - 1 + 1e-9).nu0 > d - 1


@pytest.mark.parametrize("nu0", [-1.0, np.nan])
def test_nu0_must_be_a_number_above_its_bound(nu0: float) -> None:
    refused("must be above d - 1 = 1", nu0=nu0)


@pytest.mark.parametrize("nu0", [1e308, np.inf])
def test_nu0_must_not_be_so_large_that_numbers_overflow(nu0: float) -> None:
    refused(f"prior: nu0 = {nu0} must be at most 1e+09", nu0=nu0)


@pytest.mark.parametrize("kappa0", [0.0, -2.0, np.nan, np.inf, 1e308, 1e-308])
def test_kappa0_must_lie_in_its_bounds(kappa0: float) -> None:
    refused(f"prior: kappa0 = {kappa0} must be ", kappa0=kappa0)


def test_psi0_must_be_symmetric() -> None:
    refused("prior: psi0 must be symmetric", psi0=[[1.0, 0.2], [0.1, 1.0]])


@pytest.mark.parametrize("psi0", [[[1.0, 2.0], [2.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
def test_psi0_must_be_positive_definite(psi0: list[list[float]]) -> None:
    refused("prior: psi0 must be positive definite", psi0=psi0)


def test_shapes_must_agree_and_are_named() -> None:
    refused("prior: mu0 has shape (3,) and psi0 (2, 2)", mu0=[0.0, 0.0, 0.0])


@pytest.mark.parametrize("changes", [{"mu0": [np.nan, 0.0]}, {"psi0": [[np.inf, 0.0], [0.0, 1.0]]}])
def test_mu0_and_psi0_must_be_finite(changes: dict[str, object]) -> None:
    refused("prior: mu0 and psi0 must be finite numbers", **changes)


def test_a_message_is_one_line() -> None:
    with pytest.raises(InputError) as caught:
        NIWPrior(0.0, 1.0, 1.0, 0.0)
    assert "\n" not in str(caught.value)


def test_numbers_stand_for_one_component() -> None:
    prior = NIWPrior(2, 1, 3, 2)
    assert prior.dimension == 1
    assert prior.mu0.shape == (1,)
    assert prior.psi0.shape == (1, 1)


def test_the_default_prior_is_the_datas_mean_and_covariance() -> None:
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    prior = default_prior([1.0, -1.0], covariance)
    np.testing.assert_array_equal(prior.mu0, [1.0, -1.0])
    np.testing.assert_allclose(prior.psi0, covariance + RIDGE * np.diag([2.0, 1.0]), rtol=1e-15)
    assert (prior.kappa0, prior.nu0) == (1.0, 3.0)


def test_constant_data_get_the_identity() -> None:
    np.testing.assert_array_equal(default_prior([7.0, 7.0], np.zeros((2, 2))).psi0, np.eye(2))


def test_collinear_components_stay_positive_definite() -> None:
    covariance = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert np.linalg.eigvalsh(default_prior(np.zeros(3), covariance).psi0).min() > 0


def test_each_component_may_have_units_of_its_own() -> None:
    covariance, units = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1e-9, 1e9])
    scaled = default_prior([0.0, 0.0], covariance * np.outer(units, units))
    np.testing.assert_allclose(
        scaled.psi0 / np.outer(units, units), default_prior([0.0, 0.0], covariance).psi0, rtol=1e-14
    )


def test_a_constant_component_beside_others_stays_positive_definite() -> None:
    prior = default_prior([0.0, 7.0], [[4.0, 0.0], [0.0, 0.0]])
    assert np.linalg.eigvalsh(prior.psi0).min() > 0


def test_precision_inverts_the_covariance() -> None:
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    prior = default_prior([0.0, 0.0], covariance, scale="precision")
    np.testing.assert_allclose(prior.psi0 @ covariance, np.eye(2), atol=1e-8)
    np.testing.assert_array_equal(prior.psi0, prior.psi0.T)


@pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf, 1e308, 1e-308])
def test_the_scale_factor_must_lie_in_its_bounds(factor: float) -> None:
    with pytest.raises(InputError, match=re.escape(f"psi0_factor = {factor} must be ")):
        default_prior([0.0], [[1.0]], scale_factor=factor)


@given(st.floats(1e-3, 1e3))
def test_the_scale_factor_multiplies_psi0(factor: float) -> None:
    plain = default_prior([0.0], [[2.0]])
    np.testing.assert_allclose(default_prior([0.0], [[2.0]], scale_factor=factor).psi0, factor * plain.psi0)
