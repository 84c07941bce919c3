"""A table for a finished run. It is read as the run read its own, except where the user asks for something else."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from disnplbm.data.cells import some_names
from disnplbm.data.formats import fields_of
from disnplbm.data.named import NoSuchColumn, id_name_of, number_names_of
from disnplbm.data.reading import NO_COLUMN, Reading
from disnplbm.data.source import open_source
from disnplbm.data.table import Chunk, Source, SparseChunk, is_sparse
from disnplbm.data.words import as_fitted, words_of
from disnplbm.data.written import Shown, Written, written_of
from disnplbm.engine.apart import check_opens
from disnplbm.engine.folder import RunFolder
from disnplbm.errors import InputError, OptionsNeeded, RunError
from disnplbm.notes import Note, joined
from disnplbm.parts import only_part
from disnplbm.posterior.draw_store import open_draws

_T = TypeVar("_T")

_FIELDS = tuple(each.name for each in fields(Reading))

_LISTS = ("missing", "drop_columns")
"""Fields of which the run's values are added to those asked for; in other fields a value asked for replaces them."""


def open_as_fitted(folder: Path, path: Path, asked: Reading, chosen: Collection[str]) -> tuple[Source, Reading]:
    """Open a table for a run.

    The table may lack columns that the run left out, or took for names or classes. A note of the source says what was
    taken from the run.

    Parameters
    ----------
    folder : Path
        Of the run.
    path : Path
        The table.
    chosen : collection of str
        Fields of `asked` that the user chose.

    Returns
    -------
    source : Source
    reading : Reading
        How it is read.

    Raises
    ------
    InputError
        As :func:`disnplbm.data.source.open_source`.
    """
    only_part(RunFolder(folder).load_record().get("parts", ["all"]))
    fitted, words = _fitted_columns(folder), _fitted_words(folder)
    asked = asked.but(words="no" if words is None else "only")
    with _refuse_text(fitted, asked):
        source, reading, taken = _open_table(folder, path, asked, chosen, fitted)
        source = as_fitted(source, words)
    source.notes[:] = [note for note in source.notes if not _is_on(note, fitted)]
    if hints := taken.hints():
        source.notes.append(Note("read as the table of the run was: ", joined(" ", hints), kind="as-fitted"))
    if _has_comma(folder) and _decimal(source) == "." and "decimal" not in chosen:
        source.notes.append(
            f"the numbers of {source.name} have a decimal point, and the run's table has a decimal comma"
        )
    return _ForRun(source, fitted, asked), reading


def _is_on(note: str, columns: Sequence[str]) -> bool:
    """Whether a note is on some of these columns, and on no other."""
    return isinstance(note, Note) and bool(note.place) and set(note.place) <= set(columns)


class _ForRun:
    """A table for a run, which is never told to leave out a column that the run was fitted to."""

    def __init__(self, source: Source, fitted: Sequence[str], asked: Reading) -> None:
        self.name, self.dimension = source.name, source.dimension
        self.bytes_total, self.notes = source.bytes_total, source.notes
        self.written, self.id_name = written_of(source), id_name_of(source)
        self.sparse, self.number_names = is_sparse(source), number_names_of(source)
        self._source, self._fitted, self._asked = source, fitted, asked

    @property
    def column_names(self) -> list[str]:
        """Names of the columns of the table."""
        with _refuse_text(self._fitted, self._asked):
            return self._source.column_names

    @property
    def words(self) -> tuple[str, ...] | None:
        """The words of the run's categories, if they are words."""
        return words_of(self._source)

    def chunks(self) -> Iterator[Chunk]:
        """Read the table from its start."""
        with _refuse_text(self._fitted, self._asked):
            yield from self._source.chunks()

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Read a sparse table from its start."""
        assert is_sparse(self._source)
        with _refuse_text(self._fitted, self._asked):
            yield from self._source.sparse_chunks()


@contextmanager
def _refuse_text(fitted: Sequence[str], asked: Reading) -> Iterator[None]:
    """Refuse text in a fitted column, where a table for a fit could do without the column."""
    try:
        yield
    except OptionsNeeded as error:
        left_out = {*_named(Reading.from_dict(error.reading.to_dict()))} - {*_named(asked)}
        if not (held := [name for name in fitted if name in left_out]):
            raise
        noun = "column" if len(held) == 1 else "columns"
        raise InputError(
            f"{error.problem.partition('; ')[0]}; the run was fitted to {noun} {some_names(held, len(held))}: write the"
            " cells as numbers there, and leave those blank that are missing"
        ) from error


def _named(reading: Reading) -> list[str]:
    """Columns that are no data."""
    return [name for name in (reading.id_column, reading.class_column, *reading.drop_columns) if name is not None]


def _open_table(
    folder: Path, path: Path, asked: Reading, chosen: Collection[str], fitted: Sequence[str]
) -> tuple[Source, Reading, Reading]:
    """Open the table; return it, how it is read, and what of that comes from the run."""
    taken = _fill_from_run(_reading_of(folder), asked, chosen, path)
    # A decimal comma of the run holds for numbers that do not show their own mark.
    comma = _has_comma(folder) and "decimal" in fields_of(path)
    # Once, however often the file is opened here.
    check_opens(path, asked)
    while True:
        reading = _combine(asked, taken)
        unclear = comma and reading.decimal == "auto"
        try:
            source = open_source(path, reading)
        except NoSuchColumn as error:
            fewer = _without(taken, error.column)
            if fewer == taken:
                # The user asked for the column, not the run.
                raise
            taken = fewer
            continue
        except OptionsNeeded:
            if not unclear:
                raise
            taken = taken.but(decimal=",")
            continue
        if unclear and _decimal(source) == "unclear":
            taken = taken.but(decimal=",")
        elif (names := _names_of_rows(path, source, reading, fitted)) is not None and "id_column" not in chosen:
            taken = taken.but(id_column=names)
        else:
            return source, reading, taken


def _decimal(source: Source) -> Shown | None:
    """The decimal mark that the numbers of a table show."""
    return None if (written := written_of(source)) is None else written.decimal


def _has_comma(folder: Path) -> bool:
    """Whether the numbers of the run's table have a decimal comma."""
    return (written := written_for(folder)) is not None and written.decimal == ","


