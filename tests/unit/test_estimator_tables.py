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
from disnplbm.errors import DataWarning, InputError

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


def test_a_column_of_dates_is_refused_with_what_leaves_it_out() -> None:
    table = pd.DataFrame(X, columns=NAMES).assign(seen=pd.Timestamp("2026-11-29"))
    with pytest.raises(InputError, match=r"convert it, or leave it out: X.drop\(columns=\['seen'\]\)$"):
        NPLBM(2).fit(table)


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


def test_columns_in_another_order_are_refused_with_the_first_that_differs(fitted: NPLBM) -> None:
    frame = pd.DataFrame(X, columns=NAMES)
    model = NPLBM(12, burn_in=6).fit(frame)
    swapped = frame[["a", "c", "b", "d", "e", "f"]]
    for method in ("predict", "impute", "score_samples"):
        with pytest.raises(
            InputError, match=r"Column 2 of X is 'c' and was 'b' in the fit: X\[model.feature_names_in_\]"
        ):
            getattr(model, method)(swapped)
    np.testing.assert_array_equal(model.predict(swapped[model.feature_names_in_]), model.predict(frame))


def blank_column(kind: str, values: np.ndarray = X) -> Any:
    """A table with a column that has neither a name nor a value."""
    frame = pd.DataFrame(values, columns=NAMES).assign(**{"Unnamed: 6": np.nan})
    return pa.Table.from_pandas(frame) if kind == "arrow" else frame


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_a_column_without_name_and_values_is_left_out_as_on_the_command_line(fitted: NPLBM, kind: str) -> None:
    with pytest.warns(DataWarning, match="left out 1 column without a name and without values"):
        model = NPLBM(12, burn_in=6).fit(blank_column(kind))
    assert not any("looks like" in note for note in model.warnings_)
    assert model.digest_ == NPLBM(12, burn_in=6).fit(X).digest_
    assert (model.n_features_in_, list(model.feature_names_in_)) == (6, NAMES)
    assert len(model.column_labels_) == 6
    plain = pd.DataFrame(X, columns=NAMES)
    np.testing.assert_array_equal(model.predict(blank_column(kind)), model.predict(plain))
    np.testing.assert_array_equal(model.impute(blank_column(kind, GAPS)), model.impute(plain.mask(np.isnan(GAPS))))


def test_a_column_without_a_name_stays_where_it_has_a_value_or_was_fitted() -> None:
    frame = pd.concat([blank_column("pandas")] * 500, ignore_index=True)
    frame.loc[5500, "Unnamed: 6"] = 1.0
    with pytest.warns(DataWarning):
        assert NPLBM(2).fit(frame).n_features_in_ == 7
    few = blank_column("pandas").assign(**{"Unnamed: 6": X[:, 0]})
    model = NPLBM(12, burn_in=6).fit(few)
    assert model.n_features_in_ == 7
    assert len(model.predict(blank_column("pandas"))) == len(X)


def test_a_series_is_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match=r"X is a Series, not a table: X.to_frame\(\) is a table with one column"):
        NPLBM(2).fit(pd.Series([1.0, 2.0]))
    assert NPLBM(2).fit(pd.Series([1.0, 2.0]).to_frame()).n_features_in_ == 1


def suspicious(rows: int = 40) -> pd.DataFrame:
    numbers = pd.DataFrame(np.random.default_rng(1).normal(size=(rows, 3)), columns=["x", "y", "z"])
    return numbers.assign(patient_id=range(500, 500 + rows), diagnosis=[0, 1] * (rows // 2))


def test_columns_that_look_like_names_and_classes_are_noted() -> None:
    with pytest.warns(DataWarning, match="column patient_id looks like row names but is taken as data"):
        model = NPLBM(2).fit(suspicious())
    ids, classes = (note for note in model.warnings_ if "looks like" in note)
    assert ids.endswith(
        "X.set_index('patient_id') makes it the row names, X.drop(columns=['patient_id']) leaves it out"
    )
    assert classes.endswith(
        "looks like known classes but is taken as data: X.drop(columns=['diagnosis']) leaves it out"
    )
    with pytest.warns(DataWarning, match="diagnosis looks like known classes but is taken as data: leave it out of X"):
        NPLBM(2).fit(pa.Table.from_pandas(suspicious(), preserve_index=False))


def test_a_table_of_measurements_and_one_without_names_get_no_such_note() -> None:
    for table in (suspicious().set_index("patient_id").drop(columns="diagnosis"), suspicious().to_numpy()):
        assert not any("looks like" in note for note in NPLBM(2).fit(table).warnings_)


def test_notes_of_a_fit_speak_of_python_and_not_of_the_command_line() -> None:
    votes = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (60, 3)), columns=list("abc"))
    votes = votes.assign(wide=1e6 * np.random.default_rng(0).normal(size=60), id=range(60))
    model = NPLBM(5, start="one", pair_moves=False, alpha=1e-6).fit(votes)
    notes = [*model.warnings_, *model.notes_]
    assert any("X.drop(columns=['a', 'b', 'c'])" in note for note in notes)
    assert any("such as power=0.5" in note for note in notes)
    for note in notes:
        assert "--" not in note
        assert "`disnplbm" not in note


def test_labels_come_as_a_frame_by_name() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        rng.poisson(np.where(np.arange(40)[:, None] % 2 == np.arange(12) % 2, 8.0, 1.0)),
        index=[f"s{i}" for i in range(40)],
        columns=[f"g{j}" for j in range(12)],
    )
    model = NPLBM(60, burn_in=30, cells="counts").fit(frame)
    rows, columns = model.labels_frame(), model.labels_frame(axis="columns")
    assert rows.index.tolist() == frame.index.tolist()
    assert columns.index.tolist() == frame.columns.tolist()
    assert rows["cluster"].tolist() == model.row_labels_.tolist()
    assert rows["confidence"].tolist() == model.row_confidence_.tolist()
    assert list(columns)[:2] == ["cluster", "confidence"]
    assert ("runner_up" in columns) == (model.column_runner_up_ is not None)
    assert model.labels_frame(1)["cluster"].unique().tolist() == [0]
    assert model.labels_frame(1)["fine"].tolist() == model.row_labels_.tolist()
