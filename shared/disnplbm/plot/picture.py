"""The picture of a table: what its pixels show, and in which colours."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.plot.scale import Scale, Spread, fit_categories, fit_multiples, fit_numbers, fit_shares
from disnplbm.plot.shown import Shown
from disnplbm.report.bands import Bands
from disnplbm.report.exposure import Expecting
from disnplbm.report.heatmap import View

Floats = NDArray[np.float64]
Pixel = Literal["cells", "mean", "ratio"]

PIXELS = ("cells", "mean", "ratio")


def picture_of(shown: Shown, view: View, pixel: str | None, spread: Spread | None = None) -> tuple[Floats, Scale]:
    """What the pixels of a view show, and the scale of their colours.

    Parameters
    ----------
    pixel : {"cells", "mean", "ratio"}, optional
        By default what the report shows first.

    Returns
    -------
    values : ndarray of shape (row pixels, column pixels)
        NaN where no cell is observed.
    scale : Scale
    """
    pixel = shown.pixel if pixel is None else pixel
    if pixel not in PIXELS:
        raise InputError(f"pixel={pixel!r} is unknown; choose 'cells', 'mean' or 'ratio'")
    if pixel == "ratio":
        if shown.expecting is None:
            raise InputError(
                "pixel='ratio' is for counts that are compared with margins or factors; choose 'cells' or 'mean'"
            )
        values = multiples(view, shown.expecting)
        return values, fit_multiples(values, "times the expected count")
    values = view.mean if pixel == "mean" or view.cells is None else view.cells
    if shown.cells == "categorical":
        values = view.mean if view.cells is None else view.cells
        return values, fit_categories(shown.categories, shown.value)
    if shown.cells == "binary":
        return values, fit_shares("share of ones" if pixel == "mean" else shown.value)
    of_means = "mean " if pixel == "mean" and view.cells is not None else ""
    return values, fit_numbers(values, f"{of_means}{shown.value}", spread, counts=shown.cells == "counts")


def multiples(view: View, expecting: Expecting) -> Floats:
    """How many times what is expected each pixel has: (counted + 1) / (expected + 1).

    That is the posterior mean under the model's own prior. It keeps pixels pale of which too little is expected to say.
    """
    of_rows, of_columns = expecting(view)
    cells = np.outer(_covered(view.rows), _covered(view.columns))
    counted = np.nan_to_num(view.mean) * cells
    found = (counted + 1.0) / (np.outer(of_rows, of_columns) * cells + 1.0)
    return np.where(np.isnan(view.mean), np.nan, found)


def _covered(bands: Bands) -> NDArray[np.int64]:
    """How many items each pixel covers."""
    return bands.stop - bands.start
