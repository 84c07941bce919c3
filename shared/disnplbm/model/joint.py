"""Joint density of data and both partitions: what a chain is judged by."""

from __future__ import annotations

import numpy as np

from disnplbm.model.marginal import log_marginal
from disnplbm.model.partition import log_crp
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels, aggregate, cells_by_cluster


def log_joint(
    values: Floats,
    row_labels: Labels,
    column_labels: Labels,
    prior: NIWPrior,
    *,
    alpha: float,
    beta: float,
    power: float = 1.0,
) -> float:
    """log p(X, z, w) from the data themselves.

    Parameters
    ----------
    values : ndarray of shape (n, p, d)
    row_labels, column_labels : ndarray of int, lengths n and p
        Labels 0..K-1 and 0..L-1 without holes.
    prior : NIWPrior
        With one copy of it a number of a cell the covariance is diagonal.
    alpha, beta : float
        Concentrations of rows and columns.
    power : float
        Likelihood power.
    """
    n_rows, n_columns = int(row_labels.max()) + 1, int(column_labels.max()) + 1
    cells = cells_by_cluster(values, row_labels, n_rows, diagonal=prior.copies > 1)
    blocks = aggregate(cells, column_labels, n_columns, axis=1)
    return (
        float(log_marginal(blocks, prior, power).sum())
        + log_crp(np.bincount(row_labels), alpha)
        + log_crp(np.bincount(column_labels), beta)
    )
