"""Levels of a fit beside methods that are told the number of classes: which rows are together at that number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralBiclustering
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA

from benchmarks.studies.count_methods import COMPONENTS, KMEANS_STARTS, log_scaled
from benchmarks.studies.count_tables import CountTable, classic3, dropseq, newsgroups
from benchmarks.studies.data import DataSet, expression, noisy_rows, wine
from benchmarks.studies.runs import markdown, several
from disnplbm import NPLBM
from disnplbm.engine.estimate import blocks_of
from disnplbm.posterior.scores import partition_scores
from disnplbm.posterior.trees.losses import family_of_levels
from disnplbm.posterior.trees.refining import refine

SEEDS, CHAINS = range(3), 4

#: Of counts, as in the study of counts, with few draws: the consensus of long axes takes time with their number.
OF_COUNTS: dict[str, Any] = {"n_iterations": 40, "n_draws": 5, "cells": "counts"}

#: Rows up to which Ward's method gets a table: it takes memory with their square.
MOST_ROWS = 6_000

Labels = NDArray[np.integer]

INTRODUCTION = f"""## Levels beside known classes

Tables whose rows have known classes. The fit is told nothing: {CHAINS} chains with default options (of counts, 40
iterations and five draws of each chain). Its tree of rows is the consensus of the draws
([ADR 34](../adr/0034-a-tree-is-the-consensus-of-the-draws.md)). One rule serves all tables.

- *Cut*: the tree cut at the number of classes, as `NPLBM.cut` and `disnplbm cut --rows K` do. *Refined*: each row has
  then moved to the cluster that fits it best (`--refine`).
- *Shown first*: the level that the run suggests (`auto`), and its ARI. Up to 24 clusters are shown as they are.
- k-means (best of 10 starts), Ward's method and scikit-learn's SpectralBiclustering are told the number of classes, and
  get the same transformed table. SpectralBiclustering gets it with its least value taken off where that is negative. Of
  counts, k-means and Ward get {COMPONENTS} principal components of logarithms, rows brought to the median total first.

