"""What a fitted model says of other rows and columns, and of missing cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from disnplbm.cell_types import DENSE
from disnplbm.data.array import ArraySource
from disnplbm.data.covariates import RESPONSES
from disnplbm.data.factors import check_for_counts
from disnplbm.data.matching import find_order
from disnplbm.data.transform import keeps_zeros
from disnplbm.data.words import as_fitted
from disnplbm.engine.predict import new_columns
from disnplbm.engine.response_lines import Lines, predict_lines
from disnplbm.engine.typed_tables import check_new_columns, read_whole
from disnplbm.errors import InputError
from disnplbm.estimator.filling import fill_sparse
from disnplbm.estimator.fitting import Fitted
from disnplbm.estimator.parameters import in_parameters, to_threads
from disnplbm.estimator.tables import check_dense_copies, covariates_in, factors_of, read_table
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.diagnostics import to_arviz, traces_of
from disnplbm.posterior.draws import Axis, Draws
from disnplbm.posterior.imputation import impute
from disnplbm.posterior.predictive import log_density, predict_proba
from disnplbm.posterior.response_prediction import Predicted


def _keeps_draws(estimator: JudgingMixin) -> bool:
    """Whether there is what new rows are judged by; scikit-learn hides the methods where not."""
    by_default = estimator.burn_in is None and estimator.n_chains > 1
    if not (estimator.burn_in or estimator.n_draws or by_default):
        raise AttributeError("the fit keeps no draws to judge by; set burn_in or n_draws and fit again")
    return True


class JudgingMixin:
    """Judges rows, columns and cells by the draws of a fit."""

    burn_in: int | None
    n_draws: int | None
    n_chains: int
    n_jobs: int | None
    row_labels_: Labels
    column_labels_: Labels
    draws_: Draws | None
    _fitted: Fitted

    @available_if(_keeps_draws)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, *, axis: Axis = "rows", exposure: Any = None) -> Floats:
        """Probability that each new row belongs to each row cluster, and to none of them; averaged over the draws.

        Of counts, 0/1 and categories, a draw weighs as much as the new row is probable under it.

        Parameters
        ----------
        X : array-like or table
            New rows, with the columns that were fitted, and cells of the same type. A sparse matrix stays sparse, but
            of real numbers.
        axis : {"rows", "columns"}, default="rows"
            With "columns", X holds new columns of the fitted rows, in their order. Each is transformed by its own
            values, and assigned to the column clusters.
        exposure : array-like, optional
            Factors of the new rows (columns), where counts were fitted with factors.

        Returns
        -------
        ndarray of shape (m, K + 1), or (m, L + 1)
            Rows sum to 1; the last column is "none of these".

        Raises
        ------
        InputError
            A ValueError: the fit kept no draws, X has other columns (rows), or a cell that cannot be.
        """
        draws, values = self._judged(X, axis)
        labels = self.row_labels_ if axis == "rows" else self.column_labels_
        factors = self._factors(X, axis, exposure)
        return predict_proba(draws, labels, values, axis=axis, threads=to_threads(self.n_jobs), factors=factors)

    @available_if(_keeps_draws)  # type: ignore[untyped-decorator]
    def predict(self, X: Any, *, axis: Axis = "rows", exposure: Any = None) -> Labels:
        """The likeliest cluster of each new row (or column).

        Parameters
        ----------
        X, axis, exposure
            As for :meth:`predict_proba`.

        Returns
        -------
        ndarray of int32, shape (m,)
            -1 where "none of these" is likelier than any cluster.

        Raises
        ------
        InputError
            As for :meth:`predict_proba`.
        """
        shares = self.predict_proba(X, axis=axis, exposure=exposure)
        best = shares.argmax(axis=1)
        return np.where(best < shares.shape[1] - 1, best, -1).astype(np.int32)

    @available_if(_keeps_draws)  # type: ignore[untyped-decorator]
    def score_samples(self, X: Any, *, axis: Axis = "rows", exposure: Any = None) -> Floats:
        """Log density of the observed cells of each new row (or column), after the transform, averaged over the draws.

        Of counts, 0/1 and categories it is the logarithm of their probability.

        Parameters
        ----------
        X, axis, exposure
            As for :meth:`predict_proba`.

        Returns
        -------
        ndarray of float64, shape (m,)
            The lower, the less alike is the row to all fitted ones.

        Raises
        ------
        InputError
            As for :meth:`predict_proba`.
        """
        draws, values = self._judged(X, axis)
        factors = self._factors(X, axis, exposure)
        return log_density(draws, values, axis=axis, threads=to_threads(self.n_jobs), factors=factors)

    @available_if(_keeps_draws)  # type: ignore[untyped-decorator]
    def predict_responses(
        self,
        rows: Sequence[Any],
        columns: Sequence[Any],
        responses: ArrayLike | None = None,
        *,
        cell_covariates: ArrayLike | None = None,
        row_covariates: Any = None,
        column_covariates: Any = None,
    ) -> Predicted:
        """Predict responses, of a fit with ``cells="responses"``: of known rows and columns, and of new ones.

        Parameters
        ----------
        rows, columns : sequence of length M
            Of each cell the name of its row and of its column; their positions, where the fitted table has no names.
        responses : array-like of shape (M,), optional
            NaN where one is to be predicted, by default everywhere. Others, of a new row in known columns or of a new
            column in known rows, say where it belongs.
        cell_covariates : array-like of shape (M, c), optional
            Of the cells, where the fitted cells had some.
        row_covariates, column_covariates : DataFrame, optional
            Of the new rows (columns): the covariates of the fit, with names in the index.

        Returns
        -------
        Predicted
            ``mean``, ``sd``, ``low`` and ``high`` of each cell without a response, in their order; low and high are the
            ends of the interval that holds 95 %.

        Raises
        ------
        InputError
            A ValueError: the fit is of other cells or kept no draws, or a covariate is lacking.
        """
        with in_parameters():
            draws = self._kept()
            if draws.meta.cells != RESPONSES:
                raise InputError(f"predict_responses is for responses, and the fitted cells are {draws.meta.cells}")
            row_names, column_names = [str(name) for name in rows], [str(name) for name in columns]
            number = len(row_names)
            seen = np.full(number, np.nan) if responses is None else np.asarray(responses, dtype=np.float64)
            of_cells = np.empty((number, 0)) if cell_covariates is None else np.asarray(cell_covariates, np.float64)
            if {len(column_names), len(seen), len(of_cells)} != {number}:
                raise InputError(
                    "rows, columns, responses and cell_covariates have other lengths: give one for each cell"
                )
            known = self._fitted.table.row_names or [str(i) for i in range(draws.n_rows)]
            lines = Lines(row_names, column_names, seen, of_cells.reshape(number, -1))
            new_rows = None if row_covariates is None else covariates_in(row_covariates, "row_covariates")
            new_columns = None if column_covariates is None else covariates_in(column_covariates, "column_covariates")
            return predict_lines(draws, known, lines, new_rows, new_columns).predicted

    @available_if(_keeps_draws)  # type: ignore[untyped-decorator]
    def impute(self, X: Any) -> tuple[Any, Any]:
        """Posterior mean and standard deviation of the missing cells of the table that was fitted.

        Parameters
        ----------
        X : array-like or table
            The fitted table. Rows may be in another order if they have names.

        Returns
        -------
        mean : ndarray of the shape of X
            After the transform. Observed cells are as they are. Of 0/1 cells it is the probability of 1; a category is
            the likeliest one, and a word where these were fitted.
        sd : ndarray of the shape of X
            0 for observed cells. Of a category it is the probability that goes with it.

        A sparse X gives sparse arrays, unless its cells are real numbers and the transform leaves no zeros.

        Raises
        ------
        InputError
            A ValueError: the fit kept no draws, or X has other rows or columns.
        """
        draws, values = self._judged(X, may_be_sparse=True)
        order = self._row_order(X)
        if isinstance(values, csr_array):
            return fill_sparse(draws, values, order, sparse=issparse(X))
        found = impute(draws, values[order])
        mean, sd = values.copy(), np.zeros_like(values)
        place = np.arange(len(values))[order][found.row], found.column, found.component
        mean[place], sd[place] = found.mean, found.sd
        return flat(mean), flat(sd)

    @available_if(_keeps_draws)  # type: ignore[untyped-decorator]
    def to_arviz(self) -> Any:
        """Log joint, numbers of clusters and learned concentrations of the draws, for ArviZ's plots.

        Returns
        -------
        xarray.DataTree
            Needs the extra ``arviz``.
        """
        return to_arviz(traces_of(self._all_draws().numbers()))

    def _all_draws(self) -> Draws:
        check_is_fitted(self, "row_labels_")
        if self.draws_ is None:
            raise InputError("the fit kept no draws; fit again")
        kept: Draws = self.draws_
        return kept

    def _kept(self) -> Draws:
        """The draws that the labels come from."""
        self._all_draws()
        summary = self._fitted.findings.summary
        assert summary is not None
        return summary.reported.draws

    def _judged(self, table: Any, axis: Axis = "rows", *, may_be_sparse: bool = False) -> tuple[Draws, Any]:
        """The draws, and a table of the fitted columns (or rows) as they see it.

        Parameters
        ----------
        may_be_sparse : bool
            Whether a sparse table of real numbers stays sparse, if the transform keeps zeros.
        """
        with in_parameters():
            return self._matched(table, axis, may_be_sparse=may_be_sparse)

    def _matched(self, table: Any, axis: Axis, *, may_be_sparse: bool) -> tuple[Draws, Any]:
        draws = self._kept()
        if axis not in get_args(Axis):
            raise InputError(f"axis={axis!r} is unknown; choose rows or columns")
        fitted, words = self._fitted.findings.meta.facts.get("words"), self._words
        if axis == "columns" and draws.meta.cells != DENSE:
            columns = as_fitted(ArraySource(table, words=words), fitted)
            rows, _ = read_whole(columns)
            check_new_columns(draws, columns, rows)
            return draws, rows[self._row_order(table)]
        if axis == "columns":
            return draws, new_columns(draws, ArraySource(table))[1][self._row_order(table)]
        return draws, self._rows_of(table, may_be_sparse=may_be_sparse)

    def _rows_of(self, table: Any, *, may_be_sparse: bool) -> Any:
        """The rows of a table of the fitted columns, after the transform; sparse where cells are no real numbers."""
        meta, transform = self._fitted.findings.meta, self._fitted.transform
        source = read_table(self, table, words=self._words, reset=False)
        fitted = self._fitted.table.prepared.dimension
        if source.dimension != fitted:
            raise InputError(f"cells of {source.dimension} numbers, where {fitted} were fitted")
        if meta.cells != DENSE:
            return read_whole(as_fitted(source, meta.facts.get("words")))[0]
        if may_be_sparse and issparse(table) and keeps_zeros(transform.name):
            rows, _ = read_whole(source)
            return csr_array((transform.apply_to_stored(rows.data), rows.indices, rows.indptr), rows.shape)
        if issparse(table):
            check_dense_copies(source)
        return transform.apply(np.concatenate([chunk.values for chunk in source.chunks()]))

    @property
    def _words(self) -> str:
        """Whether tables for this fit are tables of words."""
        return "only" if "words" in self._fitted.findings.meta.facts else "no"

    def _factors(self, table: Any, axis: Axis, exposure: Any) -> Floats | None:
        """Factors of new rows (columns) in their order."""
        if exposure is None:
            return None
        source = ArraySource(table)
        rows = source.row_names or [str(i) for i in range(source.rows)]
        with in_parameters():
            check_for_counts(self._fitted.findings.meta.cells)
            return factors_of(exposure, rows if axis == "rows" else source.column_names, axis.removesuffix("s"))

    def _row_order(self, table: Any) -> NDArray[np.intp] | slice:
        """Where the fitted rows stand in a table: by their names, where both tables have some."""
        return find_order(
            ArraySource(table, words=self._words).row_names,
            self._fitted.table.row_names,
            "row",
            "rows of X",
            "the fitted table",
        )


def flat(values: Floats) -> NDArray[np.float64]:
    """Without the axis of components if there is one only."""
    return values[..., 0] if values.shape[-1] == 1 else values