def _names_of_rows(path: Path, source: Source, reading: Reading, fitted: Sequence[str]) -> str | None:
    """The column of row names, where a look at this table alone finds another one than the run had.

    A first column named the run's rows if it is the only one that the run was not fitted to. It is data if the run was
    fitted to it.
    """
    if not fitted or reading.id_column is not None or reading.transpose or "id_column" not in fields_of(path):
        return None
    first, *others = source.column_names
    if first not in fitted and set(others) == set(fitted):
        return first
    lacking = set(fitted) - set(source.column_names)
    if len(lacking) != 1:
        return None
    try:
        whole = open_source(path, reading.but(id_column=NO_COLUMN)).column_names
    except InputError:
        # The first column holds text.
        return None
    return NO_COLUMN if lacking <= set(whole) else None


def _fitted_columns(folder: Path) -> Sequence[str]:
    """Names of the columns that the run was fitted to; none if they have no names, or there are no draws to ask."""
    try:
        return open_draws(RunFolder(folder).draws).meta.column_names or ()
    except RunError:
        # Whoever needs the draws says so.
        return ()


def _fitted_words(folder: Path) -> list[str] | None:
    """The words of the categories that the run was fitted to; None if it was fitted to numbers."""
    found = _read_recorded(folder, "words", list)
    return found or None


def written_for(folder: Path) -> Written | None:
    """How the numbers of a run's table were written; None if that is not known."""
    return _read_recorded(folder, "written", Written.from_dict)


def _reading_of(folder: Path) -> Reading:
    return _read_recorded(folder, "reading", Reading.from_dict)


def _read_recorded(folder: Path, what: str, make: Callable[[dict[str, Any]], _T]) -> _T:
    """Read what a run says of its data; empty if it says nothing, as older runs do."""
    try:
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        return make(record["data"][what])
    except (OSError, ValueError, KeyError, TypeError):
        # Whoever needs the folder reports what else is wrong with it.
        return make({})


def _fill_from_run(of_run: Reading, asked: Reading, chosen: Collection[str], path: Path) -> Reading:
    """Find what the run adds to what is asked for."""
    default, can = Reading(), fields_of(path)
    for name in _FIELDS:
        if name not in can or (name in chosen and name not in _LISTS):
            of_run = of_run.but(**{name: getattr(default, name)})
    columns = (asked.id_column, asked.class_column, *asked.drop_columns)
    return of_run.but(
        id_column=None if of_run.id_column in columns else of_run.id_column,
        class_column=None if of_run.class_column in columns else of_run.class_column,
        drop_columns=tuple(name for name in of_run.drop_columns if name not in columns),
        missing=tuple(mark for mark in of_run.missing if mark not in asked.missing),
    )


def _combine(asked: Reading, taken: Reading) -> Reading:
    default = Reading()
    changes = {
        name: getattr(taken, name)
        for name in _FIELDS
        if name not in _LISTS and getattr(taken, name) != getattr(default, name)
    }
    lists = {name: (*getattr(asked, name), *getattr(taken, name)) for name in _LISTS}
    return asked.but(**changes, **lists)


def _without(taken: Reading, column: str) -> Reading:
    return taken.but(
        id_column=None if taken.id_column == column else taken.id_column,
        class_column=None if taken.class_column == column else taken.class_column,
        drop_columns=tuple(name for name in taken.drop_columns if name != column),
    )
