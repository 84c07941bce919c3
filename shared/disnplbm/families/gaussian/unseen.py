r"""A cell that is not there, or was held out: its distribution in a block.

A cell of a block, or each part of it, with posterior (kappa, nu, mu, Psi) (:mod:`disnplbm.families.gaussian.niw`)
follows Student's t with nu - d + 1 degrees of freedom, location mu and scale Psi (kappa + 1) / (kappa (nu - d + 1)):

    mean      mu                                       if nu > d
    variance  Psi (kappa + 1) / (kappa (nu - d - 1))   if nu > d + 1
    density   Gamma((nu + 1)/2) / Gamma((nu + 1 - d)/2) pi^(-d/2) ((kappa + 1)/kappa)^(-d/2) |Psi|^(-1/2)
              (1 + kappa/(kappa + 1) (x - mu)^T Psi^-1 (x - mu))^(-(nu + 1)/2)

With the default prior (nu0 = d + 1) a block without any observed cell has no variance. With a likelihood power r the
block knows rN cells; the cell itself is one.
"""

from __future__ import annotations

import numpy as np

from disnplbm.families.gaussian.niw import BlockPosterior, inverse_lower, of_numbers
from disnplbm.kernels.choice import log_gammas, logs
from disnplbm.kernels.special import LOG_PI
from disnplbm.model.statistics import Floats


def cell_moments(posterior: BlockPosterior) -> tuple[Floats, Floats]:
    """Mean and variances of a cell of each block, shape (K, L, d); NaN where they do not exist."""
    d, kappa = posterior.dimension, posterior.kappa[..., None]
    freedom = np.where(posterior.nu > d + 1, posterior.nu - d - 1, np.nan)[..., None]
    variance = posterior.psi_diagonal * (kappa + 1) / (kappa * freedom)
    return of_numbers(np.where(posterior.nu[..., None] > d, posterior.mu, np.nan)), of_numbers(variance)


def density_tables(posterior: BlockPosterior) -> tuple[Floats, Floats, Floats, Floats]:
    """Centre, root, half power and constant of the density of a cell's parts in each block, as the kernel has them."""
    d, shape = posterior.dimension, posterior.nu.shape
    half_power = 0.5 * (posterior.nu + 1)
    share = posterior.kappa / (posterior.kappa + 1)
    gammas = log_gammas(half_power.ravel()) - log_gammas((half_power - 0.5 * d).ravel())
    shares = logs(share.ravel()).reshape(shape)
    constant = gammas.reshape(shape) + 0.5 * d * (shares - LOG_PI) - posterior.log_det_root
    root = np.sqrt(share)[..., None, None] * inverse_lower(posterior.root)
    return posterior.mu, root, half_power, constant
