"""Objects whose key ends in their digest: labels, states, statistics. They are read as they were written, or not.

Another object has a seal that whoever names it keeps: :mod:`disnplbm.objects.seals`.
"""

from __future__ import annotations

import hashlib
import re

from disnplbm.errors import Away, RunError
from disnplbm.objects.store import ObjectStore

#: Hexadecimal digits of the sha256 that a key ends in.
DIGITS = 16


class ObjectLost(RunError):
    """The object is missing, or is not what was written."""


def is_address_of(key: str, stem: str) -> bool:
    """Whether a key is one that :func:`put_addressed` may have given for a stem."""
    return re.fullmatch(f"{re.escape(stem)}-[0-9a-f]{{{DIGITS}}}", key) is not None


def put_addressed(store: ObjectStore, stem: str, data: bytes) -> str:
    """Write an object under ``stem-DIGEST`` and return that key.

    Raises
    ------
    RunError
        The store is full, refuses the write or cannot be reached.
    """
    key = f"{stem}-{_digest(data)}"
    store.put(key, data)
    return key


def get_addressed(store: ObjectStore, key: str) -> memoryview:
    """What :func:`put_addressed` wrote.

    Raises
    ------
    ObjectLost
        There is no such object, or its digest is another.
    RunError
        The store refuses or cannot be reached.
    """
    try:
        data = store.get(key)
    except Away:
        raise
    except RunError as error:
        if store.exists(key):
            raise
        raise ObjectLost(error.note) from error
    if key.rpartition("-")[2] != _digest(data):
        raise ObjectLost(f"object {key} in {store.url} is damaged: its digest is not the one in its name")
    return data


def is_whole(store: ObjectStore, key: str) -> bool:
    """Whether :func:`get_addressed` gives what was written; RunError if the store cannot be asked."""
    try:
        get_addressed(store, key)
    except ObjectLost:
        return False
    return True


def inline_or_store(store: ObjectStore, stem: str, data: bytes, inline_bytes: int) -> tuple[bytes | None, str | None]:
    """Small bytes as they are, larger ones sealed: the bytes, or the key of the object that holds them.

    Raises
    ------
    RunError
        The store is full, refuses the write or cannot be reached.
    """
    if len(data) <= inline_bytes:
        return data, None
    return None, put_addressed(store, stem, data)


def resolve(store: ObjectStore, data: bytes | None, key: str | None) -> bytes | memoryview:
    """The bytes that :func:`inline_or_store` was given.

    Raises
    ------
    ObjectLost
        There is no such object, its digest is another, or there are neither bytes nor a key.
    RunError
        The store refuses or cannot be reached.
    """
    if data is not None:
        return data
    if key is None:
        raise ObjectLost("there are neither bytes nor the key of an object that holds them")
    return get_addressed(store, key)


def _digest(data: bytes | memoryview) -> str:
    return hashlib.sha256(data).hexdigest()[:DIGITS]
