r"""Categories: each cell is one of C values. With C = 2 they are yes and no, or 1 and 0.

The shares of a block are Dirichlet(a_1, .., a_C). A set of cells is known by how often each value is there, N_c, and

    LM(N) = logGamma(sum a) - logGamma(sum a + power N) + sum_c [ logGamma(a_c + power N_c) - logGamma(a_c) ]

(Gelman et al. 2013, section 3.4).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import ArrayLike

from disnplbm.families.base import Average
from disnplbm.families.exponential.family import ExponentialFamily
from disnplbm.families.exponential.kernels import log_marginal
from disnplbm.families.exponential.sums import Sums
from disnplbm.kernels.choice import logs
from disnplbm.kernels.compiler import OPTIONS
from disnplbm.kernels.special import log_gamma
from disnplbm.model.statistics import Floats


class DirichletPrior(NamedTuple):
    """Prior of a block's shares, and the power of the likelihood."""

    weights: Floats  # (C,)
    power: float


@overload(log_marginal, jit_options={**OPTIONS, "forceinline": True})
def _compile_log_marginal(prior, sums):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if getattr(prior, "instance_class", None) is not DirichletPrior:
        return None

    def of_numbers(prior, sums):  # type: ignore[no-untyped-def]
        weight = number = result = 0.0
        for c in range(prior.weights.size):
            result += log_gamma(prior.weights[c] + prior.power * sums[c]) - log_gamma(prior.weights[c])
            weight += prior.weights[c]
            number += sums[c]
        return result + log_gamma(weight) - log_gamma(weight + prior.power * number)

    return of_numbers


class Categories(ExponentialFamily):
    """Categories under a Dirichlet prior.

    Parameters
    ----------
    weights : array-like of shape (C,)
        Of the prior, each above 0.
    power : float
        That the likelihood is raised to.
    """

    def __init__(self, weights: ArrayLike, power: float = 1.0) -> None:
        weights = np.ascontiguousarray(weights, dtype=np.float64)
        super().__init__(DirichletPrior(weights, float(power)), len(weights))

    def tempered(self, power: float) -> Categories:
        return Categories(self._prior.weights, power)

    def count_cells(self, blocks: Sums) -> Floats:
        return np.asarray(blocks.values.sum(axis=-1))

    def figures(self, blocks: Sums) -> dict[str, Floats]:
        number = blocks.values.sum(axis=-1, keepdims=True)
        shares = np.divide(blocks.values, number, out=np.full(blocks.values.shape, np.nan), where=number > 0)
        return {"share": self._shown(shares)}

    def draw_figures(self, blocks: Sums, average: Average, generator: np.random.Generator) -> dict[str, Floats]:
        return {"share": average(self._shown(self._draw_shares(blocks.values, generator)))}

    def _shown(self, shares: Floats) -> Floats:
        """Shares that say all: of two categories, the second one's alone."""
        return shares[..., 1:] if self._n_sums == 2 else shares

    def _draw_shares(self, sums: Floats, generator: np.random.Generator) -> Floats:
        drawn = generator.standard_gamma(self._prior.weights + self._prior.power * sums)
        # Weights far below 1 give shares that are zero in double precision.
        drawn = np.maximum(drawn, np.finfo(np.float64).tiny)
        return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))

    def _natural(self, shares: Floats) -> Floats:
        return np.asarray(self._prior.power * logs(shares.reshape(-1)).reshape(shares.shape))

    def draw_parameters(self, sums: Floats, generator: np.random.Generator) -> Floats:
        return self._natural(self._draw_shares(sums, generator))

    def mean_parameters(self, sums: Floats) -> Floats:
        weights = self._prior.weights + self._prior.power * sums
        return self._natural(weights / weights.sum(axis=-1, keepdims=True))

    def parameter_moments(self, blocks: Sums) -> tuple[Floats, Floats]:
        """Posterior mean and variance of the shares in blocks of shape (...), shape (..., C)."""
        weights = self._prior.weights + self._prior.power * blocks.values
        total = weights.sum(axis=-1, keepdims=True)
        share = weights / total
        return share, share * (1.0 - share) / (total + 1.0)

    def may_be(self, cells: Any, most: Any) -> bool:
        numbers = cells.values
        return bool((numbers >= 0.0).all() and (numbers.sum(axis=-1) <= most[:, None]).all())
