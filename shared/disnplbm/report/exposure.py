"""What the totals of rows and columns let expect of counts, read off a picture of them.

A pixel covers r rows and c columns. If rows and columns were independent, its total would be (total of those rows) x
(total of those columns) / (total of all). So the mean of its cells would be the product of two numbers: the mean total
of its rows, and the mean share of its columns in the total of all. The means of a picture hold both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.report.bands import Bands
from disnplbm.report.heatmap import View

Floats = NDArray[np.float64]


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
