"""Tables over the same rows, matched by the names of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.data.cells import some_names
from disnplbm.data.memory import available_bytes, check_memory
from disnplbm.data.mixed.columns import PartSource, SourceOfParts
from disnplbm.data.table import READ_BYTES, Chunk, Source, SparseChunk, is_sparse
from disnplbm.errors import InputError
from disnplbm.notes import Hint, plural


@dataclass(frozen=True, slots=True)
class _Rows:
    """The names of a table's rows, None if it names none; their classes, and how many there are."""

    names: list[str] | None
    classes: list[str] | None
    number: int


def join_tables(tables: Sequence[SourceOfParts]) -> SourceOfParts:
    """Tables over the same rows as one with the parts of all.

    The rows are those of the first table, and then those that further tables add, in their order. A row that a table
    lacks is missing there. A table that names no rows has those of the first, in the same order.

    Raises
    ------
    InputError
        Two rows of a table have the same name, or a table without names has another number of rows.
    """
    found = [_rows_of(table.parts[0].source) for table in tables]
    names, classes, notes = _all_rows(tables, found)
    parts, column_names = list[PartSource](), list[str]()
    for table, rows in zip(tables, found, strict=True):
        places = _places(names, rows)
        for part in table.parts:
            source = part.source if places is None else ArrangedSource(part.source, names or [], classes, places)
            shifted = tuple(len(column_names) + j for j in part.columns)
            name = f"{table.name}, {part.name}" if len(table.parts) > 1 else table.name
            parts.append(replace(part, name=name, source=source, columns=shifted))
        column_names += table.column_names
    said = [note for table in tables for note in table.notes]
    return SourceOfParts(" and ".join(table.name for table in tables), column_names, tuple(parts), [*said, *notes])


def _rows_of(source: Source) -> _Rows:
    names, classes, number = list[str](), list[str](), 0
    for chunk in source.sparse_chunks() if is_sparse(source) else source.chunks():
        names += [name.strip() for name in chunk.ids or ()]
        classes += chunk.classes or ()
        number += chunk.values.shape[0]
    if names:
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise InputError(
                f"{source.name}: rows of the same name cannot be matched with those of another table:"
                f" {some_names(twice, len(twice))}; make the names different, or name another column of them: ",
                Hint("id_column"),
            )
    return _Rows(names or None, classes or None, number)


def _all_rows(
    tables: Sequence[SourceOfParts], found: Sequence[_Rows]
) -> tuple[list[str] | None, dict[str, str], list[str]]:
    """The names of all rows in order, their classes, and how the tables were matched."""
    first, notes, classes = found[0], list[str](), dict[str, str]()
    names = None if first.names is None else list(first.names)
    known = set(names or ())
    for table, rows in zip(tables, found, strict=True):
        if rows.names is not None and rows.classes is not None:
            classes = {**dict(zip(rows.names, rows.classes, strict=True)), **classes}
        if rows is first:
            continue
        if names is None or rows.names is None:
            nameless = table.name if rows.names is None else tables[0].name
            if rows.number != len(names or range(first.number)):
                raise InputError(
                    f"{nameless} names no rows, and {tables[0].name} and {table.name} have {first.number:,} and"
                    f" {rows.number:,}: name the column that holds the names of rows (",
                    Hint("id_column"),
                    "), so that they can be matched",
                )
            notes.append(f"{nameless} names no rows: its rows are taken in the order of the other table")
            continue
        new = [name for name in rows.names if name not in known]
        shared = rows.number - len(new)
        if shared == 0:
            raise InputError(
                f"no row of {table.name} ({some_names(rows.names, rows.number)}) is in the tables before it"
                f" ({some_names(names, len(names))}): name the column that holds the names of rows: ",
                Hint("id_column"),
            )
        notes.append(_matched(table.name, len(names) - shared, len(new), shared))
        names, known = [*names, *new], known.union(new)
    return names, classes, notes


def _matched(table: str, lacking: int, new: int, shared: int) -> str:
    said = f"{table} is matched by the names of rows: {plural(shared, 'row')} of the tables before it"
    if lacking:
        said += f", {plural(lacking, 'row')} of theirs missing in it"
    return said + (f", {plural(new, 'row')} that they lack" if new else "")


def _places(names: Sequence[str] | None, rows: _Rows) -> NDArray[np.intp] | None:
    """Where each row stands in a table, -1 if it lacks it; None if all are there in this order, or are not named."""
    if names is None or rows.names is None or rows.names == names:
        return None
    place = {name: i for i, name in enumerate(rows.names)}
    return np.array([place.get(name, -1) for name in names], dtype=np.intp)


class ArrangedSource:
    """A table with its rows in another order; a row that it lacks is missing.

    Its cells are held in memory while they are read.

    Parameters
    ----------
    names : list of str
        Of all rows, in order.
    classes : dict
        Of the rows, by their names; empty if none are known.
    places : ndarray of int
        Where each row stands in the source, -1 if it lacks it.
    """

    def __init__(self, source: Source, names: list[str], classes: dict[str, str], places: NDArray[np.intp]) -> None:
        self.name, self.dimension = source.name, source.dimension
        self.notes = source.notes
        self.sparse = is_sparse(source)
        self.id_name: str | None = getattr(source, "id_name", None)
        self.bytes_total = source.bytes_total
        self._source, self._names, self._places = source, names, places
        self._classes = [classes.get(name, "") for name in names] if classes else None

    @property
    def column_names(self) -> list[str]:
        """Names of the columns."""
        return self._source.column_names

    @property
    def words(self) -> tuple[str, ...] | None:
        """The words of a table of words."""
        found: tuple[str, ...] | None = getattr(self._source, "words", None)
        return found

    def chunks(self) -> Iterator[Chunk]:
        """Read the table from its first row."""
        columns = len(self.column_names)
        needed = 8 * len(self._names) * columns * self.dimension
        check_memory(2 * needed, available_bytes(), f"{self.name}, whose rows are put into order,")
        cells = np.concatenate([chunk.values for chunk in self._source.chunks()])
        for start, stop in self._stretches(columns * self.dimension):
            places = self._places[start:stop]
            values = cells[places]
            values[places < 0] = np.nan
            yield Chunk(values, *self._labels(start, stop), self.bytes_total * stop // len(self._names))

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Read a sparse table from its first row."""
        assert is_sparse(self._source)
        columns = len(self.column_names)
        cells = csr_array(sp.vstack([chunk.values for chunk in self._source.sparse_chunks()], format="csr"))
        absent = csr_array(np.full((1, columns), np.nan))
        # The last row is for all that are absent.
        whole = csr_array(sp.vstack([cells, absent], format="csr"))
        for start, stop in self._stretches(columns):
            rows = csr_array(whole[self._places[start:stop]])
            rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
            yield SparseChunk(rows, *self._labels(start, stop), self.bytes_total * stop // len(self._names))

    def _stretches(self, row_numbers: int) -> Iterator[tuple[int, int]]:
        step = max(1, READ_BYTES // (8 * row_numbers))
        for start in range(0, len(self._names), step):
            yield start, min(len(self._names), start + step)

    def _labels(self, start: int, stop: int) -> tuple[list[str], list[str] | None]:
        return self._names[start:stop], None if self._classes is None else self._classes[start:stop]
