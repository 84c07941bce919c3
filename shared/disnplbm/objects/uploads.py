"""A file into the object store, with its digest."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from disnplbm.errors import InputError
from disnplbm.objects.store import ObjectStore

#: Called with bytes done and bytes in all.
Progress = Callable[[int, int], None]

_PIECE_BYTES = 2**20

_LONGEST_NAME = 100


def upload(store: ObjectStore, path: Path, key: str, progress: Progress | None = None) -> tuple[int, str]:
    """Copy a file into an object, which appears whole or not at all.

    Returns
    -------
    size : int
        In bytes.
    sha256 : str

    Raises
    ------
    InputError
        There is no such file, or it is empty, cannot be read or changes meanwhile.
    RunError
        The store is full, or cannot be reached.
    """
    digest, done = hashlib.sha256(), 0
    with explain_unreadable(path):
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is a folder or no plain file: give a file")
        total = path.stat().st_size
        if total == 0:
            raise InputError(f"{path} is empty: give a file with at least one row of numbers")
        with path.open("rb") as file, store.writer(key) as out:
            while piece := file.read(_PIECE_BYTES):
                out.write(piece)
                digest.update(piece)
                done += len(piece)
                if progress is not None:
                    progress(done, max(done, total))
            if done != total:
                raise InputError(
                    f"{path} changed while it was read ({total} bytes, then {done}): submit it once it is written whole"
                )
    return done, digest.hexdigest()


@contextmanager
def explain_unreadable(path: Path) -> Iterator[None]:
    """Say in one line why a file cannot be read, where it cannot; InputError."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{path}: file not found; check the name") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; check its permissions") from error


def plain_name(name: str) -> str:
    """A file name of the characters that keys have; its endings, which say what kind of file it is, stay."""
    plain = re.sub(r"[^A-Za-z0-9._=-]+", "-", name)[-_LONGEST_NAME:]
    return plain if plain.strip(".") else "file"
