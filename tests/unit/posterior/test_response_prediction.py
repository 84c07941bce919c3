"""Predicted responses: against Student's t of SciPy, and against the regression in plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import t as student

from disnplbm.families.exponential.sums import Sums
from disnplbm.families.responses import Responses, Units
from disnplbm.families.responses.cells import SparseResponses
from disnplbm.model.regression import RegressionPrior, log_marginal, regress
from disnplbm.model.statistics import Floats
from disnplbm.posterior.draws import Draw, Draws, DrawsMeta
from disnplbm.posterior.response_prediction import Asked, predict_responses, weigh_new

N, P, ALPHA = 12, 6, 1.7
PRIOR = RegressionPrior.standard(3)
UNITS = Units(np.array([0.0, 0.0, 40.0]), np.array([1.0, 1.0, 5.0]))
ROWS, COLUMNS = (np.arange(N) % 2).astype(np.int32), (np.arange(P) % 2).astype(np.int32)


def a_table() -> tuple[Floats, Floats]:
    """Covariates u, shape (n, p, 3), and responses in the working units."""
    rng = np.random.default_rng(3)
    u = np.stack(np.broadcast_arrays(1.0, rng.normal(size=(N, 1)), rng.normal(size=(1, P))), axis=-1)
    slopes = np.array([[[0.5, 1.0, -1.0], [-0.5, 0.3, 1.0]], [[1.0, -1.0, 0.4], [-1.0, -0.5, -0.8]]])
    return np.array(u), (u * slopes[ROWS][:, COLUMNS]).sum(axis=-1) + 0.4 * rng.normal(size=(N, P))


def of_block(z: Floats, k: int, c: int) -> tuple[Floats, Floats]:
    u, y = a_table()
    here = np.outer(z == k, c == COLUMNS)
    return u[here], y[here]


def draws(*partitions: Floats) -> Draws:
    kept = []
    for s, z in enumerate(partitions):
        blocks = np.empty((2, 2, 10))
        for k, c in np.ndindex(2, 2):
            u, y = of_block(z, k, c)
            v = np.column_stack([u, y])
            blocks[k, c] = (v.T @ v)[np.tril_indices(4)]
        kept.append(Draw.of_one(0, s + 1, 0.0, ALPHA, 0.8, z.astype(np.int32), COLUMNS, Sums(blocks)))
    facts = {"names": ["x", "y"]}
    meta = DrawsMeta.of_one(N, P, Responses(PRIOR, ("x", "y"), UNITS), "[]", cells="responses", facts=facts)
    return Draws.of(kept, meta)


def no_items(length: int) -> SparseResponses:
    nothing = np.empty(0)
    indptr, indices = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)
    return SparseResponses(indptr, indices, nothing, np.empty((0, 1)), np.zeros((length, 1)), np.empty((0, 0)))


def test_a_known_cell_under_one_draw_is_one_students_t() -> None:
    u = np.array([[1.0, 0.3, -0.8]])
    asked = Asked(np.array([3]), np.array([2]), u)
    found = predict_responses(draws(ROWS), asked, no_items(P), no_items(N))
    posterior = regress(PRIOR, *of_block(ROWS, 1, 0))
    spread = np.sqrt(posterior.scale / posterior.shape * (1.0 + u[0] @ np.linalg.solve(posterior.precision, u[0])))
    expected = student(2.0 * posterior.shape, 40.0 + 5.0 * (u[0] @ posterior.mean), 5.0 * spread)
    assert found.mean[0] == pytest.approx(expected.mean(), rel=1e-9)
    assert found.sd[0] == pytest.approx(expected.std(), rel=1e-9)
    assert (found.low[0], found.high[0]) == pytest.approx(expected.ppf([0.025, 0.975]), rel=1e-8)


def test_over_draws_the_interval_holds_its_share_of_the_mixture() -> None:
    other = np.roll(ROWS, 1)
    u = np.array([[1.0, 0.3, -0.8]])
    found = predict_responses(draws(ROWS, other), Asked(np.array([3]), np.array([2]), u), no_items(P), no_items(N))
    parts = []
    for z in (ROWS, other):
        posterior = regress(PRIOR, *of_block(z, int(z[3]), 0))
        spread = np.sqrt(posterior.scale / posterior.shape * (1.0 + u[0] @ np.linalg.solve(posterior.precision, u[0])))
        parts.append(student(2.0 * posterior.shape, 40.0 + 5.0 * (u[0] @ posterior.mean), 5.0 * spread))
    below, above = (np.mean([part.cdf(end[0]) for part in parts]) for end in (found.low, found.high))
    assert (below, above) == pytest.approx((0.025, 0.975), abs=1e-7)
    assert found.mean[0] == pytest.approx(np.mean([part.mean() for part in parts]), rel=1e-9)
    second = np.mean([part.var() + part.mean() ** 2 for part in parts])
    assert found.sd[0] ** 2 == pytest.approx(second - found.mean[0] ** 2, rel=1e-6)


def a_new_row(number: int) -> tuple[SparseResponses, Floats, Floats]:
    """One with some responses, of slopes like those of cluster 1."""
    u, _ = a_table()
    of_new = np.stack(np.broadcast_arrays(1.0, 0.6, u[0, :, 2]), axis=-1)
    slopes = np.array([[1.0, -1.0, 0.4], [-1.0, -0.5, -0.8]])[COLUMNS]
    y = (of_new * slopes).sum(axis=-1) + 0.2
    stored = np.array([0, number]), np.arange(number, dtype=np.int32), y[:number]
    cells = SparseResponses(*stored, np.array([[0.6]]), u[0, :, 2:], np.empty((number, 0)))
    return cells, of_new, y


@pytest.mark.parametrize("number", [0, 1, 4])
def test_a_new_row_weighs_clusters_by_its_seen_responses(number: int) -> None:
    cells, u, y = a_new_row(number)
    some = draws(ROWS)
    found = weigh_new(some[0], some, "rows", cells)
    seen, expected = np.arange(P) < number, np.empty(3)
    for k in range(2):
        expected[k] = np.log(6.0)
        for c in range(2):
            here = seen & (c == COLUMNS)
            block_u, block_y = of_block(ROWS, k, c)
            both = np.concatenate([block_u, u[here]]), np.concatenate([block_y, y[here]])
            expected[k] += log_marginal(PRIOR, *both) - log_marginal(PRIOR, block_u, block_y)
    alone = [log_marginal(PRIOR, u[seen & (c == COLUMNS)], y[seen & (c == COLUMNS)]) for c in range(2)]
    expected[2] = np.log(ALPHA) + sum(alone)
    np.testing.assert_allclose(np.log(found.weights[0]), expected - logsumexp(expected), rtol=1e-7)
    assert found.log_densities[0] == pytest.approx(logsumexp(expected) - np.log(N + ALPHA), abs=1e-7)


def test_a_new_row_is_predicted_by_the_clusters_that_it_may_be_in() -> None:
    cells, u, _ = a_new_row(1)
    some = draws(ROWS)
    found = predict_responses(some, Asked(np.array([N]), np.array([5]), u[5:6]), cells, no_items(N))
    weights = weigh_new(some[0], some, "rows", cells).weights[0]
    posteriors = [regress(PRIOR, *of_block(ROWS, k, 1)) for k in range(2)] + [regress(PRIOR, np.empty((0, 3)), [])]

    def density(y: float) -> float:
        total = 0.0
        for weight, part in zip(weights, posteriors, strict=True):
            spread = np.sqrt(part.scale / part.shape * (1.0 + u[5] @ np.linalg.solve(part.precision, u[5])))
            total += weight * student.pdf((y - 40.0) / 5.0, 2.0 * part.shape, u[5] @ part.mean, spread) / 5.0
        return float(total)

    inside, _ = quad(density, found.low[0], found.high[0], limit=200)
    assert inside == pytest.approx(0.95, abs=1e-5)
