"""Iterations until the numbers of clusters are right, from two starts."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.studies.chains import ALPHA, BETA, SAMPLERS, Chain, Table
from benchmarks.studies.data import DataSet, overlapping, paper
from benchmarks.studies.runs import markdown, several, spread
from disnplbm.posterior.scores import partition_scores

SEEDS = range(10)

SHARDS = (1, 64)

STARTS = ("random", "one")

INTRODUCTION = f"""## Iterations until K and L are right

The first iteration from which both numbers of clusters are the true ones until the chain's end: median (least to most)
over the chains that get there, of seeds 0 to {SEEDS[-1]}; alpha {ALPHA:g}, beta {BETA:g}. Starts: random (the default,
30 x 30 random clusters at most) and one cluster. The first half of a `split-merge` chain is its approach. *Nearest*:
the row ARI of a rule that knows the true clusters' mean profiles and puts each row to the nearest one. Where that is
far from 1, the data do not tell all clusters apart: K is then no point but a posterior, and a chain with the true K is
passing by."""


@dataclass(frozen=True, eq=False)
class Study:
    """A data set, its true numbers of clusters, and the length of the chains."""

    data: DataSet
    row_clusters: int
    column_clusters: int
    iterations: int


def section() -> str:
    """The page in docs/results."""
    studies = [
        Study(paper(20_000, 90), 10, 3, 100),
        Study(paper(20_000, 20), 10, 3, 100),
        Study(overlapping(), 20, 5, 200),
    ]
    return "\n\n".join([INTRODUCTION, *(_part(study) for study in studies)])


def arrived(chain: Chain, row_clusters: int, column_clusters: int) -> int | None:
    """The first iteration, from 1, from which K and L stay at the given numbers; None if the chain ends elsewhere."""
    wrong = (chain.row_clusters != row_clusters) | (chain.column_clusters != column_clusters)
    if wrong[-1]:
        return None
    return int(np.flatnonzero(wrong).max(initial=-1)) + 2


def _part(study: Study) -> str:
    header = ("start", "shards", "sampler", "right", "iterations until right", "K at the end", "L", "row ARI")
    of_truth = (
        f"K = {study.row_clusters}, L = {study.column_clusters}; nearest: {_nearest(study.data):.2f};"
        f" {study.iterations} iterations."
    )
    return "\n\n".join([f"### {study.data.name}", of_truth, markdown(header, _rows(study))])


def _rows(study: Study) -> Iterator[tuple[str, ...]]:
    for n_shards in SHARDS:
        table = Table(study.data, n_shards)
        for start in STARTS:
            for sampler in SAMPLERS:
                chains = table.chains(sampler, SEEDS, study.iterations, start=start)
                first = [arrived(chain, study.row_clusters, study.column_clusters) for chain in chains]
                there = [iteration for iteration in first if iteration is not None]
                yield (
                    start,
                    str(n_shards),
                    sampler,
                    f"{len(there)} of {len(chains)}",
                    f"{statistics.median(there):g} ({min(there)} to {max(there)})" if there else "never",
                    several([int(chain.row_clusters[-1]) for chain in chains]),
                    several([int(chain.column_clusters[-1]) for chain in chains]),
                    spread([chain.ari for chain in chains]),
                )


def _nearest(data: DataSet) -> float:
    """Adjusted Rand index of rows put to the nearest of the true clusters' mean profiles (variances not used)."""
    profiles = np.array([data.values[data.rows == k].mean(axis=0) for k in np.unique(data.rows)])
    distances = (profiles**2).sum(axis=1) - 2.0 * data.values @ profiles.T
    return partition_scores(data.rows, distances.argmin(axis=1))[0]
