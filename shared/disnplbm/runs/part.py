"""What the parts of the stores share."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import ColumnElement

from disnplbm.runs.database import Database
from disnplbm.runs.database.models import Chain, Failure, Ledger
from disnplbm.runs.iteration_id import IterationId


class Part:
    """Works on the database, in a transaction a call."""

    def __init__(self, database: Database) -> None:
        self._database = database


def now() -> datetime:
    """The moment, in UTC."""
    return datetime.now(UTC)


def of_iteration(table: type[Chain | Ledger | Failure], at: IterationId) -> tuple[ColumnElement[bool], ...]:
    """What finds the rows of an iteration; of the chains the one that is at it."""
    return table.run_id == at.run, table.stream == at.stream, table.iteration == at.iteration
