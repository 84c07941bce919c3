"""Pictures in the page: as they are where they are small, by the nearest of 255 levels where they are large."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from disnplbm.report.pixels import LEVELS, MAX_EXACT, MISSING, encoded_image, nearest_levels, rounded


def decoded(image: dict[str, Any]) -> np.ndarray:
    """The values, as the page reads them."""
    if "floats" in image:
        return np.frombuffer(base64.b64decode(image["floats"]), dtype="<f4").astype(float)
    levels = np.frombuffer(base64.b64decode(image["levels"]), dtype=np.uint8)
    return np.append(image["values"], np.nan)[levels]


def test_a_small_picture_is_kept_in_single_precision() -> None:
    values = np.random.default_rng(0).normal(size=(178, 13))
    values[3, 4] = np.nan
    np.testing.assert_allclose(decoded(encoded_image(values)), values.ravel(), rtol=1e-6)


@pytest.mark.parametrize(
    "values",
    [1e8 + np.array([0.0, 1, 2]), np.array([1e-146, 3e-146]), np.array([-1e100, 1e100]), np.array([0.1, 0.1, 0.1])],
    ids=["far from zero", "tiny", "huge", "constant"],
)
def test_what_single_precision_cannot_tell_apart_is_told_apart(values: np.ndarray) -> None:
    np.testing.assert_allclose(decoded(encoded_image(values[None])), values, rtol=1e-12)


def test_a_large_picture_has_a_byte_for_each_pixel() -> None:
    values = np.random.default_rng(0).normal(size=(MAX_EXACT + 1, 1))
    image = encoded_image(values)
    assert len(base64.b64decode(image["levels"])) == MAX_EXACT + 1
    # Between two of 255 quantiles lie few of the values.
    assert np.abs(decoded(image) - values.ravel()).mean() < 0.02


def test_every_value_gets_the_level_nearest_to_it() -> None:
    values = np.random.default_rng(0).standard_cauchy(5_000)
    table = np.quantile(values, np.linspace(0, 1, LEVELS))
    levels = nearest_levels(table, values)
    distance = np.abs(table[:, None] - values[None])
    np.testing.assert_allclose(np.abs(table[levels] - values), distance.min(axis=0))
    assert np.bincount(levels, minlength=LEVELS).max() < 3 * len(values) / LEVELS


def test_missing_cells_have_a_level_of_their_own() -> None:
    values = np.array([[1.0, np.nan], [3.0, 2.0]])
    table = np.quantile([1.0, 2.0, 3.0], np.linspace(0, 1, LEVELS))
    assert (nearest_levels(table, values) == MISSING).tolist() == [[False, True], [False, False]]
    assert np.isnan(decoded(encoded_image(values))).tolist() == [False, True, False, False]


@pytest.mark.parametrize("size", [4, MAX_EXACT + 1])
def test_a_picture_without_any_observed_cell_is_missing(size: int) -> None:
    assert np.isnan(decoded(encoded_image(np.full((1, size), np.nan)))).all()


def test_numbers_of_tables_are_those_that_json_has() -> None:
    found = rounded(np.array([[1 / 3, np.nan], [np.inf, 100_000_001.5]]))
    assert found == [[0.333333333, None], [None, 100_000_002.0]]
