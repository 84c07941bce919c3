"""Co-clustering in the report: how often draws put rows (or columns) together, item by item and cluster by cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.posterior.similarity_store import AxisSimilarity
from disnplbm.report.bands import Bands, clustered_bands
from disnplbm.report.pixels import LEVELS, rounded

MAX_PIXELS, MIN_BAND = 300, 4
MAX_CLUSTERS = 30
"""Clusters, the largest, in the table of clusters against each other."""


@dataclass(frozen=True)
class Picture:
    """The co-clustering matrix, sorted by cluster.

    Attributes
    ----------
    bands : Bands
        What the pixels of either axis cover.
    levels : ndarray of uint8, shape (pixels, pixels)
        Mean probability of being together, from 0 to LEVELS - 1.
    """

    bands: Bands
    levels: NDArray[np.uint8]


def picture(
    similarity: AxisSimilarity, draws: int, labels: NDArray[np.int64], shown: NDArray[np.int64] | None = None
) -> Picture | None:
    """The picture of an axis; None where the matrix of its items is too large to be kept.

    Parameters
    ----------
    shown : ndarray of int64, shape (K,), optional
        Clusters in the order in which they are shown; by default by label.
    """
    if similarity.items is None:
        return None
    bands = clustered_bands(labels, MAX_PIXELS, MIN_BAND, shown)
    starts = bands.bin_starts
    sizes = np.diff(np.append(starts, len(bands.order)))
    # Bin by bin: several times as fast as sums over all of the matrix at once, and without a sorted copy of it.
    rows = [similarity.items[of_bin].sum(axis=0, dtype=np.int64) for of_bin in np.split(bands.order, starts[1:])]
    sums = np.add.reduceat(np.array(rows)[:, bands.order], starts, axis=1)
    shares = sums / (draws * np.outer(sizes, sizes))
    levels = np.rint(shares * (LEVELS - 1)).astype(np.uint8)
    return Picture(bands, levels[np.ix_(bands.pixel_bins, bands.pixel_bins)])


def cluster_shares(similarity: AxisSimilarity) -> list[list[Any]]:
    """The largest clusters against each other, None where there are no two: labels are in the order of size."""
    return rounded(similarity.clusters[:MAX_CLUSTERS, :MAX_CLUSTERS])
