"""The command that reads a table as it is: the one that failed, with the options that its file needs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from itertools import pairwise

import click

from disnplbm.data.named import CLASS_OPTION, DROP_OPTION
from disnplbm.data.reading import SWITCHES, VALUES


def better_command(arguments: Sequence[str], options: Sequence[str], command: click.Command) -> str:
    """The command line to run instead, quoted for the shell.

    Parameters
    ----------
    arguments : sequence of str
        What was given, beginning with the name of the command.
    options : sequence of str
        All options that say how to read the file.
    command : click.Command
        One without an option for classes leaves such a column out.
    """
    kept, options = list[str](), list(options)
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
    known = {flag for parameter in command.params for flag in parameter.opts}
    if CLASS_OPTION in kept or CLASS_OPTION not in known:
        options = [DROP_OPTION if word == CLASS_OPTION else word for word in options]
    return shlex.join(["disnplbm", *kept, *options])
