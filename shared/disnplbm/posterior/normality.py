r"""Posterior predictive check of every block: are its cells as skewed and as heavy-tailed as normal cells are?

A posterior predictive p-value (Gelman, Meng and Stern 1996) is the probability, over the parameters' posterior and
over cells replicated from them, that a discrepancy is at least as large in the replicated cells as in those seen. The
discrepancy here is made of the skewness g and the kurtosis b of a block's N cells (of each component by itself):

    g = m3 / m2^(3/2)      b = m4 / m2^2      m_r = mean of (x - mean)^r

Neither changes when the cells are shifted or scaled. So their distribution in replicated normal cells is the same
for all parameters, depends on N alone, and the integral over the posterior is done: no draws of parameters are needed,
and the p-value of cells that *are* normal is uniform, unlike with other discrepancies. With g and b brought
to standard normal scores z_g (D'Agostino 1970) and z_b (Anscombe and Glynn 1983), which are uncorrelated, the
discrepancy is the larger |z|, and with q = P(|Z| >= max(|z_g|, |z_b|)) for a standard normal Z, p = 1 - (1 - q)^2. (The
sum of their squares is more usual, but large scores come together: at 1e-5 its chance is 40 times what it says.)

The more cells, the smaller a departure makes p small: nothing measured is exactly normal. A block is *clearly* not
normal if chance is ruled out, over all blocks, and the departure is one that matters.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

from disnplbm.model.sparse_statistics import StoredRows
from disnplbm.model.statistics import Floats, Labels

#: Fewer cells do not tell, and the scores are not normal.
LEAST_CELLS = 20

#: Plainly not normal: so unlikely by chance, for any of all blocks together, and with a skewness, or a kurtosis in
#: excess of the normal's, beyond these.
CHANCE = 0.001
LARGEST_SKEWNESS = 0.5
LEAST_KURTOSIS, LARGEST_KURTOSIS = -0.5, 1.0

#: Cells are taken in that many at a time, which stay in the processor's cache.
STRETCH_CELLS = 2**16

#: Deviations below this part of the cells' size are rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Normality:
    """What the check says of every block; NaN where there are too few cells.

    Parameters
    ----------
    cells : ndarray of shape (K, L)
        Observed cells.
    skewness : ndarray of shape (K, L, d)
        Also NaN where all cells are equal.
    kurtosis : ndarray of shape (K, L, d)
        In excess of the normal distribution's 3; likewise.
    p : ndarray of shape (K, L, d)
        Posterior predictive p-value; 0 where all cells are equal.
    """

    cells: Floats
    skewness: Floats
    kurtosis: Floats
    p: Floats

    @property
    def T(self) -> Normality:
        """The same with rows and columns swapped."""
        return Normality(*(getattr(self, field.name).swapaxes(0, 1) for field in fields(self)))

    @property
    def columns(self) -> dict[str, Floats]:
        """What blocks.csv holds of it."""
        return {"skewness": self.skewness, "kurtosis": self.kurtosis, "ppc": self.p}

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Blocks with enough cells, shape (K, L)."""
        return np.asarray(self.cells >= LEAST_CELLS)

    @property
    def plainly_not_normal(self) -> NDArray[np.bool_]:
        """Blocks any component of which is, shape (K, L)."""
        return np.asarray(self.plain.any(axis=-1))

    @property
    def plain(self) -> NDArray[np.bool_]:
        """Components of blocks that are clearly not normal, shape (K, L, d)."""
        number = max(int(self.judged.sum()) * self.p.shape[-1], 1)
        constant = self.judged[..., None] & np.isnan(self.skewness)
        far = (
            (np.abs(self.skewness) > LARGEST_SKEWNESS)
            | (self.kurtosis < LEAST_KURTOSIS)
            | (self.kurtosis > LARGEST_KURTOSIS)
            | constant
        )
        return np.asarray(far & (self.p < CHANCE / number))

    def to_dict(self) -> dict[str, Any]:
        """What run.json says of it."""
        total, odd = float(self.cells.sum()), self.plainly_not_normal
        return {
            "judged": int(self.judged.sum()),
            "not_normal": int(odd.sum()),
            "share_of_cells": float(self.cells[odd].sum()) / total if total else 0.0,
            "sentence": self._sentence(),
        }

    def _sentence(self) -> str:
        judged, odd = int(self.judged.sum()), self.plainly_not_normal
        number = int(odd.sum())
        size = f"with at least {LEAST_CELLS} cells"
        if judged == 0:
            return f"No block has the {LEAST_CELLS} cells that it takes to tell whether they are normal."
        if number == 0:
            return (
                f"The one block {size} looks normal." if judged == 1 else f"All {judged:,} blocks {size} look normal."
            )
        of = "1 block" if judged == 1 else f"the {judged:,} blocks"
        return (
            f"{number:,} of {of} {size} ({self.cells[odd].sum() / self.cells.sum():.0%} of the cells)"
            f" {'is' if number == 1 else 'are'} clearly not normal: more skewed than normal data, or with heavier or"
            f" lighter tails. {'Its mean holds' if number == 1 else 'Their means hold'}, but standard deviations,"
            " intervals and the probabilities of new rows are rough."
        )


