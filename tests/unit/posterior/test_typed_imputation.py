"""Missing and held-out cells of counts, 0/1 and categories against sums over all that a cell can be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import nbinom

from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats
from disnplbm.posterior import typed_imputation
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.imputation import cell_log_density
from disnplbm.posterior.typed_imputation import find_missing, impute_typed

from .typed_samples import KINDS, PARTITIONS, draws_of, exposures_of, meta_of, table

#: Places of the cells that tests ask about.
ROWS, COLUMNS = np.array([0, 0, 1, 2, 2, 2]), np.array([0, 3, 1, 0, 2, 3])


def draws_with_a_gap(cells: str, exposure: str, power: float = 1.0) -> tuple[Floats, Draws]:
    values = table(cells)
    values[1, 1] = values[2, 3] = np.nan
    return values, draws_of(values, meta_of(cells, values, exposure, power), exposure, PARTITIONS)


def all_values(cells: str, draws: Draws) -> Floats:
    """All that a cell can be, but for counts that hardly ever are."""
    return np.arange(4000.0) if cells == "counts" else np.array(draws.meta.facts["levels"])


@pytest.mark.parametrize("power", [1.0, 0.5])
@pytest.mark.parametrize(("cells", "exposure"), KINDS)
def test_cells_are_imputed_by_the_moments_of_their_density(cells: str, exposure: str, power: float) -> None:
    _, draws = draws_with_a_gap(cells, exposure, power)
    every = all_values(cells, draws)
    found = impute_typed(draws, ROWS, COLUMNS)
    for place, (i, j) in enumerate(zip(ROWS, COLUMNS, strict=True)):
        at = np.full(len(every), i), np.full(len(every), j)
        share = np.exp(cell_log_density(draws, *at, every))
        assert share.sum() == pytest.approx(1.0, abs=1e-9)
        mean = share @ every
        if cells == "categorical":
            assert found.value[place] == every[share.argmax()]
            assert found.figures["probability"][place] == pytest.approx(share.max(), abs=1e-12)
        else:
            assert found.value[place] == found.figures["mean"][place] == pytest.approx(mean, rel=1e-9)
            sd = np.sqrt(share @ (every - mean) ** 2)
            assert found.figures["sd"][place] == pytest.approx(sd, rel=1e-6)


@pytest.mark.parametrize("exposure", ["margins", "none"])
def test_counts_have_the_density_of_a_negative_binomial(exposure: str) -> None:
    values, draws = draws_with_a_gap("counts", exposure, 0.5)
    exposures = exposures_of(values, values, exposure)
    rate = 1.0 if exposure == "margins" else 1.0 / np.nanmean(values)
    cells = np.array([0.0, 2.0, 30.0, 1.0, 4.0, 7.0])
    expected = np.zeros(len(cells))
    for draw in draws:
        total, of_block = 0.5 * np.moveaxis(
            draw.blocks.values[draw.row_labels[ROWS], draw.column_labels[COLUMNS]], -1, 0
        )
        b, e = rate + of_block, exposures[ROWS, COLUMNS]
        expected += nbinom.pmf(cells, 1.0 + total, b / (b + e)) / len(draws)
    np.testing.assert_allclose(cell_log_density(draws, ROWS, COLUMNS, cells), np.log(expected), rtol=1e-11)
    np.testing.assert_array_equal(
        cell_log_density(draws, ROWS, COLUMNS, cells[:, None]), cell_log_density(draws, ROWS, COLUMNS, cells)
    )


def test_a_count_where_none_is_expected_has_no_density() -> None:
    """The row has one cell, which was held out: it has no total."""
    values = np.array([[3.0, 1.0], [np.nan, np.nan], [2.0, 6.0]])
    draws = draws_of(values, meta_of("counts", values, "margins"), "margins", [([0, 1, 0], [0, 1])])
    density = cell_log_density(draws, [1, 1], [0, 0], [0.0, 1.0])
    assert density[0] == pytest.approx(0.0, abs=1e-14)
    assert density[1] == -np.inf
    assert impute_typed(draws, np.array([1]), np.array([0])).value.tolist() == [0.0]


@pytest.mark.parametrize(("cells", "exposure"), KINDS)
def test_no_bit_depends_on_memory(cells: str, exposure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values, draws = draws_with_a_gap(cells, exposure)
    missing = find_missing(csr_array(values))
    assert (missing[0].tolist(), missing[1].tolist()) == ([1, 2], [1, 3])
    found = impute_typed(draws, ROWS, COLUMNS)
    monkeypatch.setattr(typed_imputation, "NUMBERS_AT_ONCE", 4)
    again = impute_typed(draws, ROWS, COLUMNS)
    np.testing.assert_array_equal(again.value, found.value)
    assert again.figures.keys() == found.figures.keys()
    for name, numbers in found.figures.items():
        np.testing.assert_array_equal(again.figures[name], numbers)


def test_nothing_missing_is_an_empty_table() -> None:
    _, draws = draws_with_a_gap("categorical", "none")
    found = impute_typed(draws, *find_missing(csr_array(table("categorical"))))
    assert len(found) == 0
    assert list(found.figures) == ["probability"]


def test_what_cannot_be_is_refused() -> None:
    _, draws = draws_with_a_gap("categorical", "none")
    with pytest.raises(InputError, match="3 is not one of the categories, which are 0, 2 or 5"):
        cell_log_density(draws, [0, 1], [0, 0], [2.0, 3.0])
    with pytest.raises(InputError, match="a cell to be scored is missing"):
        cell_log_density(draws, [0], [0], [np.nan])
    with pytest.raises(InputError, match=r"the cells have shape \(2,\); expected \(1,\)"):
        cell_log_density(draws, [0], [0], [2.0, 2.0])
    with pytest.raises(InputError, match="column 4 of a cell lies outside the fitted table of 4 columns"):
        cell_log_density(draws, [0], [4], [2.0])
