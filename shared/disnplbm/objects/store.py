"""An object store behind one small interface: a folder, memory or S3.

Keys are relative paths of plain characters. A put is atomic: readers see the whole object or none (a folder stages
the bytes under another name and renames them). Errors of the store come out as one-line `RunError`s.
"""

from __future__ import annotations

import errno
import mmap
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit
from urllib.request import url2pathname

import obstore
from obstore.exceptions import BaseError, GenericError, NotFoundError, PermissionDeniedError
from obstore.store import LocalStore, MemoryStore, from_url

from disnplbm.errors import Away, InputError, RunError, first_line
from disnplbm.paths import at_home

PIECE_BYTES = 2 * 2**20
"""Size of one ranged read of `ObjectStore.parts`."""

WRITER_BUFFER_BYTES = 2**18
"""Bytes a folder's writer holds back before it appends them to the staged file."""

WRITER_PARTS = 2
"""Parts of one writer under way at a time; many shards are written side by side."""

S3_PART_BYTES = 5 * 2**20
"""The smallest part that S3 accepts in a multipart upload."""

PATIENCE = 120.0
"""Seconds for which a request to S3 is tried again while the server is away."""

_KEY = re.compile(r"[A-Za-z0-9._=-]+(/[A-Za-z0-9._=-]+)*")
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NO_PERMISSION = (errno.EACCES, errno.EPERM, errno.EROFS)
_FORBIDDEN = "403 Forbidden"

#: How S3 says in the first line of an error that it cannot answer now: no connection, or one of its own errors.
_AWAY = re.compile(r"HTTP error|status code: (5\d\d|408|429)\b")
_OS_ERROR = re.compile(r"os error (\d+)\b")

Buffer = bytes | bytearray | memoryview


class StoreAway(Away):
    """The object storage cannot be reached, or cannot answer now."""


class Entry(NamedTuple):
    """An object in a listing, and when it was written."""

    key: str
    bytes: int
    modified: datetime


