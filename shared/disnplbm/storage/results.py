"""Objects of a run: the files of its folder, and what it needs while it is under way."""

from __future__ import annotations

from pathlib import Path

from disnplbm.errors import InputError
from disnplbm.files import whole_file
from disnplbm.storage.objects import ObjectStore
from disnplbm.storage.uploads import Progress

#: Those of its folder; a run without draws has not all of them.
RESULT_FILES = (
    "rows.csv",
    "columns.csv",
    "blocks.csv",
    "trace.csv",
    "draws.npz",
    "similarity.npz",
    "run.json",
    "heatmap.npz",
    "report.html",
)

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


def result_sizes(store: ObjectStore, run_id: str) -> dict[str, int]:
    """Their names, sorted, and the bytes of each."""
    prefix = results_prefix(run_id)
    return {entry.key.removeprefix(f"{prefix}/"): entry.bytes for entry in sorted(store.entries(prefix))}


def result_files(store: ObjectStore, run_id: str) -> list[str]:
    """Their names, sorted."""
    return list(result_sizes(store, run_id))


def fetch(store: ObjectStore, run_id: str, folder: Path, progress: Progress | None = None) -> list[str]:
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
        The store cannot be reached, or the folder not be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {folder}: {error.strerror}; choose another --output") from error
    sizes = result_sizes(store, run_id)
    total, done = sum(sizes.values()), 0
    for name, size in sizes.items():
        with whole_file(folder / name, "wb") as file:
            for part in store.parts(f"{results_prefix(run_id)}/{name}", stop=size):
                file.write(part)
                done += len(part)
                if progress is not None:
                    progress(done, total)
    return list(sizes)
