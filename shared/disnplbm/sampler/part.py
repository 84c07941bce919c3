"""A part of a table: some of its columns, of one family, with a partition of their own.

A table is a list of parts over the same rows. The rows have one partition; given the partitions, the cells of different
parts are independent, so the log joint is a sum over the parts, and so is a row's log weight in a cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

from disnplbm.families.base import Family, Statistics
from disnplbm.model.statistics import Labels


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What a chain knows of a part.

    Parameters
    ----------
    family : Family
    column_labels : ndarray of int32, shape (p,)
    blocks : Statistics of shape (K, L)
    beta : float
        Concentration of the columns.
    """

    family: Family
    column_labels: Labels
    blocks: Statistics
    beta: float

    @property
    def n_column_clusters(self) -> int:
        """L."""
        return self.blocks.shape[1]
