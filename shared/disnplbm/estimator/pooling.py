"""A table with its columns pooled: one number for each row and each column cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from disnplbm.cell_types import DENSE
from disnplbm.data.factors import check_for_counts
from disnplbm.errors import InputError
from disnplbm.estimator.judging import JudgingMixin
from disnplbm.estimator.parameters import in_parameters
from disnplbm.families.category_names import component_names
from disnplbm.families.main_figure import main_figure
from disnplbm.families.predicting import predicting_type
from disnplbm.model.statistics import Floats, Labels


class PoolingMixin(JudgingMixin, TransformerMixin):  # type: ignore[misc]
    """Pools the columns of a table by their clusters."""

    n_column_clusters_: int
    n_features_in_: int

    def transform(self, X: Any, *, exposure: Any = None) -> Any:
        """Pool the columns of each row by their clusters.

        Of real numbers it is the mean of the row's observed cells in each column cluster, after the column transform.
        Of counts it is their rate, as many times as the exposure lets expect; of 0/1 the share of ones, and of
        categories the share of each. ``set_output(transform="pandas")`` makes it a data frame; "polars" does so too.

        Parameters
        ----------
        X : array-like or table
            Fitted rows or others, with the columns that were fitted.
        exposure : array-like, optional
            Factors of these rows, where counts were fitted with factors.

        Returns
        -------
        ndarray of float64, shape (m, L), or (m, L * F) where a block has F numbers
            NaN where a row has no observed cell in a cluster. Names of the columns: :meth:`get_feature_names_out`.

        Raises
        ------
        InputError
            A ValueError: X has other columns, or a cell that cannot be.
        """
        check_is_fitted(self)
        with in_parameters():
            values = self._rows_of(X, may_be_sparse=True)
            labels, number = self.column_labels_, self.n_column_clusters_
            if self._fitted.findings.meta.cells != DENSE:
                pooled = self._pool_typed(values, self._factors(X, "rows", exposure))
            else:
                if exposure is not None:
                    check_for_counts(DENSE)
                pooled = (pool_sparse if isinstance(values, csr_array) else pool)(values, labels, number)
        return pooled.reshape(len(pooled), -1)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns that :meth:`transform` gives.

        Parameters
        ----------
        input_features : array-like of str, optional
            Not used, but there are to be as many as fitted columns.

        Returns
        -------
        ndarray of str
            ``column_cluster_0``, ...; where a block has several numbers, with the number or the category behind.
        """
        check_is_fitted(self)
        if input_features is not None and len(np.asarray(input_features)) != self.n_features_in_:
            given = len(np.asarray(input_features))
            raise InputError(
                f"input_features should have length equal to number of features ({self.n_features_in_}), got {given}"
            )
        clusters = [f"column_cluster_{number}" for number in range(self.n_column_clusters_)]
        parts = self._parts()
        names = [f"{cluster}_{part}" for cluster in clusters for part in parts] if parts else clusters
        return np.array(names, dtype=object)

    def _parts(self) -> list[str]:
        """What the numbers of a block are called; none where it has one."""
        meta = self._fitted.findings.meta
        figures = meta.family.figures(meta.family.empty((1, 1)))
        number = figures[main_figure(figures)].shape[-1]
        return [] if number == 1 else list(component_names(meta.cells, meta.facts)) or [str(i) for i in range(number)]

    def _pool_typed(self, rows: csr_array, factors: Floats | None) -> Floats:
        meta = self._fitted.findings.meta
        kind = predicting_type(meta.cells)
        kind.check_new(rows, 0, list(self._fitted.table.column_names), meta.facts)
        rows.sort_indices()
        new = kind.new_items(rows, meta.facts, "rows", *(() if factors is None else (factors,)))
        sums = new.cells.by_group(slice(None), self.column_labels_, self.n_column_clusters_)
        figures = meta.family.figures(sums)
        return figures[main_figure(figures)]


def pool(values: Floats, labels: Labels, number: int) -> Floats:
    """Mean of the observed cells of each row in each cluster of columns.

    Parameters
    ----------
    values : ndarray of shape (m, p, d)
        NaN where missing.
    labels : ndarray of int32, shape (p,)

    Returns
    -------
    ndarray of shape (m, number, d)
    """
    sums, counts = (np.zeros((len(values), number, values.shape[2])) for _ in range(2))
    observed = ~np.isnan(values)
    for cluster in range(number):
        members = labels == cluster
        sums[:, cluster] = np.where(observed[:, members], values[:, members], 0.0).sum(axis=1)
        counts[:, cluster] = observed[:, members].sum(axis=1)
    return _means(sums, counts)


def pool_sparse(rows: csr_array, labels: Labels, number: int) -> Floats:
    """The same of a sparse table with one number a cell, shape (m, p); what it does not store is 0."""
    members = csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), (len(labels), number))
    missing = np.isnan(rows.data)
    known = csr_array((np.where(missing, 0.0, rows.data), rows.indices, rows.indptr), rows.shape)
    absent = csr_array((missing.astype(np.float64), rows.indices, rows.indptr), rows.shape)
    sums, counts = (known @ members).toarray(), np.bincount(labels, minlength=number) - (absent @ members).toarray()
    return _means(sums, counts)[..., None]


def _means(sums: Floats, counts: NDArray[Any]) -> Floats:
    """NaN where nothing was counted."""
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))
