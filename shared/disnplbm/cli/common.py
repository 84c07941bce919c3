"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from disnplbm.cli import flags
from disnplbm.data.reading import HELP, Absent, Decimal, Reading, TableLayout, Thousands
from disnplbm.described import BOUNDS, DESCRIBED

_F = TypeVar("_F", bound=Callable[..., Any])

_HEADER = {"auto": "auto", "yes": True, "no": False}


def bounded_option(flag: str, help: str, **more: Any) -> Callable[[_F], _F]:
    """Make a numeric option whose help says what it may be, from :data:`disnplbm.described.BOUNDS`.

    Parameters
    ----------
    flag : str
        Such as "--burn-in".
    help : str
        Sentences.
    more
        What ``click.option`` takes.
    """
    bound = BOUNDS[flag.removeprefix("--").replace("-", "_")]
    return click.option(flag, help=f"{help} From {bound}.", **{"metavar": "N", **more})


def described_option(name: str) -> Callable[[_F], _F]:
    """Make an option of what :data:`disnplbm.described.DESCRIBED` says of it."""
    option, flag = DESCRIBED[name], flags.name(name)
    help = option.help if option.absent is None else f"{option.help} By default {option.absent}."
    if option.switch:
        choice: Any = click.Choice(["on", "off"])
        return click.option(
            flag, name, type=choice, default="on" if option.default else "off", show_default=True, help=option.help
        )
    default: dict[str, Any] = {} if option.absent is not None else {"default": option.default, "show_default": True}
    if option.pattern is not None:
        return click.option(flag, name, metavar=option.metavar, help=help, **default)
    if option.bound is None:
        return click.option(flag, name, type=click.Choice(option.choices), help=help, **default)
    if option.word is not None:
        return bounded_option(flag, help, **default | {"default": str(option.default), "metavar": f"N|{option.word}"})
    return bounded_option(flag, help, type=int if option.bound.whole else float, **default)


_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


class _Size(click.ParamType[int]):
    """A size in bytes, such as 800M or 2.5GiB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", str(value).strip().upper())
        if found is None:
            self.fail(f"{value!r} is no size: give bytes, or a number with K, M, G or T, such as 2.5G", param, ctx)
        return int(float(found[1]) * _UNITS[found[2]])


memory_option = click.option(
    "--memory",
    type=_Size(),
    metavar="SIZE",
    help="The most memory to use, such as 2.5G; by default all that is free. Cells that do not fit are read from disk"
    " as they are used. The result is the same.",
)


def _option(name: str, **more: Any) -> Callable[[_F], _F]:
    return click.option(flags.name(name), name, help=HELP[name], show_default="default" in more, **more)


_READING: dict[str, Callable[[Any], Any]] = {
    "id_column": _option("id_column", metavar="NAME"),
    "drop_columns": _option("drop_columns", metavar="NAME", multiple=True),
    "header": _option("header", type=click.Choice(list(_HEADER)), default="auto"),
    "delimiter": _option("delimiter", metavar="auto|SIGN", default="auto"),
    "decimal": _option("decimal", type=click.Choice(get_args(Decimal)), default="auto"),
    "thousands": _option("thousands", type=click.Choice(get_args(Thousands)), default="none"),
    "missing": _option("missing", metavar="TEXT", multiple=True),
    "transpose": click.option("--transpose/--no-transpose", help=HELP["transpose"], default=False),
    "layout": _option("layout", type=click.Choice(get_args(TableLayout)), default="auto"),
    "absent": _option("absent", type=click.Choice(get_args(Absent)), default="missing"),
    "layer": _option("layer", metavar="NAME"),
}


#: Of commands that take tables of several kinds of columns.
columns_as = _option("columns_as", metavar="NAME=KIND", multiple=True)


def reading_options(command: _F) -> _F:
    """Give a command the options that say how its file is read; :func:`reading_of` makes a `Reading` of them."""
    for option in reversed(_READING.values()):
        command = option(command)
    return command


def reading_of(given: dict[str, Any], class_column: str | None = None) -> Reading:
    """How the file is read.

    Parameters
    ----------
    given : dict
        Values of all options of the command by their names.

    Raises
    ------
    InputError
        A value is not allowed.
    """
    values = {name: given[name] for name in _READING}
    return Reading(**values | {"header": _HEADER[given["header"]]}, class_column=class_column)


def list_chosen() -> set[str]:
    """List the reading options that the user gave to the command at work."""
    context = click.get_current_context()
    defaults = (click.core.ParameterSource.DEFAULT, click.core.ParameterSource.DEFAULT_MAP, None)
    return {name for name in _READING if context.get_parameter_source(name) not in defaults}


def output_option(metavar: str, help: str, **more: Any) -> Callable[[_F], _F]:
    """Make the option of where a command writes: ``metavar`` is FILE or DIR."""
    return click.option("--output", type=click.Path(path_type=Path), metavar=metavar, help=help, **more)


#: Where commands write that print a table otherwise.
output_table = output_option("FILE", "CSV to write; by default on stdout.")


def table_option(needed_for: str = "") -> Callable[[_F], _F]:
    """Make the option of the table that a run was fitted to; ``needed_for`` is the beginning of its help."""
    table = "table that was fitted; by default the file that the run read."
    help = f"{needed_for}, the {table}" if needed_for else f"The {table}"
    return click.option("--table", type=click.Path(path_type=Path), metavar="FILE", help=help)


def axis_option(help: str) -> Callable[[_F], _F]:
    """Make the option of an axis, by default rows."""
    return click.option("--axis", type=click.Choice(["rows", "columns"]), default="rows", show_default=True, help=help)


covariates = tuple(
    click.option(
        f"--{noun}-covariates",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help=f"Numbers that responses depend on: a table with a line for each {noun}, matched by names, or in order.",
    )
    for noun in ("row", "column")
)


def add_covariates(command: _F) -> _F:
    """Give a command the options of files of covariates."""
    for option in reversed(covariates):
        command = option(command)
    return command


transform = click.option(
    "--transform",
    default="none",
    show_default=True,
    metavar="NAME[,NAME...]",
    help="Change the cells first: none, log, log1p, boxcox, center or standardize (both by column), standardize-rows;"
    " or several in order, like log1p,center. `disnplbm check` recommends one.",
)


class Number(click.ParamType):  # type: ignore[type-arg]
    """A number of clusters, or a word."""

    name = "number"

    def __init__(self, *words: str) -> None:
        self.words = words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """The number, or the word."""
        if value in self.words:
            return str(value)
        try:
            return int(click.IntRange(1).convert(value, param, ctx))
        except click.BadParameter:
            self.fail(
                f"{str(value)!r} is not a whole number from 1; give a number of clusters, or {' or '.join(self.words)}",
                param,
                ctx,
            )
