"""Blocks of a fitted model as scikit-learn's biclusterers give them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BiclusterMixin

from disnplbm.model.statistics import Labels


class BlocksAsBiclusters(BiclusterMixin):  # type: ignore[misc]
    """Each block as a bicluster of scikit-learn; nothing of K * L rows is kept."""

    row_labels_: Labels
    column_labels_: Labels
    n_row_clusters_: int
    n_column_clusters_: int

    # Made when asked for: for hundreds of blocks of a large table they are much larger than the table.
    @property
    def rows_(self) -> NDArray[np.bool_]:
        """Rows of each bicluster, shape (K * L, n)."""
        clusters = np.arange(self.n_row_clusters_)[:, None] == self.row_labels_
        return np.repeat(clusters, self.n_column_clusters_, axis=0)

    @property
    def columns_(self) -> NDArray[np.bool_]:
        """Columns of each bicluster, shape (K * L, p)."""
        clusters = np.arange(self.n_column_clusters_)[:, None] == self.column_labels_
        return np.tile(clusters, (self.n_row_clusters_, 1))

    def get_indices(self, i: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Row and column indices of a bicluster.

        Parameters
        ----------
        i : int
            k * L + l, from 0; as an index, it may count from the end.

        Returns
        -------
        rows, columns : ndarray of int
            Positions in the fitted table.

        Raises
        ------
        IndexError
            There is no such bicluster.
        """
        k, c = divmod(range(self.n_row_clusters_ * self.n_column_clusters_)[i], self.n_column_clusters_)
        return np.flatnonzero(self.row_labels_ == k), np.flatnonzero(self.column_labels_ == c)
