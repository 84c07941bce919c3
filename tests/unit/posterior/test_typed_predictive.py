"""New rows of counts, 0/1 and categories against ratios of joint densities that are written out here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_matrix, csr_array
from scipy.special import gammaln, logsumexp
from scipy.stats import nbinom

from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats
from disnplbm.posterior import typed_predictive
from disnplbm.posterior.draws import Draw, Draws
from disnplbm.posterior.predictive import log_density, predict_proba
from disnplbm.posterior.typed_predictive import judge, read_new

from .typed_samples import KINDS, PARTITIONS, draws_of, exposures_of, meta_of, sums_of, table

NEW = {
    "counts": np.array([[0.0, 3.0, 1.0, 9.0], [np.nan, 7.0, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0]]),
    "binary": np.array([[0.0, 1.0, 1.0, 0.0], [np.nan, 1.0, np.nan, 1.0], [0.0, 0.0, 0.0, 0.0]]),
    "categorical": np.array([[0.0, 2.0, 5.0, 0.0], [np.nan, 5.0, 5.0, 2.0], [2.0, 2.0, 2.0, 2.0]]),
}


def log_marginal(cells: str, sums: Floats, facts: dict[str, Any], power: float) -> float:
    """Log marginal of a set of cells of these sums, its likelihood raised to a power, without constants of the data."""
    if cells == "counts":
        a, b = 1.0, 1.0 if facts["exposure"] == "margins" else 1.0 / facts["mean"]
        total, exposure = power * sums
        return float(a * np.log(b) - gammaln(a) + gammaln(a + total) - (a + total) * np.log(b + exposure))
    weights = np.array(facts["shares"]) * (2.0 if cells == "binary" else 1.0)
    counted = weights + power * sums
    return float(
        gammaln(weights.sum()) - gammaln(counted.sum()) + (gammaln(counted) - gammaln(weights)).sum()
    )  # fmt: skip


def log_cells(cells: str, block: Floats, values: Floats, exposures: Floats, facts: dict[str, Any]) -> float:
    """Log probability of cells given a block's sums, one after another: negative binomials, or Polya's urn."""
    block, result = block.copy(), 0.0
    for value, exposure in zip(values, exposures, strict=True):
        if np.isnan(value):
            continue
        if cells == "counts":
            b = 1.0 if facts["exposure"] == "margins" else 1.0 / facts["mean"]
            if exposure > 0.0:
                result += nbinom.logpmf(value, 1.0 + block[0], (b + block[1]) / (b + block[1] + exposure))
            block += value, exposure
        else:
            weights = np.array(facts["shares"]) * (2.0 if cells == "binary" else 1.0) + block
            at = facts["levels"].index(value)
            result += np.log(weights[at] / weights.sum())
            block[at] += 1.0
    return float(result)


def judged_twin(
    draws: Draws, consensus: np.ndarray, new: Floats, exposures: Floats, power: float
) -> tuple[Floats, Floats]:
    """Memberships and log density of new rows, as the module's docstring says them."""
    cells, facts, limit = draws.meta.cells, draws.meta.facts, draws.meta.row_limit
    proba, density = np.zeros((len(new), consensus.max() + 2)), np.zeros(len(new))
    sums = sums_of(cells, new, facts, exposures)
    for i, row in enumerate(new):
        memberships, tempered, plain = [], [], []
        for draw in draws:
            sizes, groups = np.bincount(draw.row_labels), draw.blocks.shape[1]
            prior = np.append(sizes, draw.alpha)
            if limit is not None:
                prior = np.append(sizes + draw.alpha, (limit - len(sizes)) * draw.alpha)
            blocks = np.concatenate([draw.blocks.values, np.zeros((1, *draw.blocks.values.shape[1:]))])
            logs, at_one = np.zeros(len(blocks)), np.zeros(len(blocks))
            for k in range(len(blocks)):
                for g in range(groups):
                    here = draw.column_labels == g
                    item = sums[i, here].sum(axis=0)
                    logs[k] += log_marginal(cells, blocks[k, g] + item, facts, power)
                    logs[k] -= log_marginal(cells, blocks[k, g], facts, power)
                    at_one[k] += log_cells(cells, power * blocks[k, g], row[here], exposures[i, here], facts)
            tempered.append(logsumexp(logs, b=prior / prior.sum()))
            plain.append(logsumexp(at_one, b=prior / prior.sum()))
            with np.errstate(divide="ignore"):
                weights = np.exp(logs + np.log(prior) - logsumexp(logs, b=prior))
            shares = [[(consensus[draw.row_labels == k] == c).mean() for c in range(consensus.max() + 1)]
                      for k in range(len(sizes))]  # fmt: skip
            memberships.append(np.append(weights[:-1] @ np.array(shares), weights[-1]))
        by_draw = np.exp(np.array(tempered) - logsumexp(tempered))
        proba[i], density[i] = by_draw @ np.array(memberships), logsumexp(plain) - np.log(len(draws))
    return proba, density


