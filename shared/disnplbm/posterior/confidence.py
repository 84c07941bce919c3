"""How sure the place of an item in a partition is."""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.contingency import sum_mates
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.partition_sample import PartitionSample, cluster_sizes


def confidence(sample: PartitionSample, labels: Labels) -> Floats:
    """Posterior probability that an item is together with another member, chosen uniformly, of its cluster.

    For an item alone in its cluster: the probability that it is alone.

    Both are probabilities of events about the true partition, so that calibration can be checked: among items of
    confidence near c, the true partition keeps the share c of them with a random other member of their cluster. A
    mean of overlaps, as of drawn cluster-mates too, is no probability of anything. What this number leaves out, that
    two clusters may belong together, is what the similarity of clusters shows.

    Parameters
    ----------
    labels : ndarray of int32, shape (T,)
        Cluster of each type, 0..K-1 without holes.

    Returns
    -------
    ndarray of shape (T,)
        In [0, 1], exact for these draws, in time linear in T S.
    """
    sizes = cluster_sizes(labels, sample.weights)
    together = sum_mates(sample.labels, int(sample.clusters.max()), labels, len(sizes), sample.weights) - sample.n_draws
    others = sizes[labels] - 1
    result = together / (sample.n_draws * np.maximum(others, 1))
    single = np.flatnonzero(others == 0)
    if len(single):
        drawn_sizes = sample.table(np.zeros_like(labels), 1)[:, 0]
        drawn = drawn_sizes[sample.labels[:, single] + sample.starts[:-1, None]]
        result[single] = (drawn == 1).mean(axis=0)
    return np.asarray(result)
