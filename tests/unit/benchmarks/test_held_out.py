"""Held-out cells: nothing that is fitted sees them, and they are scored and compared as is said."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studies.data import DataSet
from benchmarks.studies.masks import mask, masked_again
from benchmarks.studies.rivals import partition_density
from benchmarks.studies.sensitivity import simplest_of_the_best

from disnplbm.model.marginal import log_marginal
from disnplbm.model.prior import default_prior
from disnplbm.model.statistics import summarise


def positive(dimension: int, transform: str) -> DataSet:
    shape = (30, 8) if dimension == 1 else (30, 8, dimension)
    values = np.random.default_rng(0).lognormal(size=shape)
    return DataSet("positive", values, np.zeros(30, dtype=np.int64), None, transform)


@pytest.mark.parametrize(("dimension", "transform"), [(1, "standardize"), (1, "boxcox"), (5, "components")])
def test_held_out_cells_change_nothing_that_is_fitted(dimension: int, transform: str) -> None:
    data = positive(dimension, transform)
    split = mask(data, seed=1)
    changed = data.values.copy()
    changed[split.rows, split.columns] *= 100.0
    other = mask(DataSet("changed", changed, data.rows, None, transform), seed=1)
    np.testing.assert_array_equal(split.train, other.train)
    assert (split.cells != other.cells).any()
    assert np.isnan(split.train).any(axis=-1).sum() == len(split.cells) == 24


def test_cells_hidden_again_are_others() -> None:
    split = mask(positive(1, "standardize"), seed=1)
    inner = masked_again(split.train, seed=1)
    assert not np.isnan(inner.cells).any()
    assert np.isnan(inner.train).any(axis=-1).sum() == len(split.cells) + len(inner.cells)


def test_a_held_out_cell_is_scored_by_its_block() -> None:
    split = mask(positive(1, "standardize"), seed=2)
    rows, columns = (np.arange(30) % 3).astype(np.int32), (np.arange(8) % 2).astype(np.int32)
    found = partition_density(split, rows, columns)
    everything = summarise(split.train.reshape(-1, 1))
    prior = default_prior(everything.mean, everything.scatter / everything.count)
    for i, j, cell, density in zip(split.rows, split.columns, split.cells, found, strict=True):
        block = split.train[rows == rows[i]][:, columns == columns[j]].reshape(-1, 1)
        more, less = (log_marginal(summarise(cells), prior) for cells in (np.vstack([block, cell]), block))
        assert density == pytest.approx(float(more - less), abs=1e-9)


def test_the_simplest_is_taken_only_where_the_best_is_no_better_beyond_its_error() -> None:
    best = np.array([1.0, 2.0, 3.0])
    near, far = best - [0.3, -0.1, 0.1], best - [0.5, 0.6, 0.7]
    blocks = np.array([50.0, 20.0, 5.0])
    assert simplest_of_the_best(blocks, np.array([best, near, far])) == 1
    assert simplest_of_the_best(blocks, np.array([best, far, far])) == 0
