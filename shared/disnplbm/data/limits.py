"""What no file, however small, may make a reader take memory for: such files lie about what is in them."""

from __future__ import annotations

from disnplbm.errors import InputError

#: Columns of a table; their names are in memory.
MOST_COLUMNS = 5_000_000

#: Numbers of a cell.
MOST_NUMBERS = 1024

#: Rows of a table; one is named by a 32-bit number.
MOST_ROWS = 2**31 - 1

#: Cells of a sparse table for each one that it stores.
MOST_CELLS_AN_ENTRY = 10_000

#: Bytes of a line of text, and of a record with line breaks in its cells; one is in memory at a time.
LONGEST_LINE = 256 * 2**20

#: What zlib packs into one byte at most is 1,032 bytes.
MOST_PACKED = 1100

#: What any file may unpack to, however small it is.
ALWAYS_FINE = 64 * 2**20


def check_columns(columns: int, name: str) -> None:
    """Raise InputError if a table says that it has more columns than there may be."""
    if columns > MOST_COLUMNS:
        raise InputError(f"{name} has {columns:,} columns, and at most {MOST_COLUMNS:,} can be read: check its header")


def check_numbers(dimension: int, name: str) -> None:
    """Raise InputError if a cell is more numbers than one cell may be."""
    if dimension > MOST_NUMBERS:
        raise InputError(
            f"{name} has {dimension:,} numbers a cell, and a cell can be at most {MOST_NUMBERS:,}: keep fewer (their"
            " leading principal components), or give each number a column of its own (X.reshape(len(X), -1))"
        )


def check_promise(promised: int, size: int, name: str) -> None:
    """Raise InputError if a packed file says that it holds more bytes than a file of its size can."""
    if promised > max(ALWAYS_FINE, MOST_PACKED * size):
        raise InputError(
            f"{name} promises {promised:,} bytes of cells, which {size:,} bytes cannot hold: write it again"
        )


def check_density(rows: int, columns: int, entries: int, name: str) -> None:
    """Raise InputError if a sparse table is all but empty, so that a tiny file would stand for a huge table."""
    cells = rows * columns
    if 8 * cells > ALWAYS_FINE and cells > MOST_CELLS_AN_ENTRY * entries:
        raise InputError(
            f"{name} has {rows:,} x {columns:,} cells ({8 * cells / 2**30:,.1f} GiB) and stores {entries:,} of them,"
            f" less than one in {MOST_CELLS_AN_ENTRY:,}: check its size, or leave out empty rows and columns"
        )
