"""``disnplbm impute``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disnplbm.cli import common


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@common.output_table
@click.option(
    "--cells", is_flag=True, help="List the missing cells with mean, sd and value, instead of the filled table."
)
@common.reading_options
def command(folder: Path, input_path: Path, output: Path | None, cells: bool, **given: Any) -> None:
    """Fill in the missing cells of INPUT, the table that the run in DIR was fitted to.

    The run kept draws: it was fitted with --burn-in or --draws. The filled table has the units of the data. INPUT is
    read as the run read it: options given here replace the options of the run.

    A real number or a count becomes its mean, a cell of 0 and 1 the probability of 1, and a category the likeliest one.
    With --cells, a category has a probability in place of mean and sd.

    With --cells, mean and sd have the units of the data too; after log, log1p or boxcox they have the units of that
    transform. A blank sd means that a draw puts the cell into a block without any other observed cell: such a block
    has no spread of its own.

    \b
    Examples:
      disnplbm fit table.csv --burn-in 100 --output table-run
      disnplbm impute table-run table.csv --output filled.csv
      disnplbm impute table-run table.csv --cells
    """
    from disnplbm.cli.flags import say_notes
    from disnplbm.cli.inputs import write_records
    from disnplbm.engine.as_fitted import open_as_fitted
    from disnplbm.engine.impute import NOTHING_MISSING, impute_table

    source, _ = open_as_fitted(folder, input_path, common.reading_of(given), common.list_chosen())
    found = impute_table(folder, source)
    write_records(output, *(found.cells() if cells else found.table()))
    if output is not None:
        click.echo(f"{output}: {found.summary('listed' if cells else 'filled')}")
    elif not found.any_missing:
        source.notes.append(NOTHING_MISSING)
    say_notes(source.notes)
