r"""Pearson's dispersion of counts by block, on a dense table.

A cell of block (k, l) has the exposure e_ij = f_i g_j and is expected to count e_ij theta_kl, with theta_kl the block's
total over its exposure. Pearson's statistic and the degrees of freedom are

    X2_kl = sum (x_ij - e_ij theta_kl)^2 / (e_ij theta_kl)      D_kl = N_kl - 1

over the N_kl observed cells with an exposure above 0, and the dispersion is X2 / D: 1 on average for Poisson counts.
Where the factors are the totals of rows and columns, each row and each column has a total that fits by itself. That
takes a degree of freedom from each, spread over its blocks as its counts are: with n_k rows, p_l columns, and the
totals T_kl of the block, R_k of its rows and C_l of its columns,

    D_kl = N_kl - 1 - (n_k - 1) T_kl / R_k - (p_l - 1) T_kl / C_l.

The sum of D over the blocks of a complete table is (n - 1)(p - 1) - (K - 1)(L - 1), as for any table of as many terms.
"""

from __future__ import annotations

import numpy as np

from disnplbm.model.statistics import Floats, Labels


def pearson_dispersion(
    counts: Floats, row_factors: Floats, column_factors: Floats, row_labels: Labels, column_labels: Labels
) -> Floats:
    """Dispersion of each block, shape (K, L); NaN where there are no counts.

    Parameters
    ----------
    counts : ndarray of shape (n, p)
        NaN where missing.
    row_factors, column_factors : ndarray of shapes (n,) and (p,)
    row_labels, column_labels : ndarray of int32, shapes (n,) and (p,)
    """
    exposure = np.outer(row_factors, column_factors)
    observed = ~np.isnan(counts) & (exposure > 0.0)
    of_rows, of_columns = np.nansum(counts, axis=1), np.nansum(counts, axis=0)
    by_totals = np.allclose(of_rows, row_factors)
    found = np.full((int(row_labels.max()) + 1, int(column_labels.max()) + 1), np.nan)
    for k, l in np.ndindex(found.shape):  # noqa: E741
        rows, columns = row_labels == k, column_labels == l
        here = observed & rows[:, None] & columns
        total = counts[here].sum()
        if total == 0.0:
            continue
        expected = exposure[here] * total / exposure[here].sum()
        freedom = here.sum() - 1.0
        if by_totals:
            members = (row_factors[rows] > 0.0).sum(), (column_factors[columns] > 0.0).sum()
            freedom -= (members[0] - 1) * total / of_rows[rows].sum()
            freedom -= (members[1] - 1) * total / of_columns[columns].sum()
        if freedom > 0.0:
            found[k, l] = ((counts[here] - expected) ** 2 / expected).sum() / freedom
    return found
