"""``disnplbm report``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def command(folder: Path) -> None:
    """Write report.html of the finished run in DIR again, from the other files in DIR.

    \b
    Example:
      disnplbm report demo/run
    """
    from disnplbm.report.html import render_report

    click.echo(str(render_report(folder)))
