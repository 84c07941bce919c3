"""``disnplbm pause``."""

from __future__ import annotations

import click

from disnplbm.cli.cluster import server_option


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--reason", default="", metavar="TEXT", help="Kept with the run.")
@server_option
def command(run: str, reason: str, server: str | None) -> None:
    """Pause RUN after its current iteration. Nothing is lost: `disnplbm resume` continues it.

    \b
    Example:
      disnplbm pause 3f2a --reason "room for another run"
      disnplbm resume 3f2a
    """
    from disnplbm.cli.cluster import open_runs, say_state

    with open_runs(server) as runs:
        paused = runs.pause(run, reason)
        say_state(paused, f"; to continue: disnplbm resume {paused.id}")
