"""Delimited text the plain way: one record at a time with its line number, by Python's own csv module.

With `numerals.py` this states the rules (what is a cell, a number, missing, an error and where). The fast reader of
`csv.py` hands over to it whenever a block is not clearly a block of numbers.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from disnplbm.data.encoding import refuse_encoding
from disnplbm.data.formats import is_packed
from disnplbm.data.limits import LONGEST_LINE, MOST_COLUMNS, check_columns, check_unpacked, most_unpacked
from disnplbm.errors import InputError

LONGEST_RECORD = 1000
"""Lines that one record with line breaks inside quoted cells may take."""

_WORD = re.compile(rb"[^ ]+")

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Record:
    """One row of text: the 1-based line it starts on, and its cells."""

    line: int
    cells: list[str]


@contextmanager
def open_bytes(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file, unpacking .gz: the stream of its text and the file below, whose position tells the progress.

    A byte order mark at the start is passed over.

    Raises
    ------
    InputError
        The file cannot be read or its compression is damaged.
    """
    try:
        with path.open("rb") as raw:
            if is_packed(path):
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield _after_mark(io.BufferedReader(_Weighed(unpacked, path))), raw
            else:
                yield _after_mark(raw), raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is damaged ({error}); copy or compress it again") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}; check the file and its disk") from error


class _Weighed(io.RawIOBase):
    """What a packed file unpacks to, as long as that is not too much for its size."""

    def __init__(self, stream: gzip.GzipFile, path: Path) -> None:
        self._stream, self._size, self._name = stream, path.stat().st_size, str(path)
        self._most = most_unpacked(self._size)

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place, which may take unpacking anew."""
        return self._stream.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        """Unpack more of it; InputError if it becomes too much."""
        count: int = self._stream.readinto(buffer)
        if self._stream.tell() > self._most:
            check_unpacked(self._stream.tell(), self._size, self._name)
        return count


def _after_mark(stream: IO[bytes]) -> IO[bytes]:
    if stream.read(len(_BOM)) != _BOM:
        stream.seek(0)
    return stream


def records(stream: IO[bytes], path: Path, delimiter: str, *, blank_lines: bool = False) -> Iterator[Record]:
    """Records of a byte stream from its start.

    Blank lines are skipped; with `blank_lines` (a file of one column) those between two rows are rows whose one cell is
    missing.
    """
    line = 0
    blanks = 0
    nothing = b" \r\n" if delimiter == " " else b"\r\n"
    while text := stream.readline(LONGEST_LINE):
        _check_length(text, line + 1, path)
        line += 1
        start = line
        if not text.strip(nothing):
            blanks += 1
            continue
        while (cells := _split(text, start, path, delimiter)) is None:
            more = stream.readline(LONGEST_LINE)
            _check_length(text + more, start, path)
            if not more or line - start >= LONGEST_RECORD:
                raise InputError(f"{path} line {start}: a quoted cell is never closed; check its quotes")
            text, line = text + more, line + 1
        if blank_lines:
            yield from (Record(at, [""]) for at in range(start - blanks, start))
        blanks = 0
        yield Record(start, cells)


def _check_length(text: bytes, line: int, path: Path) -> None:
    if len(text) >= LONGEST_LINE:
        raise InputError(f"{path} line {line} is longer than {LONGEST_LINE // 2**20} MiB; check its line ends")


def _split(text: bytes, line: int, path: Path, delimiter: str) -> list[str] | None:
    """Cells of one record; None if a quoted cell goes on in the next line."""
    check_columns(_most_cells(text, delimiter), f"{path} line {line}")
    try:
        if delimiter == " ":
            text = text.strip(b" \r\n")
            if b'"' not in text:
                return text.decode().split()
        # Decoded as it is read: a string that is a file takes four bytes a letter.
        decoded = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
        (cells,) = csv.reader(decoded, delimiter=delimiter, strict=True)
    except UnicodeDecodeError as error:
        raise refuse_encoding(text, path, line) from error
    except csv.Error as error:
        if str(error) == "unexpected end of data":
            return None
        raise InputError(f"{path} line {line} cannot be split into cells ({error}); check its quotes") from error
    except ValueError as error:
        raise InputError(f"{path} line {line} holds a carriage return; end lines by line feeds only") from error
    # A run of blanks is one separator.
    return [cell for cell in cells if cell] if delimiter == " " else cells


def _most_cells(text: bytes, delimiter: str) -> int:
    """No fewer cells than a record has, counted before they take memory; one more than there may be at most."""
    cells = text.count(delimiter.encode()) + 1
    if delimiter == " " and cells > MOST_COLUMNS:
        cells = sum(1 for _ in islice(_WORD.finditer(text), MOST_COLUMNS + 1))
    return cells
