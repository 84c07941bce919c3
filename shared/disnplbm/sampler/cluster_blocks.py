"""The blocks of some clusters in all parts: what weighs whole clusters against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from disnplbm.families.base import Family, Statistics
from disnplbm.model.statistics import Floats


@dataclass(slots=True, eq=False)
class ClusterBlocks:
    """Statistics of clusters in each group of columns, part by part.

    Parameters
    ----------
    families : sequence of Family
        Of the parts.
    sets : sequence of Statistics of shape (..., G)
        Of each part, with axes of its own behind those of the clusters.
    """

    families: Sequence[Family]
    sets: Sequence[Statistics]

    def __len__(self) -> int:
        """Clusters along the first axis."""
        return self.sets[0].shape[0]

    def __getitem__(self, index: Any) -> ClusterBlocks:
        """The clusters at a NumPy index over their axes."""
        return ClusterBlocks(self.families, [sets[index] for sets in self.sets])

    def __setitem__(self, index: Any, clusters: ClusterBlocks) -> None:
        """Put other clusters at a NumPy index over their axes."""
        for sets, others in zip(self.sets, clusters.sets, strict=True):
            sets[index] = others

    def merge(self, other: ClusterBlocks) -> ClusterBlocks:
        """The clusters, each with its counterpart taken in."""
        pairs = zip(self.families, self.sets, other.sets, strict=True)
        return ClusterBlocks(self.families, [family.merge(a, b) for family, a, b in pairs])

    def log_marginal(self) -> float:
        """Sum of the log marginals of all blocks."""
        total = 0.0
        for family, sets in zip(self.families, self.sets, strict=True):
            total += float(family.log_marginals(sets).sum())
        return total

    def log_marginals(self) -> Floats:
        """Log marginal of each cluster, in the shape of the clusters."""
        parts = zip(self.families, self.sets, strict=True)
        result: Floats = sum(family.log_marginals(sets).sum(axis=-1) for family, sets in parts)
        return result

    def log_marginal_together(self, a: int, b: int) -> float:
        """Log marginal of two clusters in one."""
        total = 0.0
        for family, sets in zip(self.families, self.sets, strict=True):
            total += float(family.log_marginals(family.merge(sets[a], sets[b])).sum())
        return total

    def take_in(self, a: int, b: int) -> None:
        """Put the members of cluster b into cluster a."""
        for family, sets in zip(self.families, self.sets, strict=True):
            both = family.merge(sets[a], sets[b])
            sets[a], sets[b] = both, both.empty_like(both.shape)

    def n_features(self) -> list[int]:
        """Count the features, in each part, of an item that is weighed against the clusters."""
        return [family.n_features(sets) for family, sets in zip(self.families, self.sets, strict=True)]

    def extended(self, number: int) -> ClusterBlocks:
        """The same clusters and that many without members behind them."""
        return ClusterBlocks(self.families, [sets.extended(number) for sets in self.sets])

    def copy(self) -> ClusterBlocks:
        """An independent copy."""
        return ClusterBlocks(self.families, [sets.copy() for sets in self.sets])
