"""The exact posterior of both partitions of a small table, by enumeration of all pairs of partitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.joint import log_joint
from disnplbm.model.partition import canonical_labels
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels


@dataclass(frozen=True, eq=False)
class Problem:
    """A table with everything that its posterior depends on, in the user's units.

    Parameters
    ----------
    values : ndarray of shape (n, p, d)
        Cells; NaN where missing.
    prior : NIWPrior
    alpha, beta : float
    power : float
    """

    values: Floats
    prior: NIWPrior
    alpha: float
    beta: float
    power: float = 1.0

    @cached_property
    def pairs(self) -> NDArray[np.int32]:
        """Every pair of partitions, shape (M, n + p): canonical labels of the rows, then of the columns."""
        n, p, _ = self.values.shape
        return np.array([np.concatenate([z, w]) for z in partitions(n) for w in partitions(p)])

    @cached_property
    def posterior(self) -> Floats:
        """Posterior probability of each of :attr:`pairs`, shape (M,)."""
        n = len(self.values)
        logs = np.array(
            [
                log_joint(
                    self.values,
                    pair[:n],
                    pair[n:],
                    self.prior,
                    alpha=self.alpha,
                    beta=self.beta,
                    power=self.power,
                )
                for pair in self.pairs
            ]
        )
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    def counts(self, draws: NDArray[np.int32]) -> NDArray[np.int64]:
        """How often each of :attr:`pairs` is among the draws, shape (M,).

        Raises
        ------
        KeyError
            If a draw is not in canonical labels.
        """
        place = {pair.tobytes(): m for m, pair in enumerate(self.pairs)}
        draws = np.ascontiguousarray(draws, dtype=np.int32)
        return np.bincount([place[draw.tobytes()] for draw in draws], minlength=len(self.pairs))

    def cluster_numbers(self) -> NDArray[np.int64]:
        """A number for the (K, L) of each of :attr:`pairs`, shape (M,)."""
        n, p, _ = self.values.shape
        return self.pairs[:, :n].max(axis=1).astype(np.int64) * p + self.pairs[:, n:].max(axis=1)


def partitions(n: int) -> Iterator[Labels]:
    """All partitions of n items, in canonical labels."""
    for growth in _growth_strings(n):
        yield canonical_labels(np.array(growth, dtype=np.int32))


def _growth_strings(n: int) -> Iterator[tuple[int, ...]]:
    """All restricted growth strings: each label is at most one above the largest before it."""
    if n == 0:
        yield ()
        return
    for shorter in _growth_strings(n - 1):
        for label in range(max(shorter, default=-1) + 2):
            yield (*shorter, label)
