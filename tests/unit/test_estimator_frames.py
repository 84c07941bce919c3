"""What a fitted model hands back: frames, AnnData, and tables with their columns pooled."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from anndata import AnnData
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from disnplbm import NPLBM, DataWarning, InputError
from unit.test_estimator_writing import counts, numbers, words


@pytest.fixture(scope="module")
def model() -> NPLBM:
    return NPLBM(20, burn_in=10).fit(numbers())


def test_blocks_are_the_lines_of_blocks_csv(model: NPLBM, tmp_path: Path) -> None:
    written = pd.read_csv(
        model.save(tmp_path / "run") / "blocks.csv", index_col=["k", "l"], float_precision="round_trip"
    )
    pd.testing.assert_frame_equal(model.blocks_, written, check_exact=True)
    assert model.blocks_.loc[(0, 1), "mean"] == model.block_means_[0, 1]


def test_what_is_not_known_of_a_block_is_nan(tmp_path: Path) -> None:
    table = numbers().iloc[:, :3].copy()
    table.iloc[:, 2] = np.nan
    labels = np.arange(30) % 2, np.arange(3)
    with pytest.warns(DataWarning):
        model = NPLBM(1, start=labels, pair_moves=False, beta=1e4).fit(table)
    written = pd.read_csv(
        model.save(tmp_path / "run") / "blocks.csv", index_col=["k", "l"], float_precision="round_trip"
    )
    assert written["mean"].isna().any()
    pd.testing.assert_frame_equal(model.blocks_, written, check_exact=True)


def test_the_order_has_clusters_together_and_is_that_of_the_report(model: NPLBM) -> None:
    for order, labels in ((model.row_order_, model.row_labels_), (model.column_order_, model.column_labels_)):
        assert sorted(order) == list(range(len(labels)))
        assert np.count_nonzero(np.diff(labels[order])) == labels.max()


def test_the_table_as_its_blocks(model: NPLBM) -> None:
    frame = model.to_frame()
    np.testing.assert_array_equal(frame, model.block_means_)
    assert (frame.index.name, frame.columns.name) == ("row_cluster", "column_cluster")
    whole = model.to_frame(1, 1)
    assert whole.loc[0, 0] == pytest.approx(np.nanmean(numbers()))
    np.testing.assert_array_equal(model.to_frame(figure="sd"), model.block_sds_)
    with pytest.raises(InputError, match="figure='median' is unknown; choose 'mean' or 'sd'"):
        model.to_frame(figure="median")


def test_of_categories_the_table_has_a_share_for_each() -> None:
    table = pd.DataFrame(np.random.default_rng(0).choice(["a", "b", "c"], (30, 4)), columns=list("wxyz"))
    frame = NPLBM(10, cells="categorical").fit(table).to_frame(1, 1)
    assert list(frame.columns) == [("a", 0), ("b", 0), ("c", 0)]
    np.testing.assert_allclose(frame.iloc[0], [(table == letter).to_numpy().mean() for letter in "abc"])


def test_rows_are_pooled_as_numpy_does_it(model: NPLBM) -> None:
    table, labels = numbers(), model.column_labels_
    expected = [np.nanmean(table.to_numpy()[:, labels == c], axis=1) for c in range(model.n_column_clusters_)]
    np.testing.assert_allclose(model.transform(table), np.column_stack(expected))
    framed = NPLBM(20).set_output(transform="pandas").fit_transform(table)
    assert list(framed.columns) == [f"column_cluster_{c}" for c in range(framed.shape[1])]
    assert list(framed.index) == list(table.index)


def test_a_missing_cell_of_a_sparse_table_is_pooled_as_of_a_dense_one() -> None:
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((40, 9)) < 0.3, rng.normal(size=(40, 9)), 0.0)
    dense[1, 2] = np.nan
    model = NPLBM(5, cells="gaussian").fit(dense)
    np.testing.assert_allclose(model.transform(sp.csr_array(dense)), model.transform(dense))


def test_counts_are_pooled_to_rates_and_words_to_shares() -> None:
    table = counts()
    model = NPLBM(10, cells="counts").fit(table)
    x, members = table.to_numpy(), np.equal.outer(model.column_labels_, np.arange(model.n_column_clusters_))
    expected = x.sum(axis=1)[:, None] * (x.sum(axis=0) / x.sum()) @ members
    np.testing.assert_allclose(model.transform(table), x @ members / expected)
    asked = words()
    told = NPLBM(10, cells="categorical").fit(asked)
    members = np.equal.outer(told.column_labels_, np.arange(told.n_column_clusters_))
    yes = (asked == "yes").to_numpy().astype(float)
    np.testing.assert_allclose(told.transform(asked), yes @ members / members.sum(axis=0))


def test_a_pipeline_learns_from_pooled_columns() -> None:
    table, truth = numbers().fillna(0.0), np.arange(30) % 2
    pipeline = make_pipeline(NPLBM(20), LogisticRegression())
    assert pipeline.fit(table, truth).score(table, truth) == 1.0


def test_cells_of_several_numbers_are_pooled_one_by_one() -> None:
    x = np.random.default_rng(0).normal(size=(20, 4, 2))
    model = NPLBM(5).fit(x)
    assert model.transform(x).shape == (20, 2 * model.n_column_clusters_)
    assert list(model.get_feature_names_out()[:2]) == ["column_cluster_0_0", "column_cluster_0_1"]


def test_anndata_comes_back_with_clusters_and_what_is_given_stays(model: NPLBM) -> None:
    data = AnnData(numbers())
    back = model.to_anndata(data)
    assert list(data.obs) == []
    assert list(back.obs["disnplbm"].astype(int)) == list(model.row_labels_)
    assert list(back.var["disnplbm"].astype(int)) == list(model.column_labels_)
    np.testing.assert_array_equal(back.obs["disnplbm_confidence"], model.row_confidence_)
    assert back.uns["disnplbm"]["digest"] == model.digest_
    assert model.to_anndata(data, copy=False) is data
    assert "disnplbm" in data.obs


def test_rows_of_anndata_in_another_order_get_their_own_labels(model: NPLBM) -> None:
    shuffled = numbers().iloc[::-1, ::-1]
    back = model.to_anndata(shuffled)
    own = model.labels_frame()["cluster"]
    assert list(back.obs["disnplbm"].astype(int)) == list(own[back.obs_names])
    with pytest.raises(InputError, match="X is 29 x 9, and the fitted table was 30 x 9"):
        model.to_anndata(numbers().iloc[1:])


def test_labels_of_a_level_are_categories_in_the_order_of_their_numbers() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 3)
    table = 8.0 * groups[:, None] + rng.normal(0.0, 0.2, (36, 6))
    model = NPLBM(1, start=(groups, np.zeros(6)), alpha=1e4, psi0_factor=1e-3, pair_moves=False).fit(table)
    assert model.n_row_clusters_ > 10
    back = model.to_anndata(table, 3)
    assert list(back.obs["disnplbm"].cat.categories) == ["0", "1", "2"]
    fine = list(back.obs["disnplbm_fine"].cat.categories)
    assert fine == sorted(fine, key=int)


def test_what_anndata_cannot_hold_is_refused() -> None:
    x = np.random.default_rng(0).normal(size=(20, 4, 2))
    with pytest.raises(InputError, match="AnnData holds one number a cell, and a cell of X has 2"):
        NPLBM(2).fit(x).to_anndata(x)
    with pytest.raises(InputError, match="AnnData holds numbers, and the fitted table holds words"):
        NPLBM(2).fit(words()).to_anndata(words())


@pytest.mark.parametrize("call", ["to_frame", "labels_frame", "get_feature_names_out"])
def test_what_is_not_fitted_says_so(call: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(NPLBM(), call)()


@pytest.mark.parametrize(
    ("library", "call", "says"),
    [
        ("pandas", lambda model: model.blocks_, "a data frame needs pandas: pip install pandas"),
        ("anndata", lambda model: model.to_anndata(numbers()), "needs anndata: pip install 'disnplbm"),
    ],
)
def test_a_library_that_is_missing_is_named(
    model: NPLBM, monkeypatch: pytest.MonkeyPatch, library: str, call: Any, says: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=says):
        call(model)
