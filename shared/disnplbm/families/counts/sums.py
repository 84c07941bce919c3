"""Sums of sets of counts where no cell is missing: totals that are 0 and exposures take no memory."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.counts.exposure import Exposure
from disnplbm.families.counts.totals import Totals
from disnplbm.families.exponential.kernels import SparseFeatures, add_columns, add_rows
from disnplbm.kernels.compiler import kernel
from disnplbm.model.statistics import Floats, Labels
from disnplbm.smallest import narrowed


class CountSums:
    """Sums of an array of sets of shape (a, b), to be read. The same as :class:`Sums`, bit for bit.

    Parameters
    ----------
    totals : Totals, or ndarray of shape (a, b)
        An array where the sums of several shards are added up: most of them are not 0 then.
    exposure : Exposure
    """

    names: ClassVar[tuple[str, ...]] = ("ends", "indices", "totals", "row_factors", "column_factors")

    def __init__(self, totals: Totals | Floats, exposure: Exposure) -> None:
        self._totals, self.exposure = totals, exposure

    @classmethod
    def of_arrays(cls, *arrays: NDArray[Any]) -> CountSums:
        """Sums whose :attr:`arrays` these are; ValueError if they cannot be."""
        ends, indices, values, *factors = arrays
        exposure = Exposure(*factors)
        if any(each.dtype != np.float64 or each.ndim != 2 or len(each) != 1 for each in factors):
            raise ValueError("factors that are no numbers")
        if ends.dtype != np.int64 or indices.dtype != np.int32 or values.dtype.kind not in "uf" or values.ndim != 1:
            raise ValueError("totals that are no numbers")
        if ends.shape != (exposure.shape[0] + 1,) or indices.shape != values.shape:
            raise ValueError(f"totals of {ends.shape} rows for factors of {exposure.shape}")
        if ends[0] != 0 or ends[-1] != len(indices) or (np.diff(ends) < 0).any():
            raise ValueError("totals that end before they begin")
        if not _are_in_order(ends, indices, exposure.shape[1]):
            raise ValueError("totals of columns that are none, or out of order")
        return cls(Totals(ends, indices, values.astype(np.float64)), exposure)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What a message holds of them: whole numbers in as few bytes as they need."""
        if len(self.exposure.rows) > 1 or len(self.exposure.columns) > 1:
            return (self.values,)
        ends, indices, values = self.totals
        return ends, indices, narrowed(values), *self.exposure

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the array of sets."""
        return self.exposure.shape

    @property
    def row_shape(self) -> tuple[int, ...]:
        """Shape of the sums of a row of sets."""
        return self.shape[1], 2

    @property
    def n_bytes(self) -> int:
        """In memory."""
        parts = (*self._totals,) if isinstance(self._totals, Totals) else (self._totals,)
        return sum(part.nbytes for part in (*parts, *self.exposure))

    @cached_property
    def totals(self) -> Totals:
        """The totals in compressed form."""
        return self._totals if isinstance(self._totals, Totals) else Totals.of_dense(self._totals)

    @cached_property
    def values(self) -> Floats:
        """Total and exposure of each set, shape (a, b, 2)."""
        return np.stack([self._dense_totals, self.exposure.dense()], axis=-1)

    @property
    def _dense_totals(self) -> Floats:
        return self._totals.dense(self.shape[1]) if isinstance(self._totals, Totals) else self._totals

    @property
    def contiguous(self) -> Floats:
        """The values with the sums of each set, and the sets of each row, side by side in memory."""
        return self.values

    @property
    def T(self) -> CountSums:
        """The sets of shape (a, b) as (b, a)."""
        if isinstance(self._totals, Totals):
            return CountSums(self._totals.turned(self.shape[1]), self.exposure.turned)
        return CountSums(Totals.of_dense(self._totals.T), self.exposure.turned)

    @property
    def features(self) -> tuple[SparseFeatures, Floats]:
        """Features of the rows as items: their totals and a factor; and the pattern of their exposures."""
        factors, pattern = self.exposure.factored()
        return SparseFeatures(*self.totals, factors, self.shape[1]), pattern

    def __getitem__(self, index: Any) -> CountSums:
        """The sets of some rows."""
        if isinstance(index, slice) and index == slice(None, self.shape[0]):
            return self
        exposure = self.exposure.of_rows(index)
        if isinstance(self._totals, Totals):
            return CountSums(self._totals.rows(np.arange(self.shape[0])[index]), exposure)
        return CountSums(self._totals[index], exposure)

    def __setitem__(self, index: Any, sets: CountSums) -> None:
        raise TypeError("light sums of counts are to be read alone")

    def put(self, index: NDArray[np.intp], sets: CountSums) -> CountSums:
        """The same with other rows at an index; all expose the columns alike."""
        rows = self.exposure.rows.copy()
        rows[:, index] = sets.exposure.rows
        source = np.arange(self.shape[0])
        source[index] = self.shape[0] + np.arange(len(index))
        totals = sets.totals.behind(self.totals).rows(source)
        return CountSums(totals, Exposure(rows, self.exposure.columns))

    def empty_like(self, shape: tuple[int, ...]) -> CountSums:
        """Sums of empty sets, an array of the given shape (a, b)."""
        return CountSums(Totals.of_dense(np.zeros(shape)), Exposure(*(np.zeros((1, length)) for length in shape)))

    def extended(self, number: int) -> CountSums:
        """The same sets and rows of so many empty ones behind them."""
        rows = np.pad(self.exposure.rows, ((0, 0), (0, number)))
        if isinstance(self._totals, Totals):
            ends = np.pad(self._totals.indptr, (0, number), mode="edge")
            return CountSums(self._totals._replace(indptr=ends), Exposure(rows, self.exposure.columns))
        # Rows that nothing is written to take no memory.
        totals = np.zeros((self.shape[0] + number, self.shape[1]))
        totals[: self.shape[0]] = self._totals
        return CountSums(totals, Exposure(rows, self.exposure.columns))

    def copy(self) -> CountSums:
        """The same, which nobody changes."""
        return self

    def placed(self, targets: Labels, number: int) -> CountSums:
        """So many rows, of which those that ``targets`` names are these, and the others are empty."""
        source = np.full(number, self.shape[0])
        source[targets] = np.arange(self.shape[0])
        return self.extended(1)[source]

    def gathered(self, sets: CountSums, targets: Labels) -> CountSums:
        """The same rows with other ones added to those that ``targets`` names, no two to the same.

        The array of totals is changed, if there is one.
        """
        totals = self._dense_totals
        sets.totals.add_to(totals, targets)
        rows = self.exposure.rows
        # Behind the last term of each row, for terms are added in order.
        terms = len(rows) - np.argmax(rows[::-1, targets] != 0.0, axis=0)
        terms[~rows[:, targets].any(axis=0)] = 0
        rows = np.pad(rows, ((0, max(int(terms.max(initial=0)) + 1 - len(rows), 0)), (0, 0)))
        rows[terms, targets] = sets.exposure.rows[0]
        return CountSums(totals, Exposure(rows, self.exposure.columns))

    def may_gather(self, sets: CountSums) -> bool:
        """Whether :meth:`gathered` can add such sets: all expose the columns alike, and they have a term a row."""
        ours, others = self.exposure.columns, sets.exposure.columns
        return len(sets.exposure.rows) == 1 and len(ours) == 1 and np.array_equal(ours, others)

    def add_to(self, into: Floats, labels: Labels, axis: int) -> None:
        """Add the sets to those that the labels of an axis name: ``into`` is of shape (g, b, 2), or (a, g, 2)."""
        values = np.ascontiguousarray(into[..., 0])
        # Exposures are added in the order of the items: rows here.
        exposures = np.ascontiguousarray(into[..., 1] if axis == 0 else into[..., 1].T)
        exposure = self.exposure if axis == 0 else self.exposure.turned
        exposure.add_to(exposures, labels)
        if isinstance(self._totals, Totals):
            add = self._totals.add_to if axis == 0 else self._totals.add_columns_to
            add(values, labels)
        elif axis == 0:
            add_rows(self._totals, labels, values)
        else:
            add_columns(self._totals[..., None], labels, values[..., None])
        into[..., 0], into[..., 1] = values, exposures if axis == 0 else exposures.T


@kernel
def _are_in_order(ends, indices, columns):  # type: ignore[no-untyped-def]
    for i in range(ends.size - 1):
        last = -1
        for t in range(ends[i], ends[i + 1]):
            if indices[t] <= last or indices[t] >= columns:
                return False
            last = indices[t]
    return True
