"""``disnplbm predict``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disnplbm.cli import common

if TYPE_CHECKING:
    from disnplbm.posterior.draws import Axis


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("new_rows", metavar="NEW_ROWS", type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="CSV to write; by default on stdout.")
@common.reading_options
@click.option(
    "--axis",
    type=click.Choice(["rows", "columns"]),
    default="rows",
    show_default=True,
    help="columns: the table holds new columns of the fitted rows, in the fitted order.",
)
def command(
    folder: Path,
    new_rows: Path,
    output: Path | None,
    axis: Axis,
    **given: Any,
) -> None:
    """Judge new rows by the draws of the run in DIR, which was fitted with --burn-in or --draws.

    Writes for each row its cluster (-1: none of those there are), the cluster's probability, the probability of none
    of them, and the log density of its cells, averaged over the draws.

    \b
    Example:
      disnplbm fit old.csv --burn-in 100 --iterations 300 --output old-run
      disnplbm predict old-run new.csv --output new-labels.csv

    New columns are judged likewise with --axis columns. Each is transformed by what it holds itself.
    """
    from disnplbm.cli.inputs import say_notes, written
    from disnplbm.data.source import open_source
    from disnplbm.engine.predict import predicted
    from disnplbm.machine import usable_cores

    source = open_source(new_rows, common.reading_of(given))
    written(output, *predicted(folder, source, usable_cores(), axis))
    say_notes(source)
