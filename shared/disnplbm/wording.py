"""Errors and notes in the words of the estimator, which has parameters where the command line has options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from disnplbm.described import DESCRIBED
from disnplbm.errors import InputError, RunError

_PARAMETERS = {
    **{name: option.parameter for name, option in DESCRIBED.items() if option.parameter is not None},
    "shards": "n_shards",
    "threads": "n_jobs",
    "transform": "column_transform",
}
"""Parameters of the estimator that are not called as the option of the command line is."""

_VALUES = (
    *("standardize-rows", "standardize", "boxcox", "log1p", "log", "center", "none"),
    *(
        "collapsed",
        "split-merge",
        "random",
        "one",
        "singletons",
        "learn",
        "diagonal",
        "full",
        "auto",
        "rows",
        "columns",
    ),
    r"[0-9][0-9.,]*[0-9]|[0-9]",
)
"""What counts as the value of an option where it follows its name; a longer word comes before its beginning."""

_OPTION = re.compile(rf"(?<![\w-])--([a-z][a-z0-9-]*)(?: ({'|'.join(_VALUES)})(?![\w-]))?")
_PHRASES = {"(`disnplbm calibrate` compares several)": "(try power=0.5)"}
"""What is said of other commands, and what the estimator says instead."""

_COLUMN = re.compile(r"(?<![\w-])--drop-column ('(?:[^']|'\"'\"')*'|[^\s'),;]+)")
_SUBJECT = re.compile(rf"\b({'|'.join(_PARAMETERS)})(?= = )")


def in_parameters(text: str) -> str:
    """The text with the estimator's parameters in place of options of the command line.

    >>> in_parameters("draws = 9 must be at most 5")
    'n_draws = 9 must be at most 5'
    >>> in_parameters("the scales differ: use --transform standardize, or --draws 100")
    "the scales differ: use column_transform='standardize', or n_draws=100"
    >>> in_parameters("leave the column out (--drop-column 'a b')")
    "leave the column out (X.drop(columns=['a b']))"
    """
    for phrase, ours in _PHRASES.items():
        text = text.replace(phrase, ours)
    text = _OPTION.sub(_parameter, _COLUMN.sub(_dropped, text))
    return _SUBJECT.sub(lambda match: _PARAMETERS[match[1]], text)


def _dropped(match: re.Match[str]) -> str:
    return f"X.drop(columns={shlex.split(match[1])})"


def _parameter(match: re.Match[str]) -> str:
    option, value = match.groups()
    name = option.replace("-", "_")
    name = _PARAMETERS.get(name, name)
    if value is None:
        return name
    return f"{name}={value if value[0].isdigit() else repr(value)}"


@contextmanager
def own_words() -> Iterator[None]:
    """Errors that leave the block name parameters of the estimator."""
    try:
        yield
    except InputError as error:
        raise InputError(in_parameters(str(error))) from error
    except RunError as error:
        raise RunError(in_parameters(str(error))) from error
