"""Counts and categories: the samplers visit every pair of partitions as often as the enumerated posterior says.

``pytest -rP`` shows what was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import gammaln
from scipy.stats import nbinom

from disnplbm.families.base import Cells
from disnplbm.families.categories import Categories
from disnplbm.families.categories.cells import MISSING, SparseCodes
from disnplbm.families.cell_type import Factors
from disnplbm.families.counts import Counts
from disnplbm.families.counts.cells import SparseCounts
from disnplbm.families.counts.table import CELL_TYPE
from disnplbm.model.statistics import Floats
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.split_merge import columns, splits
from disnplbm.sampler.split_merge.acceptance import FAIR, log_selection
from marks import long

from .goodness import judge
from .problems import ALPHA, BETA
from .tabled import Tabled


def drawn_counts(shape: tuple[int, int], missing: bool) -> Floats:
    """Counts of two kinds of rows and of columns, as far apart as leaves the posterior wide."""
    n, p = shape
    mean = 2.0 * np.exp(0.5 * np.cos(np.pi * np.arange(n))[:, None] * np.cos(np.pi * np.arange(p)))
    values = np.random.default_rng(5).poisson(mean).astype(np.float64)
    if missing:
        values[1, 1] = np.nan
    return values


def sparse_cells(values: Floats, row_factors: Floats, column_factors: Floats) -> Callable[[slice], Cells]:
    def cells(rows: slice) -> Cells:
        stored = csr_array(values[rows])
        parts = stored.indptr.astype(np.int64), stored.indices.astype(np.int32), stored.data
        complete = not np.isnan(values).any()
        return SparseCounts(*parts, row_factors[rows], column_factors, complete=complete)

    return cells


def counts(shape: tuple[int, int], missing: bool, power: float, *, margins: bool = True) -> Tabled:
    values = drawn_counts(shape, missing)
    rows, columns = np.nansum(values, axis=1), np.nansum(values, axis=0)
    factors = (rows, columns / rows.sum()) if margins else (np.ones(len(rows)), np.ones(len(columns)))
    prior = (1.5, 0.7) if margins else (1.5, 0.4)
    return Tabled.of(shape, Counts(*prior, power), sparse_cells(values, *factors))


def given(shape: tuple[int, int], missing: bool, power: float) -> Tabled:
    """Counts beside factors of rows and columns, under the prior that such a table gets."""
    values, parts = drawn_counts(shape, missing), np.random.default_rng(3)
    factors = Factors(parts.uniform(0.5, 2.0, shape[0]), parts.uniform(0.5, 2.0, shape[1]))
    facts, _ = CELL_TYPE.describe([csr_array(values)], factors)
    observed = ~np.isnan(values)
    assert np.isclose(facts["mean"], np.nansum(values) / np.outer(*factors)[observed].sum())
    return Tabled.of(shape, cast(Counts, CELL_TYPE.family(facts, power)), sparse_cells(values, *factors))


def categories(shape: tuple[int, int], missing: bool, power: float, *, number: int) -> Tabled:
    codes = np.minimum(np.nan_to_num(drawn_counts(shape, missing=False)), number - 1).astype(np.uint8)
    if missing:
        codes[1, 1] = MISSING

    def cells(rows: slice) -> Cells:
        return SparseCodes.of(codes[rows], number, base=1, complete=not missing)

    return Tabled.of(shape, Categories(np.linspace(0.6, 1.4, number), power), cells)


MAKERS: dict[str, Callable[[tuple[int, int], bool, float], Tabled]] = {
    "counts": counts,
    "counts without exposure": partial(counts, margins=False),
    "counts beside factors": given,
    "yes and no": partial(categories, number=2),
    "three categories": partial(categories, number=3),
}

#: Draws, and iterations between two of them.
DRAWS = {"collapsed": (3000, 2), "split-merge": (1500, 8)}

#: Family, table, a missing cell, likelihood power, shards, sampler.
CASES = [
    ("counts", (3, 4), True, 1.0, 1, "collapsed"),
    ("counts", (3, 4), True, 0.5, 2, "split-merge"),
    long("counts", (3, 3), False, 1.0, 1, "split-merge"),
    long("counts", (6, 3), True, 1.0, 4, "split-merge"),
    long("counts without exposure", (3, 4), False, 0.5, 1, "collapsed"),
    long("counts without exposure", (6, 3), True, 1.0, 2, "split-merge"),
    long("counts beside factors", (3, 3), False, 1.0, 1, "collapsed"),
    long("counts beside factors", (3, 3), True, 0.5, 1, "collapsed"),
    long("counts beside factors", (3, 3), False, 1.0, 2, "split-merge"),
    long("counts beside factors", (3, 3), True, 0.5, 2, "split-merge"),
    long("yes and no", (3, 4), True, 0.5, 1, "collapsed"),
    long("yes and no", (6, 3), True, 1.0, 4, "split-merge"),
    long("three categories", (3, 4), False, 1.0, 1, "collapsed"),
    long("three categories", (3, 4), True, 1.0, 2, "split-merge"),
    ("three categories", (3, 3), True, 1.0, 1, "collapsed"),
    long("three categories", (6, 3), False, 0.5, 4, "split-merge"),
]


@pytest.mark.parametrize(("family", "shape", "missing", "power", "n_shards", "sampler"), CASES)
def test_visits_agree_with_the_enumerated_posterior(
    family: str, shape: tuple[int, int], missing: bool, power: float, n_shards: int, sampler: str
) -> None:
    target = MAKERS[family](shape, missing, power)
    parameters = Parameters(alpha=ALPHA, beta=BETA, power=power, n_shards=n_shards, sampler=sampler, seed=11)
    draws = target.sampled(parameters, *DRAWS[sampler])
    verdict = judge(draws, target)
    print(verdict)
    assert verdict.agrees, verdict
    assert not judge(draws, replace(target, alpha=BETA, beta=ALPHA)).agrees


@pytest.mark.long
@pytest.mark.parametrize("n_shards", [1, 2])
def test_coins_that_favour_guided_splits_leave_the_posterior_unchanged(
    n_shards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An approach without end; without its correction the same draws are refused."""
    target = counts((6, 3), False, 1.0)
    given = Parameters(alpha=ALPHA, beta=BETA, sampler="split-merge", approach=10**6, n_shards=n_shards, seed=11)
    verdict = judge(target.sampled(given, *DRAWS["split-merge"]), target)
    print(verdict)
    assert verdict.agrees, verdict
    for module in (splits, columns):
        monkeypatch.setattr(module, "log_selection", lambda *sizes: log_selection(*sizes[:-1], FAIR))
    verdict = judge(target.sampled(given, *DRAWS["split-merge"]), target)
    print(verdict)
    assert not verdict.agrees


