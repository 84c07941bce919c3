"""``disnplbm impute``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="CSV to write; by default on stdout.")
@click.option("--id-column", metavar="NAME", help="Column that holds row names.")
@click.option("--drop-column", metavar="NAME", help="Column that is no data, such as known classes.")
@click.option("--header", type=click.Choice(["auto", "yes", "no"]), default="auto", show_default=True)
def command(
    folder: Path, input_path: Path, output: Path | None, id_column: str | None, drop_column: str | None, header: str
) -> None:
    """Posterior mean and sd of every missing cell of INPUT, the table that the run in DIR was fitted to.

    The run kept draws: it was fitted with --burn-in or --draws. Figures are in the units of the data, but for the
    transforms boxcox and log1p, where they are those of the transformed data.

    \b
    Example:
      disnplbm fit table.csv --burn-in 100 --iterations 300 --output table-run
      disnplbm impute table-run table.csv --output filled.csv
    """
    from disnplbm.cli.inputs import written
    from disnplbm.data.source import open_source
    from disnplbm.engine.predict import imputed

    named: Any = {"auto": "auto", "yes": True, "no": False}[header]
    source = open_source(input_path, id_column=id_column, class_column=drop_column, header=named)
    written(output, *imputed(folder, source))
