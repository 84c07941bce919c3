"""Addresses of databases, and how to connect to them."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.engine import Connection
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from disnplbm.errors import InputError
from disnplbm.paths import at_home

#: Seconds that a statement on SQLite waits for another's transaction.
_BUSY_SECONDS = 60

#: A server that is silent for this long is away, in seconds; libpq's and Postgres' own settings are made from it.
_SILENCE_SECONDS = 25

#: When a connection was used last, in what the pool keeps of it.
_USED = "disnplbm_used"

#: Execution option of a transaction that only reads.
READING = "disnplbm_reading"


def sqlite_url(file: Path) -> URL:
    """The address of a SQLite database, whatever characters the name of its file has."""
    return URL.create("sqlite", database=str(file))


def parse_url(given: str | URL) -> URL:
    """The address of a database.

    Raises
    ------
    InputError
        It is none that this package can use; what it is, with a password perhaps, is not in the message.
    """
    hint = "give postgresql+psycopg://user:password@host/name, or sqlite:///FILE, as DISNPLBM_DATABASE_URL"
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):
        raise InputError(f"the database's address cannot be read; {hint}") from None
    if "@" in (url.host or ""):
        raise InputError(f"the database's address cannot be read: write @ in a password as %40; {hint}")
    backend = url.get_backend_name()
    if backend == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise InputError(f"a database of kind {url.drivername!r} is not supported; {hint}")
    if url.database in (None, "", ":memory:"):
        raise InputError(f"a SQLite database needs a file; {hint}")
    if isinstance(given, str):
        if "?" in given:
            raise InputError("the address of a SQLite database names a file and nothing else: write ? in it as %3F")
        url = url.set(database=str(at_home(Path(url.database))))
    return url.set(drivername="sqlite+pysqlite")


def shown(url: URL) -> str:
    """The address without what may be secret."""
    return url.set(drivername=url.get_backend_name(), query={})._replace(password=None).render_as_string()


def connect(url: URL, trusted_seconds: float = 0.0, **options: Any) -> Engine:
    """An engine for an address; nothing is connected yet.

    Parameters
    ----------
    trusted_seconds : float
        A connection to Postgres that was used this short a time ago is not asked whether it is still there.
    **options
        More, for SQLAlchemy.
    """
    if url.get_backend_name() == "sqlite":
        return _sqlite(url, **options)
    return _postgres(url, trusted_seconds, **options)


def _postgres(url: URL, trusted_seconds: float, **options: Any) -> Engine:
    engine = create_engine(url, connect_args=_postgres_arguments(url), **options)

    # As pool_pre_ping does, but for connections that have just been used.
    @event.listens_for(engine, "checkout")
    def check(connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
        used = record.info.get(_USED)
        if used is not None and time.monotonic() - used >= trusted_seconds:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error as error:
                raise DisconnectionError(str(error)) from error

    @event.listens_for(engine, "checkin")
    def note(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info[_USED] = time.monotonic()

    return engine


def _postgres_arguments(url: URL) -> dict[str, Any]:
    # Both ends find out about a cut line by themselves: we, so as not to wait for ever, and the server, so that a lost
    # master's lock is let go.
    server = {"idle": _SILENCE_SECONDS - 15, "interval": 5, "count": 3}
    # Of several servers the one that takes writes, whichever that is now.
    several = "," in (url.host or "") or len(url.normalized_query.get("host", ())) > 1
    target = {"target_session_attrs": "read-write"} if several else {}
    return {
        **target,
        "connect_timeout": 5,
        "application_name": "disnplbm",
        "keepalives": 1,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": _SILENCE_SECONDS * 1000,
        "options": " ".join(f"-c tcp_keepalives_{name}={value}" for name, value in server.items()),
    }


def _sqlite(url: URL, **options: Any) -> Engine:
    engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS}, **options)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        # Transactions are begun below, not by the driver at the first write, so that two that read and then write
        # cannot both have read the same.
        connection.isolation_level = None
        cursor = connection.cursor()
        keep_log_ahead(cursor)
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        reading = connection.get_execution_options().get(READING, False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


def keep_log_ahead(cursor: sqlite3.Cursor) -> None:
    """Have a SQLite file keep its log ahead of its pages (WAL), so that reading and writing go side by side.

    Of two connections that ask for it in a new file at the same moment, SQLite lets one fail at once and not wait.
    """
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return
