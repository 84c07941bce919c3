"""The joint density of data, partitions and concentrations, from the statistics of the blocks."""

from __future__ import annotations

from numpy.typing import ArrayLike

from disnplbm.families.base import Family, Statistics
from disnplbm.kernels.partition_prior import PartitionPrior, log_partition
from disnplbm.sampler.concentrations import log_prior
from disnplbm.sampler.parameters import Parameters


def log_joint(
    blocks: Statistics,
    sizes: ArrayLike,
    column_sizes: ArrayLike,
    alpha: float,
    beta: float,
    parameters: Parameters,
    family: Family,
) -> float:
    """log p(X, z, w, and the concentrations if they are learned).

    Parameters
    ----------
    blocks : Statistics of shape (K, L)
    sizes, column_sizes : array-like of int, shapes (K,) and (L,)
    """
    return (
        float(family.log_marginals(blocks).sum())
        + log_partition(sizes, PartitionPrior.of(alpha, parameters.row_limit))
        + log_partition(column_sizes, PartitionPrior.of(beta, parameters.column_limit))
        + (log_prior(alpha) if parameters.learn_alpha else 0.0)
        + (log_prior(beta) if parameters.learn_beta else 0.0)
    )