@pytest.mark.long
def test_another_exposure_is_another_posterior() -> None:
    target = counts((3, 4), False, 1.0)
    draws = target.sampled(Parameters(alpha=ALPHA, beta=BETA, seed=11), 3000, 2)
    assert judge(draws, target).agrees
    assert not judge(draws, counts((3, 4), False, 1.0, margins=False)).agrees


def test_the_log_marginal_of_counts_is_the_one_of_their_density() -> None:
    """Cell after cell, the predictive of counts is negative binomial."""
    cells, exposure, shape, rate = np.array([0, 3, 1, 7]), np.array([0.5, 1.0, 2.0, 1.5]), 1.5, 0.7
    total = of_exposure = expected = 0.0
    for x, e in zip(cells, exposure, strict=True):
        expected += nbinom.logpmf(x, shape + total, (rate + of_exposure) / (rate + of_exposure + e))
        total, of_exposure = total + x, of_exposure + e
    constant = (cells * np.log(exposure) - gammaln(cells + 1.0)).sum()
    family = Counts(shape, rate)
    sums = family.empty(())
    sums.values[...] = total, of_exposure
    assert family.log_marginals(sums) == pytest.approx(expected - constant, abs=1e-10)


def test_the_log_marginal_of_categories_is_the_product_of_their_predictives() -> None:
    weights, cells = np.array([0.6, 1.0, 1.4]), [2, 0, 2, 2, 1]
    seen, expected = np.zeros(3), 0.0
    for c in cells:
        expected += np.log((weights[c] + seen[c]) / (weights.sum() + seen.sum()))
        seen[c] += 1
    family = Categories(weights)
    sums = family.empty((1,))
    sums.values[0] = seen
    assert family.log_marginals(sums)[0] == pytest.approx(expected, abs=1e-10)
