"""Down-sampled pictures of a matrix: as it was read, and with rows and columns sorted by cluster.

The matrix is added chunk by chunk in any order and is never held. Each pixel is the mean of the observed cells it
covers; where pixels cover several cells, one single cell per pixel is kept as well, since means of mixed rows hide
what the matrix looks like before it is reordered.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from disnplbm.errors import InputError
from disnplbm.files import whole_file
from disnplbm.parts import prefixes_of
from disnplbm.report.bands import Bands, Indices, clustered_bands, even_bands

Image = NDArray[np.float64]
Cells = Image | csr_array
VIEWS = ("original", "reordered")


@dataclass(frozen=True)
class View:
    """One picture of the matrix.

    Attributes
    ----------
    rows, columns : Bands
        What the pixels of either axis cover.
    mean : ndarray of float64, shape (row pixels, column pixels)
        Mean of the observed cells of each pixel; NaN where none was observed.
    cells : ndarray of float64 or None
        One cell per pixel (NaN where missing), same shape; None where every pixel is one cell anyway.
    """

    rows: Bands
    columns: Bands
    mean: Image
    cells: Image | None


@dataclass(frozen=True)
class Heatmap:
    """The two pictures of a run: the matrix in file order, and sorted by row and column cluster."""

    original: View
    reordered: View

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return len(self.original.rows.order), len(self.original.columns.order)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Plain arrays by their names: about 1 MiB for 600 x 400 pixels."""
        arrays: dict[str, NDArray[np.generic]] = {}
        for name in VIEWS:
            view: View = getattr(self, name)
            for axis, bands in (("rows", view.rows), ("columns", view.columns)):
                for field in ("order", "start", "stop", "clusters"):
                    arrays[f"{name}_{axis}_{field}"] = getattr(bands, field)
                if bands.labels is not None:
                    arrays[f"{name}_{axis}_labels"] = bands.labels
            for kind, image in (("mean", view.mean), ("cells", view.cells)):
                if image is not None:
                    arrays[f"{name}_{kind}"], arrays[f"{name}_{kind}_scale"] = _pack(image)
        return arrays

    def save(self, path: Path) -> None:
        """Write the pictures of a table of one part; see :func:`save_heatmaps`."""
        save_heatmaps(path, [self])

    @classmethod
    def load(cls, path: Path) -> Heatmap:
        """Read the pictures of a table of one part, or of the first one; see :func:`load_heatmaps`."""
        return load_heatmaps(path)[0]


def save_heatmaps(path: Path, heatmaps: Sequence[Heatmap]) -> None:
    """Write the pictures of all parts of a table to an .npz file, without pickle."""
    arrays: dict[str, NDArray[np.generic]] = {}
    for prefix, heatmap in zip(prefixes_of(heatmaps), heatmaps, strict=True):
        arrays |= {f"{prefix}{name}": array for name, array in heatmap.arrays().items()}
    with whole_file(path, "wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def load_heatmaps(path: Path, n_parts: int = 1) -> tuple[Heatmap, ...]:
    """Read what :func:`save_heatmaps` wrote.

    Raises
    ------
    InputError
        The file is missing, or holds something else.
    """
    try:
        # numpy.load leaves a damaged archive open that it opened itself.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = dict(archive)
        return tuple(
            Heatmap(*(_view(arrays, f"{prefix}{name}") for name in VIEWS)) for prefix in prefixes_of(range(n_parts))
        )
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no heatmap; is {path.parent} the output folder of a run?") from error
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path}: not a heatmap of disnplbm; run `disnplbm fit` again to rewrite it") from error


class HeatmapBuilder:
    """Accumulates both pictures of a matrix from chunks of its rows, its columns or both, in any order.

    Parameters
    ----------
    row_labels : array_like of int, shape (n,)
        Cluster of each row, 0..K-1.
    column_labels : array_like of int, shape (p,)
        Cluster of each column, 0..L-1.
    max_rows, max_columns : int
        Largest size of a picture in pixels.
    min_band : int
        Pixels that even the thinnest cluster gets at full size.
    shown_rows, shown_columns : ndarray of int, shapes (K,) and (L,), optional
        Clusters in the order in which they are shown; by default by label.
    """

    def __init__(
        self,
        row_labels: ArrayLike,
        column_labels: ArrayLike,
        *,
        max_rows: int = 600,
        max_columns: int = 400,
        min_band: int = 6,
        shown_rows: NDArray[np.integer[Any]] | None = None,
        shown_columns: NDArray[np.integer[Any]] | None = None,
    ) -> None:
        rows, columns = np.asarray(row_labels), np.asarray(column_labels)
        self._shape = (len(rows), len(columns))
        self._original = _Accumulator(even_bands(len(rows), max_rows), even_bands(len(columns), max_columns))
        self._reordered = _Accumulator(
            clustered_bands(rows, max_rows, min_band, shown_rows),
            clustered_bands(columns, max_columns, min_band, shown_columns),
        )

    def add(
        self,
        values: NDArray[np.float64] | csr_array,
        row_indices: ArrayLike,
        column_indices: ArrayLike | None = None,
    ) -> None:
        """Add the cells of some rows and columns; each cell of the matrix is to be added once.

        Parameters
        ----------
        values : ndarray of float64, or sparse, shape (c, q)
            Cells; NaN is missing, and a cell that is not stored is 0. For vector cells pass one component.
        row_indices : array_like of int, shape (c,)
            Row of the matrix that each row of `values` is.
        column_indices : array_like of int, shape (q,), optional
            Column of the matrix that each column of `values` is; all columns in order by default.
        """
        rows = np.asarray(row_indices, dtype=np.int64)
        columns = np.arange(self._shape[1]) if column_indices is None else np.asarray(column_indices, dtype=np.int64)
        if values.shape != (len(rows), len(columns)):
            raise ValueError(f"values of shape {values.shape} for {len(rows)} rows and {len(columns)} columns")
        filled, missing = _split(values)
        for accumulator in (self._original, self._reordered):
            accumulator.add(values, filled, missing, rows, columns)

    def finish(self) -> Heatmap:
        """Means of what was added."""
        return Heatmap(self._original.view(), self._reordered.view())


