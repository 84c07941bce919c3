"""The check of blocks for normality: right moments, honest chances, and only what is plain is called so."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array

from disnplbm.model.sparse_statistics import StoredRows
from disnplbm.model.statistics import Floats
from disnplbm.posterior.normality import (
    CHANCE,
    LEAST_CELLS,
    MomentSums,
    Normality,
    kurtosis_score,
    p_value,
    skewness_score,
)


def checked(
    values: Floats, rows: list[int] | None = None, columns: list[int] | None = None, *, pieces: int = 1
) -> Normality:
    """The check of a table (n, p) or (n, p, d); of one block by default."""
    cells = values.reshape(*values.shape[:2], -1)
    z = np.zeros(len(cells), dtype=np.int32) if rows is None else np.array(rows, dtype=np.int32)
    w = np.zeros(cells.shape[1], dtype=np.int32) if columns is None else np.array(columns, dtype=np.int32)
    shape = int(z.max()) + 1, int(w.max()) + 1, cells.shape[2]
    centre = np.full(shape, np.nan_to_num(np.nanmean(cells)) + 0.1)
    sums = MomentSums(z, w, centre)
    for piece in range(pieces):
        items = np.arange(piece, len(cells), pieces)[::-1].copy()
        sums.add(cells[items], items, complete=not np.isnan(cells).any())
    return sums.normality()


@pytest.mark.parametrize("pieces", [1, 7])
@pytest.mark.parametrize("d", [1, 2])
def test_skewness_and_kurtosis_are_those_of_each_blocks_observed_cells(
    d: int, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disnplbm.posterior.normality.STRETCH_CELLS", 50)
    rng = np.random.default_rng(0)
    values = 40.0 + rng.gamma(2.0, size=(150, 11, d))
    values[rng.random((150, 11)) < 0.2] = np.nan
    values[3, 4, -1] = np.nan
    rows, columns = rng.permutation(np.arange(150) % 4), rng.permutation(np.arange(11) % 3)
    found = checked(values, rows.tolist(), columns.tolist(), pieces=pieces)
    for k, c in np.ndindex(4, 3):
        block = values[rows == k][:, columns == c].reshape(-1, d)
        block = block[~np.isnan(block).any(axis=1)]
        assert found.cells[k, c] == len(block)
        np.testing.assert_allclose(found.skewness[k, c], stats.skew(block), rtol=1e-9)
        np.testing.assert_allclose(found.kurtosis[k, c], stats.kurtosis(block), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("stretch", [50, 10_000])
@pytest.mark.parametrize("missing", [False, True])
def test_zeros_that_are_not_stored_count_as_those_that_are(
    missing: bool, stretch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disnplbm.posterior.normality.STRETCH_CELLS", stretch)
    rng, zero = np.random.default_rng(1), -0.4
    values = np.where(rng.random((150, 11)) < 0.4, rng.gamma(2.0, size=(150, 11)), 0.0)
    if missing:
        values[rng.random((150, 11)) < 0.1] = np.nan
    z, w = ((np.arange(length) % number).astype(np.int32) for length, number in ((150, 4), (11, 3)))
    dense, sparse = (MomentSums(z, w, np.full((4, 3, 1), 0.3)) for _ in range(2))
    for piece in (np.arange(0, 150, 2), np.arange(1, 150, 2)):
        rows = csr_array(values[piece])
        dense.add((values[piece] + zero)[..., None], piece, complete=not missing)
        sparse.add_stored(
            StoredRows(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data + zero, zero, 11), piece
        )
    found, expected = sparse.normality(), dense.normality()
    np.testing.assert_array_equal(found.cells, expected.cells)
    for name in ("skewness", "kurtosis", "p"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9)


@pytest.mark.parametrize("number", [20, 57, 1000])
def test_scores_are_those_of_the_papers(number: int) -> None:
    samples = np.random.default_rng(number).standard_t(6, size=(50, number))
    n = np.full(50, float(number))
    skewness, kurtosis = stats.skew(samples, axis=1), stats.kurtosis(samples, axis=1, fisher=False)
    np.testing.assert_allclose(skewness_score(skewness, n), stats.skewtest(samples, axis=1).statistic)
    np.testing.assert_allclose(kurtosis_score(kurtosis, n), stats.kurtosistest(samples, axis=1).statistic)


@pytest.mark.parametrize("number", [20, 60, 400])
def test_the_p_value_of_normal_cells_is_uniform(number: int) -> None:
    samples = np.random.default_rng(1).normal(size=(40_000, number))
    p = p_value(stats.skew(samples, axis=1), stats.kurtosis(samples, axis=1, fisher=False), np.full(40_000, number))
    for level, least, most in ((0.5, 0.44, 0.52), (0.1, 0.075, 0.105), (0.01, 0.006, 0.014), (0.001, 0.0, 0.0025)):
        assert least < (p < level).mean() < most, level


def test_normal_blocks_are_not_called_otherwise() -> None:
    rng = np.random.default_rng(2)
    rows, columns = np.arange(4000) % 20, np.arange(60) % 10
    found = checked(rng.normal(size=(4000, 60)) * (1 + rows[:, None]), rows.tolist(), columns.tolist())
    assert found.judged.all()
    assert not found.plainly_not_normal.any()
    assert found.to_dict() == {
        "judged": 200,
        "not_normal": 0,
        "share_of_cells": 0.0,
        "sentence": "All 200 blocks with at least 20 cells look normal.",
    }


@pytest.mark.parametrize("kind", ["votes", "even votes", "exponential", "floor", "outliers", "two humps", "constant"])
def test_cells_that_are_plainly_not_normal_are_called_so(kind: str) -> None:
    rng = np.random.default_rng(3)
    normal = rng.normal(size=400)
    values = {
        "votes": (rng.random(400) < 0.2) * 1.0,
        "even votes": np.arange(400) % 2.0,
        "exponential": rng.exponential(size=400),
        "floor": np.maximum(normal, 0.0),
        "outliers": np.where(np.arange(400) < 4, 9.0, normal),
        "two humps": normal + 8.0 * (np.arange(400) % 2),
        "constant": np.full(400, 0.1),
    }[kind]
    found = checked(values.reshape(20, 20))
    assert found.plainly_not_normal.all()
    assert (
        "1 of 1 block with at least 20 cells (100% of the cells) is clearly not normal" in found.to_dict()["sentence"]
    )


def test_the_sentence_says_what_is_odd_in_plain_words() -> None:
    said = checked(np.random.default_rng(4).exponential(size=(20, 20))).to_dict()["sentence"]
    assert "more skewed than normal data, or with heavier or lighter tails" in said
    assert checked(np.random.default_rng(4).normal(size=(20, 20))).to_dict()["sentence"] == (
        "The one block with at least 20 cells looks normal."
    )


def test_one_component_is_enough_and_the_others_are_not_blamed() -> None:
    rng = np.random.default_rng(4)
    found = checked(np.stack([rng.normal(size=(30, 10)), rng.exponential(size=(30, 10))], axis=-1))
    assert found.plain[0, 0].tolist() == [False, True]
    assert found.plainly_not_normal.all()


def test_many_cells_that_are_nearly_normal_have_a_small_p_and_are_left_alone() -> None:
    values = np.random.default_rng(5).gamma(400.0, size=(1000, 300))
    found = checked(values)
    assert found.p.max() < CHANCE / 100
    assert not found.plainly_not_normal.any()


def test_too_few_cells_do_not_tell() -> None:
    values = np.random.default_rng(6).exponential(size=(1, LEAST_CELLS - 1))
    found = checked(values)
    assert np.isnan(found.p).all()
    assert not found.plainly_not_normal.any()
    assert found.to_dict()["sentence"].startswith("No block has the 20 cells")
    assert np.isfinite(checked(np.append(values, [[1.0]], axis=1)).p).all()


def test_no_number_of_equal_halves_divides_by_zero() -> None:
    n = np.arange(20.0, 3000.0)
    assert (p_value(np.zeros(len(n)), np.ones(len(n)), n) < 1e-3).all()


def test_rows_and_columns_are_alike() -> None:
    rng = np.random.default_rng(7)
    values, rows, columns = rng.exponential(size=(40, 30)), np.arange(40) % 3, np.arange(30) % 2
    one, other = checked(values, rows.tolist(), columns.tolist()), checked(values.T, columns.tolist(), rows.tolist()).T
    for name in ("cells", "skewness", "kurtosis", "p"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name))