def rows_of_stretch(n_others: int) -> int:
    """How many items, of that many cells each, are added at a time."""
    return max(1, STRETCH_CELLS // n_others)


class MomentSums:
    """Sums of powers of each block's cells about a point near their mean, added while the data pass by.

    It takes memory for the blocks and a few cells. Orientation and units are the caller's.

    Parameters
    ----------
    item_labels, other_labels : ndarray of int32, shapes (n,) and (p,)
        Clusters of the items, which are added some at a time, and of the other axis; without holes.
    centre : ndarray of shape (K, L, d)
        Near the mean of each block.
    """

    def __init__(self, item_labels: Labels, other_labels: Labels, centre: Floats) -> None:
        self._items, self._other_labels = item_labels, other_labels
        self._order = np.argsort(other_labels, kind="stable")
        self._others = other_labels[self._order]
        self._starts = np.searchsorted(self._others, np.arange(centre.shape[1]))
        self._centre = centre
        self._sums = np.zeros((5, *centre.shape))

    def add(self, values: Floats, items: NDArray[np.int64], *, complete: bool) -> None:
        """Add the cells, shape (c, p, d), of some items; those with NaN are missing.

        Parameters
        ----------
        values : ndarray of shape (c, p, d)
        items : ndarray of int64, shape (c,)
        complete : bool
            That no cell is missing.
        """
        step = rows_of_stretch(values.shape[1])
        for start in range(0, len(values), step):
            labels = self._items[items[start : start + step]]
            order = np.argsort(labels, kind="stable")
            stretch, labels = values[start : start + step][order[:, None], self._order], labels[order]
            missing = None if complete else np.isnan(stretch).any(axis=-1)
            firsts = np.flatnonzero(np.diff(labels, prepend=-1))
            for component in range(values.shape[2]):
                centre = self._centre[..., component]
                cells = stretch[..., component] - centre[labels][:, self._others]
                powers = np.ones_like(cells)
                if missing is not None:
                    cells[missing] = powers[missing] = 0.0
                for sums in self._sums[..., component]:
                    within = np.add.reduceat(powers, self._starts, axis=1)
                    sums[labels[firsts]] += np.add.reduceat(within, firsts, axis=0)
                    powers *= cells

    def add_stored(self, stored: StoredRows, items: NDArray[np.int64]) -> None:
        """Add the cells of some items of which those that are zero are not stored; see :meth:`add`.

        Parameters
        ----------
        stored : StoredRows
            Their cells, of one number.
        items : ndarray of int64, shape (c,)
        """
        shape = self._sums.shape[1:3]
        labels = self._items[items]
        zeros = np.outer(*map(_sizes, (labels, self._other_labels), shape))
        step = max(1, STRETCH_CELLS * len(items) // max(len(stored.values), 1))
        for start in range(0, len(items), step):
            ends = stored.indptr[start : start + step + 1]
            here = slice(int(ends[0]), int(ends[-1]))
            of_cells = np.repeat(labels[start : start + step], np.diff(ends))
            place = np.ravel_multi_index((of_cells, self._other_labels[stored.indices[here]]), shape)
            zeros -= np.bincount(place, minlength=zeros.size).reshape(shape)
            seen = ~np.isnan(stored.values[here])
            place, cells = place[seen], stored.values[here][seen]
            self._add_powers(cells - self._centre[..., 0].reshape(-1)[place], place)
        powers = zeros
        for sums in self._sums[..., 0]:
            sums += powers
            powers = powers * (stored.zero - self._centre[..., 0])

    def _add_powers(self, cells: Floats, place: NDArray[np.intp]) -> None:
        """Add deviations of cells, each in the block of that place."""
        powers = np.ones_like(cells)
        for sums in self._sums[..., 0]:
            sums += np.bincount(place, weights=powers, minlength=sums.size).reshape(sums.shape)
            powers *= cells

    def normality(self) -> Normality:
        """The check, once all cells are added."""
        number = self._sums[0]
        judged = number >= LEAST_CELLS
        first, second, third, fourth = np.divide(
            self._sums[1:], number, out=np.full(self._sums[1:].shape, np.nan), where=judged
        )
        m2 = second - first**2
        m3 = third - 3 * first * second + 2 * first**3
        m4 = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
        varies = judged & (m2 > (_ROUNDING * (1.0 + np.abs(self._centre))) ** 2)
        unknown = np.full(m2.shape, np.nan)
        skewness = np.divide(m3, m2**1.5, out=unknown.copy(), where=varies)
        kurtosis = np.divide(m4, m2**2, out=unknown.copy(), where=varies)
        p = np.where(judged, 0.0, np.nan)
        p[varies] = p_value(skewness[varies], kurtosis[varies], number[varies])
        return Normality(number[..., 0], skewness, kurtosis - 3.0, p)


def _sizes(labels: Labels, number: int) -> Floats:
    """Members of each cluster."""
    return np.bincount(labels, minlength=number).astype(np.float64)


def p_value(skewness: Floats, kurtosis: Floats, number: Floats) -> Floats:
    """Probability that normal cells, as many, are further from the normal in skewness and kurtosis together.

    Parameters
    ----------
    skewness, kurtosis : ndarray of shape (m,)
        g and b.
    number : ndarray of shape (m,)
        N, at least :data:`LEAST_CELLS`.
    """
    larger = np.maximum(np.abs(skewness_score(skewness, number)), np.abs(kurtosis_score(kurtosis, number)))
    tail = erfc(larger / np.sqrt(2.0))
    return np.asarray(tail * (2.0 - tail))


def skewness_score(skewness: Floats, number: Floats) -> Floats:
    """Skewness g of N normal cells as a standard normal score (D'Agostino 1970)."""
    n = number
    y = skewness * np.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    beta2 = 3 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    w2 = np.sqrt(2 * (beta2 - 1)) - 1
    return np.asarray(np.arcsinh(y / np.sqrt(2 / (w2 - 1))) / np.sqrt(np.log(w2) / 2))


def kurtosis_score(kurtosis: Floats, number: Floats) -> Floats:
    """Kurtosis b of N normal cells as a standard normal score (Anscombe and Glynn 1983)."""
    n = number
    mean = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (kurtosis - mean) / np.sqrt(variance)
    skew = 6 * (n**2 - 5 * n + 2) / ((n + 7) * (n + 9)) * np.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / skew * (2 / skew + np.sqrt(1 + 4 / skew**2))
    # Tails far lighter than normal ones may make this 0 or negative; the score is far from 0 all the same.
    with np.errstate(divide="ignore"):
        root = np.cbrt((1 - 2 / a) / (1 + x * np.sqrt(2 / (a - 4))))
    return np.asarray((1 - 2 / (9 * a) - root) / np.sqrt(2 / (9 * a)))
