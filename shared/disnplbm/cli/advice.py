"""The command to run instead, or next: the one that was given, with options that a note or an error advises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from itertools import pairwise

import click

from disnplbm.cli.flags import CLASSES, DROP, flags_of, name, naming_for, typed, words
from disnplbm.data.reading import Reading
from disnplbm.errors import OptionsNeeded
from disnplbm.notes import Hint, Note, say

# Of the way of reading, the type of the cells says whether there may be words.
_READING = {name(field.name) for field in fields(Reading) if field.name != "words"}
_SWITCHES = {name("transpose"), name("force")}


def advised(error: OptionsNeeded, arguments: Sequence[str], command: click.Command) -> str:
    """What is wrong with a table, and the command that reads it as it is.

    Parameters
    ----------
    arguments : sequence of str
        What was given, beginning with the name of the command.
    command : click.Command
        Beside one without an option for classes, such a column is left out.
    """
    known = flags_of(command)
    needed = [word for hint in error.reading.hints() for word in words(hint)]
    kept = _without(_READING | {word for word in needed if word.startswith("--")}, arguments, needed)
    if CLASSES not in known or CLASSES in kept:
        needed = [DROP if word == CLASSES else word for word in needed]
    return f"{say(error.problem, naming_for(known))}; run: {typed(['disnplbm', *kept, *needed])}"


def fit_again(notes: Iterable[str], arguments: Sequence[str]) -> str | None:
    """The command that fits the same table with the transform that a note advises; None if none does."""
    for note in notes:
        if isinstance(note, Note) and note.kind == "transform":
            advice = next(part for part in note.parts if isinstance(part, Hint))
            again = [*words(advice), name("force")]
            return typed(["disnplbm", *_without({name(advice.option), name("force")}, arguments, again), *again])
    return None


def _without(flags: set[str], arguments: Sequence[str], instead: Sequence[str]) -> list[str]:
    """The words of a command without some options and their values."""
    kept = list[str]()
    pairs = list(pairwise(instead))
    given = iter(arguments)
    for word in given:
        flag, equals, value = word.partition("=")
        if flag not in flags:
            kept.append(word)
        elif flag not in _SWITCHES:
            value = value if equals else next(given, "")
            # A file of classes is no way of reading the table.
            if flag == CLASSES and (flag, value) not in pairs:
                kept += [flag, value]
    return kept
