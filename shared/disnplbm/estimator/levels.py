"""Levels of a fitted model: its trees, cuts of them, and what makes each cluster."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from disnplbm.data.cell_choice import words_for
from disnplbm.engine.estimate import blocks_of
from disnplbm.engine.explain import Profile, explain
from disnplbm.engine.problem import Problem
from disnplbm.errors import InputError
from disnplbm.estimator.fitting import Fitted, read_problem
from disnplbm.estimator.parameters import in_parameters, to_options
from disnplbm.estimator.tables import given_covariates, given_factors, read_table
from disnplbm.model.statistics import Floats, Labels
from disnplbm.parts import only_part
from disnplbm.posterior.draws import Axis, Draws
from disnplbm.posterior.trees.cutting import cut_labels
from disnplbm.posterior.trees.grown import AXES, Drawn, Trees, grow_all_drawn
from disnplbm.posterior.trees.losses import MOST_CLUSTERS


class LevelsMixin:
    """What a fitted model says of its clusters, at any number of them."""

    row_labels_: Labels
    column_labels_: Labels
    draws_: Draws | None
    _fitted: Fitted
    _drawn_trees: Drawn | None
    # Parameters, and what scikit-learn's base makes of them.
    cells: Any
    tree_loss: Any
    cells_: Any
    block_figures_: dict[str, Floats]
    column_transform: Any
    exposure: Any
    row_covariates: Any
    column_covariates: Any
    prior: Any
    get_params: Any

    @property
    def row_tree_(self) -> Floats:
        """How row clusters merge, two by two: shape (K - 1, 4), as ``scipy.cluster.hierarchy`` reads it."""
        return self._grown().rows.linkage

    @property
    def column_tree_(self) -> Floats:
        """How column clusters merge, two by two: shape (L - 1, 4)."""
        return self._grown().columns.linkage

    def cut(
        self, n_row_clusters: int | str | None = None, n_column_clusters: int | str | None = None
    ) -> tuple[Labels, Labels]:
        """Merge the clusters down to as many as one wants to look at.

        Parameters
        ----------
        n_row_clusters, n_column_clusters : int, "auto" or None, default=None
            None keeps the clusters of the fit. "auto" takes what the parameter ``clusters`` says: by default up to 24
            of them stay, and of more it is the level that their tree suggests, or that several chains agree on.

        Returns
        -------
        row_labels, column_labels : ndarray of int32
            Each merged cluster is a union of clusters of the fit, by the consensus of the draws where the fit kept
            some; 0 is the largest. Members of a branch that is too small to be a cluster (a hundredth of all, and at
            least 2) have -1.

        Raises
        ------
        InputError
            There are not so many branches.
        """
        rows, columns = self._branches(n_row_clusters, n_column_clusters)
        return rows[self.row_labels_], columns[self.column_labels_]

    def explain(self, X: Any, n_clusters: int | str | None = "auto", *, axis: Axis = "rows") -> list[Profile]:
        """Say what makes each cluster: the columns that set its rows apart from all others, and its typical rows.

        Of all columns that are told, at most 5 % are expected to be false.

        Parameters
        ----------
        X : array-like or table
            The fitted table.
        n_clusters : int, "auto" or None, default="auto"
            As for :meth:`cut`.
        axis : {"rows", "columns"}, default="rows"
            Whose clusters. Rows set clusters of columns apart.

        Returns
        -------
        list of Profile
            One for each cluster: its label, its size, the columns (``others``) with log Bayes factors, q-values and
            figures in the cluster and outside (``own``, ``rest``), and its rows, the most typical first.

        Raises
        ------
        InputError
            A ValueError: X is another table, or there are not so many branches.
        """
        check_axis(axis)
        rows, columns = self.cut(*((n_clusters, None) if axis == "rows" else (None, n_clusters)))
        with in_parameters():
            problem = self._read_fitted(X, axis)
            items, others = (rows, columns) if axis == "rows" else (columns, rows)
            return explain(problem, items, others, np.random.default_rng(0))

    def _branches(self, n_row_clusters: int | str | None, n_column_clusters: int | str | None) -> tuple[Labels, Labels]:
        """The branch of each row cluster and of each column cluster."""
        trees = self._grown()
        with in_parameters():
            rows, columns = (
                cut_labels(getattr(trees, axis), self._number_of(axis, number), f"{axis[:-1]} clusters")
                for axis, number in zip(AXES, (n_row_clusters, n_column_clusters), strict=True)
            )
        return rows, columns

    def _blocks_at(self, n_row_clusters: int | str | None, n_column_clusters: int | str | None) -> Any:
        """Statistics of the blocks of a level, in the units of the table."""
        return only_part(self._grown().merge_blocks(*self._branches(n_row_clusters, n_column_clusters)))

    def _number_of(self, axis: Axis, number: Any) -> int | None:
        if number is None:
            return None
        if isinstance(number, str) and number == "auto":
            self._grown()
            level = self._fitted.findings.level
            found = None if level is None else getattr(level, axis).suggestion
            return None if found is None or found.reason == "fine" else int(found.clusters)
        if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
            raise InputError(f"{number!r} is not a number of clusters; give a whole number from 1, 'auto' or None")
        return int(number)

    def _read_fitted(self, X: Any, axis: Axis) -> Problem:
        """Read the fitted table, of one part, again, as one shard over an axis."""
        only_part(self._fitted.table.parts)
        source, items = read_table(self, X, words=words_for(self.cells), reset=False), len(self.row_labels_)
        if source.rows != items:
            raise InputError(f"X has {source.rows:,} rows, and the fitted table had {items:,}")
        problem = read_problem(
            source,
            replace(to_options(self.get_params(deep=False)), cells=self.cells_),
            axis=axis,
            transform=self.column_transform,
            prior=self.prior,
            factors=given_factors(self.exposure, source),
            covariates=given_covariates(self.row_covariates, self.column_covariates, source),
        )
        if not self._is_fitted_table(problem):
            raise InputError("X is another table than the fitted one: its blocks differ from the blocks of the fit")
        return problem

    def _is_fitted_table(self, problem: Problem) -> bool:
        """Whether a table has the blocks of the fit."""
        blocks = only_part(problem.turned(blocks_of(problem, self.row_labels_, self.column_labels_)))
        family = problem.only_part.family
        found = family.figures(family.leave(blocks))
        # A spread is the difference of large numbers, which the order of the cells shows in.
        compared = (
            (found[name].reshape(np.shape(own)), own) for name, own in self.block_figures_.items() if name != "sd"
        )
        return all(np.allclose(now, own, rtol=1e-6, atol=1e-9, equal_nan=True) for now, own in compared)

    def _grown(self) -> Trees:
        check_is_fitted(self)
        trees: Trees | None = self._fitted.findings.trees
        if trees is None:
            raise InputError(f"there are more than {MOST_CLUSTERS:,} clusters, too many to grow a tree of")
        return trees

    def _drawn(self) -> Drawn:
        """The trees of the draws, grown when they are first asked for."""
        drawn = self._drawn_trees or grow_all_drawn(self.draws_, self.tree_loss)
        self._drawn_trees = drawn
        return drawn


def check_axis(axis: Any) -> None:
    """Raise InputError unless an axis is named."""
    if axis not in AXES:
        raise InputError(f"axis is {axis!r}; give 'rows' or 'columns'")
