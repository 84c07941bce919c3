"""Tables of words: each different word is a category, and a cell is the number of its word in sorted order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.numerals import PLAIN
from disnplbm.data.reading import NO_COLUMN, Reading
from disnplbm.data.refusal import is_mark
from disnplbm.data.table import Chunk, Source
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.families.category_names import MOST_CATEGORIES, listed
from disnplbm.notes import Hint, Note

_MOSTLY_DIFFERENT = 0.5
"""Share of the cells of a column from which its different words rather name things."""

IsMissing = Callable[[str], bool]


def words_of(source: Source) -> tuple[str, ...] | None:
    """The different words of a table, sorted, whose cells are their numbers; None of a table of numbers."""
    found: tuple[str, ...] | None = getattr(source, "words", None)
    return found


@dataclass(frozen=True)
class WordChunk:
    """Some consecutive rows of a table of words.

    Attributes
    ----------
    columns : sequence of sequence of str
        The cells of each column, as they are in the file.
    ids, classes, bytes_read
        As in :class:`disnplbm.data.table.Chunk`.
    """

    columns: Sequence[Sequence[str]]
    ids: list[str] | None
    classes: list[str] | None
    bytes_read: int


class WordReader(Protocol):
    """A file that is read as words; it has the attributes of a `Source`."""

    name: str
    column_names: list[str]
    id_name: str | None
    bytes_total: int
    notes: list[str]

    def word_chunks(self) -> Iterator[WordChunk]:
        """Read the file from its start."""
        ...


class WordSource:
    """A file of words as a table of categories.

    The file is read once more, for its words, when these or its cells are first asked for.

    Parameters
    ----------
    reading : Reading, optional
        How the file is read; None of a format that can leave out no columns.
    is_missing : callable, optional
        Whether a cell is missing, in a format where one can say what stands for that.
    """

    dimension = 1

    def __init__(self, reader: WordReader, reading: Reading | None, is_missing: IsMissing | None = None) -> None:
        self.name, self.column_names, self.id_name = reader.name, reader.column_names, reader.id_name
        self.bytes_total, self.notes = reader.bytes_total, reader.notes
        self._reader, self._reading = reader, reading
        self._is_missing, self._can_say = is_missing or PLAIN.is_missing, is_missing is not None

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The different words, sorted; InputError if there are too many for categories."""
        found = FoundWords(self.name, self.column_names, self._is_missing)
        for chunk in self._reader.word_chunks():
            found.add(chunk.columns)
            found.check(self._reading, has_names=chunk.ids is not None)
        self.notes += [_mark_note(word, self._can_say) for word in found.words if is_mark(word)]
        return found.words

    def chunks(self) -> Iterator[Chunk]:
        """Read the file from its start; a cell is the number of its word."""
        codes = _Codes(self.words, self._is_missing)
        for chunk in self._reader.word_chunks():
            yield Chunk(encode(chunk.columns, codes), chunk.ids, chunk.classes, chunk.bytes_read)


def _mark_note(word: str, can_say: bool) -> Note:
    """What to say of a category that is rather what people write where a cell is missing."""
    said = f"{word!r} is taken as a category; if it stands for a missing cell, "
    if not can_say:
        return Note(f"{said}write NA instead", kind="words")
    return Note(f"{said}add ", Hint("missing", (word,)), kind="words")


class FoundWords:
    """The different words of a table, column by column."""

    def __init__(self, name: str, column_names: Sequence[str], is_missing: IsMissing) -> None:
        self._name, self._names, self._is_missing = name, column_names, is_missing
        self._of_columns: list[set[str]] = [set() for _ in column_names]
        self._filled: Counter[int] = Counter()
        self._all: set[str] = set()

    def add(self, columns: Sequence[Iterable[str]]) -> None:
        """Take in the next cells of each column."""
        for j, cells in enumerate(columns):
            known = self._of_columns[j]
            for cell, times in Counter(cells).items():
                if not self._is_missing(cell):
                    known.add(cell.strip())
                    self._filled[j] += times
            self._all |= known

    @property
    def words(self) -> tuple[str, ...]:
        """All that were found, sorted."""
        return tuple(sorted(self._all))

    def check(self, reading: Reading | None = None, *, has_names: bool) -> None:
        """Refuse more words than there may be categories; the InputError names the column that has most of them.

        Parameters
        ----------
        reading : Reading, optional
            How the file is read; None of a table in memory.
        has_names : bool
            Whether the rows have names already.
        """
        if len(self._all) <= MOST_CATEGORIES:
            return
        worst = max(range(len(self._names)), key=lambda j: len(self._of_columns[j]))
        column, different, filled = self._names[worst], len(self._of_columns[worst]), self._filled[worst]
        what = "numbers" if all(map(PLAIN.is_number, self._of_columns[worst])) else "words"
        problem = (
            f"{self._name}: the cells are words, and there are more than {MOST_CATEGORIES} different ones, too many for"
            f" categories; column {column} has {different:,} different {what} in {filled:,} cells"
        )
        named = different >= _MOSTLY_DIFFERENT * filled and what == "words"
        if reading is None:
            raise InputError(f"{problem}{' (row names?)' if named else ''}; leave it out")
        if named and not has_names and not reading.transpose and column != NO_COLUMN:
            raise OptionsNeeded(Note(f"{problem} (row names?)"), reading.but(id_column=column))
        raise OptionsNeeded(Note(problem), reading.but(drop_columns=(*reading.drop_columns, column)))