class ObjectStore:
    """Objects under keys; made by `open_store`.

    Parameters
    ----------
    store : obstore store
        Where the objects live.
    url : str
        What to call the store in messages.
    prefix : str
        All keys lie under it; see :meth:`under`.
    """

    def __init__(self, store: Any, url: str, prefix: str = "") -> None:
        self._store = store
        self.url = url
        self._prefix = prefix

    def __repr__(self) -> str:
        return f"ObjectStore({self.url!r})"

    def under(self, prefix: str) -> ObjectStore:
        """The same store as seen from under a prefix: keys are relative to it.

        >>> store = open_store("memory://")
        >>> store.put("runs/7/draws/0.npz", b"")
        >>> store.under("runs/7").list("draws")
        ['draws/0.npz']
        """
        return ObjectStore(self._store, f"{self.url}/{prefix}", self._path(prefix) + "/")

    def put(self, key: str, data: Buffer | Path) -> None:
        """Write one object from bytes or from a file, replacing what was there.

        Raises
        ------
        RunError
            The store is full, refuses the write or cannot be reached.
        """
        with self._mapped("write", key):
            obstore.put(self._store, self._path(key), data)

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
            return memoryview(obstore.get(self._store, self._path(key)).bytes())

    def parts(
        self, key: str, part_bytes: int = PIECE_BYTES, *, first: int = 0, stop: int | None = None
    ) -> Iterator[memoryview]:
        """Read one object, or its bytes from ``first`` to before ``stop``, in pieces: one is in memory at a time."""
        stop = self.size(key) if stop is None else stop
        for start in range(first, stop, part_bytes):
            with self._mapped("read", key):
                part = obstore.get_range(self._store, self._path(key), start=start, end=min(stop, start + part_bytes))
            yield memoryview(part)

    def ranges(self, key: str, starts: Sequence[int], length: int) -> bytes:
        """Read pieces of one object that have the same length, each from its start; one after another."""
        if not starts:
            return b""
        with self._mapped("read", key):
            ends = [start + length for start in starts]
            found = obstore.get_ranges(self._store, self._path(key), starts=starts, ends=ends)
        return b"".join(found)

    def view(self, key: str) -> memoryview | None:
        """The bytes of one object of a folder, read as they are used; None where objects are no files.

        Objects are replaced and deleted as a whole: a view stays what it was.
        """
        folder = self._store.prefix if isinstance(self._store, LocalStore) else None
        if folder is None:
            return None
        with self._mapped("read", key), (Path(folder) / self._path(key)).open("rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return memoryview(b"")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def size(self, key: str) -> int:
        """Size of one object in bytes; RunError if there is none."""
        with self._mapped("read", key):
            return int(obstore.head(self._store, self._path(key))["size"])

    def version(self, key: str) -> str:
        """What changes once an object is replaced: its ETag, or its time and size; RunError if there is none."""
        with self._mapped("read", key):
            found = obstore.head(self._store, self._path(key))
        return str(found["e_tag"] or (found["last_modified"], found["size"]))

    def exists(self, key: str) -> bool:
        """Whether there is an object under this key."""
        with self._mapped("read", key):
            try:
                obstore.head(self._store, self._path(key))
            except (NotFoundError, FileNotFoundError):
                return False
        return True

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects; a key without an object is fine, so that a delete can be repeated."""
        for key in keys:
            with self._mapped("delete", key):
                try:
                    obstore.delete(self._store, self._path(key))
                except (NotFoundError, FileNotFoundError):
                    continue

    def clear(self, prefix: str) -> None:
        """Delete all objects under a prefix."""
        self.delete(self.list(prefix))

    def list(self, prefix: str = "") -> list[str]:
        """All keys under a prefix (whole path segments), sorted."""
        return sorted(entry.key for entry in self.entries(prefix))

    def entries(self, prefix: str = "") -> Iterator[Entry]:
        """All objects under a prefix, in no order; a page of the listing is in memory at a time."""
        with self._mapped("list", prefix):
            path = self._path(prefix) if prefix else self._prefix.removesuffix("/")
            for page in obstore.list(self._store, prefix=path or None):
                for entry in page:
                    key = str(entry["path"])[len(self._prefix) :]
                    yield Entry(key, int(entry["size"]), entry["last_modified"])

    def writer(self, key: str) -> ObjectWriter:
        """Open an object that is written piece by piece and appears when the writer is closed."""
        buffer_bytes = WRITER_BUFFER_BYTES if isinstance(self._store, LocalStore | MemoryStore) else S3_PART_BYTES
        with self._mapped("write", key):
            inner = obstore.open_writer(
                self._store, self._path(key), buffer_size=buffer_bytes, max_concurrency=WRITER_PARTS
            )
        return ObjectWriter(self, key, inner)

    def _path(self, key: str) -> str:
        return self._prefix + check_key(key)

    @contextmanager
    def _mapped(self, verb: str, key: str) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError) as error:
            kind = StoreAway if _is_away(error) else RunError
            raise kind(_describe(error, verb, key, self.url)) from error


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


def open_store(url_or_path: str | Path, *, patience: float = PATIENCE) -> ObjectStore:
    """Open an object store.

    Parameters
    ----------
    url_or_path : str or Path
        A folder (made if missing), ``file:///folder``, ``memory://`` (a new, empty store) or ``s3://bucket/prefix``
        (credentials and endpoint from the usual AWS environment variables).
    patience : float
        Seconds for which a request to S3 is tried again while the server is away.

    Raises
    ------
    InputError
        The scheme is not one of these, the address is empty, or says who asks.
    RunError
        The folder cannot be made.
    """
    if isinstance(url_or_path, Path):
        return _open_folder(url_or_path)
    text = url_or_path
    scheme, separator, rest = text.partition("://")
    if not text.strip():
        raise InputError("the object store has no address: give a folder, or s3://bucket/prefix, as DISNPLBM_STORE_URL")
    if "@" in rest and scheme != "file":
        # Not shown: it is a secret perhaps.
        raise InputError(
            "the object store's address holds a user or a password: give these as AWS_ACCESS_KEY_ID and"
            " AWS_SECRET_ACCESS_KEY"
        )
    if not separator:
        return _open_folder(Path(text))
    if scheme == "file":
        return _open_folder(_path_of(text))
    if scheme == "memory":
        return ObjectStore(MemoryStore(), "memory://")
    if scheme == "s3":
        try:
            return ObjectStore(from_url(text, retry_config=_retries(patience)), text)
        except (BaseError, ValueError) as error:
            raise InputError(f"cannot open the object store {text}: {first_line(error)}") from error
    raise InputError(f"unknown object store {text!r}: give a folder, file://, memory:// or s3://")


def _retries(patience: float) -> Any:
    backoff = {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=5), "base": 2}
    # Time is the limit, not their number.
    return {"max_retries": 1000, "retry_timeout": timedelta(seconds=patience), "backoff": backoff}


def check_key(key: str) -> str:
    """Return the key if it is a relative path of plain characters, else raise InputError."""
    if not _KEY.fullmatch(key) or any(part.strip(".") == "" for part in key.split("/")):
        raise InputError(f"bad object key {key!r}: use letters, digits and . _ = - in parts joined by /, without ..")
    return key


def _path_of(url: str) -> Path:
    """The folder that ``file:///folder`` names, its name quoted as in any URL."""
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost") or parts.query or parts.fragment or not parts.path:
        raise InputError(f"{url} names no folder of this machine: write it like {Path('/a folder').as_uri()}")
    return Path(url2pathname(parts.path))


def _open_folder(folder: Path) -> ObjectStore:
    folder = at_home(folder).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return ObjectStore(LocalStore(folder), str(folder))
    except (BaseError, OSError) as error:
        raise RunError(f"cannot make the folder {folder}: {_reason(error)}") from error


def _describe(error: Exception, verb: str, key: str, url: str) -> str:
    # The store's own errors carry the number of the system's error in their text only.
    found = _OS_ERROR.search(str(error))
    number = int(found[1]) if found else getattr(error, "errno", None)
    if isinstance(error, NotFoundError) and verb == "write":
        return f"cannot write {key}: {url} is not there; make the bucket, or check its name"
    if isinstance(error, NotFoundError | FileNotFoundError):
        return f"object {key} is missing in {url}: was it deleted, or was the run stopped before it was written?"
    if number in _DISK_FULL:
        return f"cannot write {key}: no space left in {url}; free some space or choose another folder, then try again"
    # A listing that S3 refuses is a general error, with the answer in its text.
    if (
        isinstance(error, PermissionDeniedError | PermissionError)
        or number in _NO_PERMISSION
        or _FORBIDDEN in str(error)
    ):
        mend = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" if url.startswith("s3://") else "who owns it"
        return f"cannot {verb} {key}: no permission in {url}; check {mend}"
    return f"cannot {verb} {key} in {url}: {first_line(error)}"


def _is_away(error: Exception) -> bool:
    return isinstance(error, GenericError) and _AWAY.search(first_line(error)) is not None


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else first_line(error)
