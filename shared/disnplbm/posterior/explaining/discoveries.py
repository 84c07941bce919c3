r"""Which columns set a cluster apart, and how many of them are expected to be there by chance.

The log Bayes factors of a cluster are compared with what clusters of the same sizes have whose members are drawn at
random. Where V(x) columns have at least x by chance, and D(x) have it in truth, the share of false ones among those
found at x is about V(x) / D(x) (Tusher and others 2001). The q-value of a column is the least such share at which it is
found.

Columns that do set the cluster apart vary more, whatever the rows: by chance too they have larger log Bayes factors
than the others. So they are left out of V once they are found, as Xie and others (2005) advise; V is then the number to
be expected of the columns that set nothing apart.

What varies more than the family's cells do (counts often do) varies so in clusters drawn at random too. So the share
holds where the family's own intervals are too sure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Family
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.explaining.contrasts import log_bayes_factors
from disnplbm.sampler.shard import Shard

#: Sets of clusters that are drawn at random, and times that the columns found are left out anew.
DRAWN, ROUNDS = 20, 3


def chance_factors(shard: Shard, labels: Labels, family: Family, generator: np.random.Generator) -> Floats:
    """Log Bayes factors in clusters of the same sizes drawn at random, shape (R, K, p); rows of label -1 stay out."""
    there, number = np.flatnonzero(labels >= 0), int(labels.max()) + 1
    result = []
    for _ in range(DRAWN):
        drawn = labels.copy()
        drawn[there] = generator.permutation(labels[there])
        result.append(log_bayes_factors(shard.only_part.cells.by_cluster(drawn, number), family))
    return np.stack(result)


def q_values(factors: Floats, by_chance: Floats, level: float) -> Floats:
    """Least share of false discoveries, in all clusters together, at which each column is found to set one apart.

    Parameters
    ----------
    factors : ndarray of shape (K, p)
        Log Bayes factors.
    by_chance : ndarray of shape (R, K, p)
    level : float
        Share at which a column is left out of those expected by chance.

    Returns
    -------
    ndarray of shape (K, p)
        At most 1.
    """
    shape, factors, by_chance = factors.shape, factors.ravel(), by_chance.reshape(len(by_chance), -1)
    found = np.zeros(len(factors), dtype=np.bool_)
    q = np.ones(len(factors))
    for _ in range(ROUNDS):
        q = _shares(factors, by_chance[:, ~found])
        before, found = found, (q <= level) & (factors > 0.0)
        if np.array_equal(before, found):
            break
    return q.reshape(shape)


def _shares(factors: Floats, by_chance: Floats) -> Floats:
    order = np.argsort(-factors, kind="stable")
    sorted_factors = factors[order]
    chance = np.sort(by_chance, axis=None)
    expected = (len(chance) - np.searchsorted(chance, sorted_factors, side="left")) / len(by_chance)
    # The last of those that are alike counts all of them.
    number = len(factors) - np.searchsorted(sorted_factors[::-1], sorted_factors, side="left")
    shares = np.minimum.accumulate((expected / number)[::-1])[::-1]
    result = np.empty_like(factors)
    result[order] = np.minimum(shares, 1.0)
    return result


def ranked(q: Floats, factors: Floats, level: float) -> NDArray[np.intp]:
    """The columns that set a cluster apart at a share of false ones, the largest log Bayes factor first."""
    there = np.flatnonzero((q <= level) & (factors > 0.0))
    return there[np.argsort(-factors[there], kind="stable")]
