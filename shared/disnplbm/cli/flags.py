"""How the command line names options: ``--transform standardize``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable
from dataclasses import replace

import click

from disnplbm.notes import Hint, Naming, Note, say

#: Options that are called otherwise than the field that they set.
_NAMES = {"class_column": "row-classes", "drop_columns": "drop-column", "words": "cells"}

#: What on and off are called, where those are values.
_SWITCHES = {"header": ("yes", "no"), "pair_moves": ("on", "off")}

#: What else the command line says of a kind of notes.
_MORE = dict.fromkeys(("one-cluster", "many-clusters", "many-blocks"), "; `disnplbm calibrate` compares several powers")

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

CLASSES, DROP = "--row-classes", "--drop-column"


def name(option: str) -> str:
    """The option of the command line.

    >>> name("burn_in"), name("drop_columns")
    ('--burn-in', '--drop-column')
    """
    return "--" + _NAMES.get(option, option).replace("_", "-")


def words(hint: Hint) -> list[str]:
    """What to type, word by word.

    >>> words(Hint("header", False)), words(Hint("missing", ("x", "y"))), words(Hint("force"))
    (['--header', 'no'], ['--missing', 'x', '--missing', 'y'], ['--force'])
    """
    flag, value = name(hint.option), hint.value
    if hint.option == "words" and value == "yes":
        value = "categorical"
    if isinstance(value, tuple):
        return [word for item in value for word in (flag, item)]
    if isinstance(value, bool):
        if hint.option not in _SWITCHES:
            return [flag if value else "--no-" + flag.removeprefix("--")]
        value = _SWITCHES[hint.option][not value]
    return [flag] if value is None else [flag, str(value)]


def flag(hint: Hint) -> str:
    """What to type, as one text."""
    return typed(words(hint))


def typed(parts: Iterable[str]) -> str:
    """Words as a shell takes them, in one line whatever is in them.

    >>> typed(["--id-column", "my name"]), typed(["--id-column", "my\\nname's"])
    ("--id-column 'my name'", "--id-column $'my\\\\nname\\\\'s'")
    """
    return " ".join(map(_quoted, parts))


def _quoted(word: str) -> str:
    if not _CONTROL.search(word):
        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
    return "$'" + _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", escaped) + "'"


def naming_for(known: Collection[str]) -> Naming:
    """How to name options for a command that has these: one without an option for classes leaves such a column out."""

    def without_classes(hint: Hint) -> str:
        return flag(replace(hint, option="drop_columns") if hint.option == "class_column" else hint)

    return flag if CLASSES in known else without_classes


def flags_of(command: click.Command) -> set[str]:
    """The options that a command has."""
    return {option for parameter in command.params for option in parameter.opts}


def say_notes(notes: Iterable[str]) -> None:
    """Say notes on stderr, for the command that is at work."""
    naming = naming_for(flags_of(click.get_current_context().command))
    for note in notes:
        more = _MORE.get(note.kind, "") if isinstance(note, Note) else ""
        click.echo(f"note: {say(note, naming)}{more}", err=True)
