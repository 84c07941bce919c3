"""Sessions, and what becomes of the database's own errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Executable, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, DisconnectionError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool
from sqlalchemy.sql.dml import UpdateBase

from disnplbm.errors import Away, RunError, first_line
from disnplbm.runs.database import migrate
from disnplbm.runs.database.changes import execute_counted
from disnplbm.runs.database.models import Base
from disnplbm.runs.database.url import READING, connect, parse_url, shown

#: Postgres' code of a table that is not there.
_UNDEFINED_TABLE = "42P01"

#: Its code of a write to a server that only reads, as in a failover.
_READ_ONLY = "25006"

#: How its codes begin where it starts or stops, lacks room, memory or connections, or its system fails it.
_UNABLE = ("57P", "53", "58")


class DatabaseAway(Away):
    """The database cannot be reached, or went away; what was under way was not done, or may not have been."""


class Database:
    """The database; nothing is connected until it is used.

    Parameters
    ----------
    url : str or URL
        postgresql+psycopg://user:password@host/name, or sqlite:///FILE.
    trusted_seconds : float
        A connection that was used this short a time ago is not asked whether it is still there: for who often takes
        one, and knows how to go on from a DatabaseAway.

    Raises
    ------
    InputError
        The address is of another kind.
    """

    def __init__(self, url: str | URL, trusted_seconds: float = 0.0) -> None:
        self._url = parse_url(url)
        self._engine = connect(self._url, trusted_seconds)
        # On Postgres a statement alone is a transaction, and each sees what is committed when it begins: BEGIN and
        # COMMIT would add nothing but the time for two more messages.
        alone: dict[str, Any] = {"isolation_level": "AUTOCOMMIT"} if self.is_postgres else {}
        self._statement_engine = self._engine.execution_options(**alone)
        self._reading_engine = self._engine.execution_options(**alone, **{READING: True})

    def __repr__(self) -> str:
        return f"Database({self.url_for_people!r})"

    @property
    def url_for_people(self) -> str:
        """The address without the password."""
        return shown(self._url)

    @property
    def lock_file(self) -> Path | None:
        """The file that stands for an advisory lock: beside a SQLite database; None on Postgres."""
        return None if self.is_postgres else Path(f"{self._url.database}.leader")

    @property
    def is_postgres(self) -> bool:
        """Whether it is Postgres, and not SQLite."""
        return self._engine.dialect.name == "postgresql"

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A transaction that may write: committed at the end, rolled back on an exception.

        On SQLite one at a time; others wait.

        Raises
        ------
        DatabaseAway
            The database cannot be reached.
        RunError
            Its tables are not there.
        """
        with self.translate_errors(), Session(self._engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that only reads, and on SQLite waits for no writer; raises as :meth:`session` does."""
        with self.translate_errors(), Session(self._reading_engine) as session, session.begin():
            yield session

    def insert(self, table: type[Base]) -> postgresql.Insert | sqlite.Insert:
        """An INSERT in the database's own dialect, which can leave alone what is there."""
        return postgresql.insert(table) if self.is_postgres else sqlite.insert(table)

    def execute(self, statement: UpdateBase) -> int:
        """Execute one statement, a transaction of its own; the number of rows that it made, found or deleted.

        Raises as :meth:`session` does.
        """
        with self.translate_errors(), Session(self._statement_engine) as session, session.begin():
            return execute_counted(session, statement)

    def rows(self, statement: Executable) -> Sequence[tuple[Any, ...]]:
        """Execute one statement, a transaction of its own; the rows that it gives.

        Raises as :meth:`session` does.
        """
        with self.translate_errors(), Session(self._statement_engine) as session, session.begin():
            return [tuple(row) for row in session.execute(statement)]

    def ping(self) -> None:
        """Raise DatabaseAway if the database cannot be reached."""
        with self.reading() as session:
            session.execute(select(1))

    def migrate(self) -> None:
        """Make the tables, or bring them up to date.

        Raises
        ------
        DatabaseAway
            The database cannot be reached.
        RunError
            The tables are of a newer version.
        """
        with self.translate_errors(), self._engine.begin() as connection:
            migrate.upgrade(connection, self.url_for_people)

    def check_version(self) -> None:
        """Raise RunError if the tables are of another version; the message says what to do."""
        file = None if self.is_postgres else self._url.database
        if file not in (None, "", ":memory:") and Path(file).parent.is_dir() and not Path(file).exists():
            # To connect would make an empty one.
            raise RunError(migrate.missing(self.url_for_people))
        with self.translate_errors(), self._reading_engine.begin() as connection:
            migrate.check(connection, self.url_for_people)

    def own_connection(self) -> Connection:
        """A connection apart from the pool's, closed at the server when it is closed here; each statement commits."""
        with self.translate_errors():
            return connect(self._url, poolclass=NullPool, isolation_level="AUTOCOMMIT").connect()

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        self._engine.dispose()

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Turn errors of the connection into one line each."""
        try:
            yield
        except (OperationalError, InterfaceError) as error:
            raise self._described(error) from error
        except (DisconnectionError, PoolTimeout) as error:
            raise DatabaseAway(self._away(first_line(error))) from error
        except DBAPIError as error:
            if error.connection_invalidated or _lacks_table(error) or _is_damaged(error) or _is_unable(error):
                raise self._described(error) from error
            raise

    def _described(self, error: DBAPIError) -> RunError:
        if _is_unable(error):
            # The next use connects anew: to another server, perhaps.
            self.close()
        if _lacks_table(error):
            return RunError(migrate.missing(self.url_for_people))
        if _is_damaged(error):
            return RunError(
                f"{self.url_for_people} is damaged, or no database at all: restore a backup of it, or name another file"
                " as DISNPLBM_DATABASE_URL"
            )
        return DatabaseAway(self._away(first_line(error.orig) if isinstance(error.orig, Exception) else "no reason"))

    def _away(self, reason: str) -> str:
        return (
            f"the database {self.url_for_people} is away ({reason}): see that it runs, and check DISNPLBM_DATABASE_URL"
        )


def _is_damaged(error: DBAPIError) -> bool:
    """Whether a file is not what SQLite wrote; a write that it refuses is another kind of error."""
    return getattr(error.orig, "sqlite_errorcode", None) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def _is_unable(error: DBAPIError) -> bool:
    """Whether Postgres cannot do now what it could at another time, or what another of its servers can."""
    code = getattr(error.orig, "sqlstate", None) or ""
    return code == _READ_ONLY or code.startswith(_UNABLE)


def _lacks_table(error: DBAPIError) -> bool:
    return getattr(error.orig, "sqlstate", None) == _UNDEFINED_TABLE or "no such table" in str(error.orig)
