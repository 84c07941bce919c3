"""Statistics of clusters that are opened one after another."""

from __future__ import annotations

from disnplbm.families.base import Family, Statistics
from disnplbm.model.statistics import Labels


class GrowingStatistics:
    """Statistics with room to spare: opening clusters one by one takes time in proportion to their number.

    Parameters
    ----------
    sets : Statistics of shape (k, ...)
        The sets there are at first.
    number : int, optional
        K, where there are that many, and all from the k-th on are empty.
    """

    def __init__(self, sets: Statistics, number: int | None = None) -> None:
        self._room = sets
        self._number = sets.shape[0] if number is None else number

    @property
    def sets(self) -> Statistics:
        """All sets so far, a view that can be written to, unless they are light."""
        self._reserve()
        return self._room[: self._number]

    @property
    def row_shape(self) -> tuple[int, ...]:
        """Shape of a cluster's statistics."""
        return self._room.row_shape

    def extend(self, number: int) -> None:
        """Add empty sets. Views made before this one may no longer be written to."""
        self._number += number

    def merge(self, sets: Statistics, targets: Labels, family: Family) -> None:
        """Merge sets into those at ``targets``, no two of them into the same."""
        if self._room.shape[0] == 0:
            self._room = family.gather(sets, targets, self._number)
            return
        self._reserve()
        self._room = family.gather(sets, targets, self._room.shape[0], self._room)

    def _reserve(self) -> None:
        capacity = self._room.shape[0]
        if self._number > capacity:
            self._room = self._room.extended(max(self._number, 2 * capacity) - capacity)
