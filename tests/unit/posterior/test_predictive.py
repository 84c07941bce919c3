"""Predictions against the model as it is written, and against ratios of joint densities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp

from disnplbm.errors import InputError
from disnplbm.kernels.partition_prior import PartitionPrior, log_partition
from disnplbm.model.joint import log_joint
from disnplbm.model.marginal import log_marginal
from disnplbm.model.partition import log_crp
from disnplbm.model.statistics import Floats, Statistics, cells_by_group, merge
from disnplbm.model.sweep import candidate_log_weights
from disnplbm.posterior import predictive
from disnplbm.posterior.draws import Draw, Draws, DrawsMeta
from disnplbm.posterior.predictive import log_density, predict_proba
from marks import long

from .draw_samples import draw_of, framed, meta_of, random_draws, table, user_prior

#: Components of a cell and shares of missing cells whose kernels are compiled in `make test`.
SHORT = [(1, 0.0), (1, 0.3), (2, 0.3), (9, 0.0)]

CASES = [
    (d, missing, power) if (d, missing) in SHORT else long(d, missing, power)
    for d in (1, 2, 3, 9)
    for missing in (0.0, 0.3)
    for power in (1.0, 0.4)
]


def weights_twin(sizes: Floats, alpha: float, limit: int | None) -> Floats:
    """Prior weights of the clusters and of a new one: Chinese restaurant process, or symmetric Dirichlet."""
    if limit is None:
        return np.append(sizes, alpha)
    return np.append(sizes + alpha, (limit - len(sizes)) * alpha)


def proba_twin(draws: Draws, consensus: np.ndarray, new: Floats) -> Floats:
    """:func:`predict_proba` for rows, as its docstring says it."""
    meta = draws.meta
    result = np.zeros((len(new), int(consensus.max()) + 2))
    for draw in draws:
        groups = draw.blocks.shape[1]
        items = cells_by_group(framed(new, meta.numbers.frame), draw.column_labels, groups)
        sizes = np.bincount(draw.row_labels).astype(float)
        prior_weights = weights_twin(sizes, draw.alpha, meta.row_limit)
        for i in range(len(new)):
            logs = candidate_log_weights(
                items[i], sizes, draw.blocks, meta.numbers.prior, draw.alpha, meta.family.power
            )
            with np.errstate(divide="ignore"):
                logs += np.log(prior_weights) - np.log(np.append(sizes, draw.alpha))
            weights = np.exp(logs - logsumexp(logs)) / len(draws)
            for k in range(len(sizes)):
                members = consensus[draw.row_labels == k]
                for c in range(result.shape[1] - 1):
                    result[i, c] += weights[k] * (members == c).mean()
            result[i, -1] += weights[-1]
    return result


def density_twin(draws: Draws, new: Floats) -> Floats:
    """:func:`log_density` for rows, as its docstring says it."""
    meta = draws.meta
    logs = np.zeros((len(draws), len(new)))
    for s, draw in enumerate(draws):
        groups = draw.blocks.shape[1]
        items = cells_by_group(framed(new, meta.numbers.frame), draw.column_labels, groups)
        sizes = np.bincount(draw.row_labels).astype(float)
        blocks = Statistics(
            meta.family.power * draw.blocks.count, draw.blocks.mean, meta.family.power * draw.blocks.scatter
        )
        weights = weights_twin(sizes, draw.alpha, meta.row_limit)
        for i in range(len(new)):
            gain = log_marginal(merge(blocks, items[i][None, :]), meta.numbers.prior) - log_marginal(
                blocks, meta.numbers.prior
            )
            each = np.append(gain.sum(axis=1), log_marginal(items[i], meta.numbers.prior).sum())
            cells = float(items[i].count.sum())
            logs[s, i] = logsumexp(each, b=weights / weights.sum()) + meta.numbers.frame.log_jacobian(cells)
    return logsumexp(logs, axis=0) - np.log(len(draws))


@pytest.mark.parametrize("limit", [None, 3, 5])
@pytest.mark.parametrize(("d", "missing", "power"), CASES)
def test_predictions_equal_the_twins(d: int, missing: float, power: float, limit: int | None) -> None:
    values = table(15, 6, d, missing, seed=d)
    draws = random_draws(values, meta_of(values, power, limit), 4)
    new = np.concatenate([table(7, 6, d, missing, seed=50), table(3, 6, d, 0.0, seed=51)])
    consensus = np.arange(15) % 4
    got = predict_proba(draws, consensus, new)
    np.testing.assert_allclose(got, proba_twin(draws, consensus, new), rtol=0, atol=1e-10)
    np.testing.assert_allclose(got.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    assert (got[:, -1] == 0).all() == (limit == 3)
    np.testing.assert_allclose(log_density(draws, new), density_twin(draws, new), rtol=0, atol=1e-8)


def joint_of(values: Floats, rows: np.ndarray, draw: Draw, d: int, power: float, limit: int | None) -> float:
    """log p(X, z, w) in the user's units, z under the Chinese restaurant process or the symmetric Dirichlet."""
    columns = draw.column_labels
    joint = log_joint(values, rows, columns, user_prior(d), alpha=draw.alpha, beta=draw.beta, power=power)
    sizes = np.bincount(rows)
    if limit is None:
        return joint
    return joint - log_crp(sizes, draw.alpha) + log_partition(sizes, PartitionPrior.of(draw.alpha, limit))


