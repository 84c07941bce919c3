"""What a fitted model hands back as tables: of its clusters, of its blocks, and as AnnData."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from disnplbm.data.array import ArraySource
from disnplbm.data.matching import find_order
from disnplbm.engine.annotating import Columns, annotate, to_anndata
from disnplbm.errors import InputError
from disnplbm.estimator.levels import LevelsMixin, check_axis
from disnplbm.estimator.parameters import in_parameters
from disnplbm.extras import load_pandas
from disnplbm.families.category_names import component_names
from disnplbm.families.main_figure import main_figure
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.draws import Axis
from disnplbm.posterior.export import blocks_of_result
from disnplbm.posterior.trees.certainty import certainty_of_level
from disnplbm.report.bands import Bands

if TYPE_CHECKING:
    from anndata import AnnData
    from pandas import DataFrame


class FramesMixin(LevelsMixin):
    """Hands results back as tables."""

    row_confidence_: Floats | None
    column_confidence_: Floats | None

    @property
    def row_order_(self) -> NDArray[np.intp]:
        """The rows in the order of the report, shape (n,): clusters together, and branches of their tree too."""
        return self._order("rows")

    @property
    def column_order_(self) -> NDArray[np.intp]:
        """The columns in the order of the report, shape (p,)."""
        return self._order("columns")

    @property
    def blocks_(self) -> DataFrame:
        """What each block says, as a data frame of pandas with the columns of blocks.csv, by ``k`` and ``l``."""
        check_is_fitted(self)
        found = self._fitted.findings
        header, lines = blocks_of_result(found.result, found.meta, found.fits, found.summary)
        # Blank in the file, where nothing is known.
        known = [[np.nan if isinstance(cell, str) else cell for cell in line] for line in lines]
        return load_pandas().DataFrame(known, columns=header).set_index(["k", "l"])

    def to_frame(
        self,
        n_row_clusters: int | str | None = None,
        n_column_clusters: int | str | None = None,
        *,
        figure: str | None = None,
    ) -> DataFrame:
        """The table as its blocks: a line for each row cluster, and a column for each column cluster.

        Parameters
        ----------
        n_row_clusters, n_column_clusters : int, "auto" or None, default=None
            As for :meth:`cut`.
        figure : str, optional
            A name in ``block_figures_``; by default the mean of real numbers, the rate of counts, and the share of 0/1
            and of categories.

        Returns
        -------
        DataFrame of pandas, shape (K, L)
            Where a block has several numbers, its columns have two levels: the number or the category, and the cluster.

        Raises
        ------
        InputError
            A ValueError: there is no such figure, or there are not so many branches.
        """
        check_is_fitted(self)
        pandas = load_pandas()
        meta, blocks = self._fitted.findings.meta, self._blocks_at(n_row_clusters, n_column_clusters)
        figures = meta.family.figures(blocks)
        name = main_figure(figures) if figure is None else figure
        if name not in figures:
            raise InputError(f"figure={name!r} is unknown; choose {' or '.join(map(repr, figures))}")
        values = figures[name]
        rows = pandas.RangeIndex(values.shape[0], name="row_cluster")
        columns = pandas.RangeIndex(values.shape[1], name="column_cluster")
        if values.shape[2] == 1:
            return pandas.DataFrame(values[..., 0], rows, columns)
        parts = list[Any](component_names(meta.cells, meta.facts)) or list(range(values.shape[2]))
        titles = pandas.MultiIndex.from_product([parts, columns], names=["part", "column_cluster"])
        return pandas.DataFrame(np.moveaxis(values, 2, 1).reshape(len(rows), -1), rows, titles)

    def labels_frame(self, n_clusters: int | str | None = None, *, axis: Axis = "rows") -> DataFrame:
        """The cluster of each row, or of each column, as a data frame of pandas.

        Parameters
        ----------
        n_clusters : int, "auto" or None, default=None
            As for :meth:`cut`; where clusters are merged, the clusters of the fit are there too.
        axis : {"rows", "columns"}, default="rows"

        Returns
        -------
        DataFrame
            By name: ``cluster``, where it differs ``fine``, and with draws ``confidence`` and, where there is a second
            answer, ``runner_up``. The values of merged clusters come from the draws cut into as many.
        """
        check_axis(axis)
        told = self._told_of(axis, n_clusters)
        table = self._fitted.table
        names = table.row_names if axis == "rows" else table.column_names
        return load_pandas().DataFrame(told, index=None if not names else list(names))

    def to_anndata(
        self,
        X: Any,
        n_row_clusters: int | str | None = None,
        n_column_clusters: int | str | None = None,
        *,
        copy: bool = True,
    ) -> AnnData:
        """The fitted table as AnnData, with the clusters in ``obs`` and ``var``.

        Parameters
        ----------
        X : AnnData, array-like or table
            The fitted table. Rows and columns may be in another order if they have names.
        n_row_clusters, n_column_clusters : int, "auto" or None, default=None
            As for :meth:`cut`.
        copy : bool, default=True
            Whether AnnData that is given stays as it is; with False it gets the clusters itself.

        Returns
        -------
        AnnData
            ``obs["disnplbm"]`` and ``var["disnplbm"]`` are the clusters, as categories; ``disnplbm_fine`` are those of
            the fit where a level merges them, and with draws there is ``disnplbm_confidence``. ``uns["disnplbm"]`` has
            the digest, the log joint and the parameters. They are called as ``disnplbm cut --write-h5ad`` calls them.

        Raises
        ------
        InputError
            A ValueError: X has other rows or columns than the fitted table, or AnnData is not installed.
        """
        check_is_fitted(self)
        if "words" in self._fitted.findings.meta.facts:
            raise InputError("AnnData holds numbers, and the fitted table holds words; labels_frame() has its clusters")
        rows, columns = self._told_of("rows", n_row_clusters), self._told_of("columns", n_column_clusters)
        data = to_anndata(X, copy=copy)
        with in_parameters():
            table, source = self._fitted.table, ArraySource(data)
            shape, fitted = (source.rows, len(source.column_names)), (len(rows["cluster"]), len(columns["cluster"]))
            if shape != fitted:
                own, due = (f"{length:,} x {width:,}" for length, width in (shape, fitted))
                raise InputError(f"X is {own}, and the fitted table was {due}")
            down = find_order(source.row_names, table.row_names, "row", "rows of X", "the fitted table")
            across = find_order(source.column_names, table.column_names, "column", "columns of X", "the fitted table")
        about = {
            "digest": self._fitted.findings.result.digest(),
            "log_joint": float(self._fitted.findings.result.log_joint),
            "parameters": json.dumps(self._fitted.options.to_dict()),
        }
        annotate(data, _placed(rows, down), _placed(columns, across), about)
        return data

    def _order(self, axis: Axis) -> NDArray[np.intp]:
        check_is_fitted(self)
        bands: Bands = getattr(self._fitted.findings.heatmap.reordered, axis)
        return bands.order.astype(np.intp)

    def _told_of(self, axis: Axis, n_clusters: int | str | None) -> dict[str, Any]:
        """What is known of each row, or each column, by name."""
        rows, columns = self.cut(*((n_clusters, None) if axis == "rows" else (None, n_clusters)))
        cluster, fine = (rows, self.row_labels_) if axis == "rows" else (columns, self.column_labels_)
        told, side = dict[str, Any](cluster=cluster), axis.removesuffix("s")
        sure, second = getattr(self, f"{side}_confidence_"), getattr(self, f"{side}_runner_up_")
        if not np.array_equal(cluster, fine):
            told["fine"] = fine
            drawn = getattr(self._drawn(), axis)
            level = None if drawn is None else certainty_of_level(drawn, cluster, fine)
            sure, second = (None, None) if level is None else (level.confidence, level.runner_up)
        if sure is not None:
            told["confidence"] = sure
        if second is not None:
            told["runner_up"] = second.labels
        return told


def _placed(told: dict[str, Any], order: NDArray[np.intp] | slice) -> Columns:
    """What is known of the fitted rows in the order of a table, where they stand at other places."""

    def place(values: Labels | Floats) -> Any:
        placed = np.empty_like(values)
        placed[order] = values
        return placed

    return {"" if name == "cluster" else name: place(values) for name, values in told.items()}
