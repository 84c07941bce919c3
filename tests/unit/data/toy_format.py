"""A format as somebody might add it: each line of a file is the whole number of dots in it."""

from __future__ import annotations

from pathlib import Path

from disnplbm.data.array import ArraySource
from disnplbm.data.reading import Reading
from disnplbm.data.table import Source


def open_table(path: Path, _reading: Reading) -> Source:
    """Open a .dots file."""
    cells = [[float(len(cell)) for cell in line.split(" ")] for line in path.read_text().splitlines()]
    return ArraySource(cells, name=str(path))
