"""The paper's Table 1 again: the posterior instead of the last state, and what others find on the same numbers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from benchmarks.studies.fits import CHAIN, IN_WORDS, LEARNED, draws_of, fitted
from benchmarks.studies.masks import data_set, whole
from benchmarks.studies.runs import markdown, several, spread
from benchmarks.studies.table1 import PUBLISHED
from benchmarks.studies.table1_reasons import EXPLANATION, Row, Run, better, consensus_run, reasons, scores
from disnplbm import NPLBM
from disnplbm.data.array import ArraySource
from disnplbm.engine.calibrate import POWERS, Calibration, calibrate
from disnplbm.engine.options import Options
from disnplbm.model.statistics import Floats
from disnplbm.objects.store import open_store

SEEDS = range(10)
SAMPLERS: tuple[str, ...] = ("collapsed", "split-merge")

#: Chains of the parametric model of which the one of highest log joint is taken, and their length.
RESTARTS, RESTART_ITERATIONS = 5, 100

#: Starts of k-means and of EM, of which scikit-learn keeps the best, and components tried with BIC.
KMEANS_STARTS, MIXTURE_STARTS, MOST_COMPONENTS = 10, 3, 10

INTRODUCTION = f"""## The paper's Table 1 from the posterior

ARI and NMI of the samples, mean and standard deviation over seeds 0 to 9, on the transformed cells. NPLBM:
{IN_WORDS}.
Bold: the mean (or the "best") is above the better one of the paper's two figures, in print (two digits), however
little that is beside the standard deviation. Nothing is chosen by labels.

- "Last state" and "consensus" are of the same chains. "Best" is the ARI of that one of the ten seeds whose draws (last
  state: whose last state) have the highest log joint, which needs no labels.
- Learned: `--alpha learn --beta learn`. Power: the elbow of `disnplbm calibrate` (split-merge, seed 0, the powers
  {", ".join(f"{power:g}" for power in POWERS)}), one for each data set; what it says is printed. All: both. A
  power (or learned concentrations) changes the log joint itself: it compares between rows only where these are
  the same.
- Parametric LBM: `--fix-row-clusters` at the number of classes (it is told that), `--fix-column-clusters` at the median
  L of the split-merge draws, Dirichlet(1), the best of {RESTARTS} restarts of {RESTART_ITERATIONS} iterations by log
  joint.
- k-means ({KMEANS_STARTS} starts) and Gaussian mixture ({MIXTURE_STARTS} starts) are told the number of classes; the
  covariances (full and tied where there are more samples than features, diagonal, spherical) are those of the lowest
  BIC. The second mixture has its number of components from BIC too (1 to {MOST_COMPONENTS}).

{EXPLANATION}"""


def section() -> str:
    """The page in docs/results."""
    return "\n\n".join([INTRODUCTION, *(_data_set(name) for name in ("synthetic", "wine", "Chowdary", "Nutt"))])


def _data_set(name: str) -> str:
    data, values = data_set(name), whole(name)
    calibration = calibrated(values)
    ours, median_columns = _ours(values, calibration.elbow.power)
    n_classes = len(np.unique(data.rows))
    table = np.array(values.reshape(len(values), -1))
    rows = [
        *ours,
        _parametric(values, n_classes, median_columns),
        Row("k-means", [Run(_kmeans(table, n_classes, seed)) for seed in SEEDS]),
        Row("Gaussian mixture", [Run(_mixture(table, [n_classes], seed)) for seed in SEEDS]),
        Row("Gaussian mixture, BIC", [Run(_mixture(table, range(1, MOST_COMPONENTS + 1), seed)) for seed in SEEDS]),
    ]
    paper = published(PUBLISHED[data.name])
    header = ("method", "K", "L", "ARI", "NMI", "log joint", "best")
    n, p = table.shape
    return "\n\n".join(
        [
            f"### {data.name}, posterior ({n} x {p}; {n_classes} classes)",
            f"The paper: {PUBLISHED[data.name]} (ARI / NMI). Transform: {data.transform}. Calibration:"
            f" {calibration.elbow.sentence}",
            markdown(header, [_cells(row, data.rows, paper) for row in rows]),
            "\n".join(reasons(values, data.rows, rows, paper)),
        ]
    )


def calibrated(values: Floats) -> Calibration:
    """Powers and the elbow, on the chains of this study."""
    options = Options(
        iterations=CHAIN["n_iterations"],
        burn_in=CHAIN["burn_in"],
        draws=CHAIN["n_draws"],
        alpha=CHAIN["alpha"],
        beta=CHAIN["beta"],
        sampler="split-merge",
    )
    return calibrate(
        ArraySource(values),
        open_store("memory://"),
        options,
        POWERS,
        n_shards=1,
        transform="none",
        threads=1,
        progress=lambda *_: None,
    )


def published(text: str) -> tuple[float, float]:
    """The better ARI and the better NMI of the paper's "ARI / NMI" figures in a text."""
    pairs = re.findall(r"([\d.]+) / ([\d.]+)", text)
    return max(float(ari) for ari, _ in pairs), max(float(nmi) for _, nmi in pairs)


