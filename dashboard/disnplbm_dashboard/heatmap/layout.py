"""What pictures of a run have in common: orders, cluster borders, names, colours."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from disnplbm.cell_types import DENSE
from disnplbm.data.dataset import Dataset, load_dataset
from disnplbm.data.shards import Manifest, load_manifest
from disnplbm.families.category_names import category_names
from disnplbm.files import scratch_folder
from disnplbm.objects.store import ObjectStore
from disnplbm.report.bands import Bands
from disnplbm.report.heatmap import Heatmap
from disnplbm.runs.records import RunRecord
from disnplbm.runs.results import Results
from disnplbm_dashboard.heatmap.typed import read_exposures
from disnplbm_dashboard.heatmap.viewport import Indices, Span

Order = Literal["reordered", "original"]

#: What rows, and what columns, contribute to the count that is expected of a cell, a product; of pixels: their means.
Exposures = tuple[NDArray[np.float64], NDArray[np.float64]]

#: The type of cells of which no mean is shown.
CATEGORICAL = "categorical"

#: Steps of the colour scale.
_STEPS = 100


@dataclass(frozen=True, eq=False)
class Layout:
    """A finished run, as its pictures need it.

    Parameters
    ----------
    overview : Heatmap
        The whole matrix, aggregated when the run ended.
    """

    manifest: Manifest
    dataset: Dataset
    overview: Heatmap
    store: ObjectStore

    def order(self, order: Order, axis: Literal["rows", "columns"]) -> Indices:
        """The row, or column, at each position."""
        return np.asarray(getattr(getattr(self.overview, order), axis).order)

    def clusters(self, order: Order, axis: Literal["rows", "columns"]) -> list[int]:
        """Where clusters begin, and where the last one ends; one of all in the original order."""
        found: list[int] = getattr(getattr(self.overview, order), axis).clusters.tolist()
        return found

    def labels(self, order: Order, axis: Literal["rows", "columns"]) -> list[int]:
        """The label of each of them."""
        found: list[int] = getattr(getattr(self.overview, order), axis).shown.tolist()
        return found

    @cached_property
    def scale(self) -> list[float]:
        """Quantiles of the cells, at even distances: colours are spread over them; empty if nothing is observed.

        Most cells of a sparse matrix are 0: there the means of pixels have the colours.
        """
        view = self.overview.reordered
        cells = view.cells if view.cells is not None and self.manifest.is_dense else view.mean
        finite = cells[np.isfinite(cells)]
        if finite.size == 0:
            return []
        return [float(value) for value in np.quantile(finite, np.linspace(0.0, 1.0, _STEPS + 1))]

    @property
    def categories(self) -> list[str] | None:
        """What the categories are called; None of other cells."""
        if self.manifest.cells != CATEGORICAL:
            return None
        return category_names(self.manifest.facts)

    @cached_property
    def _exposures(self) -> Exposures | None:
        """Of each row, and of each column."""
        return None if self.manifest.cells == DENSE else read_exposures(self.store, self.manifest)

    def exposures(self, order: Order, rows: Span, columns: Span) -> Exposures | None:
        """Of the pixels of a part."""
        if self._exposures is None:
            return None
        of_rows, of_columns = self._exposures
        return rows.means(of_rows[self.order(order, "rows")]), columns.means(of_columns[self.order(order, "columns")])

    def row_names(self, rows: Indices) -> list[str]:
        """Names of some rows; only the pieces of the table that they are in are read."""
        if not self.dataset.has_row_names:
            return [str(row) for row in rows]
        ends = np.cumsum([chunk.rows for chunk in self.dataset.chunks])
        chunks = np.searchsorted(ends, rows, side="right")
        pieces: dict[int, Sequence[str]] = {}
        for chunk in np.unique(chunks).tolist():
            key = f"{self.dataset.prefix}/row_names/{chunk:06d}.json"
            pieces[chunk] = json.loads(bytes(self.dataset.store.get(key)))
        starts = ends - [chunk.rows for chunk in self.dataset.chunks]
        return [pieces[chunk][row - starts[chunk]] for chunk, row in zip(chunks.tolist(), rows.tolist(), strict=True)]

    def column_names(self, columns: Indices) -> list[str]:
        """Names of some columns."""
        names = self.dataset.column_names
        return [names[column] for column in columns.tolist()]

    def overview_means(self, order: Order, height: int, width: int) -> NDArray[np.float64]:
        """The overview on pixels of equal size, each showing what lies at its middle; of categories one cell."""
        view = getattr(self.overview, order)
        image = view.cells if self.manifest.cells == CATEGORICAL and view.cells is not None else view.mean
        return np.asarray(image[np.ix_(_shown(view.rows, height), _shown(view.columns, width))])

    def overview_exposures(self, order: Order, height: int, width: int) -> Exposures | None:
        """Of those pixels."""
        if self._exposures is None:
            return None
        view = getattr(self.overview, order)
        of_rows, of_columns = (
            bands.means(exposure)[_shown(bands, pixels)]
            for exposure, bands, pixels in zip(self._exposures, (view.rows, view.columns), (height, width), strict=True)
        )
        return of_rows, of_columns


def _shown(bands: Bands, pixels: int) -> Indices:
    """The pixel of the overview at the middle of each of so many."""
    middles = (2 * np.arange(pixels, dtype=np.int64) + 1) * len(bands.order) // (2 * pixels)
    return np.searchsorted(bands.stop, middles, side="right").astype(np.int64)


def load_layout(store: ObjectStore, results: Results, run: RunRecord) -> Layout:
    """Read what the pictures of a finished run need; RunError if it is missing or damaged."""
    manifest = load_manifest(store, str(run.shards_prefix), run.shards_seal)
    with scratch_folder("disnplbm-heatmap-") as folder:
        path = folder / "heatmap.npz"
        path.write_bytes(results.get(run, "heatmap.npz"))
        overview = Heatmap.load(path)
    return Layout(manifest, load_dataset(store, manifest.dataset, manifest.dataset_seal), overview, store)
