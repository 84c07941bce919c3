"""Comma- and tab-separated text, plain or gzipped, by pyarrow in blocks of rows.

Columns are told apart by position, so names may repeat. Whatever a block holds besides numbers and missing cells, or
that pyarrow cannot parse, is read again by the plain reader of `text.py`, from the first row not handed out yet: it
either finds the faulty cell or takes what pyarrow is too strict about (such as blanks around NA).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from disnplbm.data.cells import unify_missing
from disnplbm.data.named import CLASS_OPTION, ID_OPTION, find_column, text_column
from disnplbm.data.source import READ_BYTES, Chunk, Header
from disnplbm.data.text import (
    LOOK_AHEAD,
    MISSING,
    Record,
    is_header,
    is_missing,
    is_number,
    open_bytes,
    parse_cell,
    records,
)
from disnplbm.errors import InputError

BLOCK_BYTES = 4 * 2**20
"""Text parsed at a time when rows are short."""

WIDE_BLOCK_BYTES = 32 * 2**20
"""Text parsed at a time when rows are long: pyarrow pays for each column of each block."""

_ROWS_PER_BLOCK = 64


class CsvSource:
    """A csv or tsv file; see `open_source` for the parameters."""

    def __init__(
        self,
        path: Path,
        delimiter: str,
        *,
        id_column: str | None = None,
        class_column: str | None = None,
        header: Header = "auto",
    ) -> None:
        self.name = str(path)
        self.dimension = 1
        self.notes: list[str] = []
        self.bytes_total = path.stat().st_size
        self._path = path
        self._delimiter = delimiter
        first, second = self._first_two()
        named = [name for name in (id_column, class_column) if name is not None]
        if header == "auto":
            # A name asked for decides, whatever the other cells look like.
            words = [cell.strip() for cell in first.cells if not is_number(cell)]
            self._has_header = is_header(first.cells, second.cells if second else None) or any(
                name in words for name in named
            )
        else:
            self._has_header = header
        if self._has_header and second is None:
            raise InputError(f"{path} has a header but no rows: give a file with at least one row of numbers")
        self._width = len(first.cells)
        names = [cell.strip() for cell in first.cells] if self._has_header else [str(j) for j in range(self._width)]
        self._id = find_column(names, id_column, ID_OPTION, self.name)
        self._class = find_column(names, class_column, CLASS_OPTION, self.name)
        if self._has_header and id_column is None and names[0] == "" and self._width > 1 and self._class != 0:
            self._id = 0
            self.notes.append("the first column has no name: taken as row names, not as data")
        self._data = [j for j in range(self._width) if j not in (self._id, self._class)]
        if not self._data:
            raise InputError(f"{path} has no data column besides {' and '.join(named)}; check --id-column")
        self.column_names = [names[j] or f"unnamed_{j}" for j in self._data]
        typical = second or first
        self._block_bytes = max(
            BLOCK_BYTES, min(WIDE_BLOCK_BYTES, _ROWS_PER_BLOCK * typical.size), 4 * max(first.size, typical.size)
        )

    def chunks(self) -> Iterator[Chunk]:
        """Read the file from its start, a block of text at a time."""
        rows_read = 0
        # Blank lines mean missing cells in a file of one column, which only the plain reader knows.
        if self._width > 1:
            for chunk in self._fast_chunks():
                if chunk is None:
                    break
                rows_read += len(chunk.values)
                yield chunk
            else:
                return
        yield from self._plain_chunks(rows_read)

    def _first_two(self) -> tuple[Record, Record | None]:
        with open_bytes(self._path) as (stream, _):
            head = stream.read(2**16)
            if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise InputError(f"{self.name} is UTF-16 text; save it with the encoding UTF-8")
            if b"\r" in head[:-1] and b"\n" not in head:
                raise InputError(f"{self.name} ends its lines by a carriage return alone; save it with line feeds")
        with open_bytes(self._path) as (stream, _):
            two = list(islice(records(stream, self._path, self._delimiter), 2))
        if not two:
            raise InputError(f"{self.name} holds blank lines only: give a file with at least one row of numbers")
        return two[0], two[1] if len(two) == 2 else None

    def _fast_chunks(self) -> Iterator[Chunk | None]:
        """Chunks as long as blocks are plain; None where the plain reader has to go on."""
        names = [str(j) for j in range(self._width)]
        text_columns = {j for j in (self._id, self._class) if j is not None}
        types = {name: pa.string() if j in text_columns else pa.float64() for j, name in enumerate(names)}
        read_options = pa.csv.ReadOptions(column_names=names, use_threads=False)
        parse_options = pa.csv.ParseOptions(delimiter=self._delimiter)
        convert_options = pa.csv.ConvertOptions(column_types=types, null_values=list(MISSING))
        with open_bytes(self._path) as (stream, raw):
            if self._has_header:
                next(records(stream, self._path, self._delimiter))
            # Blocks are cut here: pyarrow's own streaming reader runs up to 32 blocks ahead, a gigabyte of wide rows.
            for block in _blocks(stream, self._block_bytes):
                # An odd number of quotes: the block may end inside a quoted cell.
                if block.count(b'"') % 2:
                    yield None
                    return
                read_options.block_size = len(block)
                try:
                    table = pa.csv.read_csv(pa.BufferReader(block), read_options, parse_options, convert_options)
                except pa.ArrowInvalid:
                    yield None
                    return
                chunk = self._from_table(table, raw) if table.num_rows else None
                yield chunk
                if chunk is None:
                    return

    def _from_table(self, table: pa.Table, raw: IO[bytes]) -> Chunk | None:
        (batch,) = table.to_batches()
        data = batch.select(self._data) if len(self._data) < self._width else batch
        values = data.to_tensor(null_to_nan=True, row_major=True).to_numpy()
        total = _quiet_sum(values)
        if not np.isfinite(total):
            if np.isinf(values).any():
                return None
            # NaN that is not one of the four spellings ("NAN", "-nan") is text.
            if int(np.isnan(values).sum()) != sum(column.null_count for column in data.columns):
                return None
        return Chunk(
            unify_missing(values.reshape(batch.num_rows, -1, 1)),
            _strings(batch, self._id),
            _strings(batch, self._class),
            min(raw.tell(), self.bytes_total),
        )

    def _plain_chunks(self, skip: int) -> Iterator[Chunk]:
        step = max(1, READ_BYTES // (8 * len(self._data)))
        with open_bytes(self._path) as (stream, raw):
            rows = records(stream, self._path, self._delimiter, blank_lines=self._width == 1)
            if self._has_header:
                next(rows)
            rows = islice(rows, skip, None)
            while block := list(islice(rows, min(step, 4096))):
                yield self._from_records(block, rows, min(raw.tell(), self.bytes_total))

    def _from_records(self, block: list[Record], rest: Iterator[Record], bytes_read: int) -> Chunk:
        values = np.empty((len(block), len(self._data), 1))
        for i, record in enumerate(block):
            if len(record.cells) != self._width:
                raise InputError(
                    f"{self.name} line {record.line} has {len(record.cells)} cells where the first line has"
                    f" {self._width}; add or remove cells, and check quotes and separators"
                )
            for k, j in enumerate(self._data):
                value = parse_cell(record.cells[j])
                if value is None or np.isinf(value):
                    following = [*block[i + 1 :], *islice(rest, LOOK_AHEAD)]
                    raise InputError(self._bad_cell(record, k, value, following))
                values[i, k, 0] = value
        ids, classes = (None if j is None else [record.cells[j] for record in block] for j in (self._id, self._class))
        return Chunk(unify_missing(values), ids, classes, bytes_read)

    def _bad_cell(self, record: Record, k: int, value: float | None, following: list[Record]) -> str:
        place = f"{self.name} line {record.line}, column {self.column_names[k]}"
        cell = record.cells[self._data[k]]
        shown = repr(cell if len(cell) <= 40 else cell[:37] + "...")
        if value is not None:
            return f"{place}: {shown} is not a finite number; replace it or leave the cell blank if it is missing"
        if len(self._data) == 1 and cell.count(";") > 0:
            return f"{place}: {shown} is not a number; separate cells by {self._delimiter!r} instead of ';'"
        others = [r.cells[self._data[k]] for r in following[:LOOK_AHEAD] if len(r.cells) == self._width]
        filled = [other for other in others if not is_missing(other)]
        if filled and all(parse_cell(other) is None for other in filled):
            return text_column(f"{place}: {shown} and the rest of this column", self.column_names[k])
        return f"{place}: {shown} is not a number; correct it, or leave the cell blank if it is missing"


def _blocks(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """Stretches of about `size` bytes that end at the end of a line; stretches of blank lines are left out."""
    rest = b""
    while text := stream.read(size):
        text = rest + text
        end = text.rfind(b"\n") + 1
        block, rest = text[:end], text[end:]
        if block.strip():
            yield block
    if rest.strip():
        yield rest


def _strings(batch: pa.RecordBatch, position: int | None) -> list[str] | None:
    return None if position is None else batch.column(position).to_pylist()


def _quiet_sum(values: NDArray[Any]) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sum(values))
