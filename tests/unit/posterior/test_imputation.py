"""Missing and held-out cells against the model's marginals and against sampling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import multivariate_t

from disnplbm.errors import InputError
from disnplbm.families.gaussian import Gaussian
from disnplbm.model.joint import log_joint
from disnplbm.model.marginal import log_marginal
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Statistics, merge, summarise
from disnplbm.posterior import imputation
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.imputation import cell_log_density, impute, impute_cells
from disnplbm.posterior.predictive import log_density

from .draw_samples import draw_of, framed, meta_of, random_draws, table, user_prior


def density_twin(draws: Draws, rows: np.ndarray, columns: np.ndarray, cells: Floats) -> Floats:
    """Mean over draws of the ratio of the block's marginals with and without the cell, its cells counted r times."""
    meta = draws.meta
    logs = np.empty((len(draws), len(cells)))
    for s, draw in enumerate(draws):
        blocks = Statistics(
            meta.family.power * draw.blocks.count, draw.blocks.mean, meta.family.power * draw.blocks.scatter
        )
        for m, cell in enumerate(framed(cells, meta.numbers.frame)):
            block = blocks[draw.row_labels[rows[m]], draw.column_labels[columns[m]]]
            ratio = log_marginal(merge(block, summarise(cell[None])), meta.numbers.prior) - log_marginal(
                block, meta.numbers.prior
            )
            logs[s, m] = ratio + meta.numbers.frame.log_jacobian(1.0)
    return logsumexp(logs, axis=0) - np.log(len(draws))


@pytest.mark.parametrize("power", [1.0, 0.4])
@pytest.mark.parametrize("d", [1, 2, 9])
def test_densities_of_cells_equal_the_twin(d: int, power: float) -> None:
    values = table(14, 5, d, missing=0.3)
    draws = random_draws(values, meta_of(values, power), 4)
    rng = np.random.default_rng(8)
    rows, columns = rng.integers(0, 14, 30), rng.integers(0, 5, 30)
    cells = 30.0 + 20.0 * rng.normal(size=(30, d))
    cells[0] = 3e3
    got = cell_log_density(draws, rows, columns, cells)
    np.testing.assert_allclose(got, density_twin(draws, rows, columns, cells), rtol=1e-10, atol=1e-9)


def test_density_far_out_keeps_its_digits() -> None:
    """A density below the least double, of a cell at which determinants of Psi with it have lost theirs."""
    values = table(9, 4, 2)
    draws = random_draws(values, meta_of(values), 1)
    draw = draws[0]
    block = draw.blocks[draw.row_labels[0], draw.column_labels[0]]
    prior = draws.prior
    kappa, nu = prior.kappa0 + block.count, prior.nu0 + block.count
    shift = block.mean - prior.mu0
    psi = prior.psi0 + block.scatter + prior.kappa0 * block.count / kappa * np.outer(shift, shift)
    centre = prior.mu0 + block.count / kappa * shift
    shape = psi * (kappa + 1) / (kappa * (nu - 1))
    cell = np.array([1e100, -3e99])
    expected = multivariate_t(centre, shape, df=nu - 1).logpdf(draws.frame.enter(cell))
    got = cell_log_density(draws, [0], [0], cell[None])[0]
    assert got < -745
    assert got == pytest.approx(expected + draws.frame.log_jacobian(1.0), rel=1e-12)


def test_density_of_a_cell_is_a_ratio_of_joint_densities() -> None:
    values = table(6, 4, 2)
    values[2, 1] = np.nan
    draws = random_draws(values, meta_of(values), 1)
    filled = values.copy()
    filled[2, 1] = 27.0, 19.0
    draw = draws[0]
    joint = log_joint(filled, draw.row_labels, draw.column_labels, user_prior(2), alpha=draw.alpha, beta=draw.beta)
    assert cell_log_density(draws, [2], [1], filled[2, 1][None])[0] == pytest.approx(joint - draw.log_joint, abs=1e-9)


@pytest.mark.parametrize("power", [1.0, 0.4])
def test_moments_are_those_of_the_density(power: float) -> None:
    """By integration of the density of the cell over its value."""
    values = table(9, 4, 1)
    values[4, 2] = np.nan
    draws = random_draws(values, meta_of(values, power), 5)
    got = impute(draws, values)
    assert (got.row.tolist(), got.column.tolist(), got.component.tolist()) == ([4], [2], [0])

    def moment(order: int) -> float:
        def integrand(angle: float) -> float:
            x = 28.0 + 10.0 * np.tan(angle)
            density = np.exp(cell_log_density(draws, [4], [2], [[x]])[0])
            return float((x - 28.0) ** order * density * 10.0 / np.cos(angle) ** 2)

        edge = np.pi / 2 - 1e-7
        return quad(integrand, -edge, edge, epsabs=1e-10, limit=400)[0]

    assert moment(0) == pytest.approx(1.0, abs=1e-7)
    assert got.mean[0] == pytest.approx(28.0 + moment(1), abs=1e-5)
    assert got.sd[0] == pytest.approx(np.sqrt(moment(2) - moment(1) ** 2), rel=1e-4)