def _split(values: Cells) -> tuple[Cells, Cells | None]:
    """Cells with 0 where they are missing, and 1 there with 0 elsewhere; None if none is missing."""
    if isinstance(values, np.ndarray):
        missing = np.isnan(values)
        return (np.where(missing, 0.0, values), missing.astype(np.float64)) if missing.any() else (values, None)
    values = values.tocsr()
    missing = np.isnan(values.data)
    if not missing.any():
        return values, None
    filled = np.where(missing, 0.0, values.data)
    as_values = values.indices, values.indptr
    return csr_array((filled, *as_values), values.shape), csr_array((missing.astype(float), *as_values), values.shape)


class _Accumulator:
    """Sums, counts and single cells per bin of one view."""

    def __init__(self, rows: Bands, columns: Bands) -> None:
        self.rows, self.columns = rows, columns
        shape = (len(rows.bin_starts), len(columns.bin_starts))
        self._sums = np.zeros(shape)
        self._counts = np.zeros(shape)
        self._cells = None if rows.exact and columns.exact else np.full(shape, np.nan)

    def add(
        self, values: Cells, filled: Cells, missing: Cells | None, row_indices: Indices, column_indices: Indices
    ) -> None:
        row_bins, of_row = np.unique(self.rows.item_bins[row_indices], return_inverse=True)
        column_bins, of_column = np.unique(self.columns.item_bins[column_indices], return_inverse=True)
        to_rows, to_columns = _indicator(of_row, len(row_bins)), _indicator(of_column, len(column_bins))
        target = np.ix_(row_bins, column_bins)
        self._sums[target] += _reduce(to_rows, to_columns, filled)
        self._counts[target] += np.outer(np.bincount(of_row), np.bincount(of_column))
        if missing is not None:
            self._counts[target] -= _reduce(to_rows, to_columns, missing)
        if self._cells is not None:
            sampled_rows, sampled_columns = (
                self.rows.sampled_bins[row_indices],
                self.columns.sampled_bins[column_indices],
            )
            picked_rows, picked_columns = np.flatnonzero(sampled_rows >= 0), np.flatnonzero(sampled_columns >= 0)
            place = np.ix_(sampled_rows[picked_rows], sampled_columns[picked_columns])
            self._cells[place] = _pick(values, picked_rows, picked_columns)

    def view(self) -> View:
        mean = np.full(self._sums.shape, np.nan)
        np.divide(self._sums, self._counts, out=mean, where=self._counts > 0)
        pixels = np.ix_(self.rows.pixel_bins, self.columns.pixel_bins)
        return View(self.rows, self.columns, mean[pixels], None if self._cells is None else self._cells[pixels])


def _pick(values: Cells, rows: Indices, columns: Indices) -> Image:
    """The cells of some rows and columns."""
    if isinstance(values, np.ndarray):
        return values[np.ix_(rows, columns)]
    return np.asarray(values.tocsr()[rows][:, columns].toarray())


def _indicator(bins: Indices, count: int) -> csr_array:
    """Sparse 0/1 matrix of shape (count, items) that sums items into bins."""
    items = np.arange(len(bins))
    return csr_array((np.ones(len(bins)), (bins, items)), shape=(count, len(bins)))


def _reduce(to_rows: csr_array, to_columns: csr_array, image: Cells) -> Image:
    """Sums per bin; starts with the axis that lies contiguous in memory, since the other order copies the chunk."""
    if not isinstance(image, np.ndarray):
        return np.asarray((to_rows @ image @ to_columns.T).toarray())
    if image.flags.c_contiguous:
        return np.asarray(to_columns.dot(to_rows.dot(image).T).T)
    return np.asarray(to_rows.dot(to_columns.dot(image.T).T))


def _pack(image: Image) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Single precision around the picture's own centre: 1e8 + {0, 1, 2} and 1e-146 survive as they are."""
    finite = image[np.isfinite(image)]
    centre = float(np.median(finite)) if finite.size else 0.0
    unit = (float(np.abs(finite - centre).max()) if finite.size else 0.0) or 1.0
    return ((image - centre) / unit).astype(np.float32), np.array([centre, unit])


def _unpack(packed: NDArray[np.float32], scale: NDArray[np.float64]) -> Image:
    centre, unit = scale
    return np.asarray(packed.astype(np.float64) * unit + centre)


def _view(arrays: dict[str, NDArray[np.generic]], name: str) -> View:
    def bands(axis: str) -> Bands:
        # A picture of an earlier version has its clusters in the order of their labels, and does not say so.
        names = [f"{name}_{axis}_{field}" for field in ("order", "start", "stop", "clusters", "labels")]
        found = Bands(*(arrays[each].astype(np.int64, casting="same_kind") for each in names if each in arrays))
        found.check()
        return found

    def image(kind: str) -> Image:
        found = _unpack(arrays[f"{name}_{kind}"].astype(np.float32), arrays[f"{name}_{kind}_scale"].astype(np.float64))
        if found.shape != (rows.pixels, columns.pixels):
            raise ValueError(f"a picture of shape {found.shape} for {rows.pixels} x {columns.pixels} pixels")
        return found

    rows, columns = bands("rows"), bands("columns")
    return View(rows, columns, image("mean"), image("cells") if f"{name}_cells" in arrays else None)
