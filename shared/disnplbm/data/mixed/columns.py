"""A table of named columns of several kinds: what each holds, and some of them as a table of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self

import numpy as np

from disnplbm.cell_types import DENSE
from disnplbm.data.cell_choice import BINARY, CATEGORICAL, COUNTS
from disnplbm.data.cells import some_names
from disnplbm.data.column_look import ColumnLook
from disnplbm.data.mixed.kinds import sort_columns
from disnplbm.data.reading import Reading
from disnplbm.data.table import Chunk, Source
from disnplbm.data.transform import NONE
from disnplbm.data.words import WordReader, WordSource
from disnplbm.families.category_names import listed
from disnplbm.notes import Hint, Note, plural

#: What becomes of a part's real numbers where nobody says: columns of a table of several kinds have units of their own.
STANDARDIZED = "standardize"


class ColumnReader(WordReader, Source, Protocol):
    """A table of named columns, which can be read as words and, where they are numbers, as these."""

    def looks(self) -> list[ColumnLook]:
        """A look at each column, before any cell is read: how its cells are read, and what its type says."""
        ...

    def is_missing(self, cell: str) -> bool:
        """Whether a cell that is read as a word is missing."""
        ...

    def taking(self, columns: Sequence[int]) -> Self:
        """The same table with some of its columns alone, and without notes: those are on the whole."""
        ...


@dataclass(frozen=True, slots=True)
class PartSource:
    """A part of a table, on its way to a dataset of its own.

    Parameters
    ----------
    name : str
    source : Source
    cells : str
        Type of its cells.
    transform : str
        As :func:`disnplbm.data.transform.check_transform` gives it.
    columns : tuple of int
        Which columns of the table its columns are.
    note : str
        What is in it.
    """

    name: str
    source: Source
    cells: str
    transform: str
    columns: tuple[int, ...]
    note: str


@dataclass(frozen=True, slots=True)
class SourceOfParts:
    """A table of several parts: all have the same rows, in the same order.

    Parameters
    ----------
    name : str
        What to call the table.
    column_names : list of str
        Of the whole table.
    parts : tuple of PartSource
    notes : list of str
        What is odd about the table as a whole.
    """

    name: str
    column_names: list[str]
    parts: tuple[PartSource, ...]
    notes: list[str]


def find_parts(
    reader: ColumnReader, reading: Reading | None, asked: Mapping[str, str], transform: str | None
) -> SourceOfParts:
    """The parts of a table, in the order of their first columns.

    Columns of categories are one part if they have the same categories.

    Parameters
    ----------
    reading : Reading, optional
        How the table is read, if it is a file.
    asked : mapping
        Kinds that somebody asks for, by the names of columns.
    transform : str, optional
        Of real numbers; None: each column is standardised.

    Raises
    ------
    InputError
        A column fits no kind; see :func:`disnplbm.data.mixed.kinds.sort_columns`.
    """
    looks = reader.looks()
    for chunk in reader.word_chunks():
        for look, cells in zip(looks, chunk.columns, strict=True):
            look.add(cells, reader.is_missing)
    kinds = sort_columns(looks, asked, reader.name, reading)
    groups = dict[tuple[str, frozenset[str]], list[int]]()
    for j, (look, kind) in enumerate(zip(looks, kinds, strict=True)):
        groups.setdefault((kind, look.categories if kind == CATEGORICAL else frozenset()), []).append(j)
    parts = list[PartSource]()
    for (kind, _), columns in groups.items():
        ours = [looks[j] for j in columns]
        before = sum(part.cells == kind for part in parts)
        parts.append(
            PartSource(
                name=f"{kind} {before + 1}" if before else kind,
                source=_source(reader.taking(columns), kind, ours, reading),
                cells=kind,
                transform=NONE if kind != DENSE else STANDARDIZED if transform is None else transform,
                columns=tuple(columns),
                note=_note(kind, ours, standardized=transform is None),
            )
        )
    return SourceOfParts(
        reader.name, reader.column_names, tuple(parts), [*reader.notes, *(part.note for part in parts)]
    )


def _source(reader: ColumnReader, kind: str, looks: Sequence[ColumnLook], reading: Reading | None) -> Source:
    """The columns of a part as its type of cells has them."""
    if kind == CATEGORICAL:
        return WordSource(reader, reading, reader.is_missing)
    if kind == BINARY and any(look.words or not look.values <= {0.0, 1.0} for look in looks):
        return TwoValued(reader, looks)
    return reader


class TwoValued:
    """Columns of two values each as 0 and 1: 1 is the larger number, or the later word of the alphabet.

    Parameters
    ----------
    looks : sequence of ColumnLook
        Of each column.
    """

    dimension = 1

    def __init__(self, reader: ColumnReader, looks: Sequence[ColumnLook]) -> None:
        self.name, self.column_names, self.id_name = reader.name, reader.column_names, reader.id_name
        self.bytes_total, self.notes = reader.bytes_total, reader.notes
        self._reader, self._looks = reader, looks

    @cached_property
    def _codes(self) -> list[dict[str, float]]:
        return [codes_of_two(look) for look in self._looks]

    def chunks(self) -> Iterator[Chunk]:
        """Read the table from its start."""
        for chunk in self._reader.word_chunks():
            values = np.full((len(chunk.columns[0]), len(self._codes), 1), np.nan)
            for j, (cells, codes) in enumerate(zip(chunk.columns, self._codes, strict=True)):
                values[:, j, 0] = [codes.get(cell.strip(), np.nan) for cell in cells]
            yield Chunk(values, chunk.ids, chunk.classes, chunk.bytes_read)


def codes_of_two(look: ColumnLook) -> dict[str, float]:
    """The 0 or 1 of each cell of a column of two values, as it is written."""
    if look.words or look.parse is None:
        return {text: float(number) for number, text in enumerate(sorted(look.texts))}
    high = max(look.values)
    return {text: float(look.parse(text) == high) for text in look.texts}


def _note(kind: str, looks: Sequence[ColumnLook], *, standardized: bool) -> Note:
    """What a part holds, and how to have a column otherwise."""
    names = [look.name for look in looks]
    what = {
        DENSE: "real numbers",
        COUNTS: "counts",
        BINARY: "yes and no",
        CATEGORICAL: f"categories ({listed(sorted(set().union(*(look.categories for look in looks))))})",
    }[kind]
    said = f"{plural(len(names), 'column')} of {what}: {some_names(_shown(kind, looks), len(names))}"
    if kind == DENSE and standardized:
        said += "; standardised by column"
    return Note(f"{said} (otherwise: ", _otherwise(kind, looks[0]), ")", kind="parts", place=names)


def _otherwise(kind: str, look: ColumnLook) -> Hint:
    """How to have a column otherwise: words are nothing but categories, so they can be left out."""
    if kind == CATEGORICAL and look.words:
        return Hint("drop_columns", (look.name,))
    others = {DENSE: COUNTS if look.whole else CATEGORICAL, BINARY: CATEGORICAL}
    return Hint("columns_as", (f"{look.name}={others.get(kind, DENSE)}",))


def _shown(kind: str, looks: Sequence[ColumnLook]) -> list[str]:
    """The columns of a part; of two values with the one that is 1."""
    if kind != BINARY:
        return [look.name for look in looks]
    return [
        f"{look.name} (1 is {_one(look)})" if look.words or look.values - {0.0, 1.0} else look.name for look in looks
    ]


def _one(look: ColumnLook) -> str:
    return next(text for text, code in codes_of_two(look).items() if code == 1.0)
