"""Statistics of clusters that are opened one after another."""

from __future__ import annotations

from disnplbm.families.base import Statistics


class GrowingStatistics:
    """Statistics with room to spare: opening clusters one by one takes time in proportion to their number.

    Parameters
    ----------
    sets : Statistics of shape (K, ...)
        The sets there are at first.
    """

    def __init__(self, sets: Statistics) -> None:
        self._room = sets
        self._number = sets.shape[0]

    @property
    def sets(self) -> Statistics:
        """All sets so far, a view that can be written to."""
        return self._room[: self._number]

    def extend(self, number: int) -> None:
        """Add empty sets. Views made before this one may no longer be written to."""
        needed, capacity = self._number + number, self._room.shape[0]
        if needed > capacity:
            self._room = self._room.extended(max(needed, 2 * capacity) - capacity)
        self._number = needed
