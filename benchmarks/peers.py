"""What a user would pick instead, on the same data in the same run."""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.stats
from numpy.typing import NDArray
from sklearn.cluster import KMeans, SpectralBiclustering
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import BayesianGaussianMixture
from sklearn.preprocessing import StandardScaler

from benchmarks import khiops
from benchmarks.problems import ALPHA, BETA
from benchmarks.scale import Scale
from benchmarks.studies.data import REAL_DATA, DataSet, expression, paper, wine
from benchmarks.tables import seconds, table
from disnplbm import NPLBM

Matrix = NDArray[np.float64]
Labels = NDArray[np.generic]

#: Components that Gaussian mixtures may use, where others are told K.
UPPER_BOUND = 30

#: Khiops gets one run of at most this many seconds on each data set.
KHIOPS_SECONDS = 100.0

NOTES = """
Each method gets the same numbers, transformed beforehand, and two processors; times are medians over the seeds, ARI is
the median with its range where the seeds differ. NPLBM: 100 iterations, alpha 5, beta 2, automatic shards, random
start, last draw. KMeans: 10 restarts. SpectralBiclustering: defaults (bistochastic scaling; scikit-learn shifts
negative data). Gaussian mixture: Dirichlet process, diagonal covariances, at most {bound} components, 300 iterations.
Where the true number of column groups is unknown, SpectralBiclustering is told L = K. Khiops reads a table of
(row, column, value) and gets {limit:.0f} seconds a data set; it takes no seed. Its time grows faster than the number of
cells (2,000 x 90 was stopped unfinished after 280 seconds on a busy machine), so of the largest data it gets the
first rows only: its row there is not the same task as the others'. coclust is
not in the comparison: it could not be installed (not found in the package index), and its models are for non-negative
tables of counts.
"""


@dataclass(frozen=True, eq=False)
class Case:
    """A data set as every method gets it, and what is told to those that ask."""

    data: DataSet
    values: Matrix
    k: int
    groups: int
    seeds: int
    khiops_rows: int  # so many of the first rows; 0 leaves Khiops out


@dataclass(frozen=True)
class Method:
    """A way to cluster: (values, case, seed) to row labels and, if it has them, column labels."""

    name: str
    told: str
    run: Callable[[Matrix, Case, int], tuple[Labels, Labels | None]]


def section(scale: Scale) -> str:
    """All methods on all data sets."""
    header = ("data", "method", "had to be given", "time", "K x L found", "row ARI", "column ARI")
    NPLBM(n_iterations=2).fit(np.random.default_rng(0).standard_normal((20, 10)))  # loads the kernels
    rows = []
    for case in _cases(scale):
        rows += [_row(case, method) for method in METHODS]
        rows.append(_khiops_row(case))
    return table(header, rows) + "\n" + NOTES.format(bound=UPPER_BOUND, limit=KHIOPS_SECONDS)


def _cases(scale: Scale) -> list[Case]:
    seeds = 1 if scale.quick else 5
    large = paper(scale.rows(20_000), 90)
    small = paper(30, 30) if scale.quick else paper(150, 150)
    cases = [
        Case(large, large.values, 10, 3, 1, 0 if scale.quick else 400),
        Case(small, small.values, 10, 3, seeds, len(small.values)),
        _real(wine(), 3, seeds, scale),
    ]
    if REAL_DATA.is_dir():
        cases.append(_real(expression("chowdary-2006"), 2, seeds, scale))
    return cases


def _real(data: DataSet, k: int, seeds: int, scale: Scale) -> Case:
    return Case(data, _transformed(data), k, k, seeds, 0 if scale.quick else len(data.values))


def _transformed(data: DataSet) -> Matrix:
    if data.transform == "standardize":
        return np.asarray(StandardScaler().fit_transform(data.values))
    if data.transform == "boxcox":
        return np.column_stack([scipy.stats.boxcox(column)[0] for column in data.values.T])
    return data.values


