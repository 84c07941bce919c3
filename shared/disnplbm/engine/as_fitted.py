"""A table for a finished run. It is read as the run read its own, except where the user asks for something else."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Sequence
from dataclasses import fields
from pathlib import Path

from disnplbm.data.named import NoSuchColumn
from disnplbm.data.reading import Reading
from disnplbm.data.source import Source, fields_of, open_source
from disnplbm.engine.folder import RunFolder
from disnplbm.errors import RunError
from disnplbm.posterior.draw_store import open_draws

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
    asked : Reading
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
    taken = _taken(_reading_of(folder), asked, chosen, path)
    while True:
        reading = _together(asked, taken)
        try:
            source = open_source(path, reading)
        except NoSuchColumn as error:
            fewer = _without(taken, error.column)
            if fewer == taken:
                # The user asked for the column, not the run.
                raise
            taken = fewer
        else:
            if (first := _names_of_rows(source, reading, folder, chosen)) is not None:
                taken = taken.but(id_column=first)
                continue
            if words := taken.words():
                source.notes.append(f"read as the table of the run was: {shlex.join(words)}")
            return source, reading


def _names_of_rows(source: Source, reading: Reading, folder: Path, chosen: Collection[str]) -> str | None:
    """The first column if it is the only one that the run was not fitted to: there it named the rows by itself."""
    if reading.id_column is not None or "id_column" in chosen or reading.transpose:
        return None
    fitted = _fitted_columns(folder)
    first, *others = source.column_names
    return first if fitted and first not in fitted and set(others) == set(fitted) else None


def _fitted_columns(folder: Path) -> Sequence[str]:
    """Names of the columns that the run was fitted to; none if they have no names, or there are no draws to ask."""
    try:
        return open_draws(RunFolder(folder).draws).meta.column_names or ()
    except RunError:
        # Whoever needs the draws says so.
        return ()


def _reading_of(folder: Path) -> Reading:
    try:
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        return Reading.from_dict(record["data"]["reading"])
    except (OSError, ValueError, KeyError, TypeError):
        # Older runs do not say how they were read. Whoever needs the folder reports what else is wrong with it.
        return Reading()


def _taken(of_run: Reading, asked: Reading, chosen: Collection[str], path: Path) -> Reading:
    """What the run adds to what is asked for."""
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


def _together(asked: Reading, taken: Reading) -> Reading:
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
