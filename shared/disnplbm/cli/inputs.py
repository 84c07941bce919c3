"""Option values that name files or take several forms."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from disnplbm.data.classes import read_labels
from disnplbm.data.covariates import read_covariates
from disnplbm.data.factors import GIVEN, read_factors
from disnplbm.data.formats import without_format
from disnplbm.data.matching import LabelList
from disnplbm.data.numerals import PLAIN
from disnplbm.described import BOUNDS, DESCRIBED, check
from disnplbm.engine.options import Exposure
from disnplbm.errors import InputError
from disnplbm.notes import Hint
from disnplbm.posterior.export import write_table
from disnplbm.runs.request import PlainLabels


def shard_count(text: str) -> int | Literal["auto"]:
    """``--shards auto|N``."""
    if text == "auto":
        return "auto"
    if not (text.isascii() and text.isdigit()):
        raise InputError(Hint("shards", text), f" must be auto or a whole number from {BOUNDS['shards']}")
    number = int(text)
    check("shards", number)
    return number


def known_rows(value: str | None, id_column: str | None) -> tuple[str | None, PlainLabels | None]:
    """``--row-classes NAME|FILE``: the name of a column, or the classes in a file."""
    if value is None:
        return None, None
    return (None, read_labels(value, id_column).to_plain()) if _there(value) == "file" else (value, None)


def known_columns(path: Path | None) -> PlainLabels | None:
    """``--column-classes FILE``."""
    return None if path is None else read_labels(path).to_plain()


def start_labels(value: str, id_column: str | None) -> tuple[str, PlainLabels | None, PlainLabels | None]:
    """``--start random|one|...|FILE``: the kind of start, and row and column labels if they are given."""
    choices = DESCRIBED["start"].choices
    if value in choices:
        return value, None, None
    path, kind = Path(value), _there(value)
    if kind == "folder":
        return "given", _codes(path / "rows.csv"), _codes(path / "columns.csv")
    if kind is None:
        raise InputError(f"--start {value}: choose {', '.join(choices)}, or name a label file or run folder")
    return "given", _codes(path, id_column), None


def exposure(value: str, columns: Path | None) -> tuple[Exposure, PlainLabels | None, PlainLabels | None]:
    """``--exposure margins|none|FILE`` and ``--column-exposure FILE``: what is asked for, and factors if given."""
    if value == "margins" and columns is not None:
        raise InputError(
            Hint("column_exposure"), " goes with factors of the rows, or with none: add ", Hint("exposure", "none")
        )
    if value == "margins" or (value == "none" and columns is None):
        return cast(Exposure, value), None, None
    if value != "none" and _there(value) != "file":
        raise InputError(Hint("exposure", value), ": choose margins or none, or name a file of factors")
    rows = None if value == "none" else read_factors(value)
    of_columns = None if columns is None else read_factors(columns)
    return GIVEN, None if rows is None else rows.to_plain(), None if of_columns is None else of_columns.to_plain()


def covariates(path: Path | None) -> dict[str, Any] | None:
    """``--row-covariates FILE`` or ``--column-covariates FILE``."""
    return None if path is None else read_covariates(path).to_plain()


def _there(name: str) -> Literal["file", "folder"] | None:
    """What lies under a name, if anything; a name that no file can have has nothing under it."""
    try:
        path = Path(name) if name else None
        if path is None or not path.exists():
            return None
        return "folder" if path.is_dir() else "file"
    except OSError:
        return None


def _codes(path: Path, id_column: str | None = None) -> PlainLabels:
    found = read_labels(path, id_column)
    for i, label in enumerate(found.labels):
        if PLAIN.is_missing(label):
            item = f"label {i + 1}" if found.ids is None else f"the label of {found.ids[i]}"
            raise InputError(f"--start {path}: {item} is missing; give every row one")
    return LabelList(np.unique(found.labels, return_inverse=True)[1].tolist(), found.ids).to_plain()


def concentration(option: str, text: str) -> float | Literal["learn"]:
    """A concentration as given: a number, or "learn"."""
    if text == "learn":
        return "learn"
    try:
        return float(text)
    except ValueError:
        raise InputError(Hint(option, text), " is neither a number nor learn") from None


def write_records(path: Path | None, header: Sequence[str], records: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file, whole or not at all, or the same on stdout."""
    if path is not None:
        write_table(path, header, records)
        return
    records = iter(records)
    # What is wrong with the first ones is said before anything is printed.
    first = list(islice(records, 1))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(chain(first, records))


def named_after(name: str, ending: str) -> Path:
    """The folder beside which no other file's lies: the name of a table without its format, "-", and an ending.

    The name may be one from a server: it says nothing of folders here.
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    return Path(f"{printable(without_format(last))}-{ending}")


def printable(text: str) -> str:
    """A file name as text that can be written on one line, whatever bytes are in it."""
    shown = (char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return "".join(shown)
