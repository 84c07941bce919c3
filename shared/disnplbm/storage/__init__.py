"""Where data and results are kept."""

from __future__ import annotations

from disnplbm.storage.arrays import get_array, put_array
from disnplbm.storage.objects import ObjectStore, open_store

__all__ = ["ObjectStore", "get_array", "open_store", "put_array"]
