"""The few iterations on a sample that a forecast rests on."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from disnplbm.data.advice import advise
from disnplbm.data.forecast import Clusters
from disnplbm.data.sample import MOST_ROWS, Sample
from disnplbm.data.synthetic import paper_blocks
from disnplbm.engine.pilot import GUESS, PART, STEEPEST, WHOLE, pilot


def expected(values: NDArray[np.float64]) -> Clusters:
    values = values.reshape(*values.shape[:2], -1)
    sample = Sample(values.shape[1], values.shape[2])
    sample.add(values)
    advice = advise(sample, [str(j) for j in range(values.shape[1])])
    return pilot(sample, *values.shape[:2], advice)


def paper(rows: int) -> NDArray[np.float64]:
    generator, blocks = np.random.default_rng(0), paper_blocks()
    place = np.ix_(np.arange(rows) % 10, np.arange(90) % 3)
    return blocks.means[place][..., 0] + blocks.roots[place][..., 0, 0] * generator.standard_normal((rows, 90))


@pytest.mark.parametrize("rows", [500, 20_000])
def test_clear_blocks_are_found_however_large_the_table(rows: int) -> None:
    found = expected(paper(rows))
    assert 9 <= found.rows <= 15
    assert found.columns == pytest.approx(3, abs=1)
    assert max(found.rows_moved, found.columns_moved) < 0.1
    assert found.uncertainty == (WHOLE if rows <= MOST_ROWS else PART)


def test_a_table_on_its_side_has_the_same_clusters() -> None:
    found = expected(paper(500).T)
    assert 9 <= found.columns <= 15
    assert found.rows == pytest.approx(3, abs=1)


def test_clusters_that_grow_with_the_table_are_extrapolated() -> None:
    generator = np.random.default_rng(0)
    wide = generator.standard_t(2, (4 * MOST_ROWS, 12)) * generator.lognormal(0, 1, (4 * MOST_ROWS, 1))
    part, whole = expected(wide[::4]), expected(wide)
    assert part.rows <= whole.rows <= 4**STEEPEST * part.rows + 1


def test_the_same_table_has_the_same_forecast() -> None:
    values = np.random.default_rng(0).normal(size=(90, 12))
    assert expected(values) == expected(values)


@pytest.mark.parametrize(
    "values", [np.full((4, 3), np.nan), np.random.default_rng(0).normal(size=(20, 5, 2))], ids=["empty", "vectors"]
)
def test_without_a_pilot_the_guess_is_said_to_be_rough(values: NDArray[np.float64]) -> None:
    assert expected(values) == GUESS


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (2, 2)])
def test_the_smallest_tables_have_one(shape: tuple[int, int]) -> None:
    found = expected(np.random.default_rng(0).normal(size=shape))
    assert 1 <= found.rows <= shape[0]
    assert 1 <= found.columns <= shape[1]


def test_gaps_and_constant_columns_are_no_hindrance() -> None:
    values = np.random.default_rng(0).normal(size=(60, 8))
    values[::7, 2] = np.nan
    values[:, 5] = 3.0
    values[:, 6] = np.nan
    assert expected(values).rows >= 1
