"""Tables with a tenth of their cells held out, on the scale of a transform that has not seen those cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.studies.data import REAL_DATA, DataSet, expression, paper, wine
from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.transform import fit_transform
from disnplbm.model.statistics import Floats
from disnplbm.objects.store import open_store

#: Share of the observed cells that is held out.
SHARE = 0.1

#: Principal components that a curve is reduced to.
COMPONENTS = 3

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Masked:
    """A table without the cells that were held out, and these cells.

    Parameters
    ----------
    train : ndarray of shape (n, p, d)
        Transformed; NaN where a cell is held out or missing.
    rows, columns : ndarray of int, shape (M,)
        Places of the cells held out.
    cells : ndarray of shape (M, d)
        Transformed as ``train`` is.
    """

    train: Floats
    rows: Places
    columns: Places
    cells: Floats


def velib() -> DataSet:
    """1,189 bike stations x 7 weekdays; a cell is the curve of 24 hourly loads. No classes are known: all are one."""
    with np.load(REAL_DATA / "velib.npz") as arrays:
        values = arrays["data"]
    return DataSet("velib", values, np.zeros(len(values), dtype=np.int64), None, "components")


#: What makes each data set of the studies of the posterior.
SETS: dict[str, Callable[[], DataSet]] = {
    "synthetic": lambda: paper(150, 150),
    "wine": wine,
    "Chowdary": lambda: expression("chowdary-2006"),
    "Nutt": lambda: expression("nutt-2003-v3"),
    "velib": velib,
}


@cache
def data_set(name: str) -> DataSet:
    """A data set of :data:`SETS`."""
    return SETS[name]()


@cache
def whole(name: str) -> Floats:
    """All cells of a data set, shape (n, p, d), transformed by all of them."""
    data = data_set(name)
    values = _cells(data)
    return _fitted(data.transform, values)(values)


@cache
def masked(name: str, seed: int) -> Masked:
    """A data set of :data:`SETS` without a tenth of its cells."""
    return mask(data_set(name), seed)


def mask(data: DataSet, seed: int) -> Masked:
    """Hold out a tenth of the cells; the transform is fitted to the others."""
    values = _cells(data)
    rows, columns = _places(values, seed)
    train = values.copy()
    train[rows, columns] = np.nan
    apply = _fitted(data.transform, train)
    return Masked(apply(train), rows, columns, apply(values)[rows, columns])


def masked_again(train: Floats, seed: int) -> Masked:
    """Hide a tenth of the cells that are left, for choices that must not see the cells held out."""
    rows, columns = _places(train, seed)
    inner = train.copy()
    inner[rows, columns] = np.nan
    return Masked(inner, rows, columns, train[rows, columns])


def _cells(data: DataSet) -> Floats:
    values = np.asarray(data.values, dtype=np.float64)
    return values if values.ndim == 3 else values[..., None]


def _places(values: Floats, seed: int) -> tuple[Places, Places]:
    """A tenth of the observed cells, at random."""
    rows, columns = np.nonzero(~np.isnan(values).any(axis=-1))
    chosen = np.sort(np.random.default_rng(seed).permutation(len(rows))[: round(SHARE * len(rows))])
    return rows[chosen], columns[chosen]


def _fitted(kind: str, train: Floats) -> Callable[[Floats], Floats]:
    """A transform fitted to the cells that are not missing."""
    if kind == "components":
        curves = train[~np.isnan(train).any(axis=-1)]
        centre = curves.mean(axis=0)
        directions = np.linalg.svd(curves - centre, full_matrices=False)[2][:COMPONENTS]
        # The sign of a direction is arbitrary: make its largest entry positive.
        largest = np.abs(directions).argmax(axis=1)
        directions = directions * np.sign(directions[np.arange(COMPONENTS), largest])[:, None]
        return lambda values: (values - centre) @ directions.T
    store = open_store("memory://")
    return fit_transform(ingest(ArraySource(train), store, "dataset"), kind)[0].apply
