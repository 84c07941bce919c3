"""``disnplbm check``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from disnplbm.cli import common


@click.command()
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@common.reading_options
@click.option("--row-classes", metavar="NAME", help="Column of known classes, which is left out of the data.")
@common.described_option("cells")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and no progress.")
def command(input_path: Path, row_classes: str | None, cells: str, as_json: bool, **given: Any) -> None:
    """Check INPUT before a fit. This reads the file once and writes nothing.

    It says the shape, counts missing cells, names constant and duplicate columns, and recommends a transform. It
    estimates memory and time of a fit from a few iterations on a sample.

    \b
    Example:
      disnplbm check matrix.csv --id-column sample
    """
    from disnplbm.bars import Bars
    from disnplbm.cli.flags import flag
    from disnplbm.data.cell_choice import words_for
    from disnplbm.data.preflight import preflight
    from disnplbm.engine.apart import open_table
    from disnplbm.engine.pilot import pilot

    reading = common.reading_of(given, row_classes).but(words=words_for(cells))
    source = open_table(input_path, reading)
    with Bars(quiet=as_json) as bars:

        def trial(*given: Any) -> Any:
            bars("compiling", 0, 1)
            expected = pilot(*given)
            bars("compiling", 1, 1)
            return expected

        found = preflight(source, trial, lambda done, total: bars("reading", done, total), cells=cells)
    if as_json:
        click.echo(json.dumps(found.to_dict()))
    else:
        click.echo("\n".join(line.said(flag) for line in found.lines()))