def _ours(values: Floats, power: float) -> tuple[list[Row], int]:
    """The rows of NPLBM, and the median L of the plain split-merge draws."""
    settings: dict[str, dict[str, Any]] = {
        "consensus": {},
        "consensus, learned": LEARNED,
        f"consensus, power {power:g}": {"power": power},
        f"consensus, all (learned, power {power:g})": LEARNED | {"power": power},
    }
    if power == 1:
        del settings["consensus, power 1"], settings["consensus, all (learned, power 1)"]
    rows, columns = [], list[int]()
    for sampler in SAMPLERS:
        for name, changes in settings.items():
            options = {"sampler": sampler} | changes
            models = [fitted(values, seed, **options) for seed in SEEDS]
            if not changes:
                rows.append(Row(f"NPLBM {sampler}, last state", [_last(model) for model in models], name))
                columns = [number for model in models for number in draws_of(model).numbers().column_clusters.tolist()]
            rows.append(Row(f"NPLBM {sampler}, {name}", [consensus_run(model) for model in models], name, options))
    return rows, int(np.median(columns))


def _last(model: NPLBM) -> Run:
    draw = draws_of(model)[-1]
    return Run(draw.row_labels, draw.column_labels, draw.log_joint)


def _parametric(values: Floats, k: int, columns: int) -> Row:
    runs = []
    for seed in SEEDS:
        models = [
            NPLBM(
                RESTART_ITERATIONS,
                random_state=seed * RESTARTS + restart,
                fix_row_clusters=k,
                fix_column_clusters=columns,
            ).fit(values)
            for restart in range(RESTARTS)
        ]
        best = max(models, key=lambda model: float(model.log_joint_))
        runs.append(Run(best.row_labels_, best.column_labels_, best.log_joint_))
    return Row(f"parametric LBM, at most {k} x {columns}, best of {RESTARTS} by log joint", runs, "parametric")


def _kmeans(table: Floats, k: int, seed: int) -> NDArray[Any]:
    return np.asarray(KMeans(k, n_init=KMEANS_STARTS, random_state=seed).fit(table).labels_)


def _mixture(table: Floats, numbers: Iterable[int], seed: int) -> NDArray[Any]:
    """Labels of the mixture of lowest BIC."""
    n, p = table.shape
    kinds = ("spherical", "diag", "tied", "full") if p < n else ("spherical", "diag")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [
            GaussianMixture(k, covariance_type=kind, n_init=MIXTURE_STARTS, random_state=seed).fit(table)
            for k in numbers
            for kind in kinds
        ]
    return np.asarray(min(models, key=lambda model: float(model.bic(table))).predict(table))


def _cells(row: Row, classes: NDArray[Any], paper: tuple[float, float]) -> tuple[str, ...]:
    found = scores(row, classes)
    best = ""
    if np.isfinite(row.runs[0].log_joint):
        ari = found[int(np.argmax([run.log_joint for run in row.runs])), 0]
        best = _bold(f"{ari:.2f}", better(ari, paper[0]))
    return (
        row.name,
        several([len(np.unique(run.rows)) for run in row.runs]),
        _column_clusters(row),
        *(
            _bold(spread(list(values)), better(values.mean(), limit))
            for values, limit in zip(found.T, paper, strict=True)
        ),
        spread([run.log_joint for run in row.runs], 0) if best else "-",
        best or "-",
    )


def _column_clusters(row: Row) -> str:
    numbers = [len(np.unique(run.columns)) for run in row.runs if run.columns is not None]
    return several(numbers) if numbers else "-"


def _bold(text: str, wanted: bool) -> str:
    return f"**{text}**" if wanted else text
