"""``disnplbm impute``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disnplbm.cli import common


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="CSV to write; by default on stdout.")
@common.reading_options
def command(folder: Path, input_path: Path, output: Path | None, **given: Any) -> None:
    """Posterior mean and sd of every missing cell of INPUT, the table that the run in DIR was fitted to.

    The run kept draws: it was fitted with --burn-in or --draws. The value is in the units of the data.
    So are mean and sd; after log, log1p or boxcox they are in the units of that transform.

    \b
    Example:
      disnplbm fit table.csv --burn-in 100 --iterations 300 --output table-run
      disnplbm impute table-run table.csv --output filled.csv
    """
    from disnplbm.cli.inputs import say_notes, written
    from disnplbm.data.source import open_source
    from disnplbm.engine.predict import imputed

    source = open_source(input_path, common.reading_of(given))
    written(output, *imputed(folder, source))
    say_notes(source)
