"""A run as it is asked for on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from disnplbm.cell_types import MIXED
from disnplbm.cli.common import reading_of
from disnplbm.cli.flags import say_notes
from disnplbm.cli.inputs import (
    concentration,
    covariates,
    exposure,
    known_columns,
    known_rows,
    printable,
    shard_count,
    start_labels,
)
from disnplbm.data.cell_choice import CATEGORICAL, words_for
from disnplbm.data.covariates import RESPONSES
from disnplbm.data.mixed.columns import SourceOfParts
from disnplbm.data.reading import Reading
from disnplbm.data.table import Source
from disnplbm.data.transform import check_transform
from disnplbm.described import DESCRIBED
from disnplbm.engine.apart import open_table
from disnplbm.engine.labels import check_covariates
from disnplbm.engine.options import Options, lengths
from disnplbm.engine.parts import open_tables
from disnplbm.errors import InputError
from disnplbm.notes import Hint
from disnplbm.runs.request import Request


@dataclass(frozen=True, slots=True)
class Asked:
    """What to fit, how, and the table itself.

    Parameters
    ----------
    source : Source or SourceOfParts
        Opened; its cells are not read yet. Of a table of several parts, each has a source.
    reading : Reading
        How it is read.
    """

    request: Request
    options: Options
    source: Source | SourceOfParts
    reading: Reading


def parse_request(paths: Sequence[Path], given: dict[str, Any]) -> Asked:
    """Check the options of :mod:`disnplbm.cli.run_options` and the files, before any time is spent on them.

    Parameters
    ----------
    paths : sequence of Path
        One file, or several over the same rows.
    given : dict
        Values of the options by their names.

    Raises
    ------
    InputError
        An option is wrong, or a file.
    """
    start, start_rows, start_columns = start_labels(given["start"], given["id_column"])
    iterations, burn_in = lengths(given["iterations"], given["burn_in"], given["chains"])
    values = {name: _value(name, given[name]) for name in DESCRIBED}
    of_counts, row_factors, column_factors = exposure(given["exposure"], given["column_exposure"])
    more = {"iterations": iterations, "burn_in": burn_in, "start": start, "exposure": of_counts}
    options = Options(**values | more)
    class_column, row_classes = known_rows(given["row_classes"], given["id_column"])
    request = Request(
        name=" and ".join(printable(path.name) for path in paths),
        path=" and ".join(printable(str(path)) for path in paths),
        n_shards=shard_count(given["shards"]),
        axis=given["shard_axis"],
        transform=check_transform(given["transform"]),
        row_classes=row_classes,
        column_classes=known_columns(given["column_classes"]),
        start_rows=start_rows,
        start_columns=start_columns,
        row_factors=row_factors,
        column_factors=column_factors,
        row_covariates=covariates(given["row_covariates"]),
        column_covariates=covariates(given["column_covariates"]),
    )
    check_covariates(request, options.cells)
    reading = reading_of(given, class_column).but(columns_as=given["columns_as"])
    if options.cells == RESPONSES:
        reading = reading.but(cell_covariates=reading.layout == "long")
    opened = reading.but(words=words_for(options.cells))
    # A server decides by the cells that are asked for, too.
    reading = opened if options.cells == CATEGORICAL else reading
    source = _open(paths, opened, options.cells, request.transform)
    asked = Asked(request, options, source, reading)
    # What is wrong is refused first, in one line.
    if given["burn_in"] is None and burn_in:
        why = f"half of the iterations, so that the {given['chains']:,} chains can be compared"
        say_notes([f"the burn-in is {burn_in:,}, {why}; --burn-in sets another"])
    return asked


def is_of_parts(paths: Sequence[Path], given: dict[str, Any]) -> bool:
    """Whether a table of several parts is asked for."""
    return len(paths) > 1 or given["cells"] == MIXED or len(given["columns_as"]) > 0


def _open(paths: Sequence[Path], reading: Reading, cells: str, transform: str) -> Source | SourceOfParts:
    if reading.columns_as and cells not in ("auto", MIXED):
        raise InputError(
            Hint("columns_as", reading.columns_as), " is for tables of several kinds of columns: add ",
            Hint("cells", MIXED), ", or leave it out",
        )  # fmt: skip
    cells = MIXED if reading.columns_as else cells
    if len(paths) == 1 and cells != MIXED:
        return open_table(paths[0], reading)
    said = click.get_current_context().get_parameter_source("transform") is click.core.ParameterSource.COMMANDLINE
    return open_tables(paths, reading, cells, transform if said else None)


def _value(name: str, given: Any) -> Any:
    """An option as it is given: "on" is True, and what may be a word or a number comes as text."""
    option = DESCRIBED[name]
    if option.switch:
        return given == "on"
    return given if option.word is None else concentration(name, given)
