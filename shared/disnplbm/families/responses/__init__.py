r"""Responses with covariates: in each block, a linear regression with coefficients and a noise of its own.

A cell is a response y with covariates u, the first of which is 1: of its row, of its column, and its own. In block
(k, l), y = u' b_kl + e with e ~ N(0, s2_kl), under a normal-inverse-gamma prior (:mod:`disnplbm.model.regression`).
With K and L given and coefficients at their best values this is SCOAL (Deodhar and Ghosh, 2010). A set of cells is
known by the sums of v v' with v = (u, y), in which log densities are linear given the parameters.

In the working units of the family, responses and covariates have mean 0 and variance 1 over all seen cells.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Average
from disnplbm.families.exponential.family import ExponentialFamily
from disnplbm.families.exponential.kernels import log_marginals
from disnplbm.families.exponential.sums import Sums
from disnplbm.families.responses.kernels import Regressions, ResponsePrior, regressions, spreads
from disnplbm.kernels.choice import logs
from disnplbm.model.regression import RegressionPrior
from disnplbm.model.statistics import Floats

_LOG_2_PI = 1.8378770664093453


class Units(NamedTuple):
    """The units of a table: what is 0, and what is 1, in the working units."""

    centre: Floats  # (q,) of the covariates besides the intercept, then of the response
    scale: Floats  # (q,)

    @classmethod
    def plain(cls, q: int) -> Units:
        """The working units themselves."""
        return cls(np.zeros(q), np.ones(q))

    def slopes(self, slopes: Floats) -> Floats:
        """Coefficients of shape (..., q) in the units of the table, the intercept first."""
        result = slopes * (self.scale[-1] / np.append(1.0, self.scale[:-1]))
        result[..., 0] += self.centre[-1] - (result[..., 1:] * self.centre[:-1]).sum(axis=-1)
        return np.asarray(result)


class Responses(ExponentialFamily):
    """Responses under a normal-inverse-gamma prior of the regression in each block.

    Parameters
    ----------
    prior : RegressionPrior
        In the working units.
    names : sequence of str
        Of the covariates besides the intercept.
    units : Units, optional
        Of the table; by default the working units.
    power : float
        That the likelihood is raised to.
    """

    def __init__(self, prior: RegressionPrior, names: tuple[str, ...], units: Units | None = None, power: float = 1.0):
        q = len(prior.mean)
        of_mean = prior.precision @ prior.mean
        triangle = np.empty((q + 1, q + 1))
        triangle[:q, :q], triangle[q, :q] = prior.precision, of_mean
        triangle[q, q] = prior.mean @ of_mean + 2.0 * prior.scale
        packed = triangle[np.tril_indices(q + 1)]
        kernel_prior = ResponsePrior(packed, float(prior.shape), float(prior.scale), 0.0, float(power))
        of_nothing = float(log_marginals(np.zeros((1, len(packed))), kernel_prior)[0])
        super().__init__(kernel_prior._replace(log_constant=of_nothing), len(packed))
        self.prior, self.names, self.units = prior, tuple(names), units or Units.plain(q)
        self._rows, self._columns = np.tril_indices(q + 1)

    def tempered(self, power: float) -> Responses:
        return Responses(self.prior, self.names, self.units, power)

    def count_cells(self, blocks: Sums) -> Floats:
        return np.asarray(blocks.values[..., 0])

    def shapes(self, sums: Floats) -> Floats:
        """The a of the posterior of sets of shape (...)."""
        return np.asarray(self.prior.shape + 0.5 * self.power * sums[..., 0])

    def mean_regressions(self, sums: Floats) -> Regressions:
        """The posterior means of slopes and precisions of sets, of sums of shape (..., S)."""
        shapes = self.shapes(sums)
        return regressions(self._prior, sums, shapes, np.zeros((*shapes.shape, len(self.prior.mean))))

    def _draw(self, sums: Floats, generator: np.random.Generator) -> Regressions:
        # A shape far below 1 gives precisions that are zero in double precision.
        gammas = np.maximum(generator.standard_gamma(self.shapes(sums)), np.finfo(np.float64).tiny)
        return regressions(self._prior, sums, gammas, generator.standard_normal((*gammas.shape, len(self.prior.mean))))

    def _natural(self, found: Regressions) -> Floats:
        """What the sums of a set are multiplied by to give its log density."""
        v = np.concatenate([found.slopes, np.full((*found.precisions.shape, 1), -1.0)], axis=-1)
        products = v[..., self._rows] * v[..., self._columns]
        twice = np.where(self._rows == self._columns, -0.5, -1.0)
        result = products * twice * found.precisions[..., None]
        result[..., 0] += 0.5 * (logs(found.precisions.reshape(-1)).reshape(found.precisions.shape) - _LOG_2_PI)
        return np.asarray(self.power * result)

    def draw_parameters(self, sums: Floats, generator: np.random.Generator) -> Floats:
        return self._natural(self._draw(sums, generator))

    def mean_parameters(self, sums: Floats) -> Floats:
        return self._natural(self.mean_regressions(sums))

    def predict(self, sums: Floats, covariates: Floats) -> tuple[Floats, Floats, Floats]:
        """Student's t of a new response in each of some blocks.

        Parameters
        ----------
        sums : ndarray of shape (M, S)
        covariates : ndarray of shape (M, q)
            In the working units, the intercept first.

        Returns
        -------
        degrees, mean, scale : ndarray of shape (M,)
        """
        found, shapes = self.mean_regressions(sums), self.shapes(sums)
        # The mean of the precision is a / s.
        squared = (1.0 + spreads(self._prior, sums, covariates)) / found.precisions
        return 2.0 * shapes, (found.slopes * covariates).sum(axis=-1), np.sqrt(squared)

    def figures(self, blocks: Sums) -> dict[str, Floats]:
        sums = blocks.values
        number = sums[..., 0]
        of_response = sums[..., len(self._prior.sums) - 1 - len(self.prior.mean)]
        mean = np.divide(of_response, number, out=np.full(number.shape, np.nan), where=number > 0)
        mean = mean * self.units.scale[-1] + self.units.centre[-1]
        return {"mean": mean[..., None], **self._told(self.mean_regressions(sums), seen=number > 0)}

    def _told(self, found: Regressions, seen: NDArray[np.bool_] | bool = True) -> dict[str, Floats]:
        """Spread about the regression and coefficients, in the units of the table; NaN where no cell is seen."""
        slopes = np.where(np.asarray(seen)[..., None], self.units.slopes(found.slopes), np.nan)
        sd = np.where(seen, self.units.scale[-1] / np.sqrt(found.precisions), np.nan)
        of_covariates = {f"slope_{name}": slopes[..., i : i + 1] for i, name in enumerate(self.names, start=1)}
        return {"sd": sd[..., None], "intercept": slopes[..., :1], **of_covariates}

    def draw_figures(self, blocks: Sums, average: Average, generator: np.random.Generator) -> dict[str, Floats]:
        sums, q = blocks.values, len(self.prior.mean)
        found = self._draw(sums, generator)
        # The mean of the covariates over the seen cells of a block: the first column of the sums.
        places = np.arange(q) * np.arange(1, q + 1) // 2
        number = sums[..., :1]
        typical = np.divide(sums[..., places], number, out=np.zeros((*sums.shape[:-1], q)), where=number > 0)
        typical[..., 0] = 1.0
        mean = average((found.slopes * typical).sum(axis=-1, keepdims=True))
        variance = average(1.0 / found.precisions[..., None])
        told = {name: average(values) for name, values in self._told(found).items() if name != "sd"}
        return {
            "mean": mean * self.units.scale[-1] + self.units.centre[-1],
            "sd": np.sqrt(variance) * self.units.scale[-1],
            **told,
        }

    def may_be(self, cells: Any, most: Any) -> bool:
        number, squares = cells.values[..., 0], cells.values[..., -1]
        seen = bool((number >= 0.0).all() and (squares >= 0.0).all())
        return seen and bool((number <= np.reshape(most, (-1, *[1] * (number.ndim - 1)))).all())
