r"""Normal-inverse-Wishart prior of a block's mean and covariance (algebra after Murphy 2007).

(mu, Sigma) ~ NIW(mu0, kappa0, Psi0, nu0):   Sigma ~ IW(Psi0, nu0),   mu | Sigma ~ N(mu0, Sigma / kappa0)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.bounds import NU0_OVER
from disnplbm.described import BOUNDS, check
from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats

PriorScale = Literal["covariance", "precision"]

#: Share of each component's variance that is added to the diagonal of Psi0, so that collinear components stay regular.
#: (A share of the mean variance would swamp a component in much smaller units.)
RIDGE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class NIWPrior:
    """Hyper-parameters of the normal-inverse-Wishart prior, checked when made.

    Parameters
    ----------
    mu0 : array-like of shape (d,)
        Prior mean of a block's mean.
    kappa0 : float
        How many cells the prior mean is worth; bounded as the option of that name.
    psi0 : array-like of shape (d, d)
        Scale matrix; symmetric, positive definite, in squared units of the data.
    nu0 : float
        Degrees of freedom; above d - 1, by :data:`disnplbm.bounds.NU0_OVER`.
    copies : int
        Independent parts of a cell, each under this prior: 1 for a cell of d numbers and a full covariance; for a
        diagonal one d is 1, and there are as many copies as a cell has numbers.

    Raises
    ------
    InputError
        Naming the parameter, its value and the bound.
    """

    mu0: Floats
    kappa0: float
    psi0: Floats
    nu0: float
    copies: int = 1

    def __post_init__(self) -> None:
        mu0 = np.atleast_1d(np.asarray(self.mu0, dtype=np.float64))
        psi0 = np.atleast_2d(np.asarray(self.psi0, dtype=np.float64))
        d = mu0.shape[-1]
        if mu0.shape != (d,) or psi0.shape != (d, d):
            raise InputError(f"prior: mu0 has shape {mu0.shape} and psi0 {psi0.shape}; expected (d,) and (d, d)")
        if not (np.isfinite(mu0).all() and np.isfinite(psi0).all()):
            raise InputError("prior: mu0 and psi0 must be finite numbers")
        BOUNDS["kappa0"].check("prior: kappa0", self.kappa0)
        if not self.nu0 - (d - 1) >= NU0_OVER.least:
            raise InputError(f"prior: nu0 = {self.nu0} must be above d - 1 = {d - 1} by {NU0_OVER.least:g} or more")
        if self.nu0 > NU0_OVER.most:
            raise InputError(f"prior: nu0 = {self.nu0} must be at most {NU0_OVER.most:g}")
        if not np.allclose(psi0, psi0.T, rtol=1e-10, atol=0.0):
            raise InputError("prior: psi0 must be symmetric")
        try:
            np.linalg.cholesky(psi0)
        except np.linalg.LinAlgError:
            raise InputError("prior: psi0 must be positive definite (all eigenvalues above 0)") from None
        object.__setattr__(self, "mu0", mu0)
        object.__setattr__(self, "psi0", psi0)
        object.__setattr__(self, "kappa0", float(self.kappa0))
        object.__setattr__(self, "nu0", float(self.nu0))

    @property
    def dimension(self) -> int:
        """Dimension d of mu0: as many as a cell has numbers, or 1 where its parts have copies."""
        return int(self.mu0.shape[0])


def default_prior(
    mean: ArrayLike,
    covariance: ArrayLike,
    *,
    kappa0: float = 1.0,
    nu0: float | None = None,
    scale: PriorScale = "covariance",
    scale_factor: float = 1.0,
) -> NIWPrior:
    """Prior from the data's own mean and covariance.

    With it the partitions do not change when the data X are replaced by aX + b.

    Parameters
    ----------
    mean : array-like of shape (d,)
        Mean of the observed cells.
    covariance : array-like of shape (d, d)
        Their covariance, divided by the number of observed cells.
    nu0 : float, optional
        d + 1 by default.
    scale : {"covariance", "precision"}
        "precision" takes the inverse of the covariance as Psi0, as the published code does. The result then depends
        on the units of the data: it is there to reproduce published figures.
    scale_factor : float
        Multiplies Psi0: below 1 asks for tighter blocks (more of them), above 1 for wider ones.
    """
    mean = np.atleast_1d(np.asarray(mean, dtype=np.float64))
    psi0 = np.atleast_2d(np.asarray(covariance, dtype=np.float64))
    d = len(mean)
    check("psi0_factor", scale_factor)
    variance = np.diagonal(psi0)
    if (variance > 0).any():
        psi0 = psi0 + np.diag(RIDGE * np.where(variance > 0, variance, variance.mean()))
    else:
        psi0 = np.eye(d)
    if scale == "precision":
        psi0 = _inverse(psi0)
    return NIWPrior(mean, kappa0, psi0 * scale_factor, d + 1 if nu0 is None else nu0)


def _inverse(matrix: Floats) -> Floats:
    """Inverse of a positive definite matrix by Gauss and Jordan; LAPACK's bits depend on the processor."""
    d = len(matrix)
    work = np.concatenate([matrix, np.eye(d)], axis=1)
    for a in range(d):
        work[a] /= work[a, a]
        for b in range(d):
            if b != a:
                work[b] -= work[b, a] * work[a]
    return np.asarray((work[:, d:] + work[:, d:].T) / 2)
