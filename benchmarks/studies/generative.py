"""Tables drawn from the model itself under a prior of fixed numbers: partitions, parameters of the blocks, cells.

Nothing of the sampler is used here, so that a fault of the sampler cannot hide in the data that it is judged by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import invwishart

from disnplbm.model.partition import canonical_labels
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels


@dataclass(frozen=True, eq=False)
class Drawn:
    """A table and what it was drawn from.

    Parameters
    ----------
    values : ndarray of shape (n, p, d)
    row_labels, column_labels : ndarray of int32, shapes (n,) and (p,)
        In canonical order.
    means, covariances : ndarray of shape (K, L, d) and (K, L, d, d)
        Of the blocks.
    """

    values: Floats
    row_labels: Labels
    column_labels: Labels
    means: Floats
    covariances: Floats


def draw_table(
    shape: tuple[int, int], prior: NIWPrior, alpha: float, beta: float, generator: np.random.Generator
) -> Drawn:
    """Draw partitions, blocks and cells.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns.
    prior : NIWPrior
    alpha, beta : float
        Concentrations of rows and of columns.
    generator : numpy.random.Generator
    """
    rows, columns = draw_partition(shape[0], alpha, generator), draw_partition(shape[1], beta, generator)
    return draw_cells(rows, columns, prior, generator)


def draw_partition(n: int, concentration: float, generator: np.random.Generator) -> Labels:
    """A partition from the Chinese restaurant process, item after item, in canonical labels, shape (n,)."""
    labels = np.zeros(n, dtype=np.int32)
    sizes: list[int] = []
    for i in range(n):
        place = generator.random() * (i + concentration)
        label = int(np.searchsorted(np.cumsum(sizes), place, side="right"))
        if label == len(sizes):
            sizes.append(0)
        sizes[label] += 1
        labels[i] = label
    return canonical_labels(labels)


def draw_cells(row_labels: Labels, column_labels: Labels, prior: NIWPrior, generator: np.random.Generator) -> Drawn:
    """Draw blocks and cells given both partitions, in canonical labels of shapes (n,) and (p,)."""
    d, shape = prior.dimension, (int(row_labels.max()) + 1, int(column_labels.max()) + 1)
    covariances = invwishart(prior.nu0, prior.psi0).rvs(shape[0] * shape[1], random_state=generator)
    covariances = np.reshape(covariances, (*shape, d, d))
    roots = np.linalg.cholesky(covariances)
    normal = generator.standard_normal((*shape, d))
    means = prior.mu0 + np.einsum("klab,klb->kla", roots, normal) / np.sqrt(prior.kappa0)
    at = np.ix_(row_labels, column_labels)
    noise = generator.standard_normal((len(row_labels), len(column_labels), d))
    values = means[at] + np.einsum("ijab,ijb->ija", roots[at], noise)
    return Drawn(values, row_labels, column_labels, means, covariances)
