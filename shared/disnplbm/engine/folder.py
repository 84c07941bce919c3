"""A run folder: results for people and programs, and while a run is under way a work folder to go on from."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disnplbm.errors import InputError, RunError
from disnplbm.leaving import on_leaving
from disnplbm.notes import Hint, Note
from disnplbm.objects.seals import seal_of
from disnplbm.objects.store import ObjectStore, open_store
from disnplbm.posterior.export import write_json
from disnplbm.runs.request import RunRequest
from disnplbm.runs.results import DERIVED_FILES, RESULT_FILES
from disnplbm.sampler.streams import Stream

#: Parts of run.json, and texts in its part "data".
_PARTS, _OF_DATA = ("data", "parameters"), ("path", "sha256", "axis", "transform")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Paths of a run folder."""

    path: Path

    @classmethod
    @contextmanager
    def stage(cls, path: Path, *, force: bool, reads: Collection[Path] = ()) -> Iterator[RunFolder]:
        """Make a folder for a new run, with a staging folder; an earlier run stays until :meth:`begin` or `adopt`.

        What is left in the staging folder goes in the end, and so does the folder if it was made for a run that never
        began, however the block is left.

        Parameters
        ----------
        force : bool
            Replace an earlier run in the folder; files of any other name are left alone.
        reads : collection of Path
            The files of the data, which must not be among the files to replace.

        Raises
        ------
        InputError
            There is something in the folder and ``force`` is not set, files of a run's names are not a run's, or the
            folder cannot be made.
        """
        folder = cls(path)
        with _explain_failure(path):
            made = not path.is_dir()
            if not made and any(path.iterdir()):
                folder._check_replaceable(reads, force=force)
        try:
            with _explain_failure(path):
                path.mkdir(parents=True, exist_ok=True)
                _remove_tree(folder.staging)
                folder.staging.mkdir()
            with on_leaving(lambda: folder._drop_staging(made=made)):
                yield folder
        finally:
            folder._drop_staging(made=made)

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
        raise InputError(
            f"{path} is not the folder of an interrupted run; name the ", Hint("output"), " folder of that run"
        )

    @property
    def work(self) -> Path:
        """Shards, request and checkpoint of a run under way."""
        return self.path / ".disnplbm"

    @property
    def staging(self) -> Path:
        """The work folder of a run that is being prepared."""
        return self.path / ".disnplbm.new"

    @property
    def resume_command(self) -> str:
        """What to type to go on."""
        return f"disnplbm resume {shlex.quote(str(self.path))}"

    @property
    def request(self) -> Path:
        """What was asked for; there once the shards are."""
        return self.work / "request.json"

    @property
    def seals(self) -> Path:
        """The sha256 of the request and of the shards' manifest; not there in a run from before there were seals."""
        return self.work / "seals.json"

    @property
    def identity(self) -> int | None:
        """Tells the run under way from an earlier one in the folder; None if there is none."""
        return self.request.stat().st_ino if self.request.is_file() else None

    def checkpoint_of(self, stream: Stream) -> Path:
        """A chain so far, or one of the short chains that it starts from the best of."""
        if stream.short is not None:
            return self.work / f"start-{stream.chain}-{stream.short}"
        return self.work / (f"checkpoint-{stream.chain}" if stream.chain else "checkpoint")

    @property
    def draws(self) -> Path:
        """Draws of a finished run that kept some."""
        return self.path / "draws.npz"

    @property
    def similarity(self) -> Path:
        """Co-clustering matrices of those draws."""
        return self.path / "similarity.npz"

    def check_finished(self) -> None:
        """Raise InputError unless the folder holds a finished run."""
        if not (self.path / "run.json").is_file():
            if self.request.is_file():
                raise InputError(f"the run in {self.path} is not finished; `{self.resume_command}` continues it")
            raise InputError(f"{self.path} holds no finished run; give the output folder of `disnplbm fit`")

    def load_record(self) -> dict[str, Any]:
        """What run.json says.

        Raises
        ------
        InputError
            The folder holds no finished run.
        RunError
            run.json is damaged.
        """
        self.check_finished()
        file = self.path / "run.json"
        damaged = RunError(f"{file} is damaged; fit again with ", Hint("force"))
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise damaged from error
        if not isinstance(record, dict) or any(not isinstance(record.get(part), dict) for part in _PARTS):
            raise damaged
        if any(not isinstance(record["data"].get(name), str) for name in _OF_DATA):
            raise damaged
        return record

    @property
    def tree(self) -> Path:
        """Trees of the clusters."""
        return self.path / "tree.npz"

    def store(self, *, staged: bool = False) -> ObjectStore:
        """The object store of the work folder."""
        return open_store(self.staging if staged else self.work)

    def begin(self, asked: RunRequest, shards_seal: str) -> None:
        """Write down what was asked for and put the staged work in the place of an earlier run."""
        request = self.staging / self.request.name
        write_json(request, asked.in_folder(), indent=None)
        seals = {"request": seal_of(request.read_bytes()), "shards": shards_seal}
        write_json(self.staging / self.seals.name, seals, indent=None)
        self.clear()
        self.staging.rename(self.work)

    def adopt(self) -> None:
        """Put staged results in the place of an earlier run; run.json comes last, so that half of them is no run.

        Raises
        ------
        RunError
            They cannot be put there.
        """
        try:
            self.clear()
            for name in sorted(RESULT_FILES, key=lambda name: name == "run.json"):
                if (self.staging / name).is_file():
                    (self.staging / name).replace(self.path / name)
        except OSError as error:
            raise RunError(
                f"cannot write into {self.path}: {error.strerror}; choose another ", Hint("output")
            ) from error

    def load_request(self) -> RunRequest:
        """What was asked for; RunError if it is missing or not what :meth:`begin` wrote."""
        damaged = Note(f"{self.request} is missing or damaged; start the run anew with ", Hint("force"))
        seal = self.load_seals()["request"]
        try:
            body = self.request.read_bytes()
            request = RunRequest.read(body)
        except (OSError, ValueError) as error:
            raise RunError(damaged) from error
        if seal not in (None, seal_of(body)):
            raise RunError(damaged)
        return request

    def load_seals(self) -> dict[str, str | None]:
        """The seals of the ``request`` and of the ``shards``; None in a run from before there were seals."""
        if not self.seals.exists():
            return {"request": None, "shards": None}
        try:
            record = json.loads(self.seals.read_bytes())
            return {"request": str(record["request"]), "shards": str(record["shards"])}
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise RunError(f"{self.seals} is damaged; start the run anew with ", Hint("force")) from error

    def clear(self) -> None:
        """Remove the files of an earlier run, and what `cut` and `explain` made of them."""
        self.drop_work()
        for name in RESULT_FILES:
            (self.path / name).unlink(missing_ok=True)
        for start, names in DERIVED_FILES.items():
            for folder in self.path.glob(f"{start}*/"):
                for name in names:
                    (folder / name).unlink(missing_ok=True)
                if not any(folder.iterdir()):
                    folder.rmdir()

    def drop_work(self) -> None:
        """Remove the work folder; the request goes first, so that half a work folder is never taken for a run."""
        if self.request.is_file():
            self.request.unlink()
        _remove_tree(self.work)

    def _drop_staging(self, *, made: bool) -> None:
        """Remove what was staged, and the folder if it was made for a run that never began."""
        _remove_tree(self.staging)
        if made and self.path.is_dir() and not any(self.path.iterdir()):
            self.path.rmdir()

    def _check_replaceable(self, reads: Collection[Path], *, force: bool) -> None:
        if not force:
            going_on = "; `disnplbm resume` continues the run in it" if self.request.exists() else ""
            raise InputError(
                f"the folder {self.path} is not empty{going_on}; choose another ",
                Hint("output"),
                " or add ",
                Hint("force"),
            )
        ours = self.work.is_dir() or (self.path / "run.json").is_file()
        for name in RESULT_FILES:
            file = self.path / name
            if not file.exists():
                continue
            if not ours:
                raise InputError(
                    f"{file} is not of a run, so ",
                    Hint("force"),
                    " does not replace it; choose another ",
                    Hint("output"),
                )
            if any(path.exists() and file.samefile(path) for path in reads):
                raise InputError(
                    f"{file} is the input, so ", Hint("force"), " does not replace it; choose another ", Hint("output")
                )


@contextmanager
def _explain_failure(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot make the folder {path}: {error.strerror}; choose another ", Hint("output")) from error


def _remove_tree(folder: Path) -> None:
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
