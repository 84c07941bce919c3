r"""Counts: Poisson with an exposure.

x_ij ~ Poisson(e_ij theta_kl), theta ~ Gamma(a, rate b). A set of cells is known by its total T and its exposure E, and

    LM(T, E) = a log b - logGamma(a) + logGamma(a + power T) - (a + power T) log(b + power E),

less a sum over the cells, of x log e - log x!, that no partition changes (Gelman et al. 2013, section 2.6).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from disnplbm.families.base import Average
from disnplbm.families.counts.dispersion import PearsonSums
from disnplbm.families.counts.sums import CountSums
from disnplbm.families.exponential.family import ExponentialFamily
from disnplbm.families.exponential.kernels import Items, factor, log_marginal
from disnplbm.families.exponential.predictive import OWN_GAIN, log_gain
from disnplbm.families.exponential.sums import Sums
from disnplbm.kernels.choice import logs
from disnplbm.kernels.compiler import OPTIONS
from disnplbm.kernels.special import log, log_gamma
from disnplbm.model.statistics import Floats, Labels


class GammaPrior(NamedTuple):
    """Prior of a block's rate, and the power of the likelihood."""

    shape: float
    rate: float
    power: float


@overload(log_marginal, jit_options={**OPTIONS, "forceinline": True})
def _compile_log_marginal(prior, sums):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if getattr(prior, "instance_class", None) is not GammaPrior:
        return None

    def of_total_and_exposure(prior, sums):  # type: ignore[no-untyped-def]
        shape, rate = prior.shape + prior.power * sums[0], prior.rate + prior.power * sums[1]
        of_prior = prior.shape * log(prior.rate) - log_gamma(prior.shape)
        return of_prior + log_gamma(shape) - shape * log(rate)

    return of_total_and_exposure


OWN_GAIN.add(GammaPrior)


@overload(log_gain, jit_options={**OPTIONS, "forceinline": True})
def _compile_log_gain(prior, block, item, marginal, changed):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if getattr(prior, "instance_class", None) is not GammaPrior:
        return None

    def of_total_and_exposure(prior, block, item, marginal, changed):  # type: ignore[no-untyped-def]
        # Most groups of a sparse row hold zeros alone: a logarithm instead of three.
        if item[0] == 0.0:
            rate = prior.rate + prior.power * block[1]
            return (prior.shape + prior.power * block[0]) * log(rate / (rate + prior.power * item[1]))
        changed[0], changed[1] = block[0] + item[0], block[1] + item[1]
        return log_marginal(prior, changed) - marginal

    return of_total_and_exposure


class Counts(ExponentialFamily):
    """Counts under a gamma prior.

    Parameters
    ----------
    shape, rate : float
        Of the prior, above 0. Where the exposure of a cell is its expectation under independence, a rate of 1 is what
        independence says, and shape = rate says nothing against it.
    power : float
        That the likelihood is raised to.
    """

    def __init__(self, shape: float = 1.0, rate: float = 1.0, power: float = 1.0) -> None:
        super().__init__(GammaPrior(float(shape), float(rate), float(power)), 2)

    def tempered(self, power: float) -> Counts:
        return Counts(self._prior.shape, self._prior.rate, power)

    def aggregate(
        self, statistics: Sums | CountSums, labels: Labels, n_clusters: int, axis: int, into: Sums | None = None
    ) -> Sums:
        if not isinstance(statistics, CountSums):
            return super().aggregate(statistics, labels, n_clusters, axis, into)
        kept = statistics.shape[1 - axis]
        result = self.empty((n_clusters, kept) if axis == 0 else (kept, n_clusters)) if into is None else into
        statistics.add_to(result.values, np.ascontiguousarray(labels, dtype=np.int32), axis)
        return result

    def gather(self, statistics: Any, targets: Labels, n_clusters: int, into: Any = None) -> Any:
        light = isinstance(statistics, CountSums)
        if light and into is None:
            return statistics.placed(targets, n_clusters)
        if isinstance(into, CountSums):
            if light and into.may_gather(statistics):
                return into.gathered(statistics, targets)
            into = Sums(into.values)
        return self.aggregate(statistics, targets, n_clusters, 0, into)

    def items(self, statistics: Sums | CountSums, *, alike: bool) -> Items:
        if not alike:
            return self.bare_items(statistics)
        if isinstance(statistics, CountSums):
            return Items(statistics, *statistics.features)
        # The exposure of a cell is its row's factor times its column's: where none is missing, so is a set's.
        return factor(statistics)

    def _posterior(self, sums: Floats) -> tuple[Floats, Floats]:
        """Shape and rate of the rates' posteriors."""
        total, exposure = np.moveaxis(self._prior.power * sums, -1, 0)
        return self._prior.shape + total, self._prior.rate + exposure

    def _natural(self, theta: Floats) -> Floats:
        log_theta = logs(theta.reshape(-1)).reshape(theta.shape)
        return np.asarray(self._prior.power * np.stack([log_theta, -theta], axis=-1))

    def weights(self, blocks: Sums) -> Floats:
        return np.asarray(blocks.values[..., 1])

    def figures(self, blocks: Sums) -> dict[str, Floats]:
        total, exposure = blocks.values[..., :1], blocks.values[..., 1:]
        rate = np.divide(total, exposure, out=np.full(total.shape, np.nan), where=exposure > 0)
        return {"total": total, "rate": rate}

    def fit_check(self, blocks: Sums, item_labels: Labels, other_labels: Labels) -> PearsonSums:
        return PearsonSums(blocks, item_labels, other_labels)

    def draw_figures(self, blocks: Sums, average: Average, generator: np.random.Generator) -> dict[str, Floats]:
        shape, rate = self._posterior(blocks.values)
        return {"rate": average((generator.standard_gamma(shape) / rate)[..., None])}

    def draw_parameters(self, sums: Floats, generator: np.random.Generator) -> Floats:
        shape, rate = self._posterior(sums)
        # A shape far below 1 gives rates that are zero in double precision.
        drawn = np.maximum(generator.standard_gamma(shape), np.finfo(np.float64).tiny)
        return self._natural(drawn / rate)

    def mean_parameters(self, sums: Floats) -> Floats:
        shape, rate = self._posterior(sums)
        return self._natural(shape / rate)

    def parameter_moments(self, blocks: Sums) -> tuple[Floats, Floats]:
        """Posterior mean and variance of the rates of blocks of shape (...), shape (..., 1)."""
        shape, rate = self._posterior(blocks.values)
        return (shape / rate)[..., None], (shape / rate**2)[..., None]

    def may_be(self, cells: Sums | CountSums, most: Any) -> bool:  # noqa: ARG002 - a cell counts as many as it likes
        return all(bool((part >= 0).all()) for part in cells.arrays)
