"""Tables for a spreadsheet. It takes a cell that begins with one of a few signs for a formula, and may run it.

Names may come from somebody who sent the user a file. In the exact table they stay as they are, for programs that look
them up. Here such a name gets an apostrophe before it, which makes it text.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator

#: How a formula begins; blanks before it are passed over.
_SIGNS = ("=", "+", "-", "@")

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)

#: Letters that are held back before they are sent.
_PIECE = 2**16


def as_text(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula; numbers stay numbers.

    >>> as_text("=1+1"), as_text("-0.5"), as_text("TP53")
    ("'=1+1", '-0.5', 'TP53')
    """
    return f"'{cell}" if cell.lstrip().startswith(_SIGNS) and not _NUMBER.fullmatch(cell) else cell


def for_spreadsheet(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The bytes of a CSV file with text in the place of formulas, a piece at a time."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in csv.reader(_lines(parts)):
        writer.writerow(map(as_text, row))
        if out.tell() > _PIECE:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


def _lines(parts: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    held = ""
    for part in parts:
        *lines, held = (held + decoder.decode(part)).split("\n")
        yield from (_line(line) for line in lines)
    if held:
        yield _line(held)


def _line(text: str) -> str:
    """A line with its end, and none within: what comes after a carriage return would be a row of its own."""
    return text.replace("\r", " ") + "\n"
