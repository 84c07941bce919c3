"""The joint density of data, partitions and concentrations, from the statistics of the blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.kernels.partition_prior import PartitionPrior, log_partition
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.concentrations import log_prior
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.part import Part


def log_joint(parts: Sequence[Part], sizes: ArrayLike, alpha: float, parameters: Parameters) -> float:
    """log p(X, z, w of each part, and the concentrations if they are learned).

    Parameters
    ----------
    sizes : array-like of int, shape (K,)
        Of the row clusters.
    alpha : float
        Concentration of the rows.
    """
    total = ClusterBlocks([part.family for part in parts], [part.blocks for part in parts]).log_marginal()
    total += log_partition(sizes, PartitionPrior.of(alpha, parameters.row_limit))
    for part in parts:
        of_columns = PartitionPrior.of(part.beta, parameters.column_limit)
        total += log_partition(np.bincount(part.column_labels), of_columns)
    total += log_prior(alpha) if parameters.learn_alpha else 0.0
    for part in parts:
        total += log_prior(part.beta) if parameters.learn_beta else 0.0
    return total