def _row(case: Case, method: Method) -> tuple[str, ...]:
    """A method on a data set, once for every seed."""
    data = case.data
    name = data.name + {"none": "", "standardize": ", standardised", "boxcox": ", Box-Cox"}[data.transform]
    taken, row_scores, column_scores, sizes = [], [], [], []
    for seed in range(case.seeds):
        began = time.perf_counter()
        rows, columns = method.run(case.values, case, seed)
        taken.append(time.perf_counter() - began)
        row_scores.append(adjusted_rand_score(data.rows, rows))
        if columns is not None and data.columns is not None:
            column_scores.append(adjusted_rand_score(data.columns, columns))
        sizes.append((len(np.unique(rows)), None if columns is None else len(np.unique(columns))))
    results = (seconds(statistics.median(taken)), _found(sizes), _spread(row_scores), _spread(column_scores))
    return (name, method.name, method.told, *results)


def _khiops_row(case: Case) -> tuple[str, ...]:
    """Khiops once, on as many rows as it can do; or why not."""
    part = _first_rows(case, case.khiops_rows)
    method = Method("Khiops coclustering", "nothing", _khiops)
    try:
        if case.khiops_rows and not khiops.missing():
            return _row(part, method)
        reason = f"not run: {khiops.missing() or 'left out of a quick run'}"
    except khiops.TooLongError:
        reason = f"stopped after {KHIOPS_SECONDS:.0f} s"
    return (case.data.name, method.name, method.told, reason, "", "", "")


def _first_rows(case: Case, number: int) -> Case:
    data = case.data
    if number < len(data.values):
        name = f"{data.name}, first {number:,} rows"
        data = replace(data, name=name, values=data.values[:number], rows=data.rows[:number])
    return replace(case, data=data, values=case.values[:number], seeds=1)


def _found(sizes: list[tuple[int, int | None]]) -> str:
    rows, columns = zip(*sizes, strict=True)
    texts = [_whole([size for size in side if size is not None]) for side in (rows, columns)]
    return " x ".join(text or "-" for text in texts)


def _whole(values: list[int]) -> str:
    if not values:
        return ""
    return str(values[0]) if min(values) == max(values) else f"{min(values)}..{max(values)}"


def _spread(scores: list[float]) -> str:
    if not scores:
        return "-"
    middle, low, high = statistics.median(scores), min(scores), max(scores)
    return f"{middle:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{middle:.2f} ({low:.2f} to {high:.2f})"


def _nplbm(values: Matrix, case: Case, seed: int, start: str) -> tuple[Labels, Labels]:
    del case
    model = NPLBM(random_state=seed, n_shards="auto", alpha=ALPHA, beta=BETA, start=start, n_jobs=2).fit(values)
    return model.row_labels_, model.column_labels_


def _kmeans(values: Matrix, case: Case, seed: int) -> tuple[Labels, None]:
    return KMeans(case.k, n_init=10, random_state=seed).fit(values).labels_, None


def _spectral(values: Matrix, case: Case, seed: int) -> tuple[Labels, Labels]:
    model = SpectralBiclustering((case.k, case.groups), random_state=seed).fit(values)
    return model.row_labels_, model.column_labels_


def _mixture(values: Matrix, case: Case, seed: int) -> tuple[Labels, None]:
    del case
    model = BayesianGaussianMixture(
        n_components=min(UPPER_BOUND, len(values)), covariance_type="diag", max_iter=300, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the iterations are stated in the notes
        return model.fit_predict(values), None


def _khiops(values: Matrix, case: Case, seed: int) -> tuple[Labels, Labels]:
    del case, seed
    return khiops.cocluster(values, KHIOPS_SECONDS)


METHODS = (
    Method("**NPLBM**", "nothing", partial(_nplbm, start="random")),
    Method("NPLBM, start from one cluster", "nothing", partial(_nplbm, start="one")),
    Method("SpectralBiclustering", "K and L", _spectral),
    Method("KMeans, rows only", "K", _kmeans),
    Method("BayesianGaussianMixture, rows only", "upper bound of K", _mixture),
)
