"""What is expected of counts: by the totals of rows and columns, read off a picture of them, or by given factors.

A pixel covers r rows and c columns. If rows and columns were independent, its total would be (total of those rows) x
(total of those columns) / (total of all). So the mean of its cells would be the product of two numbers: the mean total
of its rows, and the mean share of its columns in the total of all. The means of a picture hold both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.cell_type import Facts, unpack_numbers
from disnplbm.report.bands import Bands
from disnplbm.report.heatmap import View

Floats = NDArray[np.float64]

#: The type of cells that may be compared.
COUNTS = "counts"

#: What pixels of rows and pixels of columns contribute to the mean that is expected of a pixel.
Expecting = Callable[[View], tuple[Floats, Floats]]


def find_expectation(cells: str, exposure: str, facts: Facts | None) -> Expecting | None:
    """What tells the counts that are expected in a picture; None where cells are not compared with any.

    Parameters
    ----------
    cells, exposure : str
        Type of the cells, and what counts are compared with.
    facts : dict, optional
        What the family was made of; given factors are among them.
    """
    if cells != COUNTS:
        return None
    if exposure == "margins":
        return exposures
    if facts is None or facts.get("exposure") != "given":
        return None
    items, others = (unpack_numbers(part).astype(np.float64) for part in facts["totals"])
    rows, columns = (items, others) if facts["axis"] == "rows" else (others, items)
    return partial(_by_factors, rows=rows * facts["mean"], columns=columns)


def _by_factors(view: View, *, rows: Floats, columns: Floats) -> tuple[Floats, Floats]:
    """Mean factors of the pixels of rows, times the mean rate, and of columns."""
    return view.rows.means(rows), view.columns.means(columns)


def exposures(view: View) -> tuple[Floats, Floats]:
    """What pixels of rows and pixels of columns contribute to the mean that is expected of a pixel.

    Returns
    -------
    rows, columns : ndarray of float64, shape (row pixels,) and (column pixels,)
        The mean that is expected of pixel (i, j) is ``rows[i] * columns[j]``. Cells that are missing are taken to be
        like those around them.
    """
    first_rows, sizes_of_rows = _bins(view.rows)
    first_columns, sizes_of_columns = _bins(view.columns)
    means = np.nan_to_num(view.mean[np.ix_(first_rows, first_columns)])
    of_rows, of_columns = means @ sizes_of_columns, sizes_of_rows @ means
    total = float(sizes_of_rows @ of_rows)
    if total > 0.0:
        of_columns = of_columns / total
    return of_rows[view.rows.pixel_bins], of_columns[view.columns.pixel_bins]


def _bins(bands: Bands) -> tuple[NDArray[np.int64], Floats]:
    """The first pixel of each bin, and how many items it covers."""
    _, first = np.unique(bands.pixel_bins, return_index=True)
    starts = np.append(bands.bin_starts, len(bands.order))
    return first.astype(np.int64), np.diff(starts).astype(np.float64)
