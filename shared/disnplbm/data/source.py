"""Open a table, whatever its format and however it is to be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from disnplbm.data.formats import Format, find_format
from disnplbm.data.limited import LimitedSource
from disnplbm.data.long import LongSource
from disnplbm.data.reading import NO_COLUMN, Reading
from disnplbm.data.table import Source
from disnplbm.data.transposed import TransposedSource
from disnplbm.errors import InputError
from disnplbm.notes import Hint


def open_source(
    path: str | Path, reading: Reading | None = None, *, most_bytes: int | None = None, **options: Any
) -> Source:
    """Open a table by the ending of its file name.

    Parameters
    ----------
    path : str or Path
        A file of one of the :data:`disnplbm.data.formats.FORMATS`, or a folder of 10x Genomics (see
        :class:`disnplbm.data.tenx.TenXSource`).
    reading : Reading, optional
        How it is read; by default each option has its default.
    most_bytes : int, optional
        The cells may not take more, however small the file is.
    **options
        Fields of a `Reading` that replace the fields of `reading`.

    Raises
    ------
    InputError
        The file is missing, unreadable, empty or of an unknown kind, a named column is not in it, or the format does
        not have an option.
    """
    path = Path(path)
    reading = (reading or Reading()).but(**options)
    what, found = find_format(path)
    source = _limited(_opened(path, what, found, reading), most_bytes)
    if reading.layout == "long":
        source = _limited(LongSource(source, reading.absent), most_bytes)
    return TransposedSource(source) if reading.transpose else source


def _limited(source: Source, most_bytes: int | None) -> Source:
    return source if most_bytes is None else LimitedSource(source, most_bytes)


def _opened(path: Path, what: str, found: Format, reading: Reading) -> Source:
    """The table as it is in the file, once it is clear that the format has the options that are given."""
    allowed, lacks = found.fields, "lines of text"
    if "id_column" not in found.fields:
        lacks = "named columns"
        if reading.class_column is not None:
            raise InputError(
                f"{path}: ",
                Hint("class_column", reading.class_column),
                f" is no label file, and a {what} has no named columns; check the name",
            )
        if reading.id_column == NO_COLUMN:
            allowed = (*allowed, "id_column")
    if reading.layer is not None and "layer" not in allowed:
        has_none = f"{path}: a {what} has no layers, so "
        raise InputError(has_none, Hint("layer", reading.layer), " does not apply; leave it out")
    reading.refuse_all_but(allowed, f"{path}: a {what} has no {lacks}")
    if reading.absent != "missing" and reading.layout != "long":
        absent = Hint("absent", reading.absent)
        raise InputError(f"{path}: ", absent, " is for long tables: add ", Hint("layout", "long"), ", or leave it out")
    source: Source = found.load().open_table(path, reading)
    return source
