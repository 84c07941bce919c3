"""Whether a partition tells groups at all: most items may be nearly alone, or all of them together."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from disnplbm.model.statistics import Labels

#: Items below which no partition is odd, and clusters an item above which one is scattered.
LEAST_ITEMS, MOST_CLUSTERS = 20, 0.5

GranularityKind = Literal["scattered", "one_cluster"]


@dataclass(frozen=True, slots=True)
class Granularity:
    """A partition that hardly tells groups.

    Parameters
    ----------
    kind : {"scattered", "one_cluster"}
        More than half as many clusters as items, or a single one.
    axis : {"rows", "columns"}
    items, clusters, single : int
        How many items and clusters there are, and how many clusters hold one item.
    """

    kind: GranularityKind
    axis: Literal["rows", "columns"]
    items: int
    clusters: int
    single: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def granularity(labels: Labels, axis: Literal["rows", "columns"], limit: int | None = None) -> Granularity | None:
    """What is odd about the number of clusters of a partition; None if nothing is.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        0..K-1 without holes.
    axis : {"rows", "columns"}
    limit : int, optional
        Clusters that were allowed: a single cluster that was asked for is not odd.
    """
    sizes = np.bincount(labels)
    items, clusters, single = len(labels), len(sizes), int((sizes == 1).sum())
    if items < LEAST_ITEMS:
        return None
    if clusters > MOST_CLUSTERS * items:
        return Granularity("scattered", axis, items, clusters, single)
    if clusters == 1 and limit != 1:
        return Granularity("one_cluster", axis, items, clusters, single)
    return None
