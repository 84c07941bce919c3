"""The working frame: where the numbers lie while a chain runs.

Cells are shifted by their mean and divided, component by component, by a power of two near their standard deviation.
Both keep the digits of data far from zero (1e8 + {0, 1, 2}) or of extreme size (1e-140, 1e+140), and neither changes
a partition: the model is equivariant, and a division by a power of two is exact. Where the covariance is diagonal, all
numbers of a cell share one prior: there each is divided by its standard deviation itself.
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
        Powers of two, or standard deviations.
    diagonal : bool
        Whether the numbers of a cell are independent, so that statistics keep the diagonals of scatters alone.
    """

    centre: Floats
    scale: Floats
    diagonal: bool = False

    @classmethod
    def of(cls, mean: ArrayLike, covariance: ArrayLike, *, diagonal: bool = False) -> Frame:
        """Frame of data.

        Parameters
        ----------
        mean : array-like of shape (d,)
        covariance : array-like of shape (d, d), or (d,)
            Of the data; the variances are enough.
        """
        variance = variances(covariance)
        spread = np.sqrt(np.where(variance > 0, variance, 1.0))
        if diagonal:
            scale = spread
        else:
            mantissa, exponent = np.frexp(spread)
            scale = np.ldexp(1.0, exponent - (mantissa < np.sqrt(0.5)))
        return cls(np.atleast_1d(np.asarray(mean, dtype=np.float64)), scale, diagonal)

    @classmethod
    def of_units(cls, dimension: int, *, diagonal: bool = False) -> Frame:
        """The frame that changes nothing."""
        return cls(np.zeros(dimension), np.ones(dimension), diagonal)

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
        units = self.scale**2 if statistics.diagonal else np.outer(self.scale, self.scale)
        return Statistics(statistics.count, statistics.mean * self.scale + self.centre, statistics.scatter * units)

    def enter_statistics(self, statistics: Statistics) -> Statistics:
        """What :meth:`leave` gave, in the frame again."""
        units = self.scale**2 if statistics.diagonal else np.outer(self.scale, self.scale)
        return Statistics(statistics.count, self.enter(statistics.mean), statistics.scatter / units)

    def log_jacobian(self, n_cells: float) -> float:
        """What to add to a log density of n_cells in the frame to have it in the user's units."""
        return float(-n_cells * np.log(self.scale).sum())


def variances(covariance: ArrayLike) -> Floats:
    """Variances, shape (d,), of a covariance of shape (d, d); or those that are given alone, shape (d,)."""
    given = np.asarray(covariance, dtype=np.float64)
    return np.diagonal(given) if given.ndim == 2 else np.atleast_1d(given)
