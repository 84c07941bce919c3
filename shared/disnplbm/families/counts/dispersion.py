r"""Do the counts of each block vary as Poisson counts do?

Pearson's statistic of a block, and its degrees of freedom D, stand in :mod:`disnplbm.model.dispersion`. With the
exposure E and the total T of a block, theta = T / E, it is a sum over the counts above 0 alone:

    X2 = sum (x - e theta)^2 / (e theta) = sum of x^2 / (e theta) - T

For Poisson counts its mean is D, and its variance is at most the sum over the cells of 2 + 1 / (e theta), which needs
only the sums of 1 / f_i and of 1 / g_j. A gamma distribution of that mean and variance says how likely chance alone
brings X2 as far from D, on either side. The dispersion is X2 / D.

The more counts, the smaller a departure chance is ruled out for. A block is *clearly* not Poisson if chance is ruled
out, over all blocks, and its counts vary by a factor that matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincc

from disnplbm.families.counts.cells import SparseCounts
from disnplbm.families.exponential.sums import Sums
from disnplbm.model.statistics import Floats, Labels

#: Fewer cells, or fewer things counted, do not tell.
LEAST_CELLS, LEAST_TOTAL = 20, 20

#: Plainly not Poisson: so unlikely by chance, for any of all blocks together, and with a dispersion beyond these.
CHANCE = 0.001
LEAST_DISPERSION, LARGEST_DISPERSION = 0.67, 1.5


@dataclass(frozen=True, slots=True, eq=False)
class Dispersion:
    """What the check says of every block; NaN where there are too few cells or counts.

    Parameters
    ----------
    cells : ndarray of shape (K, L)
        Observed cells, of rows and columns that count something.
    dispersion : ndarray of shape (K, L, 1)
        Pearson's: how many times as much as Poisson counts they vary.
    p : ndarray of shape (K, L, 1)
        Probability that chance alone takes Poisson counts as far, on either side.
    """

    cells: Floats
    dispersion: Floats
    p: Floats

    @property
    def T(self) -> Dispersion:
        """The same with rows and columns swapped."""
        return Dispersion(self.cells.T, self.dispersion.swapaxes(0, 1), self.p.swapaxes(0, 1))

    @property
    def columns(self) -> dict[str, Floats]:
        """What blocks.csv holds of it."""
        return {"dispersion": self.dispersion, "ppc": self.p}

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Blocks with enough cells and counts, shape (K, L)."""
        return np.asarray(~np.isnan(self.dispersion[..., 0]))

    @property
    def plain(self) -> NDArray[np.bool_]:
        """Blocks that are clearly not Poisson, shape (K, L, 1)."""
        far = (self.dispersion < LEAST_DISPERSION) | (self.dispersion > LARGEST_DISPERSION)
        return np.asarray(far & (self.p < CHANCE / max(int(self.judged.sum()), 1)))

    def to_dict(self) -> dict[str, Any]:
        """What run.json says of it."""
        odd, total = self.plain[..., 0], float(self.cells.sum())
        return {
            "judged": int(self.judged.sum()),
            "not_poisson": int(odd.sum()),
            "share_of_cells": float(self.cells[odd].sum()) / total if total else 0.0,
            "largest_dispersion": float(self.dispersion[odd].max()) if odd.any() else None,
            "sentence": self._sentence(),
        }

    def _sentence(self) -> str:
        judged, odd, found = int(self.judged.sum()), self.plain, self.dispersion
        if judged == 0:
            return f"No block has the {LEAST_CELLS} cells and {LEAST_TOTAL} counted that tell how counts vary."
        if not odd.any():
            return f"In {_of_all(judged)}, counts vary as Poisson counts do."
        more, less = odd & (found > 1.0), odd & (found < 1.0)
        parts = []
        if more.any():
            parts.append(
                f"In {self._some(more)}, counts vary more than Poisson counts do, up to"
                f" {_times(found[more].max())} times as much. Rates hold there, but intervals are too narrow, and new"
                " rows are assigned too surely. There may be more clusters than groups: merge some with `disnplbm cut`."
            )
        if less.any():
            parts.append(
                f"In {self._some(less)}, counts vary less than Poisson counts do, down to {found[less].min():.2f} times"
                " as much. Rates hold there, but intervals are too wide."
            )
        return " ".join(parts)

    def _some(self, blocks: NDArray[np.bool_]) -> str:
        """Some of the blocks: how many, and how much of the table."""
        judged, number = int(self.judged.sum()), int(blocks.sum())
        which = _of_all(judged) if judged == 1 else f"{number:,} of {judged:,} blocks with enough counts"
        return f"{which} ({self._share(blocks)} of the cells)"

    def _share(self, blocks: NDArray[np.bool_]) -> str:
        return f"{self.cells[blocks[..., 0]].sum() / self.cells.sum():.0%}"