@pytest.mark.parametrize("limit", [None, 3, 5])
@pytest.mark.parametrize("power", [1.0, 0.5])
@pytest.mark.parametrize(("cells", "exposure"), KINDS)
def test_predictions_equal_the_twins(cells: str, exposure: str, power: float, limit: int | None) -> None:
    values, new = table(cells, missing=0.1), NEW[cells]
    meta = meta_of(cells, values, exposure, power, limit)
    draws = draws_of(values, meta, exposure, PARTITIONS)
    exposures, consensus = exposures_of(values, new, exposure), np.array([0, 1, 1])
    found = judge(draws, consensus, read_new(draws, new))
    proba, density = judged_twin(draws, consensus, new, exposures, power)
    np.testing.assert_allclose(found.proba, proba, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.log_density, density, rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(predict_proba(draws, consensus, new), found.proba)
    np.testing.assert_array_equal(log_density(draws, new), found.log_density)


@pytest.mark.parametrize(("cells", "exposure"), KINDS)
def test_columns_are_rows_of_the_transposed_table(cells: str, exposure: str) -> None:
    values = table(cells, missing=0.1)
    turned = values.T.copy()
    draws = draws_of(values, meta_of(cells, values, exposure), exposure, PARTITIONS)
    mirrored = draws_of(turned, meta_of(cells, turned, exposure), exposure, [(w, z) for z, w in PARTITIONS])
    swapped = Draws.of(
        (replace(ours, alpha=theirs.beta, betas=(theirs.alpha,)) for ours, theirs in zip(mirrored, draws, strict=True)),
        mirrored.meta,
    )
    new, consensus = NEW[cells][:, :3].T.copy(), np.array([0, 1, 1, 0])
    np.testing.assert_allclose(
        predict_proba(draws, consensus, new, axis="columns"), predict_proba(swapped, consensus, new.T), atol=1e-12
    )
    np.testing.assert_allclose(log_density(draws, new, axis="columns"), log_density(swapped, new.T), atol=1e-11)


@pytest.mark.parametrize("power", [1.0, 0.4])
@pytest.mark.parametrize("cells", ["binary", "categorical"])
def test_probabilities_of_all_rows_add_up_to_one(cells: str, power: float) -> None:
    values = table(cells)
    draws = draws_of(values, meta_of(cells, values, power=power), "none", PARTITIONS)
    levels = draws.meta.facts["levels"]
    every = np.array(np.meshgrid(*[levels] * 4)).reshape(4, -1).T
    assert np.exp(log_density(draws, every)).sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("power", [1.0, 0.4])
def test_probabilities_of_all_counts_add_up_to_one(power: float) -> None:
    """Of a table of one column, where each count is expected to be like the others."""
    values = table("counts", p=1)
    draws = draws_of(values, meta_of("counts", values, power=power), "none", [(z, [0]) for z, _ in PARTITIONS])
    assert np.exp(log_density(draws, np.arange(3000.0)[:, None])).sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(("cells", "exposure"), KINDS)
def test_no_bit_depends_on_form_company_threads_or_memory(
    cells: str, exposure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values, new = table(cells, 12, 9), table(cells, 40, 9, seed=4, missing=0.05)
    rng = np.random.default_rng(2)
    partitions = [(rng.integers(0, 4, 12), rng.integers(0, 3, 9)) for _ in range(6)]
    draws = draws_of(values, meta_of(cells, values, exposure, 0.7), exposure, partitions)
    consensus = np.arange(12) % 3
    dense = judge(draws, consensus, read_new(draws, new))
    rows, columns = np.nonzero(new)
    mixed = rng.permutation(len(rows))
    unsorted = coo_matrix((new[rows, columns][mixed], (rows[mixed], columns[mixed])), new.shape).tocsr()
    for sparse in (csr_array(new), unsorted, csr_array(new).tocsc()):
        np.testing.assert_array_equal(judge(draws, consensus, read_new(draws, sparse)).proba, dense.proba)
        np.testing.assert_array_equal(log_density(draws, sparse), dense.log_density)
    alone = [judge(draws, consensus, read_new(draws, new[i : i + 1])) for i in range(40)]
    np.testing.assert_array_equal(np.concatenate([one.proba for one in alone]), dense.proba)
    np.testing.assert_array_equal(np.concatenate([one.log_density for one in alone]), dense.log_density)
    monkeypatch.setattr(typed_predictive, "SUMS_AT_ONCE", 20)
    again = judge(draws, consensus, read_new(draws, new), threads=3)
    np.testing.assert_array_equal(again.proba, dense.proba)
    np.testing.assert_array_equal(again.log_density, dense.log_density)


@pytest.mark.parametrize(("cells", "exposure"), KINDS)
def test_a_row_without_cells_has_the_prior_weights_and_density_one(cells: str, exposure: str) -> None:
    values = table(cells)
    draws = draws_of(values, meta_of(cells, values, exposure), exposure, PARTITIONS[:1])
    found = judge(draws, draws[0].row_labels, read_new(draws, np.full((1, 4), np.nan)))
    np.testing.assert_allclose(found.proba, np.array([[2.0, 1.0, 0.6]]) / 3.6, atol=1e-14)
    assert found.log_density[0] == pytest.approx(0.0, abs=1e-14)


def test_a_draw_counts_as_much_as_the_row_is_dense_under_it() -> None:
    """Of two draws, the one whose columns go together as in the new row decides."""
    values = np.array([[9.0, 9.0, 0.0, 0.0], [0.0, 0.0, 9.0, 9.0], [9.0, 9.0, 0.0, 0.0]])
    draws = draws_of(
        values, meta_of("counts", values), "none", [([0, 1, 0], [0, 0, 1, 1]), ([0, 0, 1], [0, 1, 0, 1])], first=1.0
    )
    by_each = [log_density(draws[i : i + 1], values[:1])[0] for i in range(2)]
    proba = [predict_proba(draws[i : i + 1], np.array([0, 1, 0]), values[:1])[0] for i in range(2)]
    weights = np.exp(by_each - logsumexp(by_each))
    assert weights[0] > 0.999
    np.testing.assert_allclose(predict_proba(draws, np.array([0, 1, 0]), values[:1])[0], weights @ proba, atol=1e-12)


def test_counts_where_nothing_was_fitted_are_left_out() -> None:
    values = np.array([[3.0, 0.0, 1.0, 5.0], [1.0, 0.0, 4.0, 0.0], [2.0, 0.0, 2.0, 2.0]])
    draws = draws_of(values, meta_of("counts", values, "margins"), "margins", PARTITIONS)
    new = np.array([[2.0, 7.0, 0.0, 1.0], [2.0, np.nan, 0.0, 1.0], [2.0, 0.0, 0.0, 1.0]])
    found = read_new(draws, new)
    assert found.ignored == 1
    judged = judge(draws, np.array([0, 1, 1]), found)
    for row in (1, 2):
        np.testing.assert_array_equal(judged.proba[0], judged.proba[row])
        assert judged.log_density[0] == judged.log_density[row]
    assert np.isfinite(judged.log_density).all()


@pytest.mark.parametrize(
    ("cells", "row", "said"),
    [
        ("counts", [1.0, 2.0, -1.0, 0.0], r"row 12, column c: -1 is not one of the counts, which are whole numbers"),
        ("counts", [1.0, 2.5, 1.0, 0.0], r"row 12, column b: 2.5 is not one of the counts"),
        ("binary", [1.0, 0.0, 1.0, 2.0], r"row 12, column d: 2 is not one of the 0/1 cells, which are 0 or 1; correct"),
        ("categorical", [2.0, 0.0, 7.0, 2.0], r"row 12, column c: 7 is not one of the categories, which are 0, 2 or 5"),
    ],
)
def test_cells_that_cannot_be_are_named(cells: str, row: list[float], said: str) -> None:
    values = table(cells)
    draws = draws_of(values, replace(meta_of(cells, values), column_names=tuple("abcd")), "none", PARTITIONS)
    with pytest.raises(InputError, match=said):
        read_new(draws, np.array([NEW[cells][0], row]), first=10)


def test_a_zero_that_is_no_category_is_named_though_it_is_not_stored() -> None:
    values = np.array([[1.0, 2.0, 3.0, 1.0], [3.0, 2.0, 1.0, 1.0], [3.0, 3.0, 3.0, 2.0]])
    draws = draws_of(values, meta_of("categorical", values), "none", PARTITIONS)
    assert np.isfinite(log_density(draws, values)).all()
    with pytest.raises(InputError, match="row 2, column 2: 0 is not one of the categories, which are 1, 2 or 3"):
        log_density(draws, np.array([[1.0, 2.0, 3.0, 1.0], [1.0, 2.0, 0.0, np.nan]]))


def test_of_many_categories_some_are_named() -> None:
    values = np.arange(12.0).reshape(3, 4)
    draws = draws_of(values, meta_of("categorical", values), "none", PARTITIONS)
    with pytest.raises(
        InputError, match="12 is not one of the categories, which are 0, 1, 2, 3, 4, 5, 6, 7, 8 and 3 more;"
    ):
        log_density(draws, values[[1, 2, 0]] + 3.0)


def test_what_does_not_fit_is_refused() -> None:
    values = table("counts")
    draws = draws_of(values, meta_of("counts", values, "margins"), "margins", PARTITIONS)
    with pytest.raises(InputError, match=r"new rows have shape \(2, 3\); expected \(m, 4\)"):
        predict_proba(draws, [0, 1, 1], np.zeros((2, 3)))
    with pytest.raises(InputError, match=r"new columns have shape \(4, 2\); expected \(3, m\)"):
        log_density(draws, np.zeros((4, 2)), axis="columns")
    with pytest.raises(InputError, match=r"consensus labels have shape \(2,\); expected \(3,\)"):
        predict_proba(draws, [0, 1], np.zeros((2, 4)))
    with pytest.raises(InputError, match="there are no draws"):
        log_density(draws[:0], values)
    facts = {name: fact for name, fact in draws.meta.facts.items() if name != "totals"}
    earlier = Draws.of(list[Draw](draws), replace(draws.meta, parts=(replace(draws.meta.parts[0], facts=facts),)))
    with pytest.raises(InputError, match="does not say what its columns add up to"):
        log_density(earlier, values)
