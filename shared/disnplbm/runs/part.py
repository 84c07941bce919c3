"""What the parts of the stores share."""

from __future__ import annotations

from datetime import UTC, datetime

from disnplbm.runs.database import Database


class Part:
    """Works on the database, in a transaction a call.

    Parameters
    ----------
    database : Database
    """

    def __init__(self, database: Database) -> None:
        self._database = database


def now() -> datetime:
    """The moment, in UTC."""
    return datetime.now(UTC)