class _Codes(dict[str, float]):
    """The number of the word in a cell; NaN if it is missing, -1 for a word that is not known."""

    def __init__(self, words: Sequence[str], is_missing: IsMissing) -> None:
        super().__init__()
        self._numbers = {word: float(number) for number, word in enumerate(words)}
        self._is_missing = is_missing

    def __missing__(self, cell: str) -> float:
        code = np.nan if self._is_missing(cell) else self._numbers.get(cell.strip(), -1.0)
        self[cell] = code
        return code


def encode(columns: Sequence[Sequence[str]], codes: dict[str, float]) -> NDArray[np.float64]:
    """Cells of columns as numbers, shape (c, p, 1)."""
    values = np.empty((len(columns[0]), len(columns), 1))
    for j, cells in enumerate(columns):
        values[:, j, 0] = np.fromiter(map(codes.__getitem__, cells), np.float64, len(cells))
    return values


def codes_of(words: Sequence[str], is_missing: IsMissing = PLAIN.is_missing) -> dict[str, float]:
    """What :func:`encode` takes."""
    return _Codes(words, is_missing)


class AsFitted:
    """A table of words with the numbers that a run has for them.

    Parameters
    ----------
    source : Source
        With words of its own.
    fitted : sequence of str
        The words of the run.
    """

    def __init__(self, source: Source, fitted: Sequence[str]) -> None:
        self.name, self.dimension = source.name, source.dimension
        self.bytes_total, self.notes = source.bytes_total, source.notes
        self.id_name: str | None = getattr(source, "id_name", None)
        self.words = tuple(fitted)
        self._source = source

    @property
    def column_names(self) -> list[str]:
        """Names of the columns of the table."""
        return self._source.column_names

    def chunks(self) -> Iterator[Chunk]:
        """Read the table from its start.

        Raises
        ------
        InputError
            A cell has a word that the run does not know; it names row, column and word.
        """
        first, new = 0, words_of(self._source) or ()
        known = {word: float(number) for number, word in enumerate(self.words)}
        numbers = np.array([known.get(word, np.inf) for word in new] or [np.nan])
        for chunk in self._source.chunks():
            values, there = np.full_like(chunk.values, np.nan), ~np.isnan(chunk.values)
            values[there] = numbers[chunk.values[there].astype(np.intp)]
            if (odd := np.isinf(values)).any():
                row, column, _ = (int(i) for i in np.argwhere(odd)[0])
                word = new[int(chunk.values[row, column, 0])]
                raise InputError(
                    f"{self.name}: row {first + row + 1}, column {self.column_names[column]}: {word!r} is not one of"
                    f" the run's categories, which are {listed(self.words)}; correct the cell, or leave it blank if it"
                    " is missing"
                )
            first += len(values)
            yield Chunk(values, chunk.ids, chunk.classes, chunk.bytes_read)


def as_fitted(source: Source, fitted: Sequence[str] | None) -> Source:
    """A table for a run whose categories have these words, or none.

    Raises
    ------
    InputError
        One of the two holds words and the other numbers.
    """
    if fitted is None and words_of(source) is None:
        return source
    if fitted is None:
        raise InputError(f"{source.name} holds words, and the table of the run numbers: give a table like that")
    if words_of(source) is None:
        raise InputError(f"{source.name} holds numbers, and the table of the run words ({listed(fitted)}): write these")
    return AsFitted(source, fitted)


def digest_of_words(of_cells: str, words: Sequence[str]) -> str:
    """The digest of a table of words, from the digest of its numbers; the same without words."""
    if not words:
        return of_cells
    return sha256(of_cells.encode() + json.dumps(list(words), ensure_ascii=False).encode()).hexdigest()
