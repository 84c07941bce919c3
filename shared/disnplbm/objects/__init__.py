"""The object store, which holds data and results."""

from __future__ import annotations

from disnplbm.objects.arrays import get_array, put_array
from disnplbm.objects.store import ObjectStore, open_store

__all__ = ["ObjectStore", "get_array", "open_store", "put_array"]
