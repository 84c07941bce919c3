"""``disnplbm predict``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("new_rows", metavar="NEW_ROWS", type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="CSV to write; by default on stdout.")
@click.option("--id-column", metavar="NAME", help="Column that holds row names.")
@click.option("--drop-column", metavar="NAME", help="Column that is no data, such as known classes.")
@click.option("--header", type=click.Choice(["auto", "yes", "no"]), default="auto", show_default=True)
def command(
    folder: Path, new_rows: Path, output: Path | None, id_column: str | None, drop_column: str | None, header: str
) -> None:
    """Judge new rows by the draws of the run in DIR, which was fitted with --burn-in or --draws.

    Writes for each row its cluster (-1: none of those there are), the cluster's probability, the probability of none
    of them, and the log density of its cells, averaged over the draws.

    \b
    Example:
      disnplbm fit old.csv --burn-in 100 --iterations 300 --output old-run
      disnplbm predict old-run new.csv --output new-labels.csv
    """
    from disnplbm.cli.execution import default_threads
    from disnplbm.cli.inputs import written
    from disnplbm.data.source import open_source
    from disnplbm.engine.predict import predicted

    named: Any = {"auto": "auto", "yes": True, "no": False}[header]
    source = open_source(new_rows, id_column=id_column, class_column=drop_column, header=named)
    written(output, *predicted(folder, source, default_threads()))
