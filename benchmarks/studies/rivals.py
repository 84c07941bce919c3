"""What others would say of a cell that was held out: k-means blocks, a Gaussian mixture on rows, one block.

Their numbers of clusters are not known either. They are chosen for every split anew, without the cells that were held
out: those that foresee best a further tenth, hidden from the cells that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.cluster import KMeans

from benchmarks.studies.masks import Masked, masked_again
from benchmarks.studies.row_mixture import filled, fit_row_mixture, log_responsibilities
from disnplbm.families.gaussian import Gaussian
from disnplbm.model.frame import Frame
from disnplbm.model.prior import default_prior
from disnplbm.model.statistics import Floats, aggregate, cells_by_cluster, summarise
from disnplbm.posterior.draws import Draw, Draws, DrawsMeta
from disnplbm.posterior.imputation import cell_log_density

#: Numbers of clusters that are tried.
NUMBERS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80)

#: Starts of k-means, of which scikit-learn keeps the best.
KMEANS_STARTS = 10

Found = NDArray[np.int32]


def one_block(split: Masked, seed: int) -> tuple[Floats, str]:
    """All cells are of one distribution."""
    del seed
    n, p, _ = split.train.shape
    return partition_density(split, np.zeros(n, dtype=np.int32), np.zeros(p, dtype=np.int32)), "1 x 1"


def kmeans_blocks(split: Masked, seed: int) -> tuple[Floats, str]:
    """Rows and columns by k-means of their own, a normal distribution for each block."""
    inner = masked_again(split.train, seed)
    n, p, _ = split.train.shape
    of_rows = {k: kmeans_labels(inner.train, k, seed) for k in NUMBERS if k <= n}
    of_columns = {k: kmeans_labels(inner.train.swapaxes(0, 1), k, seed) for k in NUMBERS if k <= p}
    k, m = best(
        product(of_rows, of_columns), lambda pair: partition_density(inner, of_rows[pair[0]], of_columns[pair[1]])
    )
    rows, columns = kmeans_labels(split.train, k, seed), kmeans_labels(split.train.swapaxes(0, 1), m, seed)
    return partition_density(split, rows, columns), f"{k} x {m}"


def row_mixture(split: Masked, seed: int) -> tuple[Floats, str]:
    """A Gaussian mixture on rows; a cell is scored by its components weighted by what the row's other cells say."""
    inner = masked_again(split.train, seed)
    numbers = [k for k in NUMBERS if k < len(split.train)]
    (k,) = best([(k,) for k in numbers], lambda only: _mixture_density(inner, only[0], seed))
    return _mixture_density(split, k, seed), f"{k} x -"


def best(choices: Iterable[tuple[int, ...]], density: Callable[[tuple[int, ...]], Floats]) -> tuple[int, ...]:
    """The choice of greatest mean log density."""
    return max(choices, key=lambda choice: float(density(choice).mean()))


def partition_density(split: Masked, rows: Found, columns: Found) -> Floats:
    """Log posterior predictive density, shape (M,), of the cells held out if these are the partitions.

    Each block has the default prior of the model, from the mean and covariance of all observed cells, so that no
    variance collapses. Partitions may have numbers that no item has.
    """
    n, p, d = split.train.shape
    seen = summarise(split.train.reshape(-1, d))
    covariance = seen.scatter / seen.count
    frame = Frame.of(seen.mean, covariance)
    cells = cells_by_cluster(frame.enter(split.train), rows, int(rows.max()) + 1)
    blocks = aggregate(cells, columns, int(columns.max()) + 1, axis=1)
    meta = DrawsMeta.of_one(n, p, Gaussian(frame.prior(default_prior(seen.mean, covariance)), 1.0, frame))
    draws = Draws.of([Draw.of_one(0, 1, 0.0, 1.0, 1.0, rows, columns, blocks)], meta)
    return cell_log_density(draws, split.rows, split.columns, split.cells)


def kmeans_labels(table: Floats, k: int, seed: int) -> Found:
    """Labels of the first axis by k-means; a missing number counts as the mean of those that share its place."""
    return np.asarray(KMeans(k, n_init=KMEANS_STARTS, random_state=seed).fit(filled(_flat(table))).labels_, np.int32)


def _mixture_density(split: Masked, k: int, seed: int) -> Floats:
    rows = _flat(split.train)
    mixture = fit_row_mixture(rows, k, seed)
    shares, _ = log_responsibilities(mixture, rows)
    _, p, d = split.train.shape
    means, variances = (array.reshape(k, p, d)[:, split.columns] for array in (mixture.means, mixture.variances))
    logs = -0.5 * (np.log(2 * np.pi * variances) + (split.cells - means) ** 2 / variances).sum(axis=-1)
    return np.asarray(logsumexp(shares[split.rows].T + logs, axis=0))


def _flat(table: Floats) -> Floats:
    """A row of numbers for each item of the first axis."""
    return table.reshape(len(table), -1)
