"""Which axis of a table is cut into shards, and into how many; :mod:`disnplbm.dealing` says which item is in which."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from disnplbm.cell_types import DENSE
from disnplbm.data.transforms.step import Cells, Shaped
from disnplbm.dealing import count_of, slice_of
from disnplbm.described import check
from disnplbm.errors import InputError

Axis = Literal["rows", "columns"]

ONE_SHARD_NUMBERS = 1_000_000
"""Below this many numbers a table is one shard."""

SHARD_NUMBERS = 500_000
"""Numbers in a shard aimed at."""

SHARD_ITEMS = 500
"""Items in a shard at least aimed at."""

MOST_SHARDS = 64

PAYING = "paying"
"""In place of a number of shards: as many as pay where each of them is a message; see :func:`paying_shards`."""

MESSAGE_NANOSECONDS = 1_500_000
"""Of the master, a shard: measured by ``python -m benchmarks.master`` (docs/adr/0039)."""

TURN_NANOSECONDS = 6_800_000
"""Of a worker, around a sweep: measured by ``python -m benchmarks.simulation`` (docs/adr/0046)."""

ITEM_NANOSECONDS, NUMBER_NANOSECONDS = 132, 6
"""Of a sweep, an item and a number: measured in the same way, of 10 x 3 blocks whose cells are all read."""

LONGEST_WHOLE = 30_000
"""Longest axis that stays whole of counts, 0/1 and categories: every shard sends its statistics in full."""


@dataclass(frozen=True, slots=True)
class Sharding:
    """How a table is cut; made by :func:`choose_sharding`.

    Attributes
    ----------
    axis : {"rows", "columns"}
        The axis that is cut.
    n_items, n_others : int
        Length of that axis and of the other one.
    n_shards : int
        E.
    notes : tuple of str
        What became of the number asked for.
    """

    axis: Axis
    n_items: int
    n_others: int
    n_shards: int
    notes: tuple[str, ...] = ()

    def size(self, shard: int, before: int | None = None) -> int:
        """How many items are in a shard; of those before an item, if one is given."""
        return count_of(shard, self.n_items if before is None else before, self.n_shards)

    def part(self, rows: Cells, shard: int, first: int) -> Cells:
        """The part of a table's rows, from the first one on, that is in a shard: a view."""
        if self.axis == "rows":
            return rows[slice_of(shard, self.n_shards, first)]
        return rows[:, slice_of(shard, self.n_shards)]


def choose_sharding(
    table: Shaped,
    *,
    n_shards: int | str = "auto",
    axis: str = "auto",
    cells: str = DENSE,
    numbers: int | None = None,
) -> Sharding:
    """Choose the axis and the number of shards; InputError if what is asked for cannot be.

    Parameters
    ----------
    n_shards : int, "auto" or "paying"
        More shards than items are clamped, with a note. The words take what :func:`auto_shards` and
        :func:`paying_shards` say.
    axis : {"auto", "rows", "columns"}
        "auto" takes what :func:`cut_axis` says.
    cells : str
        Type of the cells.
    numbers : int, optional
        That are stored of the table; by default all.
    """
    if axis not in ("auto", "rows", "columns"):
        raise InputError(f"unknown shard axis {axis!r}; choose one of auto, rows, columns")
    chosen: Axis = "rows" if axis == "rows" else "columns" if axis == "columns" else cut_axis(table.n, table.p, cells)
    items, others = (table.n, table.p) if chosen == "rows" else (table.p, table.n)
    if n_shards in ("auto", PAYING):
        count = auto_shards if n_shards == "auto" else paying_shards
        return Sharding(chosen, items, others, count(items, others, table.dimension, numbers))
    check("shards", n_shards)
    wanted = int(n_shards)
    if wanted > items:
        said = f"{wanted} shards asked for but there are only {items} {chosen}: used {items}"
        return Sharding(chosen, items, others, items, (said,))
    return Sharding(chosen, items, others, wanted)


def cut_axis(rows: int, columns: int, cells: str) -> Axis:
    """The axis to cut where nobody says which: the longer one, or rows if they are as many.

    Of counts, 0/1 and categories it is the shorter one, unless the other is longer than :data:`LONGEST_WHOLE`: shards
    try more splits than the master does, and the shorter axis gains more from them (docs/adr/0025).

    >>> cut_axis(225, 15_127, "gaussian"), cut_axis(225, 15_127, "counts"), cut_axis(800_000, 47_000, "counts")
    ('columns', 'rows', 'rows')
    """
    longer: Axis = "rows" if rows >= columns else "columns"
    if cells == DENSE or max(rows, columns) > LONGEST_WHOLE:
        return longer
    return "rows" if rows <= columns else "columns"


def auto_shards(n_items: int, n_other: int, dimension: int, numbers: int | None = None) -> int:
    """Number of shards for a table: depends on its shape, or the cells stored, never on the machine.

    >>> auto_shards(150, 4, 1), auto_shards(20_000, 90, 1), auto_shards(500_000, 20, 1)
    (1, 4, 20)
    """
    numbers = n_items * n_other * dimension if numbers is None else numbers
    if numbers < ONE_SHARD_NUMBERS:
        return 1
    return min(MOST_SHARDS, math.ceil(numbers / SHARD_NUMBERS), max(1, n_items // SHARD_ITEMS))


def paying_shards(n_items: int, n_other: int, dimension: int, numbers: int | None = None) -> int:
    """Number of shards for a table on a cluster, where a shard costs a message: as many as pay, if :func:`auto_shards`
    makes so many.

    With a worker for each of E shards, an iteration takes E messages of the master and the E-th part of the sweep. That
    is shortest where both are equal, so that more never pay. Nor does a shard whose sweep takes less time than its
    message. Like the other number this one depends on the shape, or the cells stored, never on the machine.

    >>> paying_shards(20_000, 90, 1), paying_shards(100_000, 90, 1), paying_shards(10**7, 90, 1)
    (1, 6, 64)
    """
    stored = n_items * n_other * dimension if numbers is None else numbers
    sweep = n_items * ITEM_NANOSECONDS + stored * NUMBER_NANOSECONDS
    shortest, worthwhile = math.isqrt(sweep // MESSAGE_NANOSECONDS), sweep // (MESSAGE_NANOSECONDS + TURN_NANOSECONDS)
    return max(1, min(auto_shards(n_items, n_other, dimension, numbers), shortest, worthwhile))
