"""What a run is computed from; by itself, since `fit` needs it and no database."""

from __future__ import annotations

from typing import NamedTuple


class Sources(NamedTuple):
    """The objects that a run under way is computed from, as the database names them.

    Parameters
    ----------
    run : str
        Its id, which its request is found by.
    shards_prefix : str
    request_seal, shards_seal : str or None
        The sha256 of its request and of its shards' manifest; not known of runs from before migration 0005.
    """

    run: str
    shards_prefix: str
    request_seal: str | None
    shards_seal: str | None