@pytest.mark.parametrize("limit", [None, 5])
@pytest.mark.parametrize(("d", "power"), [(1, 1.0), (1, 0.4), (2, 1.0)])
def test_predictions_are_ratios_of_joint_densities(d: int, power: float, limit: int | None) -> None:
    """Of one draw: the weights by Bayes' rule at any power; at power 1 also the density, partition and all."""
    values = table(8, 4, d, missing=0.1)
    values[0, 0] = 21.0
    new = table(3, 4, d, missing=0.2, seed=9)
    new[0, 0] = 24.0
    draws = random_draws(values, meta_of(values, power, limit), 1)
    draw = draws[0]
    clusters = draw.blocks.shape[0]
    got = predict_proba(draws, draw.row_labels, new)
    before = joint_of(values, draw.row_labels, draw, d, power, limit)
    for i, row in enumerate(new):
        both = np.concatenate([values, row[None]])
        labels = [np.append(draw.row_labels, k) for k in range(clusters + 1)]
        logs = np.array([joint_of(both, z, draw, d, power, limit) for z in labels])
        np.testing.assert_allclose(got[i], np.exp(logs - logsumexp(logs)), rtol=0, atol=1e-10)
        if power == 1.0:
            assert log_density(draws, new)[i] == pytest.approx(logsumexp(logs) - before, abs=1e-8)


@pytest.mark.parametrize("power", [1.0, 0.3])
def test_density_integrates_to_one(power: float) -> None:
    values = table(9, 1, 1)
    draws = random_draws(values, meta_of(values, power), 3, n_groups=1)

    def density(angle: float) -> float:
        x = 25.0 + 10.0 * np.tan(angle)
        return float(np.exp(log_density(draws, np.full((1, 1, 1), x))[0])) * 10.0 / np.cos(angle) ** 2

    total, _ = quad(density, -np.pi / 2 + 1e-9, np.pi / 2 - 1e-9, epsabs=1e-9, limit=200)
    assert total == pytest.approx(1.0, abs=1e-6)


def test_columns_are_rows_of_the_transposed_table() -> None:
    values = table(9, 12, 2, missing=0.2)
    turned = np.swapaxes(values, 0, 1)
    meta = replace(meta_of(values), column_limit=3)
    draws = random_draws(values, meta, 5, k=4, n_groups=4)
    mirrored = Draws.of(
        (
            replace(draw, alpha=draw.beta, betas=(draw.alpha,), parts=(draw.blocks.T,),
                    row_labels=draw.column_labels, column_labels=draw.row_labels)
            for draw in draws
        ),
        DrawsMeta.of_one(12, 9, meta.family, row_limit=3),
    )  # fmt: skip
    new = table(9, 5, 2, missing=0.2, seed=3)
    consensus = np.arange(12) % 3
    np.testing.assert_array_equal(
        predict_proba(draws, consensus, new, axis="columns"),
        predict_proba(mirrored, consensus, np.swapaxes(new, 0, 1)),
    )
    np.testing.assert_array_equal(
        log_density(draws, new, axis="columns"), log_density(mirrored, np.swapaxes(new, 0, 1))
    )
    assert predict_proba(mirrored, consensus, turned).shape == (12, 4)


def test_a_row_without_cells_has_the_prior_weights_and_density_one() -> None:
    values = table(10, 3, 2)
    meta = meta_of(values)
    draw = draw_of(values, meta, np.arange(10) % 3, np.zeros(3, dtype=int), iteration=2)  # sizes 4, 3, 3; alpha 1
    draws = Draws.of([draw], meta)
    new = np.full((1, 3, 2), np.nan)
    np.testing.assert_allclose(predict_proba(draws, draw.row_labels, new), np.array([[4, 3, 3, 1]]) / 11, atol=1e-12)
    assert log_density(draws, new)[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("d", [1, 2])
def test_no_bit_depends_on_company_threads_or_memory(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = table(15, 6, d, missing=0.1)
    draws = random_draws(values, meta_of(values), 8)
    new, consensus = table(40, 6, d, missing=0.05, seed=4), np.arange(15) % 4
    proba, density = predict_proba(draws, consensus, new), log_density(draws, new)
    alone = [predict_proba(draws, consensus, new[i : i + 1])[0] for i in range(40)]
    np.testing.assert_array_equal(proba, alone)
    monkeypatch.setattr(predictive, "CELLS_AT_ONCE", 20 * d)
    monkeypatch.setattr(predictive, "NUMBERS_AT_ONCE", 50)
    np.testing.assert_array_equal(proba, predict_proba(draws, consensus, new, threads=3))
    np.testing.assert_array_equal(density, log_density(draws, new, threads=3))


def test_what_does_not_fit_is_refused() -> None:
    values = table(10, 3, 2)
    draws = random_draws(values, meta_of(values), 2)
    with pytest.raises(InputError, match=r"new rows have shape \(4, 2, 2\); expected \(m, 3, 2\)"):
        predict_proba(draws, np.zeros(10, dtype=int), np.zeros((4, 2, 2)))
    with pytest.raises(InputError, match=r"new columns have shape \(9, 2, 2\); expected \(10, m, 2\)"):
        log_density(draws, np.zeros((9, 2, 2)), axis="columns")
    with pytest.raises(InputError, match=r"consensus labels have shape \(9,\); expected \(10,\)"):
        predict_proba(draws, np.zeros(9, dtype=int), values)
    with pytest.raises(InputError, match="there are no draws"):
        log_density(draws[:0], values)
