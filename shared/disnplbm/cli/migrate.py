"""``disnplbm migrate``."""

from __future__ import annotations

import click


@click.command()
def command() -> None:
    """Make the tables of the database that DISNPLBM_DATABASE_URL names, or bring them up to date.

    \b
    Example:
      DISNPLBM_DATABASE_URL=sqlite:///runs.sqlite3 disnplbm migrate
    """
    from disnplbm.runs.database import Database
    from disnplbm.settings import settings

    database = Database(settings().database_url)
    database.migrate()
    click.echo(f"the tables of {database.url_for_people} are up to date")
