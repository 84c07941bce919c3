"""Comma- and tab-separated text, plain or gzipped, in blocks of rows.

Columns are told apart by position, so names may repeat. A block that the fast parser of `blocks.py` cannot take is read
again by the plain reader of `text.py`, from the first row not handed out yet: it either finds the faulty cell or takes
what the fast one is too strict about (such as blanks around NA).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from disnplbm.data.blocks import Layout, cut, parse
from disnplbm.data.cells import unify_missing
from disnplbm.data.named import CLASS_OPTION, DROP_OPTION, ID_OPTION, find_column, text_column
from disnplbm.data.reading import NO_COLUMN, Reading
from disnplbm.data.source import READ_BYTES, Chunk
from disnplbm.data.text import (
    LOOK_AHEAD,
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
"""Text parsed at a time; rows longer than that are parsed one at a time."""


class CsvSource:
    """A csv or tsv file; see `open_source` for the parameters."""

    def __init__(self, path: Path, delimiter: str, reading: Reading) -> None:
        reading.refuse_all_but(
            ("id_column", "class_column", "drop_columns", "header"), f"{path}: a text file cannot be read so yet"
        )
        id_column, class_column, header = reading.id_column, reading.class_column, reading.header
        self.name = str(path)
        self.dimension = 1
        self.notes: list[str] = []
        self.bytes_total = path.stat().st_size
        self._path = path
        self._delimiter = delimiter
        first, second = self._first_two()
        id_column = None if id_column == NO_COLUMN else id_column
        named = [name for name in (id_column, class_column, *reading.drop_columns) if name is not None]
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
        by_itself = self._has_header and reading.id_column is None
        if by_itself and names[0] == "" and self._width > 1 and self._class != 0:
            self._id = 0
            self.notes.append("the first column has no name: taken as row names, not as data")
        self._dropped = [find_column(names, name, DROP_OPTION, self.name) for name in reading.drop_columns]
        no_data = {self._id, self._class, *self._dropped}
        self._data = [j for j in range(self._width) if j not in no_data]
        if not self._data:
            raise InputError(f"{path} has no data column besides {' and '.join(named)}; check --id-column")
        self.column_names = [names[j] or f"unnamed_{j}" for j in self._data]
        self._block_bytes = BLOCK_BYTES

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
        text = tuple(sorted({j for j in (self._id, self._class, *self._dropped) if j is not None}))
        layout = Layout(self._delimiter, self._width, text)
        with open_bytes(self._path) as (stream, raw):
            if self._has_header:
                next(records(stream, self._path, self._delimiter))
            for text_block in cut(stream, self._block_bytes):
                block = None if text_block is None else parse(text_block, layout)
                if block is None:
                    yield None
                    return
                yield Chunk(
                    unify_missing(block.values[:, :, None]),
                    None if self._id is None else block.text[self._id],
                    None if self._class is None else block.text[self._class],
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
