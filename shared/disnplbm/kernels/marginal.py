"""Log marginals of many sets: the fast form of :mod:`disnplbm.model.marginal`.

Every decision of the sampler and the traced joint use these, so that the bits of a chain do not depend on the
machine's mathematics library.
"""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.blocks import KernelPrior, dimension_of, kind_of, log_determinant, posterior_scale, potential_of
from disnplbm.kernels.compiler import kernel
from disnplbm.kernels.special import LOG_PI
from disnplbm.model.statistics import Floats, Statistics


@kernel
def _log_marginals(prior, kind, count, mean, scatter, result):  # type: ignore[no-untyped-def]
    d = dimension_of(kind, mean)
    psi = np.empty(prior.psi0.size)
    work = np.empty((prior.psi0.size, 1))
    empty = potential_of(prior, 0.0, prior.log_det0, d)
    for i in range(count.size):
        if count[i] == 0.0:
            result[i] = 0.0
            continue
        posterior_scale(prior, count[i], mean, scatter, i, 0, psi)
        potential = potential_of(prior, count[i], log_determinant(psi, prior.pivots0, d, work), d)
        result[i] = potential - empty - 0.5 * d * prior.power * count[i] * LOG_PI


def log_marginals(statistics: Statistics, prior: KernelPrior) -> Floats:
    """Log marginal of every set, of the same shape as its counts; 0 for an empty set."""
    if statistics.diagonal:
        return np.asarray(log_marginals(statistics.parts, prior).sum(axis=-1))
    d = statistics.dimension
    result = np.empty(statistics.count.size)
    _log_marginals(
        prior,
        kind_of(d, alike=True),
        np.ascontiguousarray(statistics.count).reshape(-1),
        np.ascontiguousarray(statistics.mean).reshape(-1, 1, d),
        np.ascontiguousarray(statistics.scatter).reshape(-1, 1, d, d),
        result,
    )
    return result.reshape(statistics.shape)
