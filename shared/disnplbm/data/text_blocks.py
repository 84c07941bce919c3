"""Blocks of delimited text to numbers, by pyarrow; None for a block that is left to the plain reader of `text.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from disnplbm.data.limits import LONGEST_LINE
from disnplbm.data.numerals import PLAIN, Numerals

WIDE = 200
"""From this many columns on a block is parsed as one long column of cells: pyarrow pays a few microseconds and
kilobytes for each column of each block, which for 50,000 columns is most of the time and half a gigabyte."""


_NO_CELLS = b" \r\n"
"""What blank lines are made of. A tab is none of it: a line of tabs is a row of missing cells."""

_BLANKS = re.compile(rb" +")
_EDGES = re.compile(rb"^ +| +(?=\r?$)", re.MULTILINE)


@dataclass(frozen=True)
class Layout:
    """How rows are laid out: the delimiter, the number of cells, which of them are text (in ascending order), and how
    numbers are written."""

    delimiter: str
    width: int
    text: tuple[int, ...]
    numerals: Numerals = PLAIN

    @cached_property
    def marks(self) -> NDArray[np.float64]:
        """Numbers that mark missing cells: pyarrow knows them in one spelling only."""
        numbers = [Numerals(self.numerals.decimal).parse(mark) for mark in self.numerals.marks]
        return np.array([number for number in numbers if number is not None and not np.isnan(number)])

    def conversion_options(self, types: dict[str, pa.DataType]) -> pa.csv.ConvertOptions:
        """How pyarrow makes numbers of cells."""
        return pa.csv.ConvertOptions(
            column_types=types, null_values=list(self.numerals.missing), decimal_point=self.numerals.decimal
        )


@dataclass(frozen=True)
class Block:
    """Numbers of a block, shape (c, p), and for each text column its cells."""

    values: NDArray[np.float64]
    text: dict[int, list[str]]


def cut(stream: IO[bytes], size: int) -> Iterator[bytes | None]:
    """Stretches of about `size` bytes that end at the end of a line; stretches of blank lines are left out.

    They are cut here because pyarrow's own streaming reader runs up to 32 blocks ahead of its caller. Where a line is
    longer than it may be comes None, and no more.
    """
    parts: list[bytes] = []
    held = 0
    while text := stream.read(size):
        end = text.rfind(b"\n") + 1
        held = held + len(text) if end == 0 else 0
        if held > LONGEST_LINE:
            yield None
            return
        if end == 0:
            parts.append(text)
            continue
        block = b"".join((*parts, text[:end]))
        parts = [text[end:]]
        if block.strip(_NO_CELLS):
            yield block
    block = b"".join(parts)
    if block.strip(_NO_CELLS):
        yield block


def parse(block: bytes, layout: Layout) -> Block | None:
    """Parse whole rows; None if anything in them is neither a finite number nor missing, or does not add up."""
    # An odd number of quotes: the block may end inside a quoted cell.
    if block.count(b'"') % 2 or layout.numerals.thousands != "none":
        return None
    # pyarrow takes no other delimiters.
    if not layout.delimiter.isascii():
        return None
    if layout.delimiter == " ":
        if b'"' in block:
            return None
        block = _BLANKS.sub(b" ", _EDGES.sub(b"", block))
    try:
        if layout.width >= WIDE and b'"' not in block:
            return _by_cell(block, layout)
        return _by_column(block, layout)
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None


def _by_column(block: bytes, layout: Layout) -> Block | None:
    names = [str(j) for j in range(layout.width)]
    types = {name: pa.string() if j in layout.text else pa.float64() for j, name in enumerate(names)}
    table = pa.csv.read_csv(
        pa.BufferReader(block),
        pa.csv.ReadOptions(column_names=names, use_threads=False, block_size=len(block)),
        pa.csv.ParseOptions(delimiter=layout.delimiter),
        layout.conversion_options(types),
    )
    batches = table.to_batches()
    if len(batches) != 1:
        return None
    data = batches[0].select([j for j in range(layout.width) if j not in layout.text])
    # A tensor needs a column.
    values = (
        data.to_tensor(null_to_nan=True, row_major=True).to_numpy()
        if data.num_columns
        else np.empty((data.num_rows, 0))
    )
    if not _plain(values, sum(column.null_count for column in data.columns), layout):
        return None
    return Block(values, {j: batches[0].column(j).to_pylist() for j in layout.text})


def _by_cell(block: bytes, layout: Layout) -> Block | None:
    delimiter = layout.delimiter.encode()
    lines = [line for line in block.replace(b"\r\n", b"\n").split(b"\n") if line]
    text: dict[int, list[str]] = {j: [] for j in layout.text}
    for i, line in enumerate(lines):
        if line.count(delimiter) != layout.width - 1:
            return None
        # From the last text column to the first, so that positions stay true.
        for j in reversed(layout.text):
            cells = line.split(delimiter, j + 1)
            text[j].append(cells.pop(j).decode())
            line = delimiter.join(cells)
        lines[i] = line
    cells_in_all = b"\n".join((*lines, b"")).replace(delimiter, b"\n")
    table = pa.csv.read_csv(
        pa.BufferReader(cells_in_all),
        pa.csv.ReadOptions(column_names=["0"], use_threads=False, block_size=max(1, len(cells_in_all))),
        pa.csv.ParseOptions(delimiter=layout.delimiter, ignore_empty_lines=False),
        layout.conversion_options({"0": pa.float64()}),
    )
    if table.num_rows != len(lines) * (layout.width - len(layout.text)):
        return None
    column = table.column(0)
    values = column.to_numpy().reshape(len(lines), -1)
    return Block(values, text) if _plain(values, column.null_count, layout) else None


def _plain(values: NDArray[np.float64], nulls: int, layout: Layout) -> bool:
    """Whether all numbers are finite and every NaN comes from a spelling allowed, not from "NAN" or "-nan"."""
    if len(layout.marks) and np.isin(values, layout.marks).any():
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(values)):
            return True
    return not np.isinf(values).any() and int(np.isnan(values).sum()) == nulls
