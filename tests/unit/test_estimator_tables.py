"""Kinds of tables that the estimator takes, in `fit` and in what comes after it."""

from __future__ import annotations

import datetime
from typing import Any

import anndata
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

from disnplbm import NPLBM
from disnplbm.errors import InputError

X = np.random.default_rng(0).normal(np.repeat([-3.0, 3.0], 6)[:, None] * np.ones(6))
GAPS = X.copy()
GAPS[0, 0] = np.nan
MASKED = np.ma.masked_array(np.where(np.isnan(GAPS), -999.0, GAPS), mask=np.isnan(GAPS))
NAMES = list("abcdef")


@pytest.fixture(scope="module")
def fitted() -> NPLBM:
    return NPLBM(12, burn_in=6).fit(GAPS)


def test_a_masked_cell_is_missing_in_fit_and_after_it(fitted: NPLBM) -> None:
    """Report 10."""
    assert NPLBM(12, burn_in=6).fit(MASKED).digest_ == fitted.digest_
    np.testing.assert_array_equal(fitted.predict_proba(MASKED), fitted.predict_proba(GAPS))
    np.testing.assert_array_equal(fitted.score_samples(MASKED), fitted.score_samples(GAPS))
    np.testing.assert_array_equal(fitted.impute(MASKED), fitted.impute(GAPS))
    of_columns = fitted.predict_proba(GAPS[:, :2], axis="columns")
    np.testing.assert_array_equal(fitted.predict_proba(MASKED[:, :2], axis="columns"), of_columns)


@pytest.mark.parametrize("method", ["fit", "predict", "score_samples", "impute"])
def test_a_date_is_refused_by_every_method(fitted: NPLBM, method: str) -> None:
    """Report 12."""
    columns = {name: X[:, j] for j, name in enumerate(NAMES)} | {"f": [datetime.date(2020, 1, 1)] * 12}
    for table in (pa.table(columns), pd.DataFrame(columns), np.array(X, dtype="M8[s]"), np.array(X, dtype="m8[s]")):
        with pytest.raises(InputError, match=r"not numeric|not real numbers"):
            getattr(fitted if method != "fit" else NPLBM(2), method)(table)


def named(kind: str) -> Any:
    frame = pd.DataFrame(X, columns=NAMES, index=[f"r{i}" for i in range(12)])
    if kind == "arrow":
        return pa.Table.from_pandas(frame)
    matrix = sp.csr_array(X) if kind == "sparse anndata" else X
    return anndata.AnnData(matrix, obs=frame[[]], var=pd.DataFrame(index=NAMES))


@pytest.mark.parametrize("kind", ["arrow", "anndata", "sparse anndata"])
def test_a_table_with_names_is_fitted_and_its_names_are_kept(fitted: NPLBM, kind: str) -> None:
    model = NPLBM(12, burn_in=6).fit(named(kind))
    assert model.digest_ == NPLBM(12, burn_in=6).fit(X).digest_
    assert list(model.feature_names_in_) == NAMES
    np.testing.assert_array_equal(model.predict(named(kind)), model.predict(pd.DataFrame(X, columns=NAMES)))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(pd.DataFrame(X, columns=NAMES[::-1]))


def test_a_series_is_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match=r"X is a Series, not a table: X.to_frame\(\) is a table with one column"):
        NPLBM(2).fit(pd.Series([1.0, 2.0]))
    assert NPLBM(2).fit(pd.Series([1.0, 2.0]).to_frame()).n_features_in_ == 1
