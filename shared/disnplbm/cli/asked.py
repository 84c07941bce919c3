"""A run as it is asked for on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from disnplbm.data.reading import Reading
from disnplbm.data.table import Source
from disnplbm.data.transform import check_transform
from disnplbm.described import DESCRIBED
from disnplbm.engine.apart import open_table
from disnplbm.engine.labels import check_covariates
from disnplbm.engine.options import Options, lengths
from disnplbm.runs.request import Request


@dataclass(frozen=True, slots=True)
class Asked:
    """What to fit, how, and the table itself.

    Parameters
    ----------
    source : Source
        Opened; its cells are not read yet.
    reading : Reading
        How it is read.
    """

    request: Request
    options: Options
    source: Source
    reading: Reading


def parse_request(input_path: Path, given: dict[str, Any]) -> Asked:
    """Check the options of :mod:`disnplbm.cli.run_options` and the file, before any time is spent on it.

    Parameters
    ----------
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
        name=printable(input_path.name),
        path=printable(str(input_path)),
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
    reading = reading_of(given, class_column)
    if options.cells == RESPONSES:
        reading = reading.but(cell_covariates=reading.layout == "long")
    opened = reading.but(words=words_for(options.cells))
    # A server decides by the cells that are asked for, too.
    reading = opened if options.cells == CATEGORICAL else reading
    asked = Asked(request, options, open_table(input_path, opened), reading)
    # What is wrong is refused first, in one line.
    if given["burn_in"] is None and burn_in:
        why = f"half of the iterations, so that the {given['chains']:,} chains can be compared"
        say_notes([f"the burn-in is {burn_in:,}, {why}; --burn-in sets another"])
    return asked


def _value(name: str, given: Any) -> Any:
    """An option as it is given: "on" is True, and what may be a word or a number comes as text."""
    option = DESCRIBED[name]
    if option.switch:
        return given == "on"
    return given if option.word is None else concentration(name, given)
