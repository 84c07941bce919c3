"""Seals: the sha256 of an object, which whoever names the object keeps. What has another seal is not taken."""

from __future__ import annotations

import hashlib

from disnplbm.errors import RunError
from disnplbm.objects.store import ObjectStore


def seal_of(data: bytes | memoryview) -> str:
    """The seal of an object: the sha256 of its bytes."""
    return hashlib.sha256(data).hexdigest()


def get_checked(store: ObjectStore, key: str, seal: str | None) -> memoryview:
    """An object, checked against its seal; without a seal, which older versions did not keep, it is taken as it is.

    Raises
    ------
    RunError
        There is no such object, its seal is another, or the store cannot be reached.
    """
    data = store.get(key)
    check_seal(store, key, seal_of(data), seal)
    return data


def check_seal(store: ObjectStore, key: str, found: str, seal: str | None) -> None:
    """Raise a RunError that names the object if a seal was kept and the object has another."""
    if seal is not None and found != seal:
        raise RunError(damaged(f"{key} in {store.url}"))


def damaged(name: str) -> str:
    """What to say of an object with another seal than the one that was kept."""
    return (
        f"object {name} is damaged: it is not what was written there; restore it from a backup, or upload the data and"
        " submit the run again"
    )
