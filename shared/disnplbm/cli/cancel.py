"""``disnplbm cancel``."""

from __future__ import annotations

import click

from disnplbm.cli.cluster import server_option


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--reason", default="", metavar="TEXT", help="Kept with the run.")
@server_option
def command(run: str, reason: str, server: str | None) -> None:
    """End RUN for good, at once; it cannot be resumed.

    \b
    Example:
      disnplbm cancel 3f2a --reason "wrong transform"
    """
    from disnplbm.cli.cluster import open_runs, say_state

    with open_runs(server) as runs:
        say_state(runs.cancel(run, reason))
