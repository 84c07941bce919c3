"""``disnplbm pause``."""

from __future__ import annotations

import click

from disnplbm.cli.cluster import server_option


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--reason", default="", metavar="TEXT", help="Kept with the run.")
@server_option
def command(run: str, reason: str, server: str | None) -> None:
    """Have RUN stop after the iteration that is under way; nothing that was done is lost.

    \b
    Example:
      disnplbm pause 3f2a --reason "room for another run"
      disnplbm resume 3f2a
    """
    from disnplbm.cli.cluster import runs_at, say_state

    with runs_at(server) as runs:
        paused = runs.pause(run, reason)
        say_state(paused, f"; go on with: disnplbm resume {paused.id}")
