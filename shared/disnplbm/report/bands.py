"""How the items of one axis (rows or columns) share the pixels of a picture.

Items are laid out in a display order, and each pixel covers a range of positions in that order. A group of items that
several pixels repeat, or that one pixel covers, is a *bin*: what is averaged, whatever number of pixels shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Bands:
    """Pixels of one axis.

    Attributes
    ----------
    order : ndarray of int64, shape (items,)
        Item shown at each display position.
    start, stop : ndarray of int64, shape (pixels,)
        Positions [start, stop) that a pixel covers; pixels that repeat the same bin have the same start.
    clusters : ndarray of int64, shape (K + 1,)
        First display position of every cluster, then the number of items; (0, items) where there are no clusters.
    labels : ndarray of int64, shape (K,), or None
        Label of every cluster; None where they are shown in the order of their labels.
    """

    order: Indices
    start: Indices
    stop: Indices
    clusters: Indices
    labels: Indices | None = None

    @property
    def shown(self) -> Indices:
        """Labels of the clusters, in the order in which they are shown."""
        return np.arange(len(self.clusters) - 1, dtype=np.int64) if self.labels is None else self.labels

    @property
    def pixels(self) -> int:
        """Number of pixels."""
        return len(self.start)

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of a number of each item over the items that a pixel covers, shape (pixels,)."""
        sums = np.append(0.0, np.cumsum(values[self.order]))
        return np.asarray((sums[self.stop] - sums[self.start]) / (self.stop - self.start))

    def check(self) -> None:
        """Raise ValueError for what was read from a file and is no layout of an axis."""
        if any(field.ndim != 1 for field in (self.order, self.start, self.stop, self.clusters)):
            raise ValueError("the pixels of an axis are lists of positions")
        items = len(self.order)
        if not np.array_equal(np.sort(self.order), np.arange(items)):
            raise ValueError("the order of an axis has each item once")
        if len(self.start) != len(self.stop) or not len(self.start):
            raise ValueError("each pixel has a first position and a last one")
        if (
            not ((self.start >= 0) & (self.start < self.stop) & (self.stop <= items)).all()
            or (np.diff(self.start) < 0).any()
        ):
            raise ValueError("each pixel covers positions of its axis, in their order")
        ends = self.clusters
        if len(ends) < 2 or (ends[0], ends[-1]) != (0, items) or (np.diff(ends) < 0).any():
            raise ValueError("clusters share the positions of their axis")
        if self.labels is not None and not np.array_equal(np.sort(self.labels), np.arange(len(ends) - 1)):
            raise ValueError("each cluster has a label of its own")

    @cached_property
    def bin_starts(self) -> Indices:
        """First display position of every bin, shape (bins,)."""
        return np.unique(self.start)

    @cached_property
    def pixel_bins(self) -> Indices:
        """Bin that each pixel shows, shape (pixels,)."""
        return np.searchsorted(self.bin_starts, self.start).astype(np.int64)

    @cached_property
    def item_bins(self) -> Indices:
        """Bin of each item, shape (items,)."""
        lengths = np.diff(np.append(self.bin_starts, len(self.order)))
        bins = np.empty(len(self.order), dtype=np.int64)
        bins[self.order] = np.repeat(np.arange(len(lengths)), lengths)
        return bins

    @cached_property
    def sampled_bins(self) -> Indices:
        """Bin of the one item that stands for it (the middle one in display order); -1 for the others."""
        middles = (self.bin_starts + np.append(self.bin_starts[1:], len(self.order))) // 2
        bins = np.full(len(self.order), -1, dtype=np.int64)
        bins[self.order[middles]] = np.arange(len(middles))
        return bins

    @cached_property
    def borders(self) -> Indices:
        """Pixel at which every cluster begins, then the number of pixels, shape (K + 1,)."""
        return np.searchsorted(self.stop, self.clusters, side="right").astype(np.int64)

    @property
    def exact(self) -> bool:
        """Whether every bin holds exactly one item, so that nothing is averaged."""
        return len(self.bin_starts) == len(self.order)


def even_bands(items: int, max_pixels: int) -> Bands:
    """Bands of `items` in file order, split as evenly as possible over at most `max_pixels` pixels."""
    return _even(np.arange(items, dtype=np.int64), max_pixels, np.array([0, items], dtype=np.int64))


def clustered_bands(
    labels: ArrayLike, max_pixels: int, min_band: int, shown: NDArray[np.integer[Any]] | None = None
) -> Bands:
    """Bands of items sorted by cluster, then file order; no cluster is thinner than `min_band` pixels of `max_pixels`.

    Parameters
    ----------
    labels : array_like of int, shape (items,)
        Cluster of each item, 0..K-1.
    max_pixels : int
        Pixels of the axis; fewer are used when there are fewer items.
    min_band : int
        Pixels that the thinnest cluster gets of `max_pixels`: in proportion fewer when there are fewer items, and as
        many as fit when there are many clusters. With more clusters than pixels, pixels hold several clusters.
    shown : ndarray of int, shape (K,), optional
        Clusters in the order in which they are shown; by default by label.
    """
    labels = np.asarray(labels, dtype=np.int64)
    if shown is not None:
        bands = clustered_bands(np.argsort(shown)[labels], max_pixels, min_band)
        return replace(bands, labels=shown.astype(np.int64))
    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable").astype(np.int64)
    clusters = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    present = int(np.count_nonzero(sizes))
    if present > max_pixels:
        return _even(order, max_pixels, clusters)
    scale = min(1.0, len(labels) / max_pixels)
    floor = min(int(np.ceil(min_band * scale)), max_pixels // present)
    widths = np.zeros(len(sizes), dtype=np.int64)
    widths[sizes > 0] = _widths(sizes[sizes > 0], floor, max_pixels)

    cluster = np.repeat(np.arange(len(sizes)), widths)
    within = np.arange(len(cluster)) - (np.cumsum(widths) - widths)[cluster]
    size, width = sizes[cluster], widths[cluster]
    start = clusters[cluster] + within * size // width
    stop = np.maximum(start + 1, clusters[cluster] + (within + 1) * size // width)
    return Bands(order, start.astype(np.int64), stop.astype(np.int64), clusters)


def _even(order: Indices, max_pixels: int, clusters: Indices) -> Bands:
    items = len(order)
    pixels = min(items, max_pixels)
    edges = np.arange(pixels + 1, dtype=np.int64) * items // pixels
    return Bands(order, edges[:-1], edges[1:], clusters)


def _widths(sizes: Indices, floor: int, max_pixels: int) -> Indices:
    """Pixels per cluster: in proportion to its size, at least `floor`, in all at most `max_pixels`."""
    natural = np.maximum(sizes, floor)
    if natural.sum() <= max_pixels:
        return natural
    thin = np.zeros(len(sizes), dtype=bool)
    while True:
        share = (max_pixels - floor * thin.sum()) * sizes / max(1, sizes[~thin].sum())
        below = ~thin & (share < floor)
        if not below.any():
            break
        thin |= below
    exact = np.where(thin, floor, share)
    widths = np.floor(exact).astype(np.int64)
    left = max_pixels - int(widths.sum())
    remainders = np.where(thin, -1.0, exact - widths)
    widths[np.argsort(-remainders, kind="stable")[:left]] += 1
    return widths
