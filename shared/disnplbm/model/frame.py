"""The working frame: where the numbers lie while a chain runs.

Cells are shifted by their mean and divided, component by component, by a power of two near their standard deviation.
Both keep the digits of data far from zero (1e8 + {0, 1, 2}) or of extreme size (1e-140, 1e+140), and neither changes
a partition: the model is equivariant, and a division by a power of two is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Statistics


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Affine map y = (x - centre) / scale, component by component.

    Parameters
    ----------
    centre : ndarray of shape (d,)
    scale : ndarray of shape (d,)
        Powers of two.
    """

    centre: Floats
    scale: Floats

    @classmethod
    def of(cls, mean: ArrayLike, covariance: ArrayLike) -> Frame:
        """Frame of data with the given mean, shape (d,), and covariance, shape (d, d)."""
        spread = np.sqrt(np.diagonal(np.atleast_2d(np.asarray(covariance, dtype=np.float64))))
        mantissa, exponent = np.frexp(np.where(spread > 0, spread, 1.0))
        scale = np.ldexp(1.0, exponent - (mantissa < np.sqrt(0.5)))
        return cls(np.atleast_1d(np.asarray(mean, dtype=np.float64)), scale)

    def enter(self, values: Floats) -> Floats:
        """Cells, shape (..., d), in the frame."""
        return np.asarray((values - self.centre) / self.scale)

    def prior(self, prior: NIWPrior) -> NIWPrior:
        """A prior stated in the user's units, in the frame."""
        units = np.outer(self.scale, self.scale)
        return NIWPrior(self.enter(prior.mu0), prior.kappa0, prior.psi0 / units, prior.nu0)

    def leave(self, statistics: Statistics) -> Statistics:
        """Statistics of the frame in the user's units; the mean of an empty set becomes the centre."""
        units = np.outer(self.scale, self.scale)
        return Statistics(statistics.count, statistics.mean * self.scale + self.centre, statistics.scatter * units)

    def log_jacobian(self, n_cells: float) -> float:
        """What to add to a log density of n_cells in the frame to have it in the user's units."""
        return float(-n_cells * np.log(self.scale).sum())
