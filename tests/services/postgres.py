"""PostgreSQL."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psycopg

from services.process import START_SECONDS, Server, ServerError, find_program, free_port, unprivileged

_USER = "disnplbm"
_INITDB = ("-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync")


class Postgres(Server):
    """A cluster with one user, who owns all.

    Parameters
    ----------
    password : str, optional
        Of the user; drawn if it is not given.
    fsync : bool
        Whether what is committed outlives the machine, as in a deployment. Without, it outlives kill -9 alone.
    """

    name = "PostgreSQL"
    install = "make system, or on Debian: sudo apt-get install postgresql"
    # Fast shutdown: ends the sessions.
    stop_signal = signal.SIGINT

    def __init__(self, password: str | None = None, *, fsync: bool = False) -> None:
        super().__init__()
        self._fsync = fsync
        self.port = free_port()
        self._data = self.folder / "data"
        self.password = password or secrets.token_hex(16)

    def create_database(self) -> str:
        """Make an empty database and return its address, as SQLAlchemy reads it."""
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name}")
        return self._address(name).replace("postgresql://", "postgresql+psycopg://")

    def execute(self, statement: str) -> None:
        """Run one statement in the maintenance database, outside a transaction."""
        with psycopg.connect(self._address("postgres"), connect_timeout=5, autocommit=True) as connection:
            connection.execute(statement.encode())

    def value(self, query: str) -> object:
        """The only value that a query gives in the maintenance database."""
        with psycopg.connect(self._address("postgres"), connect_timeout=5, autocommit=True) as connection:
            row = connection.execute(query.encode()).fetchone()
        return None if row is None else row[0]

    def read_only(self, refused: bool) -> None:
        """Refuse writes in all sessions, those under way too, as a server that is being replaced does; or take them."""
        options = "-c default_transaction_read_only=off"
        with psycopg.connect(
            self._address("postgres"), connect_timeout=5, autocommit=True, options=options
        ) as connection:
            change = "SET default_transaction_read_only = on" if refused else "RESET default_transaction_read_only"
            connection.execute(f"ALTER SYSTEM {change}".encode())
            connection.execute("SELECT pg_reload_conf()")

    @property
    def user(self) -> str | None:
        return "postgres" if os.geteuid() == 0 else None

    def prepare(self) -> None:
        if (self._data / "PG_VERSION").exists():
            return
        self._data.mkdir(0o700, exist_ok=True)
        if self.user is not None:
            shutil.chown(self._data, self.user)
        self._fill()

    def _fill(self) -> None:
        """Make the first data."""
        password = self.folder / "password"
        password.write_text(self.password)
        if self.user is not None:
            shutil.chown(password, self.user)
        self._run("initdb", "-D", self._data, "-U", _USER, "--pwfile", password, *_INITDB)
        password.unlink()

    def _run(self, program: str, *arguments: object) -> None:
        """Run one of its programs to its end, as the user who owns the data."""
        subprocess.run(
            [self._program(program), *map(str, arguments)],
            check=True,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            **unprivileged(self.user),
        )

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "max_connections": 200,
            "fsync": "on" if self._fsync else "off",
        }
        options = [text for name, value in settings.items() for text in ("-c", f"{name}={value}")]
        return [self._program("postgres"), "-D", str(self._data), *options]

    def check(self) -> None:
        psycopg.connect(self._address("postgres"), connect_timeout=5).close()

    def _address(self, database: str) -> str:
        return f"postgresql://{_USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def _program(self, name: str) -> str:
        # Debian keeps one folder a version.
        folders = sorted(
            Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0)
        )
        return find_program(name, folders[::-1], self.name, self.install)


class Standby(Postgres):
    """A server that streams what another one writes, and takes its place when told to.

    Parameters
    ----------
    primary : Postgres
        A running server.
    """

    def __init__(self, primary: Postgres) -> None:
        super().__init__(primary.password)
        self._primary = primary

    def follow(self, *, synchronous: bool) -> None:
        """Start to stream.

        Parameters
        ----------
        synchronous : bool
            Whether the primary acknowledges no commit that this one has not.
        """
        self.start()
        names = "*" if synchronous else ""
        self._primary.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self._primary.execute("SELECT pg_reload_conf()")
        state = "sync" if synchronous else "async"
        deadline = time.monotonic() + START_SECONDS
        while self._primary.value("SELECT string_agg(sync_state, ' ') FROM pg_stat_replication") != state:
            if time.monotonic() > deadline:
                raise ServerError(f"the standby does not stream; its log is {self.log}")
            time.sleep(0.05)

    def promote(self) -> None:
        """Take the primary's place: take writes from now on."""
        self._run("pg_ctl", "promote", "-D", self._data, "--silent")

    def either(self, url: str) -> str:
        """An address of a database of the primary with both servers in it, the primary first."""
        address, _, name = url.partition("@")[2].partition("/")
        return url.replace(f"@{address}/{name}", f"@/{name}?host={address}&host=127.0.0.1:{self.port}")

    def _fill(self) -> None:
        source = self._primary._address("postgres")
        self._run("pg_basebackup", "-d", source, "-D", self._data, "-R", "-X", "stream", "-c", "fast", "--no-sync")
