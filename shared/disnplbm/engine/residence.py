"""What of a table stays in memory while a chain runs: its cells as far as they fit, and statistics of its rows.

An iteration at rest reads few cells: where the column partition stays, a sweep takes the statistics of the rows, and
where the row partition stays, those of the clusters are known. So the statistics of rows come first; cells that find no
room stay in their file and are read as they are used. The result depends on none of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from disnplbm.data.memory import OVERHEAD, size_needed, size_there
from disnplbm.data.mixed.manifest import AnyManifest
from disnplbm.errors import InputError
from disnplbm.notes import Hint

#: Statistics that all shards together may keep between sweeps where nobody says how much memory there is.
CACHE_BYTES = 64 * 2**20

#: Of each item while a chain runs: its label in two iterations, in its shard and in the table.
LABEL_BYTES = 40

#: Of each item when the chain has ended: its label and name in the files, and its place in the pictures.
ITEM_BYTES = 160

#: Of each item of the shorter axis: statistics of its cells in the clusters of some shards at a time.
OTHER_BYTES = 8 * 2**10

#: Column clusters that room is kept for before any cells are taken into memory.
COLUMN_CLUSTERS = 8

#: Rows keep statistics of no more column clusters than that: a random start has more, for some iterations.
MOST_COLUMN_CLUSTERS = 16


@dataclass(frozen=True, slots=True)
class Residence:
    """How memory is shared out.

    Parameters
    ----------
    in_memory : int
        Shards, from the first one on, whose cells are all in memory.
    cache_bytes : int
        That the statistics of rows and of clusters in all shards together may take between iterations.
    """

    in_memory: int
    cache_bytes: int


def least_memory(rows: int, columns: int) -> int:
    """Bytes without which a chain cannot run, however few cells are in memory."""
    return OVERHEAD + ITEM_BYTES * max(rows, columns) + OTHER_BYTES * min(rows, columns)


def share_out(manifest: AnyManifest, memory: int | None, *, on_disk: bool) -> Residence:
    """Share out the memory that there is.

    Parameters
    ----------
    memory : int or None
        Bytes that the process may take; None takes all cells, and :data:`CACHE_BYTES`.
    on_disk : bool
        Whether shards can be read from files while the chain runs.

    Raises
    ------
    InputError
        There is less than the chain needs.
    """
    parts = manifest.parts
    cells = [sum(part.memory_bytes(index) for part in parts) for index in range(manifest.n_shards)]
    if memory is None:
        return Residence(len(cells), CACHE_BYTES)
    least = least_memory(manifest.n, manifest.p)
    # What is kept between iterations is gone when the chain has ended.
    while_running = memory - least + (ITEM_BYTES - LABEL_BYTES) * max(manifest.n, manifest.p)
    if not (all(part.is_dense for part in parts) and on_disk):
        return Residence(len(cells), max(while_running - sum(cells), CACHE_BYTES))
    check_least(memory, manifest.n, manifest.p)
    numbers = sum(1 + part.dimension + part.dimension * (part.dimension if part.is_full else 1) for part in parts)
    of_rows = 8 * numbers * parts[0].n_items
    room = min(memory - least, while_running - COLUMN_CLUSTERS * of_rows)
    in_memory = taken = 0
    for needed in cells:
        if taken + needed > room:
            break
        in_memory, taken = in_memory + 1, taken + needed
    return Residence(in_memory, min(while_running - taken, max(MOST_COLUMN_CLUSTERS * of_rows, CACHE_BYTES)))


def check_least(memory: int, rows: int, columns: int) -> None:
    """Refuse less memory than a chain needs; InputError says how much that is."""
    needed = least_memory(rows, columns)
    if needed > memory:
        raise InputError(
            f"{rows:,} x {columns:,} cells need {size_needed(needed)} of memory, even if they stay on disk, and there"
            f" are {size_there(memory)}: free some, or allow more with ",
            Hint("memory", "SIZE"),
        )
