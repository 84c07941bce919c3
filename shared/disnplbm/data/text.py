"""Delimited text the plain way: one record at a time with its line number, by Python's own csv module.

This reader states the rules (what is a number, what is missing, what is an error and where) and is the twin of the fast
one in `csv.py`, which hands over to it whenever a block is not plainly a block of numbers.
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
from pathlib import Path
from typing import IO

from disnplbm.data.limits import LONGEST_LINE
from disnplbm.errors import InputError

MISSING = ("", "NA", "NaN", "nan")
"""Cells that are missing, after blanks around them are dropped; nothing else is."""

LONGEST_RECORD = 1000
"""Lines that one record with line breaks inside quoted cells may take."""

LOOK_AHEAD = 200
"""Records looked at to tell a stray word from a column of words."""

_INFINITE = re.compile(r"[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Record:
    """One row of text: the 1-based line it starts on, and its cells."""

    line: int
    cells: list[str]


@contextmanager
def open_bytes(path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file, unpacking .gz: the stream of its text and the file below, whose position tells the progress.

    Raises
    ------
    InputError
        The file cannot be read or its compression is damaged.
    """
    try:
        with path.open("rb") as raw:
            if path.suffix.lower() == ".gz":
                with gzip.GzipFile(fileobj=raw) as unpacked:
                    yield io.BufferedReader(unpacked), raw
            else:
                yield raw, raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is damaged ({error}); copy or compress it again") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}; check the file and its disk") from error


def records(stream: IO[bytes], path: Path, delimiter: str, *, blank_lines: bool = False) -> Iterator[Record]:
    """Records of a byte stream from its start.

    Blank lines are skipped; with `blank_lines` (a file of one column) those between two rows are rows whose one cell is
    missing.
    """
    line = 0
    blanks = 0
    while text := stream.readline(LONGEST_LINE):
        _check_length(text, line + 1, path)
        line += 1
        start = line
        if not text.strip(b"\r\n"):
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
    try:
        decoded = text.decode("utf-8-sig" if line == 1 else "utf-8")
        (cells,) = csv.reader(io.StringIO(decoded, newline=""), delimiter=delimiter, strict=True)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} line {line} is not UTF-8 text; save the file with the encoding UTF-8") from error
    except csv.Error as error:
        if str(error) == "unexpected end of data":
            return None
        raise InputError(f"{path} line {line} cannot be split into cells ({error}); check its quotes") from error
    except ValueError as error:
        raise InputError(f"{path} line {line} holds a carriage return; end lines by line feeds only") from error
    return cells


def is_missing(cell: str) -> bool:
    """Whether a cell is blank, NA, NaN or nan."""
    return cell.strip() in MISSING


def is_number(cell: str) -> bool:
    """Whether a cell is a decimal number, infinite or not."""
    return _NUMBER.fullmatch(cell.strip()) is not None


def parse_cell(cell: str) -> float | None:
    """The number in a cell, NaN if it is missing, infinite if it is too large, None if it is something else."""
    cell = cell.strip()
    if cell in MISSING:
        return float("nan")
    if _NUMBER.fullmatch(cell):
        return float(cell)
    if _INFINITE.fullmatch(cell):
        return float(cell)
    return None


def is_header(first: list[str], second: list[str] | None) -> bool:
    """Judge from the first two records whether the first one names the columns.

    It does if all its cells are words; if most columns that hold a number in the second record hold a word in the
    first; or if it reads ``,0,1,2,...``, as a table saved together with its row index does.
    """
    filled = [cell for cell in first if not is_missing(cell)]
    if filled and not any(is_number(cell) for cell in filled):
        return True
    if second is None:
        return False
    if len(first) > 2 and not first[0].strip() and first[1:] == [str(j) for j in range(len(first) - 1)]:
        return True
    numeric = [a for a, b in zip(first, second, strict=False) if is_number(b)]
    words = sum(not is_number(a) and not is_missing(a) for a in numeric)
    return words > len(numeric) / 2
