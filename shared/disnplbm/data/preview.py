"""What the first lines of a text file look like to the reader, before the whole of it is at hand.

The file may be cut anywhere. What is said of it is decided by the rules that read the whole file: :mod:`head`,
:mod:`heading` and :mod:`csv`.
"""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from disnplbm.data.csv import CsvSource
from disnplbm.data.encoding import check_text
from disnplbm.data.formats import is_packed, usual_delimiter
from disnplbm.data.head import Head, read_head
from disnplbm.data.heading import Heading, find_heading
from disnplbm.data.reading import DELIMITERS, Reading
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.notes import from_plain, to_plain

MOST_BYTES = 12 * 2**20
"""Text that is looked at."""

ROWS = 5
COLUMNS = 10
LETTERS = 100
"""Rows, columns and letters of a cell that are shown."""

NAMES = 500
"""Names of columns that are told."""

_FEWEST_LINES = 2
"""With fewer whole lines nothing is said."""

_WORDS = {sign: word for word, sign in DELIMITERS.items()}


@dataclass(frozen=True)
class Preview:
    """The first lines of a text file, and how they are read.

    Attributes
    ----------
    delimiter : str
        A word, such as "comma", or the sign itself where there is no word for it; blank if it is not known.
    decimal : str
        The decimal mark; blank if it is not known.
    header : bool or None
        Whether the first line names the columns.
    id_column, class_column : str or None
        Columns that hold the names of the rows, and their known classes.
    class_like : list of str
        Columns that look like known classes and are taken as data.
    columns : int
        Cells of a row.
    names : list of str
        Of the first columns.
    rows : list of list of str
        The first cells of the first rows.
    notes : list of str
        What was assumed.
    problem : str or None
        Why the lines cannot be read like this.
    proposed : dict or None
        How they can be read, as :meth:`disnplbm.data.reading.Reading.to_dict` writes it.
    more : bool
        Whether the file was cut before there was as much to look at as a reader of the whole file looks at.
    """

    delimiter: str = ""
    decimal: str = ""
    header: bool | None = None
    id_column: str | None = None
    class_column: str | None = None
    class_like: tuple[str, ...] = ()
    columns: int = 0
    names: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    problem: str | None = None
    proposed: dict[str, Any] | None = None
    more: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; ``noted`` and ``fault`` are notes and problem with what they name as data."""
        fault = None if self.problem is None else to_plain(self.problem)
        return {**asdict(self), "noted": [to_plain(note) for note in self.notes], "fault": fault}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Preview:
        """Read back what `to_dict` wrote."""
        noted, fault = stored.pop("noted"), stored.pop("fault")
        problem = None if fault is None else from_plain(fault)
        return cls(**stored | {"notes": tuple(map(from_plain, noted)), "problem": problem})


def preview(path: Path, reading: Reading, *, whole: bool) -> Preview:
    """Look at a text file, or at the beginning of one.

    Parameters
    ----------
    path : Path
        Of a beginning, what is behind its last whole line is cut off.
    whole : bool
        Whether it is the whole file.
    """
    try:
        ends = _keep_lines(path, whole=whole)
        if not ends and path.stat().st_size == 0:
            return Preview(more=True)
        return _seen(path, reading, ends=ends)
    except InputError as error:
        return Preview(problem=error.note)


def _keep_lines(path: Path, *, whole: bool) -> bool:
    """Leave whole lines in a file, at most `MOST_BYTES`; whether no longer beginning would show more."""
    packed = is_packed(path)
    with path.open("rb") as raw:
        text = _unpacked(raw, path, whole=whole) if packed else raw.read(MOST_BYTES + 1)
    if whole and len(text) <= MOST_BYTES:
        return True
    check_text(text[: 2**16], path)
    kept = _whole_lines(text[:MOST_BYTES])
    if not kept and len(text) > MOST_BYTES:
        raise InputError(
            f"the first lines of {path} are longer than {MOST_BYTES // 2**20} MiB: what they hold is seen once the"
            " file is uploaded"
        )
    path.write_bytes(gzip.compress(kept, 1) if packed and kept else kept)
    return len(text) > MOST_BYTES


def _unpacked(raw: IO[bytes], path: Path, *, whole: bool) -> bytes:
    """Text of a packed file, which may be cut anywhere; one byte more than is looked at, at most."""
    found = io.BytesIO()
    try:
        with gzip.GzipFile(fileobj=raw) as stream:
            # Piece by piece: a read that meets the cut end gives nothing.
            while found.tell() <= MOST_BYTES and (piece := stream.read1(2**16)):
                found.write(piece)
    except EOFError as error:
        if whole:
            raise InputError(f"{path} is damaged ({error}); copy or compress it again") from error
    except (zlib.error, OSError) as error:
        raise InputError(f"{path} is damaged ({error}); copy or compress it again") from error
    return found.getvalue()


def _whole_lines(text: bytes) -> bytes:
    """Text without its last line, and without the row whose quoted cell goes on there: both may be cut."""
    end = text.rfind(b"\n") + 1
    if text.count(b'"', 0, end) % 2:
        # The last quote opens a cell that is not closed.
        end = text.rfind(b"\n", 0, text.rfind(b'"', 0, end)) + 1 or end
    kept = text[:end]
    return kept if kept.count(b"\n") >= _FEWEST_LINES else b""


def _seen(path: Path, reading: Reading, *, ends: bool) -> Preview:
    usual = usual_delimiter(path)
    try:
        head = read_head(path, usual, reading)
        heading = find_heading(head, reading, str(path))
    except OptionsNeeded as needed:
        shown = _seen(path, Reading.from_dict(needed.reading.to_dict()), ends=ends)
        return replace(shown, problem=needed.problem, proposed=needed.reading.to_dict())
    found = replace(_described(head, heading), more=not (ends or head.is_full))
    try:
        source = CsvSource(path, usual, reading)
        if source.wordy:
            # A column of words may name the rows of a table of words.
            found = replace(_described(head, source.heading), more=found.more)
        for _ in source.as_read().chunks():
            pass
    except OptionsNeeded as needed:
        return replace(found, problem=needed.problem, proposed=needed.reading.to_dict())
    except InputError as error:
        return replace(found, problem=error.note)
    return found


def _described(head: Head, heading: Heading) -> Preview:
    def named(j: int | None) -> str | None:
        return None if j is None else heading.names[j]

    rows = head.records[int(heading.present) :][:ROWS]
    return Preview(
        delimiter=_WORDS.get(head.delimiter, head.delimiter),
        decimal=head.numerals.decimal,
        header=heading.present,
        id_column=named(heading.id_at),
        class_column=named(heading.class_at),
        class_like=heading.class_like,
        columns=heading.width,
        names=tuple(heading.names[:NAMES]),
        rows=tuple(tuple(cell[:LETTERS] for cell in row.cells[:COLUMNS]) for row in rows),
        notes=(*head.notes, *heading.notes),
    )
