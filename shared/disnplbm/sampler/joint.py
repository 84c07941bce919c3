"""The joint density of data, partitions and concentrations, from the statistics of the blocks."""

from __future__ import annotations

from numpy.typing import ArrayLike

from disnplbm.kernels.blocks import Hyper
from disnplbm.kernels.marginal import log_marginals
from disnplbm.kernels.urn import log_partition, urn
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
    hyper: Hyper,
) -> float:
    """log p(X, z, w, and the concentrations if they are learned).

    Parameters
    ----------
    blocks : Statistics of shape (K, L)
    sizes, column_sizes : array-like of int, shapes (K,) and (L,)
    alpha, beta : float
    parameters : Parameters
    hyper : Hyper
    """
    return (
        float(log_marginals(blocks, hyper).sum())
        + log_partition(sizes, urn(alpha, parameters.row_limit))
        + log_partition(column_sizes, urn(beta, parameters.column_limit))
        + (log_prior(alpha) if parameters.learn_alpha else 0.0)
        + (log_prior(beta) if parameters.learn_beta else 0.0)
    )
