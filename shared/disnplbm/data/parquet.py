"""Parquet files, a batch of rows at a time.

What the footer says is weighed first: rows, columns, and what the columns unpack to. A page says for itself how much it
unpacks to, up to 2 GiB, and Arrow makes room for that before it unpacks the page. This is not weighed: it would take a
parser of ours, in Python, for the header of every page, of which a wide table has hundreds of thousands. The border is
the limit on a reader's memory (:mod:`disnplbm.engine.apart`), which counts the room that Arrow asks for. `disnplbm fit`
has no such limit. A false number alone takes none of its memory, since room that nobody writes to is no memory; a page
that does unpack to 2 GiB takes that much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from disnplbm.data.arrow import (
    check_flat_columns,
    has_name,
    index_note,
    is_text,
    is_wordy,
    length_of_words,
    look_at,
    numbers,
    other_columns,
    saved_index,
    strings,
    words,
)
from disnplbm.data.cells import check_finite, not_numeric, unify_missing
from disnplbm.data.column_look import ColumnLook
from disnplbm.data.head import ROWS
from disnplbm.data.limits import check_unpacked, check_words, most_unpacked
from disnplbm.data.long import long_columns, long_note
from disnplbm.data.named import find_column
from disnplbm.data.numerals import PLAIN
from disnplbm.data.reading import Reading
from disnplbm.data.refusal import TextColumn, refuse
from disnplbm.data.roles import (
    MOST_SUSPECTS,
    find_suspects,
    is_unnamed,
    left_out_note,
    names_note,
    row_names_reason,
    suspect_notes,
    words_reason,
)
from disnplbm.data.table import READ_BYTES, Chunk, Source
from disnplbm.data.words import WordChunk, WordSource
from disnplbm.data.wordy import holds_words
from disnplbm.errors import InputError, OptionsNeeded, first_line
from disnplbm.notes import Hint

WORDY_ROWS = 256
"""Rows that are read at a time of columns of words, of which one may be long."""

WORD_BYTES = 16 * 2**20
"""Letters of words after which no more of these are put together."""


LONG_ROWS = 2**17
"""Lines of a long table that are read at a time: each has two words."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Some rows of the columns that are read.

    Parameters
    ----------
    parts : tuple of pyarrow.RecordBatch or pyarrow.Table
        The columns of words, if they are read apart, come after the others.
    where : dict
        By a column's place in the file: the part, and its place there.
    """

    parts: tuple[Any, ...]
    where: dict[int, tuple[int, int]]

    def __len__(self) -> int:
        return int(self.parts[0].num_rows)

    def column(self, j: int) -> Any:
        """A column, as an array or several."""
        part, k = self.where[j]
        return self.parts[part].column(k)


def open_table(path: Path, reading: Reading) -> Source:
    """Open a .parquet file."""
    source = ParquetSource(path, reading)
    return WordSource(source, reading) if source.wordy else source


def open_columns(path: Path, reading: Reading) -> ParquetSource:
    """Open a .parquet file whose columns are of several kinds."""
    return ParquetSource(path, reading.but(words="only"))


class ParquetSource:
    """A .parquet file whose columns are integers, floats, decimals or booleans; null and NaN are missing.

    The index that a DataFrame was saved with is not data. It names the rows, unless another column is to name them.

    Attributes
    ----------
    wordy : bool
        Whether it is to be read as words, by :meth:`word_chunks`.
    """

    read_quickly = True

    def __init__(self, path: Path, reading: Reading) -> None:
        self.name = str(path)
        self.dimension = 1
        self.notes: list[str] = []
        self.bytes_total = path.stat().st_size
        self._path = path
        schema, self.rows, unpacked = _read_footer(path)
        self._schema = schema
        self._names = list(schema.names)
        self._find_columns(schema, reading)
        self._most_rows = self.rows
        if reading.layout == "long":
            self._take_lines(reading)
        if not self._data or self.rows == 0:
            raise InputError(f"{path} has {self.rows} rows and {len(self._data)} data columns: it needs one of each")
        check_unpacked(max(unpacked, 8 * self.rows * len(self._data)), self.bytes_total, self.name)
        check_flat_columns(schema, [j for j in (*self._ids, self._class) if j is not None], self.name)
        self._plan_reading(schema)
        self._look(schema, reading)
        others = [] if self.wordy else other_columns(schema, self._data)
        if others:
            left_out = (*reading.drop_columns, *(name for name, _ in others))
            raise OptionsNeeded(not_numeric(others, self.name), reading.but(drop_columns=left_out))
        self.column_names = [self._names[j] for j in self._data]
        self.kind = np.dtype(np.float64) if self.wordy else _kind_of([schema.field(j).type for j in self._data])
        ids = [self._names[j] for j in self._ids]
        self.id_name = ids[0] if len(ids) == 1 and has_name(ids[0]) else None
        if self._blank:
            self.notes.append(left_out_note(len(self._blank)))

    def _find_columns(self, schema: pa.Schema, reading: Reading) -> None:
        """Find row names, classes and data by what was asked for and by the index."""
        names = self._names
        named = find_column(names, reading.named_column, "id_column", self.name)
        self._class = find_column(names, reading.class_column, "class_column", self.name)
        dropped = [find_column(names, name, "drop_columns", self.name) for name in reading.drop_columns]
        index = [j for j in saved_index(schema) if j not in (named, self._class, *dropped)]
        self._ids = index if reading.id_column is None else [j for j in (named,) if j is not None]
        if index:
            self.notes.append(index_note(schema, index, names_rows=self._ids == index))
        self._data = [j for j in range(len(names)) if j not in (named, self._class, *index, *dropped)]

    def _take_lines(self, reading: Reading) -> None:
        """Find the names of rows, the names of columns and the values of a long table."""
        row, column, values = long_columns(self._data, self.name, reading)
        self._ids, self._class, self._data = [row], column, values
        self._most_rows = LONG_ROWS
        self.notes.append(long_note(self._names[row], self._names[column], reading.absent))

    def _plan_reading(self, schema: pa.Schema) -> None:
        """Leave out columns where a name says which one is meant, and read words apart from numbers."""
        names = self._names
        read = sorted({*self._data, *self._ids, *(j for j in (self._class,) if j is not None)})
        plain = len(set(names)) == len(names) and not any("." in name for name in names)
        self._words = [j for j in (read if plain else range(len(names))) if is_wordy(schema.field(j))]
        rest = sorted(set(read).difference(self._words))
        # All at once where no name says which column is meant, or all are alike.
        apart = [rest, self._words] if plain and self._words and rest else [read if plain else list(range(len(names)))]
        self._where = {j: (part, k) for part, columns in enumerate(apart) for k, j in enumerate(columns)}
        self._wanted = [[names[j] for j in columns] if plain else None for columns in apart]

    def _look(self, schema: pa.Schema, reading: Reading) -> None:
        """Find row names, note what may be names or classes, and refuse text, by a look at the first rows."""
        with closing(self._rows(max(1, min(ROWS, READ_BYTES // (8 * len(self._names)))))) as beginning:
            rows = next(beginning, None)
        if rows is None:
            raise InputError(
                f"{self.name} is damaged: none of its {self.rows:,} rows are there; copy or write it again"
            )
        if reading.layout == "long":
            self._blank = []
            self.wordy = self._look_for_words(schema, rows, reading)
            self._refuse_text(schema, rows, reading)
            return
        blank = [j for j in self._data if is_unnamed(self._names[j]) and _is_blank(rows.column(j))]
        # A table without anything in it is refused as such.
        self._blank = blank if len(blank) < len(self._data) else []
        self._data = [j for j in self._data if j not in self._blank]
        shown = self._data[:MOST_SUSPECTS]
        names = [self._names[j] for j in shown]
        columns = [strings([rows.column(j)]) for j in shown]
        if reading.id_column is None and not self._ids and len(self._data) > 1 and self._data[0] == 0:
            reason = row_names_reason(names[0], columns[0], names[1:], columns[1:])
            if reason is not None:
                self.notes.append(names_note(reason))
                self._ids, self._data = [0], self._data[1:]
                names, columns = names[1:], columns[1:]
        self.wordy = self._look_for_words(schema, rows, reading)
        self._refuse_text(schema, rows, reading)
        first = reading.id_column is None and not self._ids and self._data[:1] == [0]
        self.notes += suspect_notes(*find_suspects(names, columns, first=first))

    def _look_for_words(self, schema: pa.Schema, rows: _Rows, reading: Reading) -> bool:
        """Whether the first rows are words; the first column of such rows may name them."""
        texts = [j for j in self._data if is_text(schema.field(j))]
        others = [name for name, _ in other_columns(schema, self._data)]
        if reading.words == "no" or len(others) > len(texts) or not (texts or reading.words == "only"):
            return False
        columns = [words(rows.column(j)) for j in self._data]
        names_rows = reading.id_column is None and not self._ids and self._data[0] == 0 and reading.layout != "long"
        reason = words_reason(columns) if names_rows else None
        found = holds_words(columns[reason is not None :], PLAIN, reading)
        if found and reason is not None:
            self.notes.append(names_note(reason))
            self._ids, self._data = [0], self._data[1:]
        return found

    def _refuse_text(self, schema: pa.Schema, rows: _Rows, reading: Reading) -> None:
        texts = [j for j in self._data if is_text(schema.field(j))]
        if not texts or self.wordy:
            return
        found = [TextColumn(self._names[j], 0, Counter(strings([rows.column(j)]))) for j in texts]
        problem, only_text = f"{self.name}: column {found[0].name} holds text", len(texts) == len(self._data)
        raise refuse(problem, found, reading, has_names=bool(self._ids), only_text=only_text)

    @contextmanager
    def _explain_damage(self) -> Iterator[None]:
        try:
            yield
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{self.name} is damaged: {first_line(error)}; copy or write it again") from error

    def chunks(self) -> Iterator[Chunk]:
        """Read the file from its first row, a batch at a time."""
        with self._explain_damage():
            yield from self._chunks(max(1, min(self._most_rows, READ_BYTES // (8 * len(self._data)))))

    def word_chunks(self) -> Iterator[WordChunk]:
        """Read the file from its first row, as words."""
        start = 0
        with self._explain_damage():
            for rows in self._rows(max(1, min(self._most_rows, READ_BYTES // (64 * len(self._data))))):
                self._check_blank(rows)
                start += len(rows)
                columns = [words(rows.column(j)) for j in self._data]
                yield WordChunk(columns, *self._labels(rows), self.bytes_total * start // self.rows)

    def looks(self) -> list[ColumnLook]:
        """A look at each column, before any cell is read."""
        return [look_at(self._schema.field(j)) for j in self._data]

    def taking(self, columns: Sequence[int]) -> ParquetSource:
        """The same file with some of its columns of data alone, and without notes."""
        taken = copy(self)
        taken._data = [self._data[k] for k in columns]
        taken.column_names = [self._names[j] for j in taken._data]
        taken.kind = _kind_of([self._schema.field(j).type for j in taken._data])
        taken._plan_reading(self._schema)
        taken.notes = []
        return taken

    def is_missing(self, cell: str) -> bool:
        """Whether a cell is missing."""
        return PLAIN.is_missing(cell)

    def _labels(self, rows: _Rows) -> tuple[list[str] | None, list[str] | None]:
        """Names and classes of rows."""
        ids = strings([rows.column(j) for j in self._ids]) if self._ids else None
        return ids, None if self._class is None else strings([rows.column(self._class)])

    def _check_blank(self, rows: _Rows) -> None:
        """Refuse a value in a column that was left out as blank."""
        for j in self._blank:
            if not _is_blank(rows.column(j)):
                name = self._names[j]
                raise InputError(
                    f"{self.name}: column {name!r} has no name and no value in the first rows, and has one"
                    " further down; leave the column out (",
                    Hint("drop_columns", (name,)),
                    "), or name it",
                )

    def _chunks(self, step: int) -> Iterator[Chunk]:
        start = 0
        for rows in self._rows(step):
            self._check_blank(rows)
            values = np.empty((len(rows), len(self._data), 1))
            for k, j in enumerate(self._data):
                values[:, k, 0] = numbers(rows.column(j))
            check_finite(values, start, self.name, self.column_names)
            start += len(rows)
            yield Chunk(unify_missing(values), *self._labels(rows), self.bytes_total * start // self.rows)

    def _rows(self, step: int) -> Generator[_Rows]:
        """The columns that are read, some rows at a time; fewer where their words are long."""
        with self._explain_damage(), ExitStack() as stack:
            # One for each part: of one file Arrow reads all columns by as many rows. Without pre-buffering, which would
            # hold whole row groups.
            files = [
                stack.enter_context(pq.ParquetFile(self._path, pre_buffer=False, buffer_size=2**16))
                for _ in self._wanted
            ]
            first, *more = (self._weighed(file, part, step) for part, file in enumerate(files))
            words = _Words(*more) if more else None
            for batch, _ in first:
                if words is None:
                    yield _Rows((batch,), self._where)
                    continue
                done = 0
                while done < len(batch):
                    found = words.take(len(batch) - done)
                    yield _Rows((batch.slice(done, len(found)), found), self._where)
                    done += len(found)

    def _weighed(self, file: pq.ParquetFile, part: int, step: int) -> Iterator[tuple[pa.RecordBatch, int]]:
        """Some rows at a time of a part of the columns, and how many letters its words have."""
        words = [self._where[j][1] for j in self._words if self._where[j][0] == part]
        step = min(step, WORDY_ROWS) if words else step
        total, fine = 0, most_unpacked(self.bytes_total)
        for batch in file.iter_batches(batch_size=step, columns=self._wanted[part], use_threads=False):
            for k in words:
                # That they are UTF-8, and that each is in its dictionary.
                batch.column(k).validate(full=True)
            letters = sum(length_of_words(batch.column(k)) for k in words)
            total += letters
            if total > fine:
                check_words(total, self.bytes_total, self.name)
            yield batch, letters


def _kind_of(types: Sequence[pa.DataType]) -> np.dtype[Any]:
    """A type of numbers that holds what all columns hold; float64 where there is no smaller one."""
    if all(map(pa.types.is_float32, types)):
        return np.dtype(np.float32)
    whole = all(pa.types.is_integer(kind) or pa.types.is_boolean(kind) for kind in types)
    return np.dtype(np.int64 if whole else np.float64)


class _Words:
    """Columns of words, taken as many rows at a time as the other columns have."""

    def __init__(self, batches: Iterator[tuple[pa.RecordBatch, int]]) -> None:
        self._batches = batches
        self._held: list[pa.RecordBatch] = []

    def take(self, rows: int) -> pa.Table:
        """The next rows, at least one: not as many as these where that would be more than :data:`WORD_BYTES`."""
        count, total = sum(map(len, self._held)), 0
        while count < rows and total < WORD_BYTES:
            batch, letters = next(self._batches, (None, 0))
            if batch is None:
                raise pa.ArrowInvalid(f"a column ends {rows - count:,} rows before the others")
            self._held.append(batch)
            count, total = count + len(batch), total + letters
        found = pa.Table.from_batches(self._held)
        self._held = found.slice(rows).to_batches()
        return found.slice(0, rows)


def _read_footer(path: Path) -> tuple[pa.Schema, int, int]:
    """Columns, number of rows, and the bytes that the file says it unpacks to."""
    try:
        with pq.ParquetFile(path) as file:
            groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
            return file.schema_arrow, file.metadata.num_rows, sum(group.total_byte_size for group in groups)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a readable parquet file: {first_line(error)}") from error


def _is_blank(column: pa.Array) -> bool:
    """Whether a column holds no value."""
    if column.null_count == len(column):
        return True
    return bool(pa.types.is_floating(column.type) and np.isnan(numbers(column)).all())
