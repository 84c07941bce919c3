"""Refined levels: what was misplaced finds its place, whatever the family and the shards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disnplbm.families.base import Choices
from disnplbm.kernels.choice import logs
from disnplbm.posterior.trees.cutting import ASIDE
from disnplbm.posterior.trees.refining import refine

from .fitted import MAKERS, Fitted, fitted, kinds


def apart(name: str) -> Fitted:
    """A table of two kinds of rows and columns that are far apart, under their true partitions."""
    generator = np.random.default_rng(1)
    rows, columns, _ = kinds(40, 12, generator)
    level = np.array([[-1.0, 1.5], [1.5, -1.0]])[rows][:, columns]
    return MAKERS[name](level + 0.2 * generator.normal(size=level.shape), rows, columns, 1.0)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("n_shards", [1, 3])
def test_what_was_misplaced_or_set_aside_finds_its_cluster(name: str, n_shards: int) -> None:
    case = apart(name)
    rows, columns = case.rows.copy(), case.columns.copy()
    rows[:6], columns[:2] = 1 - rows[:6], 1 - columns[:2]
    rows[10:12], columns[5] = ASIDE, ASIDE
    found = refine(case.shards(n_shards), rows, columns, case.family)
    assert found.settled
    assert np.array_equal(found.rows, case.rows)
    assert np.array_equal(found.columns, case.columns)


@pytest.mark.parametrize("name", MAKERS)
def test_the_outcome_does_not_depend_on_the_shards(name: str) -> None:
    case = fitted(name, 60, 14, 5, 3)
    found = [refine(case.shards(number), case.rows, case.columns, case.family) for number in (1, 2, 5)]
    for other in found[1:]:
        assert np.array_equal(other.rows, found[0].rows)
        assert np.array_equal(other.columns, found[0].columns)
        assert other.sweeps == found[0].sweeps


@pytest.mark.parametrize("name", MAKERS)
def test_every_row_is_where_its_density_is_largest(name: str) -> None:
    """One more sweep, written out, moves no row of a settled level."""
    case = apart(name)
    found = refine(case.shards(1), case.rows, case.columns, case.family)
    assert found.settled
    settled = replace(case, rows=found.rows, columns=found.columns)
    coefficients = case.family.mean_coefficients(settled.blocks)
    items = case.family.bare_items(case.cells(slice(None)).by_group(slice(None), found.columns, 2))
    each = []
    for k in range(2):
        # All others out of sight.
        weights = np.where(np.arange(2) == k, 0.0, -np.inf)
        each.append(case.family.likeliest(items, Choices(coefficients, weights, np.ones(2))))
    assert [np.unique(labels).tolist() for labels in each] == [[0], [1]]
    best = case.family.likeliest(items, Choices(coefficients, logs(np.bincount(found.rows)), np.ones(2)))
    assert np.array_equal(best, found.rows)


def test_labels_that_were_given_stay_as_they_were() -> None:
    case = fitted("counts", 30, 10, 4, 3)
    rows, columns = case.rows.copy(), case.columns.copy()
    refine(case.shards(2), case.rows, case.columns, case.family)
    assert np.array_equal(rows, case.rows)
    assert np.array_equal(columns, case.columns)


def test_a_level_that_does_not_settle_says_so() -> None:
    case = fitted("counts", 60, 14, 5, 3)
    found = refine(case.shards(1), case.rows, case.columns, case.family, sweeps=1)
    assert not found.settled
    assert found.sweeps == 1
    assert not np.array_equal(found.rows, case.rows)
