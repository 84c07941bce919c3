"""All partitions of a few items, for tests that enumerate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def all_partitions(n_items: int) -> np.ndarray:
    """Labels of every partition of n items, shape (Bell number, n)."""

    def grown(start: list[int]) -> Iterator[list[int]]:
        if len(start) == n_items:
            yield start
            return
        for k in range(max(start, default=-1) + 2):
            yield from grown([*start, k])

    return np.array(list(grown([])), dtype=np.int32)
