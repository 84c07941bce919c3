"""Delimited text, plain or gzipped, in blocks of rows.

Columns are told apart by position, so names may repeat. A block that the fast parser of `blocks.py` cannot take is read
again by the plain reader of `text.py`, from the first row not handed out yet: it either finds the faulty cell or takes
what the fast one is too strict about (such as blanks around NA).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import unify_missing
from disnplbm.data.column_look import ColumnLook
from disnplbm.data.formats import usual_delimiter
from disnplbm.data.head import read_head
from disnplbm.data.heading import find_heading, with_word_names
from disnplbm.data.marks import Marked, find_marked, is_marked, marked_notes
from disnplbm.data.numerals import Numerals
from disnplbm.data.reading import Reading
from disnplbm.data.refusal import TextColumn, is_mark, refuse, survey
from disnplbm.data.table import READ_BYTES, Chunk, Source
from disnplbm.data.text import Record, open_bytes, records
from disnplbm.data.text_blocks import Block, Layout, cut, parse
from disnplbm.data.words import WordChunk, WordSource
from disnplbm.data.wordy import first_words, holds_words
from disnplbm.data.written import Written
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.notes import Hint, Note

BLOCK_BYTES = 4 * 2**20
"""Text parsed at a time; rows longer than that are parsed one at a time."""

_ONE_WAY = (
    "write all cells of the column as numbers (1 and 0 for TRUE and FALSE, 0.12 for 12%), and leave those blank that"
    " are missing"
)


def open_table(path: Path, reading: Reading) -> Source:
    """Open a file of delimited text."""
    return CsvSource(path, usual_delimiter(path), reading).as_read()


def open_columns(path: Path, reading: Reading) -> CsvSource:
    """Open a file of delimited text whose columns are of several kinds."""
    source = CsvSource(path, usual_delimiter(path), reading.but(words="only"))
    if not source.heading.present:
        raise InputError(
            f"{path}: the columns have no names, and a table of columns of several kinds needs them: add a first line"
            " of names"
        )
    return source


class CsvSource:
    """A file of delimited text.

    Parameters
    ----------
    usual : str
        The delimiter that the ending of the file's name stands for.

    Attributes
    ----------
    wordy : bool
        Whether it is to be read as words, by :meth:`word_chunks`.
    heading : Heading
        What its columns are.
    """

    def __init__(self, path: Path, usual: str, reading: Reading) -> None:
        self.name = str(path)
        self.dimension = 1
        self.bytes_total = path.stat().st_size
        self._path = path
        self._reading = reading
        self._usual = usual
        head = read_head(path, usual, reading)
        self.heading = find_heading(head, reading, self.name)
        self._delimiter, self._numerals = head.delimiter, head.numerals
        rows = [record.cells for record in head.records[int(self.heading.present) :]]
        self.wordy = self._look_for_words(rows)
        self._width, self._data = self.heading.width, self.heading.data
        self.column_names = [self.heading.names[j] for j in self._data]
        self.id_name = self.heading.id_name
        self._marked = _find_marked(rows, self._width, self._data, head.numerals)
        self.notes: list[str] = [*head.notes, *self.heading.notes]
        self.notes += marked_notes([self.column_names[k] for k in self._marked], list(self._marked.values()))
        self._decimal_shown = head.decimal_shown
        self.written = self._written()
        self._block_bytes = BLOCK_BYTES
        if reading.words == "yes" and not self.wordy:
            self.wordy = not self._holds_numbers()

    def _written(self) -> Written:
        """How the numbers of the columns of data are written."""
        percent = tuple(k for k, marked in self._marked.items() if marked.kind == "percent")
        return Written(self._decimal_shown, "all" if len(percent) == len(self._data) else percent)

    def _look_for_words(self, rows: Sequence[Sequence[str]]) -> bool:
        """Whether the first rows are words; the first column of such rows may name them."""
        heading = self.heading
        rows = [row for row in rows if len(row) == heading.width]
        if self._reading.words == "auto" and not first_words(
            (row[j] for row in rows for j in heading.data), self._numerals
        ):
            return False
        named = with_word_names(heading, self._reading, rows)
        found = holds_words(([row[j] for row in rows] for j in named.data), self._numerals, self._reading)
        self.heading = named if found else heading
        return found

    def _holds_numbers(self) -> bool:
        """Whether the whole file can be read as numbers."""
        try:
            for _ in self.chunks():
                pass
        except InputError:
            return False
        return True

    def as_read(self) -> Source:
        """The file as a table of numbers, or of words."""
        return WordSource(self, self._reading, self.is_missing) if self.wordy else self

    def looks(self) -> list[ColumnLook]:
        """A look at each column, before any cell is read."""
        return [ColumnLook(name, self._marked.get(k, self._numerals).parse) for k, name in enumerate(self.column_names)]

    def taking(self, columns: Sequence[int]) -> CsvSource:
        """The same file with some of its columns of data alone, and without notes."""
        taken, data = copy(self), [self._data[k] for k in columns]
        others = (j for j in self._data if j not in data)
        taken.heading = replace(self.heading, data=data, dropped=(*self.heading.dropped, *others))
        taken._data, taken.column_names = data, [self.column_names[k] for k in columns]
        taken._marked = {place: self._marked[k] for place, k in enumerate(columns) if k in self._marked}
        taken.notes = []
        taken.written = taken._written()
        return taken

    def is_missing(self, cell: str) -> bool:
        """Whether a cell is missing."""
        return self._numerals.is_missing(cell)

    def word_chunks(self) -> Iterator[WordChunk]:
        """Read the file from its start, as words."""
        for block, _, bytes_read in self._records(0, max(1, READ_BYTES // (8 * self._width))):
            self._check_widths(block)
            columns = list(zip(*(record.cells for record in block), strict=True))
            ids, classes = self._names(block)
            yield WordChunk([columns[j] for j in self._data], ids, classes, bytes_read)

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
        id_at, class_at = self.heading.id_at, self.heading.class_at
        marked = [self._data[k] for k in self._marked]
        others = (id_at, class_at, *self.heading.dropped, *self.heading.blank, *marked)
        text = tuple(sorted({j for j in others if j is not None}))
        layout = Layout(self._delimiter, self._width, text, self._numerals)
        with open_bytes(self._path) as (stream, raw):
            if self.heading.present:
                next(records(stream, self._path, self._delimiter))
            for text_block in cut(stream, self._block_bytes):
                block = None if text_block is None else parse(text_block, layout)
                values = None if block is None else self._with_marked(block)
                if block is None or values is None:
                    yield None
                    return
                yield Chunk(
                    unify_missing(values[:, :, None]),
                    None if id_at is None else block.text[id_at],
                    None if class_at is None else block.text[class_at],
                    min(raw.tell(), self.bytes_total),
                )

    def _with_marked(self, block: Block) -> NDArray[np.float64] | None:
        """The cells of a block; None if one is not what its column holds."""
        if any(not self._numerals.is_missing(cell) for j in self.heading.blank for cell in block.text[j]):
            return None
        if not self._marked:
            return block.values
        values = np.empty((len(block.values), len(self._data)))
        values[:, [k for k in range(len(self._data)) if k not in self._marked]] = block.values
        for k, marked in self._marked.items():
            found = [marked.parse(cell) for cell in block.text[self._data[k]]]
            values[:, k] = [np.inf if number is None else number for number in found]
        if np.isinf(values).any():
            return None
        return values

    def _plain_chunks(self, skip: int) -> Iterator[Chunk]:
        for block, rest, bytes_read in self._records(skip, max(1, READ_BYTES // (8 * len(self._data)))):
            yield self._from_records(block, rest, bytes_read)

    def _records(self, skip: int, step: int) -> Iterator[tuple[list[Record], Iterator[Record], int]]:
        """Some rows at a time, those that come after them, and how far the file is read."""
        with open_bytes(self._path) as (stream, raw):
            rows = records(stream, self._path, self._delimiter, blank_lines=self._width == 1)
            if self.heading.present:
                next(rows)
            rows = islice(rows, skip, None)
            while block := list(islice(rows, min(step, 4096))):
                yield block, rows, min(raw.tell(), self.bytes_total)

    def _from_records(self, block: list[Record], rest: Iterator[Record], bytes_read: int) -> Chunk:
        values = np.empty((len(block), len(self._data), 1))
        for i, record in enumerate(block):
            self._check_widths([record])
            for k, j in enumerate(self._data):
                value = self._marked.get(k, self._numerals).parse(record.cells[j])
                if value is None or np.isinf(value):
                    raise self._bad_cell(record, k, value, chain(block[i + 1 :], rest))
                values[i, k, 0] = value
        return Chunk(unify_missing(values), *self._names(block), bytes_read)

    def _check_widths(self, block: Sequence[Record]) -> None:
        """Refuse rows of another length, or with a cell in a column that was left out as blank."""
        for record in block:
            if len(record.cells) != self._width:
                raise InputError(
                    f"{self.name} line {record.line} has {len(record.cells)} cells where the first line has"
                    f" {self._width}; add or remove cells, and check quotes and separators"
                )
            for j in self.heading.blank:
                if not self._numerals.is_missing(record.cells[j]):
                    raise self._no_name(record, j)

    def _names(self, block: Sequence[Record]) -> tuple[list[str] | None, list[str] | None]:
        """Names and classes of rows."""
        id_at, class_at = self.heading.id_at, self.heading.class_at
        ids = None if id_at is None else [record.cells[id_at] for record in block]
        return ids, None if class_at is None else [record.cells[class_at] for record in block]

    def _bad_cell(self, record: Record, k: int, value: float | None, rest: Iterator[Record]) -> InputError:
        place = f"{self.name} line {record.line}, column {self.column_names[k]}"
        shown = _shown(record.cells[self._data[k]])
        if k in self._marked and value is None:
            return InputError(f"{place}: {shown} is among {self._marked[k].what}; {_ONE_WAY}")
        if value is not None:
            return InputError(
                f"{place}: {shown} is not a finite number; replace it or leave the cell blank if it is missing"
            )
        first = read_head(self._path, self._usual, self._reading).records[int(self.heading.present) :]
        which = [i for i in range(len(self._data)) if i not in self._marked]
        problem, reading = f"{place}: {shown} is not a number", self._reading
        if self._may_be_a_heading(record, self._data[k], first):
            columns, points = self._survey([record.cells[self._data[i]].strip() for i in which], which, rest)
            problem, reading = f"{problem}, so the line may hold the names of the columns", reading.but(header=True)
            if not columns:
                return OptionsNeeded(problem, reading)
        else:
            before = (each for each in first if each.line < record.line)
            names = [self.column_names[i] for i in which]
            columns, points = self._survey(names, which, chain(before, [record], rest))
            if not self.heading.plain:
                reading = reading.but(header=self.heading.present)
        own = next((column for column in columns if column.name == self.column_names[k]), None)
        if own is not None and own.numbers and all(is_marked(word, self._numerals) for word in own.words):
            return InputError(f"{place}: {shown} is among numbers; {_ONE_WAY}")
        return refuse(
            problem,
            columns,
            reading,
            has_names=self.heading.id_at is not None,
            only_text=len(columns) == len(self._data),
            numerals=self._numerals,
            points=points,
        )

    def _survey(
        self, names: Sequence[str], which: Sequence[int], looked_at: Iterator[Record]
    ) -> tuple[list[TextColumn], list[str]]:
        """What some columns of data hold besides numbers, of the records that have a cell for each column."""
        rows = ([each.cells[self._data[i]] for i in which] for each in looked_at if len(each.cells) == self._width)
        return survey(names, rows, self._numerals)

    def _may_be_a_heading(self, record: Record, j: int, first: Sequence[Record]) -> bool:
        """Whether a line that was taken as data, the first, has a word where the next ones have numbers."""
        if self.heading.present or self._reading.header != "auto" or record.line != first[0].line:
            return False
        below = [each.cells[j] for each in first[1:] if len(each.cells) == self._width]
        fit = all(self._numerals.is_number(cell) or self._numerals.is_missing(cell) for cell in below)
        return bool(below) and fit and not is_mark(record.cells[j])

    def _no_name(self, record: Record, j: int) -> InputError:
        name = self.heading.names[j]
        remedy = Note("leave the column out (", Hint("drop_columns", (name,)), "), or give it a name in the first line")
        if not self.heading.present:
            names = "remove the cell, or add a first line of names, one of them for the column ("
            remedy = Note(names, Hint("header", True), ")")
        return InputError(
            f"{self.name} line {record.line}: {_shown(record.cells[j])} is in a column that has no name and no value"
            " in the first lines; ",
            remedy,
        )


def _find_marked(
    rows: Sequence[Sequence[str]], width: int, data: Sequence[int], numerals: Numerals
) -> dict[int, Marked]:
    """The columns of data that hold TRUE and FALSE or percentages, by a look at the first rows."""
    rows = [row for row in rows if len(row) == width]
    found = {k: find_marked((row[j] for row in rows), numerals) for k, j in enumerate(data)}
    return {k: marked for k, marked in found.items() if marked is not None}


def _shown(cell: str) -> str:
    return repr(cell if len(cell) <= 40 else cell[:37] + "...")
