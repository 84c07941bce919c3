"""What a chain is made of between two iterations, whatever its sampler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.statistics import Floats, Labels, Statistics


class Tries(NamedTuple):
    """Splits and merges of row clusters that an iteration proposes, T of them, on clusters that are all different.

    A try proposes to split cluster a, or to merge a and b, which a split could have made; see
    :mod:`disnplbm.sampler.splits`.
    """

    a: Labels  # (T,) the cluster to split, or the first to merge: that of anchor i
    b: Labels  # (T,) the second to merge, that of anchor j; see splits.SPLIT, NOTHING
    shard: Labels  # (T,) the shard that holds both anchors
    anchors: NDArray[np.int64]  # (T, 2) positions of i and j in that shard
    guided: NDArray[np.bool_]  # (T,) whether the data guide the sides of the split, or chance does
    contrasts: Floats  # (T, F + 1) guided: log odds of side 0, a constant and one coefficient a feature

    @classmethod
    def none(cls) -> Tries:
        """No tries."""
        nobody = np.zeros(0, dtype=np.int32)
        return cls(
            nobody, nobody, nobody, np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.bool_), np.zeros((0, 0))
        )


class Measure(NamedTuple):
    """Weights and parameters of the row clusters, instantiated: what the rows' labels are drawn from."""

    weights: Floats  # (K + M,) of the K clusters there are, then of M new ones
    coefficients: Floats  # (F, K + M) see disnplbm.kernels.gaussian
    rest: float  # weight of all further new ones, which a shard draws where it needs them

    @classmethod
    def none(cls) -> Measure:
        """Nothing instantiated."""
        return cls(np.zeros(0), np.zeros((0, 0)), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Broadcast:
    """What every shard gets to know before an iteration: a few kilobytes.

    Parameters
    ----------
    iteration : int
        The iteration it is for.
    column_labels : ndarray of int32, shape (p,)
    sizes : ndarray of int64, shape (K,)
        Rows of each global cluster.
    blocks : Statistics of shape (K, L)
    alpha, beta : float
        Concentrations of rows and of columns.
    partners : ndarray of int32, shape (K,)
        The cluster that each may be merged with after a collapsed sweep, or -1.
    tries : Tries
        For an iteration that proposes splits and merges.
    measure : Measure
        For an iteration that draws labels given parameters.
    """

    iteration: int
    column_labels: Labels
    sizes: NDArray[np.int64]
    blocks: Statistics
    alpha: float
    beta: float
    partners: Labels
    tries: Tries
    measure: Measure


@dataclass(frozen=True, slots=True, eq=False)
class ChainState:
    """A chain between two iterations; with the shards' labels it is all there is to keep.

    Parameters
    ----------
    broadcast : Broadcast
        For the next iteration.
    maps : tuple of ndarray of int32
        For each shard, the global cluster of each of its own.
    log_joint : float
        log p(X, z, w, and the concentrations if they are learned) in the working frame.
    """

    broadcast: Broadcast
    maps: tuple[Labels, ...]
    log_joint: float

    @property
    def n_row_clusters(self) -> int:
        """K."""
        return len(self.broadcast.sizes)

    @property
    def n_column_clusters(self) -> int:
        """L."""
        return self.broadcast.blocks.shape[1]
