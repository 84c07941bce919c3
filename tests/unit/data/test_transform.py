"""Transforms of the columns."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import Dataset, ingest
from disnplbm.data.source import open_source
from disnplbm.data.transform import Transform, fit_transform
from disnplbm.data.transforms import power as boxcox
from disnplbm.data.transforms.boxcox import LARGEST, most_likely_power
from disnplbm.errors import InputError
from disnplbm.objects import open_store

from .tables import tables, with_unified_missing


def ingested(values: object, chunk_bytes: int = 500, **options: list[str]) -> Dataset:
    return ingest(ArraySource(values, **options), open_store("memory://"), "d", chunk_bytes=chunk_bytes)


def fitted(values: NDArray[np.float64], kind: str) -> tuple[NDArray[np.float64], list[str]]:
    transform, warnings = fit_transform(ingested(values), kind)
    again = Transform.from_json(transform.to_json())
    cells = with_unified_missing(values.reshape(*values.shape[:2], -1))
    out = transform.apply(cells)
    assert np.array_equal(again.apply(cells), out, equal_nan=True)
    return out, warnings


@settings(deadline=None, max_examples=60)
@given(values=tables())
def test_standardize_agrees_with_scikit_learn(values: NDArray[np.float64]) -> None:
    out, _ = fitted(values, "standardize")
    flat = with_unified_missing(values).reshape(len(values), -1)
    keep = ~np.isnan(flat).all(axis=0)
    if not keep.any():
        assert np.isnan(out).all()
        return
    expected = StandardScaler().fit_transform(flat[:, keep])
    np.testing.assert_allclose(out.reshape(len(values), -1)[:, keep], expected, atol=1e-4)


def test_standardize_gives_mean_0_and_variance_1() -> None:
    x = np.random.default_rng(0).normal(1e6, 3, size=(500, 4))
    out, warnings = fitted(x, "standardize")
    np.testing.assert_allclose(out.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(out.var(axis=0), 1, rtol=1e-9)
    assert warnings == []


def test_constant_column_becomes_zero_under_standardize_and_it_says_so() -> None:
    x = np.random.default_rng(0).normal(size=(100, 3))
    x[:, 1] = 0.1
    x[5, 1] = np.nan
    transform, warnings = fit_transform(ingested(x, column_names=["a", "b", "c"]), "standardize")
    out = transform.apply(x[:, :, None])
    assert np.array_equal(np.unique(out[:, 1]), [0.0, np.nan], equal_nan=True)
    assert np.isnan(out[5, 1])
    assert warnings == ["1 column constant: set to 0 by standardize: b"]


def test_boxcox_is_that_of_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxcox, "FIT_BYTES", 8 * 60 * 2)
    x = np.random.default_rng(0).lognormal(2, 0.7, size=(60, 5))
    out, warnings = fitted(x, "boxcox")
    for j in range(5):
        expected, _ = scipy.stats.boxcox(x[:, j])
        np.testing.assert_allclose(out[:, j, 0], expected, rtol=1e-6)
    assert warnings == []


def test_boxcox_leaves_missing_cells_out() -> None:
    x = np.random.default_rng(0).lognormal(size=(60, 2))
    x[::7, 0] = np.nan
    x[:, 1] = np.nan
    out, _ = fitted(x, "boxcox")
    expected, _ = scipy.stats.boxcox(x[~np.isnan(x[:, 0]), 0])
    np.testing.assert_allclose(out[~np.isnan(x[:, 0]), 0, 0], expected, rtol=1e-6)
    assert np.isnan(out[::7, 0]).all()
    assert np.isnan(out[:, 1]).all()


def test_boxcox_of_each_component() -> None:
    x = np.random.default_rng(0).lognormal(size=(50, 2, 3))
    out, _ = fitted(x, "boxcox")
    np.testing.assert_allclose(out[:, 1, 2], scipy.stats.boxcox(x[:, 1, 2])[0], rtol=1e-6)


def log_likelihood(power: float, x: NDArray[np.float64]) -> float:
    """Box-Cox log likelihood of a power, to the last digits.

    Values are taken relative to their geometric mean. `scipy.stats.boxcox_llf` subtracts nearly equal numbers where the
    power is almost 0, and is wrong by up to 1e-4 there.
    """
    logs = np.log(x)
    relative = scipy.special.boxcox(np.exp(logs - logs.mean()), power)
    return float(-logs.sum() - len(x) / 2 * np.log(relative.var()))


def test_likelihood_is_that_of_scipy() -> None:
    x = np.random.default_rng(0).lognormal(3, 1, 20)
    for power in (-3.0, -0.1, 0.0, 0.5, 2.0):
        assert log_likelihood(power, x) == pytest.approx(scipy.stats.boxcox_llf(power, x), rel=1e-12)


@settings(deadline=None, max_examples=60)
@example(n=2, location=3.0, spread=1.0, seed=89)
@example(n=2, location=0.0, spread=1.0, seed=316)
@example(n=2, location=0.0, spread=0.01, seed=961)
@given(
    n=st.integers(2, 60),
    location=st.sampled_from([-20.0, 0.0, 3.0, 9.0]),
    spread=st.sampled_from([0.01, 0.3, 1.0, 4.0]),
    seed=st.integers(0, 1000),
)
def test_power_is_as_likely_as_that_of_scipy(n: int, location: float, spread: float, seed: int) -> None:
    x = np.exp(np.random.default_rng(seed).normal(location, spread, n))
    power = most_likely_power(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy says so when it keeps the power inside of the bound.
        theirs = scipy.stats.boxcox_normmax(x, method="mle", ymax=LARGEST)
    likelihood = log_likelihood(theirs, x)
    assert log_likelihood(power, x) >= likelihood - 1e-6 * (1 + abs(likelihood))


def test_power_that_no_digit_tells_from_the_logarithm_is_the_logarithm() -> None:
    # Two values are as likely under any power and its negative, so the optimum is 0.
    x = np.exp(np.random.default_rng(89).normal(3.0, 1.0, 2))
    power = most_likely_power(x)
    assert power == 0.0
    theirs = scipy.stats.boxcox_normmax(x, method="mle", ymax=LARGEST)
    likelihood = scipy.stats.boxcox_llf(theirs, x)
    assert scipy.stats.boxcox_llf(power, x) >= likelihood - 1e-6 * (1 + abs(likelihood))


def test_boxcox_of_expression_data_is_that_of_scipy(shared_dir: Path) -> None:
    source = open_source(shared_dir / "data" / "chowdary-2006.csv.gz", id_column="sample", class_column="class")
    (chunk,) = source.chunks()
    for column in chunk.values[:, ::9, 0].T:
        np.testing.assert_allclose(most_likely_power(column), scipy.stats.boxcox(column)[1], rtol=1e-5, atol=1e-6)


def test_values_whose_logarithms_are_equal_keep_power_1() -> None:
    assert most_likely_power(np.array([1e300, np.nextafter(1e300, np.inf)])) == 1.0


def test_huge_powers_are_held_back() -> None:
    x = np.array([10.0, 10.0, 10.0, 10.0, 1.0]) + np.array([0, 1e-9, 2e-9, 3e-9, 0])
    assert np.abs(scipy.special.boxcox(x, most_likely_power(x))).max() <= 1e101


def test_constant_column_becomes_its_logarithm_under_boxcox() -> None:
    x = np.random.default_rng(0).lognormal(size=(50, 2))
    x[:, 1] = 7.0
    out, warnings = fitted(x, "boxcox")
    np.testing.assert_allclose(out[:, 1], np.log(7.0))
    assert warnings == ["1 column constant: set to the logarithm of the value by boxcox: 1"]


def test_boxcox_of_a_narrow_column_stays_finite() -> None:
    x = 10_000 + np.random.default_rng(0).normal(size=(200, 1)) ** 3
    out, _ = fitted(x, "boxcox")
    assert np.isfinite(out).all()
    assert np.isfinite(out.astype(np.float64) ** 2).all()


@pytest.mark.parametrize(("kind", "bad"), [("boxcox", 0.0), ("boxcox", -2.0), ("log1p", -1.0)])
def test_values_outside_of_the_domain_are_refused_with_column_and_remedy(kind: str, bad: float) -> None:
    x = np.ones((40, 3))
    x[30, 1] = bad
    x[2, 2] = np.nan
    with pytest.raises(InputError) as caught:
        fit_transform(ingested(x, column_names=["a", "b", "c"]), kind)
    assert f"column b, row 31 holds {bad:g}" in str(caught.value)
    assert "add a constant" in str(caught.value)
    new, _ = fit_transform(ingested(np.exp(np.random.default_rng(0).normal(size=(9, 3)))), kind)
    with pytest.raises(InputError, match="domain"):
        new.apply(x[:, :, None])


def test_log1p_and_none() -> None:
    x = np.random.default_rng(0).poisson(3, size=(20, 4)).astype(float)
    # NumPy takes its own way on some processors.
    np.testing.assert_array_max_ulp(fitted(x, "log1p")[0], np.log1p(x[:, :, None]), maxulp=1)
    np.testing.assert_array_equal(fitted(x, "none")[0], x[:, :, None])


def test_unknown_transform_is_refused() -> None:
    with pytest.raises(InputError, match="unknown transform 'cube'; choose one of none"):
        fit_transform(ingested(np.ones((2, 2))), "cube")
