"""One method on one table of counts, in a process of its own: what it finds and what it takes.

``python -m benchmarks.studies.count_methods FILE METHOD SEED`` prints a JSON object; FILE is what :func:`save` wrote.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from benchmarks.child import REPOSITORY, peak_memory
from benchmarks.clock import Clock, Taken
from benchmarks.studies.co_clustering import by_information, by_modularity
from benchmarks.studies.count_tables import CountTable
from benchmarks.studies.limited import run_limited
from disnplbm.posterior.scores import partition_scores

#: Seconds of processor time that a method gets for one table.
LIMIT = 150

#: Starts of k-means, of which scikit-learn keeps the best, and principal components.
KMEANS_STARTS, COMPONENTS = 5, 50

Labels = NDArray[np.integer]


@dataclass(frozen=True)
class Found:
    """What one run found; several partitions of the rows if it gives several."""

    scores: dict[str, tuple[float, float]]  # NMI and ARI
    clusters: dict[str, int]
    taken: Taken
    peak: float  # MiB resident, the table included


def nplbm(table: CountTable, seed: int, iterations: int) -> dict[str, Labels]:
    """Counts in ``split-merge``, one shard: the fit itself, the cut of its tree of rows, and the cut refined.

    The fit is told nothing; the cut is told how many branches to make. Columns keep their fine clusters.
    """
    from disnplbm.engine.local import LocalEngine
    from disnplbm.families.counts import Counts
    from disnplbm.kernels.partition_prior import PartitionPrior
    from disnplbm.posterior.trees.cutting import cut
    from disnplbm.posterior.trees.growing import grow_tree
    from disnplbm.posterior.trees.refining import refine
    from disnplbm.sampler.parameters import Parameters
    from disnplbm.sampler.shard import Shard
    from disnplbm.sampler.starts import Start

    family, shards = Counts(), [Shard([table.cells()], 0, 1)]
    parameters = Parameters(sampler="split-merge", seed=seed, approach=iterations // 2)
    with LocalEngine(shards, parameters, [family], threads=1) as engine:
        state = engine.start(Start())
        for _ in range(iterations):
            state = engine.step(state)
    fit, broadcast = state.row_labels(shards[0].n_rows), state.chain.broadcast
    (part,) = broadcast.parts
    tree = grow_tree([part.blocks], broadcast.sizes, PartitionPrior.of(broadcast.alpha), [family])
    branches = cut(tree, table.n_classes).labels[fit]
    refined = refine(shards, branches, part.column_labels, family)
    return {"as fitted": fit, "cut": branches, "refined": refined.rows}


def information(table: CountTable, seed: int) -> dict[str, Labels]:
    """Mutual information co-clustering."""
    return {"": by_information(table.counts, table.n_classes, seed).rows}


def modularity(table: CountTable, seed: int) -> dict[str, Labels]:
    """Modularity co-clustering."""
    return {"": by_modularity(table.counts, table.n_classes, seed).rows}


def spectral(table: CountTable, seed: int) -> dict[str, Labels]:
    """scikit-learn's spectral co-clustering."""
    from sklearn.cluster import SpectralCoclustering

    return {"": SpectralCoclustering(table.n_classes, random_state=seed).fit(table.counts).row_labels_}


def kmeans_tfidf(table: CountTable, seed: int) -> dict[str, Labels]:
    """k-means on tf-idf."""
    from sklearn.cluster import KMeans
    from sklearn.feature_extraction.text import TfidfTransformer

    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(table.counts)
    return {"": KMeans(table.n_classes, n_init=KMEANS_STARTS, random_state=seed).fit(weighted).labels_}


def log_scaled(table: CountTable) -> csr_array:
    """Logarithms of one plus the counts, each row brought to the median total first."""
    totals = np.asarray(table.counts.sum(axis=1), dtype=np.float64)
    return csr_array(table.counts.multiply((np.median(totals) / totals)[:, None])).log1p()


def kmeans_pca(table: CountTable, seed: int) -> dict[str, Labels]:
    """k-means on the leading principal components of logarithms, rows brought to the median total first."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA

    scores = PCA(COMPONENTS, svd_solver="arpack", random_state=seed).fit_transform(log_scaled(table))
    return {"": KMeans(table.n_classes, n_init=KMEANS_STARTS, random_state=seed).fit(scores).labels_}


METHODS: dict[str, Callable[[CountTable, int], dict[str, Labels]]] = {
    "NPLBM, 40 iterations": lambda table, seed: nplbm(table, seed, 40),
    "NPLBM, 100 iterations": lambda table, seed: nplbm(table, seed, 100),
    "mutual information": information,
    "modularity": modularity,
    "SpectralCoclustering": spectral,
    "k-means, tf-idf": kmeans_tfidf,
    "k-means, log, PCA": kmeans_pca,
}


#: Whether the parts of an answer are told the number of classes.
TOLD = {"": "yes", "as fitted": "no", "cut": "the cut alone", "refined": "the cut alone"}


def found_of(table: CountTable, labels: dict[str, Labels], taken: Taken, peak: float) -> Found:
    """What labels of the rows say beside the known classes."""
    scores = {name: partition_scores(table.classes, found)[::-1] for name, found in labels.items()}
    clusters = {name: len(np.unique(found)) for name, found in labels.items()}
    return Found(scores, clusters, taken, peak)


def save(table: CountTable, path: Path) -> None:
    """Write a table for :func:`run`."""
    stored = table.counts
    np.savez(
        path, data=stored.data, indices=stored.indices, indptr=stored.indptr, shape=stored.shape, classes=table.classes
    )


def run(path: Path, method: str, seed: int) -> Found:
    """Run a method in a process of its own; UnansweredError says why it finds nothing."""
    command = [sys.executable, "-m", "benchmarks.studies.count_methods", str(path), method, str(seed)]
    answer = json.loads(run_limited(command, LIMIT, REPOSITORY))
    return Found(**answer | {"taken": Taken(*answer["taken"])})


def _load(path: Path) -> CountTable:
    with np.load(path) as stored:
        parts = stored["data"], stored["indices"], stored["indptr"]
        return CountTable(path.stem, csr_array(parts, shape=tuple(stored["shape"])), stored["classes"])


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    table, method = _load(options.file), METHODS[options.method]
    if options.method.startswith("NPLBM"):
        # Kernels are compiled once a machine, or read from disk: not a part of the fit.
        nplbm(_corner(table), 0, 8)
    clock = Clock()
    labels = method(table, options.seed)
    print(json.dumps(asdict(found_of(table, labels, clock.taken(), peak_memory()))))


def _corner(table: CountTable) -> CountTable:
    """A few rows of a table, taken for one class."""
    rows = slice(0, 200)
    return CountTable(table.name, csr_array(table.counts[rows]), np.zeros_like(table.classes[rows]))


if __name__ == "__main__":
    _main()
