"""Inputs of the cases that take more than a line to make."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

Floats = NDArray[np.float64]
Layout = Literal["mixed", "apart"]


def mirrored_profiles(layout: Layout) -> tuple[Floats, NDArray[np.int64]]:
    """A1: 50 rows of (+5, -5) and 50 of (-5, +5), each on 5 + 5 columns, and the rows' profiles.

    "apart" puts them in turn, so that with an even number of shards each shard holds one profile only.
    """
    sign = np.tile([1, -1], 50) if layout == "apart" else np.repeat([1, -1], 50)
    return np.random.default_rng(0).normal(sign[:, None] * np.repeat([5.0, -5.0], 5)), sign


def shifted_patterns() -> tuple[Floats, NDArray[np.int64]]:
    """A2: patterns (3, -3, 0) and (0, 3, -3) on thirds of 60 columns, 100 rows each, and the rows' patterns."""
    pattern = np.repeat([0, 1], 100)
    means = np.array([[3.0, -3.0, 0.0], [0.0, 3.0, -3.0]]).repeat(20, axis=1)
    return np.random.default_rng(0).normal(means[pattern], 0.5), pattern


def block_of_variance(seed: int) -> Floats:
    """A8: N(0, 0.1^2), but for a quarter that holds 112 cells of +1, 112 of -1 and, being odd, one 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 0.1, (30, 30))
    x[:15, :15] = rng.permutation(np.repeat([1.0, -1.0, 0.0], [112, 112, 1])).reshape(15, 15)
    return x


def checkerboard() -> Floats:
    """A10: 60 x 50, 3 x 2 blocks with zeros, in quarters of a unit, so that float32 holds the same numbers."""
    rng = np.random.default_rng(0)
    board = (np.arange(60)[:, None] // 20 + np.arange(50) // 25) % 2
    return np.where(board == 1, 5 + np.round(rng.normal(size=(60, 50)) * 4) / 4, 0.0)


def row_clusters() -> tuple[Floats, NDArray[np.int64]]:
    """A16: 20 Gaussian clusters of 50 rows in 20 columns, the nearest centres 6 sd apart, and the rows' clusters."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(20, 20))
    truth = np.repeat(np.arange(20), 50)
    return rng.normal((centres * 6 / pdist(centres).min())[truth]), truth


def one_or_two_clusters() -> Floats:
    """60 x 8: 20 rows apart, and 40 that the posterior takes for one cluster about as often as for two."""
    rng = np.random.default_rng(1)
    means = np.array([[6.0, -6.0], [-6.0, 6.0], [-4.5, 4.5]]).repeat(20, axis=0).repeat(4, axis=1)
    return rng.normal(means)


def overlapping_blocks(seed: int) -> Floats:
    """A19: 40 x 12, 2 x 2 blocks so close that the number of clusters varies from draw to draw."""
    rng = np.random.default_rng(seed)
    return rng.normal(np.array([[0.0, 1.2], [1.2, 0.0]]).repeat(20, axis=0).repeat(6, axis=1))


def collinear_cells() -> Floats:
    """A21: 60 x 12 cells of three numbers, the third the sum of the others; 2 x 2 blocks."""
    x = np.random.default_rng(0).normal(size=(60, 12, 3))
    x[:30, :6] += 3
    x[..., 2] = x[..., 0] + x[..., 1]
    return x


def wide_sparse() -> tuple[sp.csr_array, NDArray[np.int64]]:
    """A24: 6,000 x 20,000 with 300 cells a row stored, in turn among the first and the second 600 columns."""
    rng = np.random.default_rng(0)
    kind = np.arange(6000) % 2
    stored = np.concatenate([600 * k + np.sort(rng.choice(600, 300, replace=False)) for k in kind])
    values = rng.normal(5, 1, len(stored))
    return sp.csr_array((values, stored, np.arange(0, len(stored) + 1, 300)), shape=(6000, 20_000)), kind


def wide_csv(path: Path, rows: int, columns: int) -> int:
    """A25: write a CSV of floats, a few different rows in turn; its size in bytes."""
    rng = np.random.default_rng(0)
    lines = [",".join(map(repr, row)) + "\n" for row in rng.normal(size=(8, columns)).round(5).tolist()]
    with path.open("w") as file:
        file.write(",".join(f"g{j}" for j in range(columns)) + "\n")
        file.writelines(lines[i % 8] for i in range(rows))
    return path.stat().st_size
