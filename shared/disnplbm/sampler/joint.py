"""The joint density of data, partitions and concentrations, from the statistics of the blocks."""

from __future__ import annotations

from numpy.typing import ArrayLike

from disnplbm.kernels.blocks import KernelPrior
from disnplbm.kernels.marginal import log_marginals
from disnplbm.kernels.partition_prior import PartitionPrior, log_partition
from disnplbm.model.statistics import Statistics
from disnplbm.sampler.concentrations import log_prior
from disnplbm.sampler.parameters import Parameters


def log_joint(
    blocks: Statistics,
    sizes: ArrayLike,
    column_sizes: ArrayLike,
    alpha: float,
    beta: float,
    parameters: Parameters,
    kernel_prior: KernelPrior,
) -> float:
    """log p(X, z, w, and the concentrations if they are learned).

    Parameters
    ----------
    blocks : Statistics of shape (K, L)
    sizes, column_sizes : array-like of int, shapes (K,) and (L,)
    """
    return (
        float(log_marginals(blocks, kernel_prior).sum())
        + log_partition(sizes, PartitionPrior.of(alpha, parameters.row_limit))
        + log_partition(column_sizes, PartitionPrior.of(beta, parameters.column_limit))
        + (log_prior(alpha) if parameters.learn_alpha else 0.0)
        + (log_prior(beta) if parameters.learn_beta else 0.0)
    )
