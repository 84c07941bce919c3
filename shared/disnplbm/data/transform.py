"""Transforms of the columns: none, standardize, boxcox, log1p.

A transform is fitted to each of the user's columns on its own (for d > 1 to each component of it) from the chunks of a
dataset, in bounded memory, and then applied to any rows of these columns.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np
import scipy.special
from numpy.typing import NDArray

from disnplbm.data.columns import describe
from disnplbm.data.dataset import Dataset, Progress
from disnplbm.errors import InputError

Kind = Literal["none", "standardize", "boxcox", "log1p"]
KINDS: tuple[str, ...] = get_args(Kind)

FIT_BYTES = 64 * 2**20
"""Cells held at a time while Box-Cox is fitted, a group of columns after the other."""


@dataclass(frozen=True)
class Transform:
    """A fitted transform.

    Attributes
    ----------
    kind : {"none", "standardize", "boxcox", "log1p"}
    center, scale : ndarray, shape (p, d), or None
        Of standardize: mean and standard deviation (divisor: number of observed cells); scale 0 marks a constant
        column, which becomes 0.
    power : ndarray, shape (p, d), or None
        Of boxcox: lambda.
    """

    kind: Kind
    center: NDArray[np.float64] | None = None
    scale: NDArray[np.float64] | None = None
    power: NDArray[np.float64] | None = None

    def apply(
        self,
        values: NDArray[np.float64],
        columns: slice | NDArray[np.intp] = slice(None),
    ) -> NDArray[np.float64]:
        """Transform cells.

        Parameters
        ----------
        values : ndarray, shape (c, q, d)
            Cells of some rows; NaN stays NaN.
        columns : slice or ndarray of int
            Which of the p fitted columns these q are.

        Returns
        -------
        ndarray, shape (c, q, d)
            A new array, or `values` itself for "none".

        Raises
        ------
        InputError
            A value is outside of the transform's domain.
        """
        if self.kind == "none":
            return values
        if self.kind == "standardize":
            assert self.center is not None
            assert self.scale is not None
            scale = self.scale[columns]
            out = values - self.center[columns]
            out /= np.where(scale > 0, scale, 1.0)
            # Rounding of the mean would leave crumbs in a constant column.
            out[:, scale == 0] *= 0.0
            out += 0.0
            return out
        if not self._domain(values).all():
            raise InputError(f"a value is outside of the domain of {self.kind}; {_REMEDY[self.kind]}")
        if self.kind == "log1p":
            # Not NumPy's: its bits depend on whether the processor has AVX-512.
            return np.asarray(scipy.special.log1p(values), dtype=np.float64)
        assert self.power is not None
        return np.asarray(scipy.special.boxcox(values, self.power[columns]), dtype=np.float64)

    def _domain(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = ~(values <= (0.0 if self.kind == "boxcox" else -1.0))
        return inside

    def to_json(self) -> str:
        """JSON text; `from_json` gives back the same bits."""
        record: dict[str, Any] = {"kind": self.kind}
        for name in ("center", "scale", "power"):
            array = getattr(self, name)
            if array is not None:
                record[name] = array.tolist()
        return json.dumps(record)

    @classmethod
    def from_json(cls, text: str) -> Transform:
        """Read what `to_json` wrote."""
        record = json.loads(text)
        return cls(record.pop("kind"), **{name: np.array(rows, dtype=np.float64) for name, rows in record.items()})


_REMEDY = {
    "boxcox": "Box-Cox needs values above 0: add a constant to the data, or use --transform log1p or standardize",
    "log1p": "log1p needs values above -1: add a constant to the data, or use --transform standardize",
}


def check_kind(kind: str) -> Kind:
    """Return the name of a transform, or raise InputError that lists them."""
    if kind not in KINDS:
        raise InputError(f"unknown transform {kind!r}; choose one of {', '.join(KINDS)}")
    return cast(Kind, kind)


def fit_transform(dataset: Dataset, kind: str, progress: Progress | None = None) -> tuple[Transform, list[str]]:
    """Fit a transform to every column of a dataset.

    Parameters
    ----------
    dataset : Dataset
    kind : {"none", "standardize", "boxcox", "log1p"}
    progress : callable, optional
        Called with columns done and in all while Box-Cox is fitted.

    Returns
    -------
    transform : Transform
    warnings : list of str
        What became of constant columns.

    Raises
    ------
    InputError
        Unknown kind, or a value outside of its domain: names the column and says what to do.
    """
    kind = check_kind(kind)
    if kind == "none":
        return Transform("none"), []
    if kind == "standardize":
        return _fit_standardize(dataset)
    _check_domain(dataset, kind)
    if kind == "log1p":
        return Transform("log1p"), []
    return _fit_boxcox(dataset, progress)


def _fit_standardize(dataset: Dataset) -> tuple[Transform, list[str]]:
    """Means and standard deviations of the columns, merged chunk by chunk (Chan, Golub and LeVeque 1983).

    Means are counted from the first one seen, so that numbers far from zero keep their digits.
    """
    shape = (dataset.p, dataset.dimension)
    low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
    for _, values in dataset.arrays():
        low = np.minimum(low, np.fmin.reduce(values, axis=0, initial=np.inf))
        high = np.maximum(high, np.fmax.reduce(values, axis=0, initial=-np.inf))
    largest = np.maximum(np.abs(low), np.abs(high))
    usable = np.isfinite(largest) & (largest > 0)
    # Powers of two: they change no digit, and keep squares of huge and of tiny numbers in range.
    unit = np.exp2(np.clip(np.floor(np.log2(np.where(usable, largest, 1.0))) + 2, -1021, 1023))
    count, origin, mean, squares = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for _, raw in dataset.arrays():
        values = raw / unit
        seen = ~np.isnan(values)
        n = seen.sum(axis=0, dtype=np.float64)
        here = np.maximum(n, 1.0)
        origin = np.where((count == 0) & (n > 0), np.where(seen, values, 0.0).sum(axis=0) / here, origin)
        shifted = np.where(seen, values - origin, 0.0)
        m = shifted.sum(axis=0) / here
        s = (np.where(seen, shifted - m, 0.0) ** 2).sum(axis=0)
        total = np.maximum(count + n, 1.0)
        delta = m - mean
        mean += delta * n / total
        squares += s + delta**2 * count * n / total
        count += n
    constant = low >= high
    scale = np.where(constant, 0.0, np.sqrt(squares / np.maximum(count, 1.0)) * unit)
    # Of a spread that underflows nothing is left to divide by.
    constant |= scale == 0.0
    warned = _constant_warning(dataset, constant & (count > 0), "constant: set to 0 by standardize")
    return Transform("standardize", center=(origin + mean) * unit, scale=scale), warned


def _fit_boxcox(dataset: Dataset, progress: Progress | None) -> tuple[Transform, list[str]]:
    from disnplbm.data.boxcox import most_likely_power  # brings scipy.stats: slow, large, and needed here only

    p, d = dataset.p, dataset.dimension
    power = np.zeros((p, d))
    constant = np.zeros((p, d), dtype=np.bool_)
    group = max(1, FIT_BYTES // (8 * dataset.n * d))
    for start in range(0, p, group):
        stop = min(p, start + group)
        # One column after the other in memory, so that each fit reads one stretch.
        cells = np.empty((stop - start, d, dataset.n))
        for first, values in dataset.arrays():
            cells[:, :, first : first + len(values)] = values[:, start:stop].transpose(1, 2, 0)
        for j in range(stop - start):
            for k in range(d):
                observed = cells[j, k][~np.isnan(cells[j, k])]
                if len(observed) == 0:
                    continue
                if observed.min() == observed.max():
                    constant[start + j, k] = True
                else:
                    power[start + j, k] = most_likely_power(observed)
            if progress is not None:
                progress(start + j + 1, p)
    warned = _constant_warning(dataset, constant, "constant: set to the logarithm of the value by boxcox")
    return Transform("boxcox", power=power), warned


def _check_domain(dataset: Dataset, kind: Kind) -> None:
    transform = Transform(kind)
    for first, values in dataset.arrays():
        outside = ~transform._domain(values)
        if outside.any():
            i, j, k = (int(index) for index in np.argwhere(outside)[0])
            raise InputError(
                f"column {dataset.column_names[j]}, row {first + i + 1} holds {values[i, j, k]:g}; {_REMEDY[kind]}"
            )


def _constant_warning(dataset: Dataset, constant: NDArray[np.bool_], what: str) -> list[str]:
    columns = np.flatnonzero(constant.all(axis=1))
    if len(columns) == 0:
        return []
    return [describe("column", what, (dataset.column_names[j] for j in columns), len(columns))]
