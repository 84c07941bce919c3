"""Responses with a covariate of rows, of columns and of cells, against the posterior enumerated in plain NumPy."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
import pytest

from disnplbm.families.base import Cells
from disnplbm.families.responses import Responses
from disnplbm.families.responses.cells import SparseResponses
from disnplbm.model.partition import log_crp
from disnplbm.model.regression import RegressionPrior, log_marginal
from disnplbm.model.statistics import Floats
from disnplbm.sampler.parameters import Parameters
from marks import long

from .goodness import judge
from .problems import ALPHA, BETA
from .tabled import Tabled

#: Nothing in it is a default.
PRIOR = RegressionPrior(
    np.array([0.3, -0.2, 0.1, 0.4]), np.diag([0.5, 0.8, 1.1, 0.6]) + 0.1 * np.ones((4, 4)), 1.8, 0.7
)

DRAWS = {"collapsed": (3000, 2), "split-merge": (1500, 8)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Table(Tabled):
    """Responses whose blocks are weighed by the regression in plain NumPy, and never by a kernel.

    Parameters
    ----------
    covariates : ndarray of shape (n, p, 4)
    responses : ndarray of shape (n, p)
        NaN where missing.
    shared : bool
        Whether all blocks have the same regression: a control.
    """

    covariates: Floats
    responses: Floats
    shared: bool = False

    @cached_property
    def posterior(self) -> Floats:
        n, seen, logs = len(self.values), ~np.isnan(self.responses), np.empty(len(self.pairs))
        for m, pair in enumerate(self.pairs):
            z, w = pair[:n], pair[n:]
            rows, columns = np.bincount(z), np.bincount(w)
            logs[m] = log_crp(rows, self.alpha) + log_crp(columns, self.beta)
            for k in range(0 if self.shared else len(rows)):
                for c in range(len(columns)):
                    here = seen & np.outer(z == k, w == c)
                    logs[m] += log_marginal(PRIOR, self.covariates[here], self.responses[here], self.power)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())


def table(shape: tuple[int, int], power: float, *, left_out: int | None = None) -> Table:
    """Two kinds of rows and of columns, whose slopes differ; one cell is missing."""
    (n, p), rng = shape, np.random.default_rng(9)
    of_rows, of_columns, of_cells = rng.normal(size=(n, 1)), rng.normal(size=(p, 1)), rng.normal(size=(n, p))
    slopes = np.array([0.2, 0.9, -0.6, 0.5])
    u = np.stack(np.broadcast_arrays(1.0, of_rows, of_columns.T, of_cells), axis=-1)
    signs = np.where(np.add.outer(np.arange(n), np.arange(p)) % 2, -1.0, 1.0)
    y = signs * (u @ slopes) + 0.7 * rng.normal(size=shape)
    y[1, 1] = np.nan
    if left_out is not None:
        of_each = [of_rows, of_columns, of_cells]
        of_each[left_out][...] = 0.0

    def cells(rows: slice) -> Cells:
        i, j = np.nonzero(~np.isnan(y[rows]))
        indptr = np.searchsorted(i, np.arange(len(y[rows]) + 1))
        stored = indptr, j.astype(np.int32), y[rows][i, j]
        return SparseResponses(*stored, of_rows[rows], of_columns, of_cells[rows][i, j][:, None])

    family = Responses(PRIOR, ("of row", "of column", "of cell"), power=power)
    whole = Tabled.of(shape, family, cells)
    given = {field.name: getattr(whole, field.name) for field in fields(whole)}
    return Table(**given | {"power": power}, covariates=u, responses=y)


#: Table, likelihood power, shards, sampler.
CASES = [
    ((3, 3), 1.0, 1, "collapsed"),
    long((3, 3), 0.5, 1, "collapsed"),
    long((3, 4), 1.0, 1, "collapsed"),
    long((3, 4), 0.5, 1, "collapsed"),
    long((3, 4), 1.0, 2, "split-merge"),
    long((3, 3), 1.0, 1, "split-merge"),
    long((3, 3), 0.5, 4, "split-merge"),
    long((3, 4), 0.5, 1, "split-merge"),
    long((3, 4), 1.0, 4, "split-merge"),
    long((3, 3), 0.5, 2, "split-merge"),
]


@pytest.mark.parametrize(("shape", "power", "n_shards", "sampler"), CASES)
def test_visits_agree_with_the_enumerated_posterior(
    shape: tuple[int, int], power: float, n_shards: int, sampler: str
) -> None:
    target = table(shape, power)
    parameters = Parameters(alpha=ALPHA, beta=BETA, power=power, n_shards=n_shards, sampler=sampler, seed=11)
    draws = target.sampled(parameters, *DRAWS[sampler])
    verdict = judge(draws, target)
    print(verdict)
    assert verdict.agrees, verdict
    assert not judge(draws, replace(target, alpha=BETA, beta=ALPHA)).agrees
    assert not judge(draws, replace(target, power=1.5 - power)).agrees
    assert not judge(draws, replace(target, shared=True)).agrees


@pytest.mark.long
@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_draws_without_a_covariate_are_refused(left_out: int) -> None:
    target = table((3, 3), 1.0)
    draws = table((3, 3), 1.0, left_out=left_out).sampled(Parameters(alpha=ALPHA, beta=BETA, seed=11), 3000, 2)
    assert not judge(draws, target).agrees
