"""The estimator on new rows and missing cells of counts, 0/1 and categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm import NPLBM
from disnplbm.errors import InputError

CELLS = ["counts", "binary", "categorical"]


def planted(cells: str, n: int, seed: int) -> NDArray[np.float64]:
    """Rows of three kinds, in turn, over columns of three kinds."""
    rng = np.random.default_rng(seed)
    kinds = (np.arange(n)[:, None] + np.arange(24)) % 3
    if cells == "counts":
        return rng.poisson(np.array([0.3, 2.0, 6.0])[kinds]).astype(float)
    if cells == "binary":
        return (rng.random(kinds.shape) < np.array([0.05, 0.5, 0.95])[kinds]).astype(float)
    return np.where(rng.random(kinds.shape) < 0.8, kinds, rng.integers(0, 3, kinds.shape)).astype(float)


@pytest.fixture(scope="module", params=CELLS)
def judge(request: pytest.FixtureRequest) -> tuple[str, NPLBM, NDArray[np.float64]]:
    """A type of cells, a fit of a table of them with two missing cells, and the table."""
    table = planted(request.param, 90, 1)
    table[4, 5] = table[7, 2] = np.nan
    model = NPLBM(120, burn_in=60, n_draws=20, n_chains=2, cells=request.param)
    return request.param, model.fit(table), table


def test_counts_alone_are_checked_for_how_much_they_vary(judge: tuple[str, NPLBM, NDArray[np.float64]]) -> None:
    cells, model, _ = judge
    assert model.normality_ is None
    if cells != "counts":
        assert model.dispersion_ is None
        return
    np.testing.assert_allclose(model.dispersion_.dispersion[..., 0], np.ones((3, 3)), atol=0.2)
    assert not model.dispersion_.plain.any()


def test_held_out_rows_of_planted_clusters_are_assigned_right(judge: tuple[str, NPLBM, NDArray[np.float64]]) -> None:
    cells, model, _ = judge
    assert (model.n_row_clusters_, model.n_column_clusters_) == (3, 3)
    new = planted(cells, 300, 2)
    assert (model.predict(new) == model.row_labels_[np.arange(300) % 3]).mean() > 0.98
    odd = np.roll(new, 1, axis=0)
    odd[:, ::2] = new[:, ::2]
    assert (model.score_samples(odd) < model.score_samples(new)).mean() > 0.98


def test_held_out_columns_of_planted_clusters_are_assigned_right(judge: tuple[str, NPLBM, NDArray[np.float64]]) -> None:
    cells, model, _ = judge
    new = planted(cells, 90, 3)
    assert (model.predict(new, axis="columns") == model.column_labels_[np.arange(24) % 3]).all()
    assert (model.predict(sp.csr_array(new), axis="columns") == model.column_labels_[np.arange(24) % 3]).all()


def test_sparse_and_dense_new_rows_give_the_same_bits(judge: tuple[str, NPLBM, NDArray[np.float64]]) -> None:
    cells, model, _ = judge
    new = planted(cells, 20, 4)
    new[3, 1] = np.nan
    named = pd.DataFrame(new)
    for form in (sp.csr_array(new), sp.csc_matrix(new), sp.coo_array(new), named):
        np.testing.assert_array_equal(model.predict_proba(form), model.predict_proba(new))
        np.testing.assert_array_equal(model.score_samples(form), model.score_samples(new))


def test_missing_cells_are_imputed(judge: tuple[str, NPLBM, NDArray[np.float64]]) -> None:
    cells, model, table = judge
    filled, sure = model.impute(table)
    known = ~np.isnan(table)
    np.testing.assert_array_equal(filled[known], table[known])
    assert (sure[known] == 0.0).all()
    assert (sure[~known] > 0.0).all()
    for i, j in ((4, 5), (7, 2)):
        block = table[
            np.ix_(model.row_labels_ == model.row_labels_[i], model.column_labels_ == model.column_labels_[j])
        ]
        block = block[~np.isnan(block)]
        if cells == "categorical":
            assert filled[i, j] == np.bincount(block.astype(int)).argmax()
            assert 0.5 < sure[i, j] < 1.0
        else:
            assert filled[i, j] == pytest.approx(block.mean(), rel=0.5)
            assert sure[i, j] == pytest.approx(block.std(), rel=0.5)
    for whole, sparse in zip((filled, sure), model.impute(sp.csr_array(table)), strict=True):
        assert sp.issparse(sparse)
        np.testing.assert_array_equal(sparse.toarray(), whole)


def test_cells_that_cannot_be_are_named(judge: tuple[str, NPLBM, NDArray[np.float64]]) -> None:
    cells, model, table = judge
    wrong: Any = planted(cells, 5, 5)
    wrong[2, 3] = 7.5
    for form in (wrong, sp.csr_array(wrong), pd.DataFrame(wrong)):
        with pytest.raises(InputError, match=r"row 3, column 3: 7.5 is not one of the"):
            model.predict(form)
    with pytest.raises(InputError, match=r"row 3, column 3: 7.5 is not one of the"):
        model.predict(np.vstack([wrong, table[5:]])[:90], axis="columns")
    with pytest.raises(InputError, match="X has 89 rows; expected 90"):
        model.impute(table[1:])
    with pytest.raises(InputError, match="new columns have shape"):
        model.predict(table[1:], axis="columns")


def test_columns_of_categories_that_are_numbers_are_codes_where_the_cells_are_categories() -> None:
    table = planted("categorical", 90, 1)
    table[4, 5] = np.nan
    frame = pd.DataFrame(table).astype("category")
    found, expected = (NPLBM(20, cells="categorical").fit(given) for given in (frame, table))
    assert np.array_equal(found.row_labels_, expected.row_labels_)
    with pytest.raises(InputError, match="to take all cells as categories: cells='categorical'"):
        NPLBM(20).fit(frame)


def test_factors_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="exposure: factors of the rows are numbers above 0"):
        NPLBM(20, cells="counts", exposure=["much"] * 90).fit(planted("counts", 90, 1))


def test_a_column_of_words_may_be_missing_as_a_whole() -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 10, "b": [None] * 20, "c": ["y", "x"] * 10})
    model = NPLBM(5, cells="categorical").fit(frame)
    numbers = NPLBM(5, cells="categorical").fit(frame.assign(b=np.nan))
    assert np.array_equal(model.row_labels_, numbers.row_labels_)
    assert NPLBM(5).fit(frame).cells_ == "categorical"
