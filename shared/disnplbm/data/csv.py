"""Delimited text, plain or gzipped, in blocks of rows.

Columns are told apart by position, so names may repeat. A block that the fast parser of `blocks.py` cannot take is read
again by the plain reader of `text.py`, from the first row not handed out yet: it either finds the faulty cell or takes
what the fast one is too strict about (such as blanks around NA).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np

from disnplbm.data.blocks import Layout, cut, parse
from disnplbm.data.cells import unify_missing
from disnplbm.data.head import look
from disnplbm.data.heading import find_heading
from disnplbm.data.reading import Reading
from disnplbm.data.refusal import refuse, survey
from disnplbm.data.source import READ_BYTES, Chunk
from disnplbm.data.text import Record, open_bytes, records
from disnplbm.errors import InputError

BLOCK_BYTES = 4 * 2**20
"""Text parsed at a time; rows longer than that are parsed one at a time."""


class CsvSource:
    """A file of delimited text.

    Parameters
    ----------
    path : Path
    usual : str
        The delimiter that the ending of the file's name stands for.
    reading : Reading
    """

    def __init__(self, path: Path, usual: str, reading: Reading) -> None:
        self.name = str(path)
        self.dimension = 1
        self.bytes_total = path.stat().st_size
        self._path = path
        self._reading = reading
        self._usual = usual
        head = look(path, usual, reading)
        self._heading = find_heading(head, reading, self.name)
        self._delimiter, self._numerals = head.delimiter, head.numerals
        self._width, self._data = self._heading.width, self._heading.data
        self.column_names = [self._heading.names[j] for j in self._data]
        self.notes: list[str] = [*head.notes, *self._heading.notes]
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

    def _fast_chunks(self) -> Iterator[Chunk | None]:
        """Chunks as long as blocks are plain; None where the plain reader has to go on."""
        id_at, class_at = self._heading.id_at, self._heading.class_at
        text = tuple(sorted({j for j in (id_at, class_at, *self._heading.dropped) if j is not None}))
        layout = Layout(self._delimiter, self._width, text, self._numerals)
        with open_bytes(self._path) as (stream, raw):
            if self._heading.present:
                next(records(stream, self._path, self._delimiter))
            for text_block in cut(stream, self._block_bytes):
                block = None if text_block is None else parse(text_block, layout)
                if block is None:
                    yield None
                    return
                yield Chunk(
                    unify_missing(block.values[:, :, None]),
                    None if id_at is None else block.text[id_at],
                    None if class_at is None else block.text[class_at],
                    min(raw.tell(), self.bytes_total),
                )

    def _plain_chunks(self, skip: int) -> Iterator[Chunk]:
        step = max(1, READ_BYTES // (8 * len(self._data)))
        with open_bytes(self._path) as (stream, raw):
            rows = records(stream, self._path, self._delimiter, blank_lines=self._width == 1)
            if self._heading.present:
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
                value = self._numerals.parse(record.cells[j])
                if value is None or np.isinf(value):
                    raise self._bad_cell(record, k, value, chain(block[i + 1 :], rest))
                values[i, k, 0] = value
        ids, classes = (
            None if j is None else [record.cells[j] for record in block]
            for j in (self._heading.id_at, self._heading.class_at)
        )
        return Chunk(unify_missing(values), ids, classes, bytes_read)

    def _bad_cell(self, record: Record, k: int, value: float | None, rest: Iterator[Record]) -> InputError:
        place = f"{self.name} line {record.line}, column {self.column_names[k]}"
        cell = record.cells[self._data[k]]
        shown = repr(cell if len(cell) <= 40 else cell[:37] + "...")
        if value is not None:
            return InputError(
                f"{place}: {shown} is not a finite number; replace it or leave the cell blank if it is missing"
            )
        first = look(self._path, self._usual, self._reading).records[int(self._heading.present) :]
        looked_at = chain((each for each in first if each.line < record.line), [record], rest)
        rows = ([each.cells[j] for j in self._data] for each in looked_at if len(each.cells) == self._width)
        columns, points = survey(self.column_names, rows, self._numerals)
        reading = self._reading if self._heading.plain else self._reading.but(header=self._heading.present)
        return refuse(
            f"{place}: {shown} is not a number",
            columns,
            reading,
            has_names=self._heading.id_at is not None,
            only_text=len(columns) == len(self._data),
            numerals=self._numerals,
            points=points,
        )
