"""Where the runs are that the dashboard shows: a folder of its own, or what the settings of a cluster name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from disnplbm.errors import InputError
from disnplbm.notes import Hint
from disnplbm.objects.store import ObjectStore, open_store
from disnplbm.runs.database import Database, sqlite_url
from disnplbm.settings import Settings, settings

DATABASE, STORE = "disnplbm.sqlite3", "store"


@dataclass(frozen=True, slots=True)
class Place:
    """A database with its tables, and an object store.

    Parameters
    ----------
    embedded : bool
        Whether runs are done here, and not by a cluster.
    """

    settings: Settings
    database: Database
    store: ObjectStore
    embedded: bool


@contextmanager
def open_place(folder: Path, *, cluster: bool) -> Iterator[Place]:
    """Open the folder, made if missing, or the cluster if one was asked for or is set up.

    Raises
    ------
    InputError
        A setting is wrong, or the folder cannot be made.
    RunError
        The database or the object store cannot be reached, or the tables are of another version.
    """
    given = settings()
    cluster = cluster or "broker_url" in given.model_fields_set
    if cluster:
        database, store = Database(given.database_url), open_store(given.store_url)
    else:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise InputError(
                f"cannot make the folder {folder}: {error.strerror}; choose another ", Hint("folder")
            ) from error
        database, store = Database(sqlite_url(folder.absolute() / DATABASE)), open_store(folder / STORE)
        database.migrate()
    try:
        database.check_version()
        yield Place(given, database, store, not cluster)
    finally:
        database.close()
