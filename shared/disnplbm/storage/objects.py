"""An object store behind one small interface: a folder, memory or S3.

Keys are relative paths of plain characters. A put is atomic: readers see the whole object or none (a folder stages
the bytes under another name and renames them). Errors of the store come out as one-line `RunError`s.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import obstore
from obstore.exceptions import BaseError, NotFoundError, PermissionDeniedError
from obstore.store import LocalStore, MemoryStore, from_url

from disnplbm.errors import InputError, RunError, first_line

PART_BYTES = 2 * 2**20
"""Size of one ranged read of `ObjectStore.parts`."""

WRITER_BUFFER_BYTES = 2**18
"""Bytes a folder's writer holds back before it appends them to the staged file."""

WRITER_PARTS = 2
"""Parts of one writer under way at a time; many shards are written side by side."""

S3_PART_BYTES = 5 * 2**20
"""The smallest part that S3 accepts in a multipart upload."""

_KEY = re.compile(r"[A-Za-z0-9._=-]+(/[A-Za-z0-9._=-]+)*")
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_PERMISSION = (errno.EACCES, errno.EPERM, errno.EROFS)
_OS_ERROR = re.compile(r"os error (\d+)\b")

Buffer = bytes | bytearray | memoryview


class ObjectStore:
    """Objects under keys; made by `open_store`.

    Parameters
    ----------
    store : obstore store
        Where the objects live.
    url : str
        What to call the store in messages.
    """

    def __init__(self, store: Any, url: str) -> None:
        self._store = store
        self.url = url

    def __repr__(self) -> str:
        return f"ObjectStore({self.url!r})"

    def put(self, key: str, data: Buffer | Path) -> None:
        """Write one object from bytes or from a file, replacing what was there.

        Raises
        ------
        RunError
            The store is full, refuses the write or cannot be reached.
        """
        with self._mapped("write", key):
            obstore.put(self._store, check_key(key), data)

    def get(self, key: str) -> memoryview:
        """Read one whole object.

        Returns
        -------
        memoryview
            Read-only bytes.

        Raises
        ------
        RunError
            There is no such object, or the store refuses or cannot be reached.
        """
        with self._mapped("read", key):
            return memoryview(obstore.get(self._store, check_key(key)).bytes())

    def parts(self, key: str, part_bytes: int = PART_BYTES) -> Iterator[memoryview]:
        """Read one object in pieces, so that only one piece is held in memory at a time."""
        size = self.size(key)
        for start in range(0, size, part_bytes):
            with self._mapped("read", key):
                part = obstore.get_range(self._store, key, start=start, end=min(size, start + part_bytes))
            yield memoryview(part)

    def size(self, key: str) -> int:
        """Size of one object in bytes; RunError if there is none."""
        with self._mapped("read", key):
            return int(obstore.head(self._store, check_key(key))["size"])

    def exists(self, key: str) -> bool:
        """Whether there is an object under this key."""
        with self._mapped("read", key):
            try:
                obstore.head(self._store, check_key(key))
            except (NotFoundError, FileNotFoundError):
                return False
        return True

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects; a key without an object is fine, so that a delete can be repeated."""
        for key in keys:
            with self._mapped("delete", key):
                try:
                    obstore.delete(self._store, check_key(key))
                except (NotFoundError, FileNotFoundError):
                    continue

    def list(self, prefix: str = "") -> list[str]:
        """All keys under a prefix (whole path segments), sorted."""
        with self._mapped("list", prefix):
            pages = obstore.list(self._store, prefix=check_key(prefix) if prefix else None)
            return sorted(str(entry["path"]) for page in pages for entry in page)

    def writer(self, key: str) -> ObjectWriter:
        """Open an object that is written piece by piece and appears when the writer is closed."""
        buffer_bytes = WRITER_BUFFER_BYTES if isinstance(self._store, LocalStore | MemoryStore) else S3_PART_BYTES
        with self._mapped("write", key):
            inner = obstore.open_writer(
                self._store, check_key(key), buffer_size=buffer_bytes, max_concurrency=WRITER_PARTS
            )
        return ObjectWriter(self, key, inner)

    @contextmanager
    def _mapped(self, verb: str, key: str) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError) as error:
            raise RunError(_describe(error, verb, key, self.url)) from error


class ObjectWriter:
    """A context manager that appends to one object; leaving it by an exception leaves no object behind."""

    def __init__(self, store: ObjectStore, key: str, inner: Any) -> None:
        self._store = store
        self._key = key
        self._inner = inner

    def write(self, data: Buffer) -> None:
        """Append bytes."""
        with self._store._mapped("write", self._key):
            self._inner.write(data)

    def close(self) -> None:
        """Make the object visible."""
        with self._store._mapped("write", self._key):
            self._inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            # Dropped without close: the store discards what was staged.
            self._inner = None


def open_store(url_or_path: str | Path) -> ObjectStore:
    """Open an object store.

    Parameters
    ----------
    url_or_path : str or Path
        A folder (made if missing), ``file:///folder``, ``memory://`` (a new, empty store) or ``s3://bucket/prefix``
        (credentials and endpoint from the usual AWS environment variables).

    Raises
    ------
    InputError
        The scheme is not one of these.
    RunError
        The folder cannot be made.
    """
    text = str(url_or_path)
    scheme, separator, rest = text.partition("://")
    if not separator:
        return _open_folder(Path(text))
    if scheme == "file":
        return _open_folder(Path(rest))
    if scheme == "memory":
        return ObjectStore(MemoryStore(), "memory://")
    if scheme == "s3":
        try:
            return ObjectStore(from_url(text), text)
        except (BaseError, ValueError) as error:
            raise InputError(f"cannot open the object store {text}: {first_line(error)}") from error
    raise InputError(f"unknown object store {text!r}: give a folder, file://, memory:// or s3://")


def check_key(key: str) -> str:
    """Return the key if it is a relative path of plain characters, else raise InputError."""
    if not _KEY.fullmatch(key) or any(part.strip(".") == "" for part in key.split("/")):
        raise InputError(f"bad object key {key!r}: use letters, digits and . _ = - in parts joined by /, without ..")
    return key


def _open_folder(folder: Path) -> ObjectStore:
    folder = folder.expanduser().absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return ObjectStore(LocalStore(folder), str(folder))
    except (BaseError, OSError) as error:
        raise RunError(f"cannot make the folder {folder}: {_reason(error)}") from error


def _describe(error: Exception, verb: str, key: str, url: str) -> str:
    # The store's own errors carry the number of the system's error in their text only.
    found = _OS_ERROR.search(str(error))
    number = int(found[1]) if found else getattr(error, "errno", None)
    if isinstance(error, NotFoundError | FileNotFoundError):
        return f"object {key} is missing in {url}: was it deleted, or was the run stopped before it was written?"
    if number in _DISK_FULL:
        return f"cannot write {key}: no space left in {url}; free some space or choose another folder, then try again"
    if isinstance(error, PermissionDeniedError | PermissionError) or number in _NO_PERMISSION:
        return f"cannot {verb} {key}: no permission in {url}; check who owns it"
    return f"cannot {verb} {key} in {url}: {first_line(error)}"


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else first_line(error)
