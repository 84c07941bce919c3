"""Options that several commands share."""

from __future__ import annotations

import click

id_column = click.option("--id-column", metavar="NAME", help="Column that holds row names.")

drop_column = click.option("--drop-column", metavar="NAME", help="Column that is no data, such as known classes.")

header = click.option(
    "--header",
    type=click.Choice(["auto", "yes", "no"]),
    default="auto",
    show_default=True,
    help="Whether the first line of a text file names the columns.",
)
