"""The working frame: where the numbers lie while a chain runs.

Cells are shifted by their mean and divided, component by component, by a power of two near their standard deviation.
Both keep the digits of data far from zero (1e8 + {0, 1, 2}) or of extreme size (1e-140, 1e+140), and neither changes
a partition: the model is equivariant, and a division by a power of two is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.bounds import MU0_SCALED, PSI0_SCALED
from disnplbm.errors import InputError
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
        """A prior stated in the user's units, in the frame.

        Raises
        ------
        InputError
            It is so far from the data that numbers of the chain would overflow.
        """
        with np.errstate(over="ignore", under="ignore"):
            mu0, psi0 = self.enter(prior.mu0), prior.psi0 / self.scale[:, None] / self.scale
        for name, found, bound in (("mu0", mu0, MU0_SCALED), ("psi0", np.diagonal(psi0), PSI0_SCALED)):
            if not ((found >= bound.least) & (found <= bound.most)).all():
                raise InputError(
                    f"prior: {name} is out of proportion to the data: in units of their standard deviation it must lie"
                    f" between {bound.least:g} and {bound.most:g} in each component; state the prior in the units of"
                    " the data, with prior_scale = covariance"
                )
        return NIWPrior(mu0, prior.kappa0, psi0, prior.nu0)

    def leave(self, statistics: Statistics) -> Statistics:
        """Statistics of the frame in the user's units; the mean of an empty set becomes the centre."""
        units = np.outer(self.scale, self.scale)
        return Statistics(statistics.count, statistics.mean * self.scale + self.centre, statistics.scatter * units)

    def log_jacobian(self, n_cells: float) -> float:
        """What to add to a log density of n_cells in the frame to have it in the user's units."""
        return float(-n_cells * np.log(self.scale).sum())
