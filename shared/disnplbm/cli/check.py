"""``disnplbm check``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from disnplbm.cli import common


@click.command()
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@common.id_column
@click.option("--row-classes", metavar="NAME", help="Column that holds known classes.")
@common.header
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and no progress.")
def command(input_path: Path, id_column: str | None, row_classes: str | None, header: str, as_json: bool) -> None:
    """Look INPUT over in one streaming read, without fitting or writing anything.

    Says its shape, missing, constant and duplicate columns, and estimates memory and time of a fit.

    \b
    Example:
      disnplbm check matrix.csv --id-column sample
    """
    from disnplbm.cli.inputs import opened
    from disnplbm.cli.progress import Bars
    from disnplbm.data.preflight import preflight

    source = opened(input_path, id_column=id_column, class_column=row_classes, header=header)
    with Bars(quiet=as_json) as bars:
        found = preflight(source, lambda done, total: bars("reading", done, total))
    if as_json:
        click.echo(json.dumps(found.to_dict()))
    else:
        click.echo("\n".join(found.lines()))
