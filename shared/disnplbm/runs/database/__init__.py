"""The database: SQLite for one machine, Postgres for a cluster, the same tables in both."""

from __future__ import annotations

from disnplbm.runs.database.engine import Database, DatabaseAway
from disnplbm.runs.database.leadership import Leadership
from disnplbm.runs.database.url import sqlite_url

__all__ = ["Database", "DatabaseAway", "Leadership", "sqlite_url"]
