"""Colour scales of the heatmaps, interpolated in OKLab so that equal steps of a value look like equal steps.

Both scales start from the page's own ground: a diverging scale fades to it at zero, a sequential one at the low end.
Hence one version for the light theme and one for the dark.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["diverging", "sequential"]
Theme = Literal["light", "dark"]

# Lightness, chroma and hue (degrees) at evenly spaced stops; mid-points keep chroma so that no step turns grey.
STOPS: dict[tuple[Kind, Theme], list[tuple[float, float, float]]] = {
    ("diverging", "light"): [
        (0.36, 0.105, 262), (0.53, 0.130, 252), (0.76, 0.085, 242), (0.965, 0.004, 90),
        (0.79, 0.095, 62), (0.57, 0.145, 42), (0.39, 0.115, 30),
    ],
    ("diverging", "dark"): [
        (0.87, 0.075, 225), (0.68, 0.125, 240), (0.46, 0.105, 254), (0.235, 0.006, 260),
        (0.47, 0.105, 38), (0.69, 0.140, 50), (0.88, 0.090, 75),
    ],
    ("sequential", "light"): [
        (0.965, 0.025, 105), (0.86, 0.080, 150), (0.72, 0.095, 190), (0.57, 0.098, 228),
        (0.42, 0.105, 265), (0.27, 0.085, 288),
    ],
    ("sequential", "dark"): [
        (0.225, 0.045, 285), (0.37, 0.095, 268), (0.52, 0.095, 232), (0.67, 0.095, 195),
        (0.82, 0.090, 155), (0.955, 0.060, 108),
    ],
}  # fmt: skip

_LMS_FROM_LAB = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_RGB_FROM_LMS = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def colour_table(kind: Kind, theme: Theme, steps: int = 255) -> NDArray[np.uint8]:
    """Colours from the lowest to the highest value, shape (steps, 3), sRGB."""
    lightness, chroma, hue = np.array(STOPS[kind, theme]).T
    angle = np.deg2rad(hue)
    stops = np.column_stack([lightness, chroma * np.cos(angle), chroma * np.sin(angle)])
    at = np.linspace(0, len(stops) - 1, steps)
    lab = np.column_stack([np.interp(at, np.arange(len(stops)), channel) for channel in stops.T])
    linear = np.clip((lab @ _LMS_FROM_LAB.T) ** 3 @ _RGB_FROM_LMS.T, 0.0, 1.0)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.asarray(np.rint(encoded * 255), dtype=np.uint8)


def hex_colour(rgb: NDArray[np.uint8]) -> str:
    """`#rrggbb` of one colour."""
    return "#" + bytes(rgb.tolist()).hex()


def luminance(rgb: NDArray[np.uint8]) -> float:
    """Relative luminance of one colour, 0..1, as contrast ratios are defined on it."""
    encoded = rgb.astype(np.float64) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


def ink_on(rgb: NDArray[np.uint8]) -> str:
    """Black or white text, whichever has the better contrast on the colour."""
    bright = luminance(rgb)
    return "#000000" if (bright + 0.05) / 0.05 >= 1.05 / (bright + 0.05) else "#ffffff"
