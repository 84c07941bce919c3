r"""Posterior of blocks' means and covariances given a draw's partitions, and draws from it.

    kappa = kappa0 + rN      nu = nu0 + rN      mu = (kappa0 mu0 + rN T) / kappa
    Psi   = Psi0 + r S + kappa0 rN / kappa (T - mu0)(T - mu0)^T

(Murphy 2007; r the likelihood power.) Blocks are looked at by their parts (:mod:`disnplbm.model.statistics`): one of d
numbers where the covariance is full, d of one number where it is diagonal. Plain NumPy and no LAPACK, whose bits depend
on the processor: a block's few components are looped over, all blocks at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disnplbm.kernels.choice import logs
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Statistics, outer


@dataclass(frozen=True, slots=True, eq=False)
class BlockPosterior:
    """Normal-inverse-Wishart posteriors of the parts of blocks, an array of shape (..., P).

    Parameters
    ----------
    kappa, nu : ndarray of shape (..., P)
    mu : ndarray of shape (..., P, d)
    root : ndarray of shape (..., P, d, d)
        Lower triangle C with C C^T = Psi.
    """

    kappa: Floats
    nu: Floats
    mu: Floats
    root: Floats

    @property
    def dimension(self) -> int:
        """Dimension d of a part."""
        return int(self.mu.shape[-1])

    @property
    def psi_diagonal(self) -> Floats:
        """Diagonal of Psi, shape (..., P, d)."""
        return np.asarray((self.root**2).sum(axis=-1))

    @property
    def log_det_root(self) -> Floats:
        """Half the log determinant of Psi, shape (..., P)."""
        diagonal = np.diagonal(self.root, axis1=-2, axis2=-1)
        return np.asarray(logs(diagonal.ravel()).reshape(diagonal.shape).sum(axis=-1))


def block_posterior(blocks: Statistics, prior: NIWPrior, power: float = 1.0) -> BlockPosterior:
    """Posteriors of the parts of blocks from their statistics; of an empty one, the prior."""
    blocks = blocks.parts
    count = power * blocks.count
    kappa = prior.kappa0 + count
    shift = blocks.mean - prior.mu0
    pull = (prior.kappa0 * count / kappa)[..., None, None] * outer(shift)
    psi = np.where(count[..., None, None] > 0, prior.psi0 + power * blocks.scatter + pull, prior.psi0)
    # Psi is Psi0 plus a scatter, so no pivot may fall below Psi0's: rounding could make it so.
    least = np.diagonal(_cholesky(prior.psi0, np.zeros(prior.dimension))) ** 2
    return BlockPosterior(
        kappa, prior.nu0 + count, prior.mu0 + (count / kappa)[..., None] * shift, _cholesky(psi, least)
    )


def draw_parameters(posterior: BlockPosterior, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Means and variances of all blocks' numbers, drawn independently from their posteriors.

    With Psi = C C^T and A the Bartlett factor of a Wishart(I, nu) matrix (lower triangle, A_aa^2 ~ chi^2 of nu - a
    degrees of freedom for a = 0..d-1, standard normal below), F = C A^-T gives Sigma = F F^T ~ IW(Psi, nu).

    Parameters
    ----------
    posterior : BlockPosterior of shape (..., P)

    Returns
    -------
    mean, variance : ndarray of shape (..., P d)
        A mean, and the diagonal of the covariance that it was drawn with.
    """
    d = posterior.dimension
    factor = np.tril(generator.standard_normal((*posterior.nu.shape, d, d)), -1)
    for a in range(d):
        factor[..., a, a] = np.sqrt(generator.chisquare(posterior.nu - a))
    turned = np.einsum("...ab,...cb->...ac", posterior.root, inverse_lower(factor))
    normal = generator.standard_normal(posterior.mu.shape)
    step = np.einsum("...ab,...b->...a", turned, normal) / np.sqrt(posterior.kappa)[..., None]
    return of_numbers(posterior.mu + step), of_numbers(np.asarray((turned**2).sum(axis=-1)))


def of_numbers(of_parts: Floats) -> Floats:
    """What the parts' numbers have, shape (..., P, d), one after another: shape (..., P d)."""
    return of_parts.reshape(*of_parts.shape[:-2], -1)


def inverse_lower(root: Floats) -> Floats:
    """Inverses of lower triangles, shape (..., d, d), by forward substitution."""
    d = root.shape[-1]
    result = np.zeros_like(root)
    for a in range(d):
        result[..., a, a] = 1.0
        for b in range(a):
            result[..., a, : b + 1] -= root[..., a, b, None] * result[..., b, : b + 1]
        result[..., a, :] /= root[..., a, a, None]
    return result


def _cholesky(matrices: Floats, least: Floats) -> Floats:
    """Lower triangles C with C C^T the given matrices, shape (..., d, d), no pivot below ``least``, shape (d,)."""
    d = matrices.shape[-1]
    result = np.zeros_like(matrices)
    for a in range(d):
        for b in range(a + 1):
            pivot = matrices[..., a, b] - (result[..., a, :b] * result[..., b, :b]).sum(axis=-1)
            result[..., a, b] = np.sqrt(np.maximum(pivot, least[a])) if a == b else pivot / result[..., b, b]
    return result
