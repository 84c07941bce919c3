"""What no file, however small, may make a reader take memory for: such files lie about what is in them."""

from __future__ import annotations

from disnplbm.bounds import MOST_NUMBERS
from disnplbm.errors import InputError
from disnplbm.variables import whole_number

#: Columns of a table; their names are in memory.
MOST_COLUMNS = 5_000_000


#: Rows of a table; one is named by a 32-bit number.
MOST_ROWS = 2**31 - 1

#: Cells of a sparse table for each one that it stores, and for each byte that it comes in.
MOST_CELLS_AN_ENTRY = 10_000

#: Bytes of a line of text, and of a record with line breaks in its cells; one is in memory at a time.
LONGEST_LINE = 256 * 2**20

#: What zlib packs into one byte at most is 1,032 bytes.
MOST_PACKED = 1100

#: What any file may unpack to, however small it is.
ALWAYS_FINE = 64 * 2**20

UNPACK_RATIO = 500
"""Bytes that a file may unpack to for each byte of it, if the setting DISNPLBM_UNPACK_RATIO says nothing else. Text of
a table of which one cell in a thousand is not zero comes to about that."""

#: What a file may unpack to whatever that ratio is: it fits into memory.
UNPACKED_FINE = 256 * 2**20


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


def most_unpacked(size: int) -> int:
    """Bytes that a packed file of a size may unpack to; InputError if the setting is no whole number."""
    return max(UNPACKED_FINE, whole_number("UNPACK_RATIO", UNPACK_RATIO) * size)


def check_unpacked(unpacked: int, size: int, name: str) -> None:
    """Raise InputError if a packed file unpacks to more bytes than a file of its size may."""
    if unpacked > most_unpacked(size):
        raise InputError(
            f"{name} has {size:,} bytes and unpacks to more than {most_unpacked(size):,}: check where it comes from;"
            " if it is what it should be, unpack it first, or raise DISNPLBM_UNPACK_RATIO"
        )


def check_words(length: int, size: int, name: str) -> None:
    """Raise InputError if the names that a file stores once and hands out often take too much room for its size."""
    if length > most_unpacked(size):
        raise InputError(
            f"{name} has {size:,} bytes and {length:,} letters of names of rows or classes: give them shorter names"
        )


def check_room(taken: int, most: int, name: str) -> None:
    """Raise InputError if the cells of a table take more bytes than they may."""
    if taken > most:
        raise InputError(
            f"{name} unpacks to more than {most:,} bytes of cells: send fewer rows, or raise"
            " DISNPLBM_UPLOAD_LIMIT_BYTES"
        )


def check_density(rows: int, columns: int, entries: int, size: int, name: str) -> None:
    """Raise InputError if a sparse table is all but empty, so that a tiny file would stand for a huge table.

    Parameters
    ----------
    rows, columns, entries : int
        Entries are the cells that it stores.
    size : int
        Bytes of the file, which may be packed.
    """
    cells = rows * columns
    if 8 * cells > ALWAYS_FINE and cells > MOST_CELLS_AN_ENTRY * min(entries, size):
        stored = f"stores {entries:,} of them" if entries <= size else f"comes in {size:,} bytes"
        raise InputError(
            f"{name} has {rows:,} x {columns:,} cells ({8 * cells / 2**30:,.1f} GiB) and {stored},"
            f" less than one in {MOST_CELLS_AN_ENTRY:,}: check its size, or leave out empty rows and columns"
        )
