r"""How much each column sets a cluster of rows apart from the other rows.

With the cells of column j in cluster k, S_kj, and those in all other clusters, R_kj, the log Bayes factor of "its own
parameters" against "the same as the others" is

    LM(S_kj) + LM(R_kj) - LM(S_kj and R_kj).
"""

from __future__ import annotations

from disnplbm.families.base import Family, Statistics
from disnplbm.model.statistics import Floats


def rest_of(cells: Statistics, family: Family) -> Statistics:
    """Statistics of all other clusters together, for each cluster; shape (K, p) as the cells."""
    number = cells.shape[0]
    before, behind = cells.empty_like(cells.shape), cells.empty_like(cells.shape)
    for k in range(1, number):
        before[k] = family.merge(before[k - 1], cells[k - 1])
        behind[number - 1 - k] = family.merge(behind[number - k], cells[number - k])
    rest: Statistics = family.merge(before, behind)
    return rest


def log_bayes_factors(cells: Statistics, family: Family) -> Floats:
    """Log Bayes factor of every cluster and column, shape (K, p); 0 where the cluster or the others have no cell.

    Parameters
    ----------
    cells : Statistics of shape (K, p)
        Of every column in every cluster.
    """
    rest = rest_of(cells, family)
    together = family.log_marginals(family.merge(cells, rest))
    return family.log_marginals(cells) + family.log_marginals(rest) - together