def test_a_cell_of_a_one_column_table_is_as_dense_as_a_row() -> None:
    """Of a table of one cluster, and with no new one allowed, a new row is as dense as a missing cell."""
    values = table(7, 1, 2)
    values[6] = np.nan
    meta = replace(meta_of(values), row_limit=1)
    draws = Draws.of([draw_of(values, meta, np.zeros(7, dtype=int), np.zeros(1, dtype=int))], meta)
    cell = np.array([[22.0, 31.0]])
    assert cell_log_density(draws, [6], [0], cell)[0] == pytest.approx(log_density(draws, cell[None])[0], abs=1e-10)


@pytest.mark.parametrize("d", [1, 3])
def test_every_cell_with_a_missing_component_is_imputed_as_a_whole(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = table(20, 6, d, missing=0.2)
    draws = random_draws(values, meta_of(values), 4)
    got = impute(draws, values)
    missing = np.argwhere(np.isnan(values).any(axis=-1))
    assert len(missing) > 10
    assert [0, 0] in missing.tolist()  # one component of it is there
    np.testing.assert_array_equal(np.stack([got.row, got.column], axis=1)[::d], missing)
    assert got.component.tolist() == list(range(d)) * len(missing)
    assert np.isfinite(got.mean).all()
    assert (got.sd > 0).all()
    assert list(got.records())[-1] == (*missing[-1].tolist(), d - 1, got.mean[-1], got.sd[-1])
    monkeypatch.setattr(imputation, "CELLS_AT_ONCE", 7)
    again = impute_cells(draws, missing[:, 0], missing[:, 1])
    np.testing.assert_array_equal(again.mean, got.mean)
    np.testing.assert_array_equal(again.sd, got.sd)
    assert list(again.records()) == list(got.records())


def test_disagreeing_draws_widen_the_sd() -> None:
    values = np.repeat([0.0, 100.0], 10)[:, None, None] + table(20, 3, 1)
    values[0, 0] = np.nan
    meta = meta_of(values)
    truth, other = np.repeat([0, 1], 10), np.repeat([0, 1], 10)
    other[0] = 1
    agreeing = Draws.of([draw_of(values, meta, truth, np.zeros(3, dtype=int))] * 2, meta)
    doubting = Draws.of([draw_of(values, meta, z, np.zeros(3, dtype=int)) for z in (truth, other)], meta)
    assert impute(agreeing, values).sd[0] < 15
    assert impute(doubting, values).sd[0] == pytest.approx(50.0, rel=0.2)
    assert impute(doubting, values).mean[0] == pytest.approx(79.0, abs=5)


def test_what_does_not_exist_is_nan() -> None:
    """Column 1 has a block of its own without any cell: with nu0 = d + 1 no variance, with nu0 = d no mean either."""
    values = table(6, 2, 1)
    values[:, 1] = np.nan
    for nu0, exists in ((2.5, (True, True)), (2.0, (True, False)), (1.0, (False, False))):
        meta = meta_of(values)
        prior = NIWPrior(np.zeros(1), 0.5, np.eye(1), nu0)
        meta = replace(meta, parts=(replace(meta.parts[0], family=Gaussian(prior, 1.0, meta.numbers.frame)),))
        draw = draw_of(values, meta, np.zeros(6, dtype=int), np.array([0, 1]))
        got = impute_cells(Draws.of([draw], meta), [0], [1])
        assert (bool(np.isfinite(got.mean[0])), bool(np.isfinite(got.sd[0]))) == exists
        filled = impute_cells(Draws.of([draw], meta), [0], [0])
        assert np.isfinite(filled.mean[0])
        assert np.isfinite(filled.sd[0])


def test_nothing_missing_is_an_empty_table() -> None:
    values = table(5, 3, 1)
    got = impute(random_draws(values, meta_of(values), 2), values)
    assert len(got) == 0
    assert list(got.records()) == []


def test_what_does_not_fit_is_refused() -> None:
    values = table(5, 3, 1)
    draws = random_draws(values, meta_of(values), 2)
    with pytest.raises(InputError, match=r"the table has shape \(4, 3, 1\); expected \(5, 3, 1\)"):
        impute(draws, values[:4])
    with pytest.raises(InputError, match="column 3 of a cell lies outside the fitted table of 3 columns"):
        impute_cells(draws, [0, 1], [2, 3])
    with pytest.raises(InputError, match="row -1 of a cell"):
        cell_log_density(draws, [-1], [0], [[1.0]])
    with pytest.raises(InputError, match="a cell to be scored is missing"):
        cell_log_density(draws, [0], [0], [[np.nan]])
    with pytest.raises(InputError, match=r"the cells have shape \(1, 2\)"):
        cell_log_density(draws, [0], [0], [[1.0, 2.0]])
    with pytest.raises(InputError, match=r"shapes \(2,\) and \(1,\)"):
        impute_cells(draws, [0, 1], [0])
    with pytest.raises(InputError, match="there are no draws"):
        impute(draws[:0], values)
