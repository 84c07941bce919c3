"""The colours of the report: `dashboard/web/src/heatmap/colours.ts` has the same numbers, of its light theme.

They are interpolated in OKLab (Ottosson 2020, https://bottosson.github.io/posts/oklab), so that equal steps of a value
look like equal steps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

STEPS = 256

#: Lightness, chroma and hue in degrees, at even distances.
SEQUENTIAL = (
    (0.965, 0.025, 105),
    (0.86, 0.08, 150),
    (0.72, 0.095, 190),
    (0.57, 0.098, 228),
    (0.42, 0.105, 265),
    (0.27, 0.085, 288),
)
DIVERGING = (
    (0.36, 0.105, 262),
    (0.53, 0.13, 252),
    (0.76, 0.085, 242),
    (0.965, 0.004, 90),
    (0.79, 0.095, 62),
    (0.57, 0.145, 42),
    (0.39, 0.115, 30),
)

#: Hues of categories, and lightness and chroma of each turn through them.
HUES = (250, 55, 155, 330, 95, 205, 25, 290)
TURNS = ((0.66, 0.13), (0.84, 0.08), (0.48, 0.11))

#: Of a cell that is missing.
MISSING = (0.88, 0.88, 0.88)

_TO_ROOTS = np.array(
    [[1.0, 0.3963377774, 0.2158037573], [1.0, -0.1055613458, -0.0638541728], [1.0, -0.0894841775, -1.291485548]]
)
_TO_LINEAR = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.707614701],
    ]
)


def colour_table(kind: str) -> NDArray[np.float64]:
    """Red, green and blue of each step, shape (256, 3), from 0 to 1.

    Parameters
    ----------
    kind : {"sequential", "diverging"}
    """
    lab = _to_lab(np.array(DIVERGING if kind == "diverging" else SEQUENTIAL))
    at = np.linspace(0.0, len(lab) - 1.0, STEPS)
    return _to_rgb(np.column_stack([np.interp(at, np.arange(len(lab)), part) for part in lab.T]))


def category_colours(number: int) -> NDArray[np.float64]:
    """A colour for each category, shape (number, 3)."""
    places = np.arange(number)
    turns = np.array(TURNS)[places // len(HUES) % len(TURNS)]
    return _to_rgb(_to_lab(np.column_stack([turns, np.array(HUES)[places % len(HUES)]])))


def _to_lab(colours: ArrayLike) -> NDArray[np.float64]:
    lightness, chroma, hue = np.asarray(colours, dtype=np.float64).T
    angle = np.deg2rad(hue)
    return np.column_stack([lightness, chroma * np.cos(angle), chroma * np.sin(angle)])


def _to_rgb(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    light = np.clip((lab @ _TO_ROOTS.T) ** 3 @ _TO_LINEAR.T, 0.0, 1.0)
    return np.asarray(np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055))