Adjusted Rand index against the classes, means over seeds {SEEDS[0]} to {SEEDS[-1]}. The *bar* is what the cut is held
to; of counts, what the refined cut is held to."""


@dataclass(frozen=True, eq=False)
class Case:
    """A table with its classes, the bar, and how rivals see it."""

    name: str
    values: Any
    classes: Labels
    options: dict[str, Any]
    bar: float
    seen: Callable[[int], NDArray[np.float64]]

    @property
    def n_classes(self) -> int:
        """Known classes of the rows."""
        return len(np.unique(self.classes))

    def score(self, labels: Labels) -> float:
        """ARI of rows against the classes."""
        return partition_scores(np.unique(self.classes, return_inverse=True)[1], labels)[0]


def cases() -> Iterator[Case]:
    """All tables."""
    yield _numbers(wine(), 0.88)
    yield _numbers(replace(expression("chowdary-2006"), name="Chowdary", transform="log"), 0.88)
    yield _numbers(replace(expression("nutt-2003-v3"), name="Nutt", transform="none"), 0.80)
    for name, load, bar in (("iris", load_iris, 0.70), ("breast cancer", load_breast_cancer, 0.58)):
        bunch = load()
        yield _numbers(DataSet(name, bunch.data, bunch.target, None, "standardize"), bar)
    yield _numbers(noisy_rows(), 0.90)
    for make, bar in ((classic3, 0.97), (newsgroups, 0.46), (dropseq, 0.95)):
        yield _counts(make(), bar)


def _numbers(data: DataSet, bar: float) -> Case:
    values = data.values
    if data.transform == "standardize":
        values = (values - values.mean(axis=0)) / values.std(axis=0)
    elif data.transform == "log":
        values = np.log(values)
    name = data.name if data.transform == "none" else f"{data.name} ({data.transform})"
    return Case(name, data.values, data.rows, {"column_transform": data.transform}, bar, lambda _: values)


def _counts(table: CountTable, bar: float) -> Case:
    def components(seed: int) -> NDArray[np.float64]:
        scores = PCA(COMPONENTS, svd_solver="arpack", random_state=seed).fit_transform(log_scaled(table))
        return np.asarray(scores)

    return Case(table.name, table.counts, table.classes, OF_COUNTS, bar, components)


@dataclass(frozen=True)
class Found:
    """What came out with one seed."""

    clusters: tuple[int, int]
    cut: float
    refined: float
    shown: int
    shown_ari: float
    kmeans: float
    ward: float
    biclustering: float


def found_with(case: Case, seed: int) -> Found:
    """Fit, cut, and ask the others."""
    model = NPLBM(random_state=seed, n_chains=CHAINS, **case.options).fit(case.values)
    rows, shown = model.cut(min(case.n_classes, model.n_row_clusters_))[0], model.cut("auto")[0]
    return Found(
        (model.n_row_clusters_, model.n_column_clusters_),
        case.score(rows),
        case.score(_refined(model, case, rows)),
        int(shown.max()) + 1,
        case.score(shown),
        *_rivals(case, seed),
    )


def _refined(model: NPLBM, case: Case, rows: Labels) -> Labels:
    problem = model._read_fitted(case.values, "rows")
    family = family_of_levels(
        problem.only_part.family, *blocks_of(problem, model.row_labels_, model.column_labels_), model.tree_loss
    )
    return refine(problem.shards, rows.astype(np.int32), model.column_labels_, family).rows


def _rivals(case: Case, seed: int) -> tuple[float, float, float]:
    k, seen = case.n_classes, case.seen(seed)
    starts = KMEANS_STARTS if isinstance(case.values, csr_array) else 10
    kmeans = KMeans(k, n_init=starts, random_state=seed).fit(seen).labels_
    ward = AgglomerativeClustering(k).fit(seen).labels_ if len(seen) <= MOST_ROWS else None
    table = case.values if isinstance(case.values, csr_array) else seen - min(seen.min(), 0.0)
    biclustering = SpectralBiclustering((k, k), random_state=seed).fit(table).row_labels_
    return case.score(kmeans), float("nan") if ward is None else case.score(ward), case.score(biclustering)


def section() -> str:
    """The page in docs/results."""
    lines, means = [], []
    for case in cases():
        found = [found_with(case, seed) for seed in SEEDS]
        of_counts = isinstance(case.values, csr_array)
        told = {
            name: float(np.mean([getattr(one, name) for one in found]))
            for name in ("cut", "refined", "shown_ari", "kmeans", "ward", "biclustering")
        }
        if len(means) < 5:
            means.append(told)
        n, p = case.values.shape
        held = told["refined" if of_counts else "cut"]
        lines.append(
            [
                f"{case.name}, {n:,} x {p:,}",
                str(case.n_classes),
                " x ".join(several([one.clusters[axis] for one in found]) for axis in (0, 1)),
                *(_written(told[name]) for name in ("cut", "refined", "kmeans", "ward", "biclustering")),
                f"{several([one.shown for one in found])}, {told['shown_ari']:.2f}",
                f"{case.bar:.2f}: {'met' if held >= case.bar else 'missed'}",
            ]
        )
        print(" | ".join(lines[-1]), flush=True)
    mean = {name: float(np.mean([told[name] for told in means])) for name in means[0]}
    lines.append(
        [
            "**mean of the first five**",
            "",
            "",
            *(_written(mean[name]) for name in ("cut", "refined", "kmeans", "ward", "biclustering")),
            f"{mean['shown_ari']:.2f}",
            f"above k-means and Ward: {'met' if mean['cut'] > max(mean['kmeans'], mean['ward']) else 'missed'}",
        ]
    )
    columns = ("table", "classes", "the fit", "cut", "refined", "k-means", "Ward", "SpectralBiclustering")
    return f"{INTRODUCTION}\n\n{markdown((*columns, 'shown first', 'bar'), lines)}"


def _written(score: float) -> str:
    return "" if np.isnan(score) else f"{score:.3f}"
