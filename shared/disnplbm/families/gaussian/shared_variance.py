r"""Normal cells whose variance all blocks share: what trees and levels of real numbers compare clusters by.

With a variance of its own in each block, a noisy item is a cluster of its own and stays one to the end of a tree. With
one variance sigma_d^2 for the whole table and each number d of a cell, the log density of a set at its best mean is

    - sum over d of (scatter about the mean)_d / (2 sigma_d^2)

up to a term that no partition changes, so that the merge of a and b loses

    sum over the groups and d of  n_a n_b / (n_a + n_b) (mean_a - mean_b)_d^2 / (2 sigma_d^2),

which is Ward's criterion (1963) on the means of blocks. It weighs no partition: the prior of one is for the model's own
log marginals.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from disnplbm.families.gaussian import Gaussian
from disnplbm.kernels.gaussian import n_features
from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Statistics


class SharedVariance(Gaussian):
    """Normal cells of known variances, blocks at their best means.

    Parameters
    ----------
    prior : NIWPrior
        Of the fit: it says what the cells are like.
    power : float
        That the likelihood is raised to.
    variances : ndarray of shape (d,)
        Of each number of a cell.
    frame : Frame, optional
        See :class:`disnplbm.families.gaussian.Gaussian`.
    """

    def __init__(self, prior: NIWPrior, power: float, variances: Floats, frame: Frame | None = None) -> None:
        super().__init__(prior, power, frame)
        self.variances = variances

    @classmethod
    def of(cls, family: Gaussian, blocks: Statistics) -> SharedVariance:
        """The variances within the blocks of a fit, shape (K, L); the smallest, for numbers that do not vary."""
        axes = tuple(range(len(blocks.shape)))
        variances = blocks.squares.sum(axis=axes) / max(float(blocks.count.sum()), 1.0)
        least = variances[variances > 0.0].min(initial=np.inf)
        least = least if np.isfinite(least) else 1.0
        return cls(family.prior, family.power, np.where(variances > 0.0, variances, least), family.frame)

    def tempered(self, power: float) -> Self:
        return type(self)(self.prior, power, self.variances, self.frame)

    def log_marginals(self, sets: Statistics) -> Floats:
        return np.asarray(-0.5 * self.power * (sets.squares / self.variances).sum(axis=-1))

    def mean_coefficients(self, blocks: Statistics) -> Floats:
        blocks, variances = blocks.unfolded, self.variances
        d = blocks.dimension
        if d < len(variances):
            # The numbers of a cell stand side by side, as groups.
            variances = np.tile(variances, blocks.shape[1] // len(variances))[:, None]
        result = np.zeros((*blocks.shape, n_features(1, d)))
        result[..., 0] = -0.5 * (blocks.mean**2 / variances).sum(axis=-1)
        result[..., 1 : 1 + d] = blocks.mean / variances
        # The squares on the diagonal of the lower triangle.
        diagonal = 1 + d + np.array([a * (a + 3) // 2 for a in range(d)])
        result[..., diagonal] = -0.5 / variances
        return np.ascontiguousarray(self.power * result.reshape(len(result), -1).T)
