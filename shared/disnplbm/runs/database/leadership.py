"""One active master: a lock that its holder loses with its connection, with its process, or when it falls silent."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from disnplbm.errors import RunError
from disnplbm.runs.database.engine import Database, DatabaseAway

#: Of Postgres' advisory lock: as the server shows it, in two halves.
_CLASS, _OBJECT = 0x6C65, 0x61646572
_KEY = _CLASS << 32 | _OBJECT

#: Seconds that a holder may be silent before another one takes its lock: it renews it every second.
LEASE_SECONDS = 30

#: Ends the session that has the lock, if it has said nothing for too long by the server's own clock.
_END_SILENT = text(
    """
    SELECT pg_terminate_backend(pid)
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND classid = :class AND objid = :object AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND usename = current_user
      AND state_change < clock_timestamp() - make_interval(secs => :lease)
    """
)


class Leadership:
    """The lock of the active master.

    Attributes
    ----------
    away : str or None
        Why the database could not be asked when it last was; None if it answered.
    """

    def __init__(self, database: Database) -> None:
        self.away: str | None = None
        file = database.lock_file
        self._lock: _Lock = _Advisory(database) if file is None else _File(file)

    def acquire(self) -> bool:
        """Try to become the active master; at once.

        Returns
        -------
        bool
            Whether this one is it, now or already; not while the database is away.

        Raises
        ------
        RunError
            The lock file cannot be written.
        """
        try:
            found = self._lock.is_held() or self._lock.acquire()
        except DatabaseAway as error:
            self.away = str(error)
            return False
        self.away = None
        return found

    def is_held(self) -> bool:
        """Whether this one still is the active master."""
        return self._lock.is_held()

    def release(self) -> None:
        """Let another one be it."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.release()


class _Lock(Protocol):
    def acquire(self) -> bool:
        """Try to take it."""

    def is_held(self) -> bool:
        """Whether it is still ours."""

    def release(self) -> None:
        """Let it go."""


class _Advisory:
    """Postgres' advisory lock, on a connection of its own: the lock is ours as long as that lives and is heard of.

    A frozen process keeps its connection, and with it the lock: who waits for the lock ends such a session.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None

    def acquire(self) -> bool:
        self.release()
        connection = self._database.own_connection()
        try:
            with self._database.translate_errors():
                if connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _KEY}):
                    self._connection = connection
                else:
                    of_lock = {"class": _CLASS, "object": _OBJECT, "lease": LEASE_SECONDS}
                    connection.execute(_END_SILENT, of_lock)
        finally:
            if self._connection is None:
                connection.close()
        return self._connection is not None

    def is_held(self) -> bool:
        if self._connection is None:
            return False
        try:
            self._connection.execute(text("SELECT 1"))
        except SQLAlchemyError:
            self.release()
            return False
        return True

    def release(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        # The lock ends with the session too, but that the server does a moment later.
        with connection, contextlib.suppress(SQLAlchemyError):
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _KEY})


class _File:
    """A lock on a file beside the database."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def acquire(self) -> bool:
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise RunError(f"cannot write {self._path}: {error.strerror}; check who owns its folder") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        self._file = file
        return True

    def is_held(self) -> bool:
        return self._file is not None

    def release(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)
