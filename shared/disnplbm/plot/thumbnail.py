"""A small heatmap as a PNG file, without matplotlib."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from disnplbm.plot.colours import MISSING, STEPS, category_colours, colour_table
from disnplbm.plot.picture import picture_of
from disnplbm.plot.scale import Scale
from disnplbm.plot.shown import Shown

#: Pixels of each side, at most.
MOST_ROWS, MOST_COLUMNS = 160, 240

#: The last colour of the palette is what a missing cell has.
_MISSING = STEPS - 1


def thumbnail(shown: Shown) -> bytes:
    """Draw the sorted table in a few kilobytes, as a PNG file."""
    view = shown.heatmap.reordered
    values, scale = picture_of(shown, view, None)
    rows, columns = _picked(values.shape[0], MOST_ROWS), _picked(values.shape[1], MOST_COLUMNS)
    small = values[np.ix_(rows, columns)]
    steps = np.minimum(np.nan_to_num(scale.place(small)) * STEPS, _MISSING - 1).astype(np.uint8)
    steps[np.isnan(small)] = _MISSING
    return encode_png(steps, _palette(scale))


def encode_png(steps: NDArray[np.uint8], palette: NDArray[np.uint8]) -> bytes:
    """A picture of a palette as a PNG file (https://www.w3.org/TR/png-3).

    Parameters
    ----------
    steps : ndarray of uint8, shape (height, width)
        Places in the palette.
    palette : ndarray of uint8, shape (colours, 3)
    """
    height, width = steps.shape
    # Each line begins with its filter: none.
    lines = np.insert(steps, 0, 0, axis=1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (b"IHDR", header), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _picked(length: int, most: int) -> NDArray[np.int64]:
    """Places to keep of a side."""
    return np.arange(min(length, most), dtype=np.int64) * length // min(length, most)


def _palette(scale: Scale) -> NDArray[np.uint8]:
    if scale.kind == "categories":
        number = len(scale.names)
        table = category_colours(number)[np.minimum(np.arange(STEPS) * number // STEPS, number - 1)]
    else:
        table = colour_table(scale.kind)
    table[_MISSING] = MISSING
    return np.rint(255 * table).astype(np.uint8)
