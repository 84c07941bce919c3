"""A run folder: results for people and programs, and while a run is under way a work folder to go on from."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disnplbm.errors import InputError, RunError
from disnplbm.posterior.export import write_json
from disnplbm.storage.objects import ObjectStore, open_store

RESULT_FILES = (
    "rows.csv",
    "columns.csv",
    "blocks.csv",
    "trace.csv",
    "run.json",
    "heatmap.npz",
    "report.html",
)


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Paths of a run folder.

    Parameters
    ----------
    path : Path
    """

    path: Path

    @classmethod
    def create(cls, path: Path, *, force: bool) -> RunFolder:
        """Make a folder for a new run.

        Parameters
        ----------
        path : Path
        force : bool
            Clear an earlier run's files out of the folder; files of any other name are left alone.

        Raises
        ------
        InputError
            There is something in the folder and ``force`` is not set, or the folder cannot be made.
        """
        folder = cls(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                if not force:
                    hint = "; `disnplbm resume` goes on with the run in it" if folder.request.exists() else ""
                    raise InputError(f"the folder {path} is not empty{hint}; choose another --output or add --force")
                folder.clear()
            folder.work.mkdir()
        except OSError as error:
            raise InputError(f"cannot make the folder {path}: {error.strerror}; choose another --output") from error
        return folder

    @classmethod
    def find(cls, path: Path) -> RunFolder:
        """The folder of a run that is under way.

        Raises
        ------
        InputError
            There is nothing to go on with.
        """
        folder = cls(path)
        if folder.request.is_file():
            return folder
        if (path / "run.json").is_file():
            raise InputError(f"the run in {path} is finished; there is nothing to resume")
        raise InputError(f"{path} holds no interrupted run; name the --output folder of the run to resume")

    @property
    def work(self) -> Path:
        """Shards, request and checkpoint of a run under way."""
        return self.path / ".disnplbm"

    @property
    def request(self) -> Path:
        """What was asked for; there once the shards are."""
        return self.work / "request.json"

    @property
    def checkpoint(self) -> Path:
        """The chain so far."""
        return self.work / "checkpoint.npz"

    def store(self) -> ObjectStore:
        """The object store of the work folder."""
        return open_store(self.work)

    def save_request(self, record: dict[str, Any]) -> None:
        """Write down what was asked for."""
        write_json(self.request, record)

    def load_request(self) -> dict[str, Any]:
        """What was asked for."""
        try:
            record: dict[str, Any] = json.loads(self.request.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RunError(f"{self.request} is missing or damaged; start the run anew with --force") from error
        return record

    def clear(self) -> None:
        """Remove the files of an earlier run."""
        self.drop_work()
        for name in RESULT_FILES:
            (self.path / name).unlink(missing_ok=True)

    def drop_work(self) -> None:
        """Remove the work folder."""
        shutil.rmtree(self.work, ignore_errors=True)
