"""Migrations: the tables' version, and how they get to it."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from disnplbm.errors import RunError

#: Of the Postgres lock that lets one migrate at a time.
_LOCK = 0x6469736E706C626D


def upgrade(connection: Connection, url: str, to: str = "head") -> None:
    """Bring the tables to a version, by default this one, in the connection's transaction.

    Parameters
    ----------
    url : str
        What to call the database.

    Raises
    ------
    RunError
        The tables are of a newer version.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    config = _config()
    _refuse_newer(connection, ScriptDirectory.from_config(config), url)
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def check(connection: Connection, url: str) -> None:
    """Raise RunError if the tables are not of this version.

    Parameters
    ----------
    url : str
        What to call the database.
    """
    script = ScriptDirectory.from_config(_config())
    now = _refuse_newer(connection, script, url)
    if now == script.get_current_head():
        return
    if now is None:
        raise RunError(missing(url))
    raise RunError(f"the tables of the database {url} are of an older version ({now}): run `disnplbm migrate`")


def _refuse_newer(connection: Connection, script: ScriptDirectory, url: str) -> str | None:
    """The version of the tables, None if there are none; RunError if this program does not know it."""
    now = MigrationContext.configure(connection).get_current_revision()
    if now is not None and now not in {revision.revision for revision in script.walk_revisions()}:
        raise RunError(f"the tables of the database {url} are of a newer version ({now}): upgrade disnplbm")
    return now


def missing(url: str) -> str:
    """What to say of a database without tables."""
    return f"the database {url} has no tables yet: run `disnplbm migrate`"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", "disnplbm.runs.database:migrations")
    config.set_main_option("path_separator", "os")
    return config
