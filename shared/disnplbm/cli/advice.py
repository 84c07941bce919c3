"""The command that reads a table as it is: the one that failed, with the options that its file needs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import pairwise

import click

from disnplbm.data.named import CLASS_OPTION, DROP_OPTION
from disnplbm.data.reading import SWITCHES, VALUES
from disnplbm.errors import OptionsNeeded


def advised(error: OptionsNeeded, arguments: Sequence[str], command: click.Command) -> str:
    """What is wrong, and the command to run instead.

    Parameters
    ----------
    error : OptionsNeeded
    arguments : sequence of str
        What was given, beginning with the name of the command.
    command : click.Command
        Beside one without an option for classes, such a column is left out.
    """
    known = {flag for parameter in command.params for flag in parameter.opts}
    problem, options = error.problem, list(error.options)
    kept = _kept(arguments, options)
    if CLASS_OPTION not in known:
        problem = problem.replace(CLASS_OPTION, DROP_OPTION)
    if CLASS_OPTION not in known or CLASS_OPTION in kept:
        options = [DROP_OPTION if word == CLASS_OPTION else word for word in options]
    return f"{problem}; run: {shlex.join(['disnplbm', *kept, *options])}"


def _kept(arguments: Sequence[str], options: Sequence[str]) -> list[str]:
    """The words that say nothing of how the file is read."""
    kept = list[str]()
    pairs = list(pairwise(options))
    words = iter(arguments)
    for word in words:
        flag, equals, value = word.partition("=")
        if flag in VALUES:
            value = value if equals else next(words, "")
            # A file of classes is no way of reading the table.
            if flag == CLASS_OPTION and (flag, value) not in pairs:
                kept += [flag, value]
        elif flag not in SWITCHES:
            kept.append(word)
    return kept
