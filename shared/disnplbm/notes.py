"""What is said to people, as data: a text, and the options that it names.

The command line, the estimator and the pages call the same option by different names. So a text has a :class:`Hint`
where it names one, and each of them puts its own name there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Hint:
    """An option, with the value that it has or should get.

    Parameters
    ----------
    option : str
        A name of :data:`disnplbm.described.DESCRIBED`, of a field of :class:`disnplbm.data.reading.Reading`, or of
        another parameter of a command.
    value : str, int, float, bool or tuple of str, optional
        None leaves it open.
    """

    option: str
    value: Any = None

    def __str__(self) -> str:
        if self.value is None:
            return self.option
        return f"{self.option} = {self.value!r}" if isinstance(self.value, str) else f"{self.option} = {self.value}"


Naming = Callable[[Hint], str]
"""How somebody names an option."""


class Note(str):
    """A text for people that names options. As a string it calls them by the names of the API.

    Parameters
    ----------
    *parts : str or Hint
        What it says, in order. Notes among them bring their own parts.
    kind : str
        Tells programs what it is about; by default the kind of the first note among the parts.
    place : sequence of str
        What it is about: names of columns.
    """

    __slots__ = ("kind", "parts", "place")
    kind: str
    parts: tuple[str | Hint, ...]
    place: tuple[str, ...]

    def __new__(cls, *parts: str | Hint, kind: str = "", place: Sequence[str] = ()) -> Self:
        """Put the parts together."""
        flat = tuple(inner for part in parts for inner in (part.parts if isinstance(part, Note) else (part,)))
        made = super().__new__(cls, "".join(map(str, flat)))
        made.parts = flat
        made.kind = kind or next((part.kind for part in parts if isinstance(part, Note) and part.kind), "")
        made.place = tuple(place)
        return made

    def said(self, naming: Naming) -> str:
        """The text with options as somebody names them."""
        return "".join(part if isinstance(part, str) else naming(part) for part in self.parts)

    def in_one_line(self) -> Note:
        """The same without line ends and runs of blanks."""
        parts = (re.sub(r"\s+", " ", part) if isinstance(part, str) else part for part in self.parts)
        return Note(*parts, kind=self.kind, place=self.place)


def joined(between: str, notes: Sequence[str | Hint]) -> Note:
    """Notes or options, one behind the other."""
    return Note(*(part for i, note in enumerate(notes) for part in ((between, note) if i else (note,))))


def plural(count: int, noun: str) -> str:
    """Count and noun: "1 column", "2 columns"."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def say(text: str, naming: Naming) -> str:
    """A text with options as somebody names them, whether or not it names any."""
    return text.said(naming) if isinstance(text, Note) else text


def to_plain(text: str) -> Any:
    """A text for JSON: itself, or an object if it has a kind or names an option."""
    if not isinstance(text, Note) or not (text.kind or any(isinstance(part, Hint) for part in text.parts)):
        return str(text)
    parts = [part if isinstance(part, str) else {"option": part.option, "value": part.value} for part in text.parts]
    return {"kind": text.kind, "parts": parts, "place": list(text.place)}


def from_plain(stored: Any) -> str:
    """What :func:`to_plain` was given."""
    if isinstance(stored, str):
        return stored
    parts = (part if isinstance(part, str) else _hint(**part) for part in stored["parts"])
    return Note(*parts, kind=stored["kind"], place=stored["place"])


def _hint(option: str, value: Any) -> Hint:
    return Hint(option, tuple(value) if isinstance(value, list) else value)


def to_lines(text: str) -> str:
    """A text for where only text is kept: what :func:`to_plain` makes of a note stands in a second line."""
    plain = to_plain(text)
    return plain if isinstance(plain, str) else f"{text}\n{json.dumps(plain, default=str)}"


def from_lines(stored: str) -> str:
    """What :func:`to_lines` was given; the text alone if the second line was cut off."""
    text, _, data = stored.partition("\n")
    if not data.startswith("{"):
        return stored
    try:
        return from_plain(json.loads(data))
    except (ValueError, KeyError, TypeError):
        return text
