"""Sparse tables of responses: a cell that is not stored is missing, and costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.families.base import Rows, SparseCellsOf
from disnplbm.families.exponential.sums import Sums
from disnplbm.families.responses.kernels import sum_cells
from disnplbm.model.statistics import Floats, Labels


class SparseResponses(SparseCellsOf[Sums]):
    """Rows of responses in compressed form, with covariates; all in the working units.

    Parameters
    ----------
    indptr, indices : ndarray
        As of :class:`disnplbm.families.base.SparseCellsOf`.
    responses : ndarray of shape (N,)
        None missing.
    of_items, of_others, of_cells : ndarray of shapes (n, a), (p, b), (N, c)
        Covariates of the rows, of the columns, and of each cell.
    others_first : bool
        Whether the covariates of columns come before the covariates of rows.
    response_units : pair of float
        What is 0 and what is 1 of the response.
    """

    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        responses: Floats,
        of_items: Floats,
        of_others: Floats,
        of_cells: Floats,
        *,
        others_first: bool = False,
        response_units: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        super().__init__(indptr, indices, responses, len(of_others), complete=False)
        covariates = of_items, of_others, of_cells
        in_order = [np.ascontiguousarray(part) for part in covariates]
        self._covariates = in_order[0], in_order[1], in_order[2], others_first
        self.n_bytes += sum(part.nbytes for part in covariates)
        order = 2 + sum(part.shape[1] for part in covariates)
        self.numbers = order * (order + 1) // 2
        self._units = response_units

    def to_csr(self) -> csr_array:
        indptr, indices, responses = self._stored
        centre, scale = self._units
        return csr_array((responses * scale + centre, indices, indptr), (self.n_rows, self.n_columns))

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Sums:
        chosen = np.arange(self.n_rows)[rows]
        sums = np.zeros((len(chosen), n_groups, self.numbers))
        own = np.arange(len(chosen), dtype=np.int32)
        sum_cells(chosen, own, *self._stored, *self._covariates, column_labels, sums)
        return Sums(sums)

    def by_cluster(self, labels: Labels, n_clusters: int) -> Sums:
        sums = np.zeros((n_clusters, self.n_columns, self.numbers))
        own = np.arange(self.n_columns, dtype=np.int32)
        sum_cells(np.arange(self.n_rows), labels, *self._stored, *self._covariates, own, sums)
        return Sums(sums)

    def joined(self, others: Sequence[SparseResponses], order: NDArray[np.intp], *, turned: bool) -> SparseResponses:
        """The rows of these cells and of others in another order; turned, the rows are columns.

        Parameters
        ----------
        order : ndarray of int
            Which row comes first, of all in a line.
        """
        parts = [self, *others]
        responses = np.concatenate([part._stored[2] for part in parts])
        of_items = np.concatenate([part._covariates[0] for part in parts])
        of_cells = np.concatenate([part._covariates[2] for part in parts])
        indptr = np.concatenate([[0], *(np.diff(part._stored[0]) for part in parts)]).cumsum()
        indices = np.concatenate([part._stored[1] for part in parts])
        # The data of the table are the places of the cells.
        places = csr_array((np.arange(len(responses)), indices, indptr), (len(of_items), self.n_columns))[order]
        places = csr_array(places.T) if turned else csr_array(places)
        places.sort_indices()
        of_rows, of_columns = of_items[order], self._covariates[1]
        if turned:
            of_rows, of_columns = of_columns, of_rows
        stored = places.indptr.astype(np.int64), places.indices.astype(np.int32), responses[places.data]
        first = self._covariates[3] != turned
        return SparseResponses(
            *stored, of_rows, of_columns, of_cells[places.data], others_first=first, response_units=self._units
        )
