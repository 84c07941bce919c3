"""A picture of a part of a matrix: exact where the part is small, from a sample or the overview where it is large."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from cachetools import LRUCache, cachedmethod
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.machine import usable_cores
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.records import RunRecord
from disnplbm.runs.results import Results
from disnplbm_dashboard.heatmap.cells import read_cells
from disnplbm_dashboard.heatmap.layout import CATEGORICAL, Exposures, Layout, Order, load_layout
from disnplbm_dashboard.heatmap.typed import count_stored, sum_cells
from disnplbm_dashboard.heatmap.viewport import Span, means

#: Cells that are read for a picture, about.
_CELLS = 2_000_000

#: Cells that are read for a picture of a sparse matrix, about: those that it stores.
_STORED = 8_000_000

#: Layouts that are kept at hand.
_KEPT = 8

#: Pictures that are kept at hand.
_PICTURES = 64


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Pixels.

    Parameters
    ----------
    mean : ndarray of float32, shape (height, width)
        NaN where nothing is observed. Of categories: the number of one.
    missing : ndarray of float32 or None
        Share of missing cells, where it is known.
    exact : bool
        Whether every cell was looked at for its pixel.
    exposures : pair of ndarray, shapes (height,) and (width,), or None
        Of counts that are compared: their product is the mean that is expected of a pixel.
    """

    mean: NDArray[np.float32]
    missing: NDArray[np.float32] | None
    exact: bool
    exposures: Exposures | None = None


class Pictures:
    """Makes pictures, and keeps the last ones."""

    def __init__(self, store: ObjectStore, results: Results) -> None:
        self._store, self._results = store, results
        self._lock = threading.Lock()
        # Each takes some ten megabytes while it is made, and more at a time would not be made sooner.
        self._makers = threading.Semaphore(usable_cores())
        self._layouts: LRUCache[str, Layout] = LRUCache(_KEPT)
        self._made: LRUCache[tuple[str, Order, Span, Span, int], Picture] = LRUCache(_PICTURES)

    @cachedmethod(lambda self: self._layouts, key=lambda _, run: run.id, lock=lambda self: self._lock)
    def layout(self, run: RunRecord) -> Layout:
        """What the pictures of a finished run have in common."""
        return load_layout(self._store, self._results, run)

    @cachedmethod(
        lambda self: self._made,
        key=lambda _, run, order, rows, columns, component=0: (run.id, order, rows, columns, component),
        lock=lambda self: self._lock,
    )
    def picture(self, run: RunRecord, order: Order, rows: Span, columns: Span, component: int = 0) -> Picture:
        """A part of a finished run's matrix.

        Parameters
        ----------
        order : {"reordered", "original"}
        component : int
            Which of a cell's numbers.

        Raises
        ------
        InputError
            Cells have no such number.
        RunError
            The store cannot be read.
        """
        with self._makers:
            return self._make(self.layout(run), order, rows, columns, component)

    def _make(self, layout: Layout, order: Order, rows: Span, columns: Span, component: int) -> Picture:
        manifest = layout.manifest
        if component >= manifest.dimension:
            raise InputError(f"component {component}: cells have the numbers 0 to {manifest.dimension - 1}")
        whole = rows.length == manifest.n and columns.length == manifest.p
        if whole and rows.length * columns.length > _CELLS and component == 0:
            mean = layout.overview_means(order, rows.pixels, columns.pixels)
            none = np.zeros(mean.shape, np.float32) if manifest.missing == 0 else None
            exposures = layout.overview_exposures(order, rows.pixels, columns.pixels)
            return Picture(mean.astype(np.float32), none, False, exposures)
        if not manifest.is_dense:
            return self._make_typed(layout, order, rows, columns)
        at_rows = rows.positions(_CELLS // columns.length)
        at_columns = columns.positions(_CELLS // len(at_rows))
        values = read_cells(
            self._store,
            manifest,
            layout.order(order, "rows")[at_rows],
            layout.order(order, "columns")[at_columns],
            component,
        )
        mean, missing = means(values, rows.starts(at_rows), columns.starts(at_columns))
        exact = len(at_rows) == rows.length and len(at_columns) == columns.length
        return Picture(mean.astype(np.float32), missing.astype(np.float32), exact)

    def _make_typed(self, layout: Layout, order: Order, rows: Span, columns: Span) -> Picture:
        """A picture of sparse cells: of one cell a pixel where they are categories, else of as many as can be."""
        manifest = layout.manifest
        if manifest.cells == CATEGORICAL:
            at_rows, at_columns = rows.positions(rows.pixels), columns.positions(columns.pixels)
        else:
            items = rows if manifest.axis == "rows" else columns
            few = min(1.0, _STORED / max(1, count_stored(manifest, items.length)))
            at_rows, at_columns = (
                span.positions(int(few * span.length) if span is items else span.length) for span in (rows, columns)
            )
        cells = rows.sizes(at_rows), columns.sizes(at_columns)
        sums, missing = sum_cells(
            self._store,
            manifest,
            layout.order(order, "rows")[at_rows],
            layout.order(order, "columns")[at_columns],
            (np.repeat(np.arange(rows.pixels), cells[0]), np.repeat(np.arange(columns.pixels), cells[1])),
        )
        number = np.outer(*cells)
        mean = np.full(sums.shape, np.nan)
        np.divide(sums, number - missing, out=mean, where=number > missing)
        exact = len(at_rows) == rows.length and len(at_columns) == columns.length
        exposures = layout.exposures(order, rows, columns)
        return Picture(mean.astype(np.float32), (missing / number).astype(np.float32), exact, exposures)
