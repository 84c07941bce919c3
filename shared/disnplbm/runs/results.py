"""Objects of a run: the files of its folder, and what it needs while it is under way."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from cachetools import TTLCache

from disnplbm.errors import InputError, RunError
from disnplbm.files import whole_file
from disnplbm.notes import Hint
from disnplbm.objects.seals import check_seal, get_checked
from disnplbm.objects.store import ObjectStore
from disnplbm.objects.uploads import Progress
from disnplbm.runs.records import RunRecord

#: Files of its folder; a run without draws lacks some of them.
RESULT_FILES = (
    "rows.csv",
    "columns.csv",
    "blocks.csv",
    "trace.csv",
    "draws.npz",
    "similarity.npz",
    "tree.npz",
    "run.json",
    "heatmap.npz",
    "report.html",
)

#: Files that `cut` and `explain` write into a folder of the run's folder, by what the name of theirs begins with.
DERIVED_FILES = {"cut-": ("rows.csv", "columns.csv", "blocks.csv"), "explain-": ("apart.csv", "members.csv")}

#: Seconds for which a file that was checked is taken for what it was, unless it is replaced.
_TRUSTED_SECONDS = 3600.0

#: Files that are known to be whole.
_REMEMBERED = 4096

#: What of a run is of use while it is under way only.
WORK = ("labels", "statistics", "states")


def work_prefixes(run_id: str) -> list[str]:
    """Where the objects are that a run which is over needs no more."""
    return [f"runs/{run_id}/{kind}" for kind in WORK]


def request_key(run_id: str) -> str:
    """Where the object is that says what a run was asked for."""
    return f"runs/{run_id}/request.json"


def results_prefix(run_id: str) -> str:
    """Where the files of a run's folder are."""
    return f"runs/{run_id}/results"


class Results:
    """The files of finished runs: each is read as it was written, or refused with its name.

    A file is checked before its first byte goes out: so a client gets an error that names the object in place of a
    connection that breaks off, whether it asks for all of the file, a part of it, or an archive. That reads a large
    file once more, but only when it is first asked for: an object that has not been replaced since (the store says so)
    is trusted for an hour. After that it is checked again, since what rots on a disk looks as it did.

    Runs that ended before migration 0006 have no seals: their files are taken as they are.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._checked: TTLCache[tuple[str, str, str], bool] = TTLCache(_REMEMBERED, _TRUSTED_SECONDS)

    def names(self, run: RunRecord) -> list[str]:
        """Names of the files of a run, sorted."""
        return sorted(self._listed(run) if run.result_seals is None else run.result_seals)

    def sizes(self, run: RunRecord) -> dict[str, int]:
        """Their names, sorted, and the bytes of each; RunError if one is missing."""
        listed = self._listed(run)
        return {name: listed[name] if name in listed else self._store.size(_key(run, name)) for name in self.names(run)}

    def size(self, run: RunRecord, name: str) -> int | None:
        """The bytes of one of them; None if the run has none of that name, RunError if it is missing."""
        return self._store.size(_key(run, name)) if name in self.names(run) else None

    def check(self, run: RunRecord, name: str) -> None:
        """Raise RunError if a file is missing or damaged, or the store cannot be reached."""
        seal = _seal(run, name)
        if seal is None:
            return
        key = _key(run, name)
        version = (key, seal, self._store.version(key))
        with self._lock:
            if version in self._checked:
                return
        digest = hashlib.sha256()
        for part in self._store.parts(key):
            digest.update(part)
        check_seal(self._store, key, digest.hexdigest(), seal)
        with self._lock:
            self._checked[version] = True

    def parts(self, run: RunRecord, name: str, first: int = 0, stop: int | None = None) -> Iterator[memoryview]:
        """A file, or its bytes from one to before another, in pieces; checked before this returns."""
        self.check(run, name)
        return self._store.parts(_key(run, name), first=first, stop=stop)

    def get(self, run: RunRecord, name: str) -> memoryview:
        """A whole file that fits into memory; RunError if it is missing or damaged."""
        return get_checked(self._store, _key(run, name), _seal(run, name))

    def fetch(self, run: RunRecord, folder: Path, progress: Progress | None = None) -> list[str]:
        """Download the files of a run into a folder, made if missing; each appears whole or not at all.

        Returns
        -------
        list of str
            Their names.

        Raises
        ------
        InputError
            The folder cannot be made.
        RunError
            The store cannot be reached, a file is missing or damaged, or the folder not be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"cannot make the folder {folder}: {error.strerror}; choose another ", Hint("output")
            ) from error
        sizes = self.sizes(run)
        total, done = sum(sizes.values()), 0
        for name, size in sizes.items():
            key, digest = _key(run, name), hashlib.sha256()
            with whole_file(folder / name, "wb") as file:
                for part in self._store.parts(key, stop=size):
                    file.write(part)
                    digest.update(part)
                    done += len(part)
                    if progress is not None:
                        progress(done, total)
                check_seal(self._store, key, digest.hexdigest(), _seal(run, name))
        return list(sizes)

    def _listed(self, run: RunRecord) -> dict[str, int]:
        """Names and sizes of what the store has."""
        prefix = results_prefix(run.id)
        return {entry.key.removeprefix(f"{prefix}/"): entry.bytes for entry in self._store.entries(prefix)}


def put_results(store: ObjectStore, run_id: str, folder: Path, wanted: Callable[[], bool]) -> dict[str, str] | None:
    """Put the files of a run's folder into the store, in place of files of the same name.

    Parameters
    ----------
    wanted : callable
        Asked before each file: a process that was frozen must not replace what another one has put and sealed.

    Returns
    -------
    dict or None
        The seal of each, by name; None once they are not wanted any more.
    """
    seals = {}
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            seals[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
        if not wanted():
            return None
        store.put(f"{results_prefix(run_id)}/{path.name}", path)
    return seals


def _key(run: RunRecord, name: str) -> str:
    return f"{results_prefix(run.id)}/{name}"


def _seal(run: RunRecord, name: str) -> str | None:
    if run.result_seals is None:
        return None
    if name not in run.result_seals:
        raise RunError(f"run {run.id} has no file {name}: its results are {', '.join(sorted(run.result_seals))}")
    return run.result_seals[name]
