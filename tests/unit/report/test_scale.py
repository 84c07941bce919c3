"""Colour scales: perceptual, robust, and never the colour of a missing cell."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.report.colours import Kind, Theme, colour_table, ink_on, luminance
from disnplbm.report.scale import LEVELS, MISSING, fit_scale


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_sequential_scale_runs_steadily_away_from_the_ground(theme: Theme) -> None:
    steps = np.diff([luminance(colour) for colour in colour_table("sequential", theme)])
    assert np.all(steps <= 0) if theme == "light" else np.all(steps >= 0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_diverging_scale_has_its_turn_in_the_middle_and_even_arms(theme: Theme) -> None:
    bright = np.array([luminance(colour) for colour in colour_table("diverging", theme)])
    turn = bright.argmax() if theme == "light" else bright.argmin()
    assert abs(turn - LEVELS // 2) <= 1
    assert abs(bright[0] - bright[-1]) < 0.08


@pytest.mark.parametrize("kind", ["sequential", "diverging"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_on_every_shade_can_be_read(kind: Kind, theme: Theme) -> None:
    for colour in colour_table(kind, theme):
        ink = 1.0 if ink_on(colour) == "#ffffff" else 0.0
        brighter, darker = sorted((luminance(colour), ink), reverse=True)
        assert (brighter + 0.05) / (darker + 0.05) >= 4.5


def test_every_value_gets_the_level_nearest_to_it() -> None:
    values = np.random.default_rng(0).standard_cauchy(5_000)
    scale = fit_scale(values)
    distance = np.abs(scale.values[:, None] - values[None])
    np.testing.assert_allclose(np.abs(scale.values[scale.levels(values)] - values), distance.min(axis=0))
    assert np.bincount(scale.levels(values), minlength=LEVELS).max() < 3 * len(values) / LEVELS


def test_missing_cells_have_a_level_of_their_own() -> None:
    values = np.array([[1.0, np.nan], [3.0, 2.0]])
    assert (fit_scale(values).levels(values) == MISSING).tolist() == [[False, True], [False, False]]


def test_values_on_both_sides_of_zero_diverge_from_it() -> None:
    scale = fit_scale(np.linspace(-4, 5, 1000))
    assert scale.kind == "diverging"
    assert scale.low == -scale.high


@pytest.mark.parametrize("values", [np.linspace(2, 9, 100), np.linspace(-0.1, 9, 100), np.full(9, 7.0), np.zeros(4)])
def test_other_values_are_sequential(values: np.ndarray) -> None:
    scale = fit_scale(values)
    assert scale.kind == "sequential"
    assert scale.low < scale.high


def test_one_outlier_leaves_the_rest_visible() -> None:
    values = np.append(np.linspace(0, 1, 10_000), 1e9)
    assert fit_scale(values).high <= 1.0


def test_heavy_tails_start_ranked_and_normal_ones_do_not() -> None:
    rng = np.random.default_rng(0)
    assert fit_scale(rng.lognormal(sigma=2.5, size=10_000)).ranked
    assert not fit_scale(rng.normal(size=10_000)).ranked


def test_a_picture_without_any_observed_cell_has_a_scale() -> None:
    values = np.full((2, 2), np.nan)
    assert (fit_scale(values).levels(values) == MISSING).all()
