"""Pictures as a page carries them: numbers in base64, of one byte each where there are many."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_EXACT = 40_000
"""Pixels of a picture up to which each is a number of its own, of four bytes; larger ones have a level each."""
TOLERANCE = 1e-5
"""Error of single precision up to which it serves, as a share of the range of the values."""
LEVELS = 255
MISSING = 255


def encoded_image(image: NDArray[np.float64]) -> dict[str, Any]:
    """A picture for JSON: either ``floats``, of single precision, or ``levels`` and the value of each level.

    Parameters
    ----------
    image : ndarray of float64, shape (height, width)
        NaN is missing.
    """
    finite = image[np.isfinite(image)]
    if image.size <= MAX_EXACT and _is_single(finite):
        return {"floats": base64_text(image.astype("<f4"))}
    values = np.quantile(finite if finite.size else np.zeros(1), np.linspace(0.0, 1.0, LEVELS))
    return {"levels": base64_text(nearest_levels(values, image)), "values": values.tolist()}


def encoded_numbers(values: NDArray[np.float64]) -> dict[str, str]:
    """Numbers for JSON: ``floats``, of single precision where it serves, or ``doubles``; NaN is not known."""
    if _is_single(values[np.isfinite(values)]):
        return {"floats": base64_text(values.astype("<f4"))}
    return {"doubles": base64_text(values.astype("<f8"))}


def coded_image(image: NDArray[np.float64]) -> dict[str, Any]:
    """A picture of categories, for JSON: each pixel is the number of one, from 0, below MISSING; NaN is missing."""
    levels = np.where(np.isnan(image), MISSING, np.rint(image)).astype(np.uint8)
    return {"levels": base64_text(levels), "values": list(range(MISSING))}


def nearest_levels(values: NDArray[np.float64], image: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The level whose value is nearest to each pixel's, MISSING for NaN; `values` do not decrease."""
    between = (values[1:] / 2) + (values[:-1] / 2)
    levels = np.searchsorted(between, image, side="left").astype(np.uint8)
    levels[np.isnan(image)] = MISSING
    return levels


def _is_single(values: NDArray[np.float64]) -> bool:
    """Whether single precision tells values apart: not 1e8 from 1e8 + 1, nor what it cannot hold."""
    if values.size == 0:
        return True
    with np.errstate(over="ignore", under="ignore"):
        single = values.astype(np.float32).astype(np.float64)
    return bool(np.abs(single - values).max() <= TOLERANCE * np.ptp(values))


def base64_text(array: NDArray[Any]) -> str:
    """The bytes of an array, row by row."""
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def rounded(values: NDArray[np.float64]) -> list[Any]:
    """Nested lists of nine significant digits, in half of the bytes; None for what is not finite."""
    if values.ndim > 1:
        return [rounded(line) for line in values]
    return [float(f"{value:.9g}") if np.isfinite(value) else None for value in values.tolist()]
