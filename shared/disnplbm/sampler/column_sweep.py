"""The collapsed sweep of all columns."""

from __future__ import annotations

import numpy as np

from disnplbm.families.base import Family, Statistics
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.sampler.growth import limit_openings
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.parameters import Parameters


def sweep_columns(
    columns: Statistics,
    labels: Labels,
    parameters: Parameters,
    partition_prior: PartitionPrior,
    family: Family,
    iteration: int,
    *,
    complete: bool,
    side_by_side: bool,
) -> Labels:
    """Draw every column's cluster anew, one column after another.

    Parameters
    ----------
    columns : Statistics of shape (p, K)
        Of every column in every row cluster.
    labels : ndarray of int32, shape (p,)
    complete : bool
        That no cell of the data is missing.
    side_by_side : bool
        Whether shards sweep rows at once, so that few clusters may be opened.
    """
    labels = labels.copy()
    n_clusters = int(labels.max()) + 1
    blocks = family.aggregate(columns, labels, n_clusters, axis=0)
    items = family.items(columns, alike=complete)
    clusters = family.clusters(np.bincount(labels), blocks, items, partition_prior)
    uniforms = random_generator(parameters.seed, parameters.chain, iteration, Role.COLUMN_SWEEP).random(len(labels))
    if side_by_side:
        partition_prior = limit_openings(partition_prior, n_clusters, columns.shape[1])
    family.sweep(labels, uniforms, items, clusters, partition_prior)
    return labels