class PearsonSums:
    """Pearson's statistic of each block, added up while the shards pass by. It takes memory for the blocks.

    Parameters
    ----------
    blocks : Sums of shape (K, L)
        Total and exposure of all cells of each block.
    item_labels, other_labels : ndarray of int32, shapes (n,) and (p,)
        Clusters of the items, which are added shard by shard, and of the other axis; without holes.
    """

    def __init__(self, blocks: Sums, item_labels: Labels, other_labels: Labels) -> None:
        self._total, self._exposure = np.moveaxis(blocks.values, -1, 0)
        self._items, self._others = item_labels, other_labels
        self._sums = np.zeros((3, *self._total.shape))
        self._of_items = np.zeros((3, len(self._total)))
        self._of_others = np.zeros((3, self._total.shape[1]))

    def add(self, cells: SparseCounts, items: NDArray[np.int64]) -> None:
        """Add the cells of some items."""
        labels = self._items[items]
        self._sums += cells.pearson_sums(labels, self._others, self._total.shape)
        self._of_items += _of_factors(cells.row_factors, labels, len(self._total))
        self._of_others = _of_factors(cells.column_factors, self._others, self._total.shape[1])

    def finish(self) -> Dispersion:
        """The check, once all cells are added."""
        squares, missing, missing_inverse = self._sums
        (n, factors, inverse_items), (p, _, inverse_others) = self._of_items, self._of_others
        cells = np.outer(n, p) - missing
        total, of_items, of_others = self._total, self._total.sum(axis=1), self._total.sum(axis=0)
        freedom = cells - 1.0
        if np.allclose(of_items, factors):
            # The factors are the totals, which fit by themselves.
            freedom -= (n - 1.0)[:, None] * _ratio(total, of_items[:, None]) + (p - 1.0) * _ratio(total, of_others)
        judged = (total >= LEAST_TOTAL) & (freedom >= LEAST_CELLS - 1)
        theta = np.where(judged, _ratio(total, self._exposure), 1.0)
        statistic = squares / theta - total
        inverse = np.maximum(np.outer(inverse_items, inverse_others) - missing_inverse, 0.0) / theta
        freedom = np.where(judged, freedom, 1.0)
        p_values = p_value(statistic, freedom, 2.0 * freedom + inverse)
        found = (np.where(judged, each, np.nan)[..., None] for each in (statistic / freedom, p_values))
        return Dispersion(cells, *found)


def p_value(statistic: Floats, mean: Floats, variance: Floats) -> Floats:
    """Probability that a gamma variable of such a mean and variance is as far out, on either side."""
    shape, scaled = mean**2 / variance, np.maximum(statistic, 0.0) * mean / variance
    return np.asarray(np.minimum(2.0 * np.minimum(gammainc(shape, scaled), gammaincc(shape, scaled)), 1.0))


def _of_factors(factors: Floats, labels: Labels, n_clusters: int) -> Floats:
    """Of each cluster's members with a factor above 0: their number, the sum of the factors, and of their inverses."""
    there = factors > 0.0
    kept, labels = factors[there], labels[there]
    return np.stack([np.bincount(labels, each, n_clusters) for each in (np.ones(len(kept)), kept, 1.0 / kept)])


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """A quotient, 0 where nothing is divided by nothing."""
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator > 0.0)


def _times(dispersion: float) -> str:
    return f"{dispersion:.1f}" if dispersion < 10.0 else f"{dispersion:,.0f}"


def _of_all(judged: int) -> str:
    """All blocks that are judged, in words."""
    return f"all {judged:,} blocks with enough counts" if judged > 1 else "the one block with enough counts"
