"""Clusters of vectors that lie 6 sd apart: are they all found from the default start, with default options?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from benchmarks.studies.data import DataSet
from benchmarks.studies.runs import markdown, run, several, spread
from disnplbm import NPLBM

SEEDS = range(5)

#: Numbers in a cell, clusters, rows of each.
TABLES = ((2, 20, 1000), (5, 20, 1000), (20, 20, 1000))

#: Up to this d `collapsed` is run as well; above it takes long.
COMPARED = 5

#: A chain this far below the truth's log joint, in nats, is stuck.
STUCK = 50.0

INTRODUCTION = f"""## Cells of several numbers

One column; row clusters N(m_k, I) whose means are drawn from N(0, I) and scaled until the nearest two are 6 apart;
default options, seeds 0 to {SEEDS[-1]}. *Above the truth*: log joint less that of a chain that starts at the true
clusters and goes 10 iterations. `auto` is `split-merge` for such cells; `collapsed` is there to compare, up to
d = {COMPARED}. At d = 2 the truth need not have the highest log joint: the means spread so much wider than a cluster
that the default prior is too wide to part the nearest two."""


def apart(d: int, clusters: int, rows: int, seed: int = 0) -> DataSet:
    """Row clusters of d-vectors whose means are at least 6 sd apart."""
    rng = np.random.default_rng([seed, d, clusters])
    means = rng.normal(size=(clusters, d))
    means *= 6 / pdist(means).min()
    z: NDArray[np.intp] = np.repeat(np.arange(clusters), rows)
    values = (means[z] + rng.normal(size=(len(z), d)))[:, None, :]
    return DataSet(f"d = {d}, {clusters} clusters x {rows:,} rows", values, z, None, "none")


def section() -> str:
    """The page in docs/results."""
    header = ("table", "sampler", "K", "K within 1", f"more than {STUCK:g} nats below", "above the truth", "row ARI")
    return "\n\n".join([INTRODUCTION, markdown(header, _rows())])


def _rows() -> Iterator[tuple[str, ...]]:
    for d, clusters, rows in TABLES:
        data = apart(d, clusters, rows)
        truth = NPLBM(10, start=(data.rows, None), sampler="collapsed").fit(data.values).log_joint_
        for sampler in ("auto", "collapsed") if d <= COMPARED else ("auto",):
            found = [run(data, seed, sampler=sampler) for seed in SEEDS]
            above = [outcome.log_joint - truth for outcome in found]
            yield (
                data.name,
                sampler,
                several([outcome.row_clusters for outcome in found]),
                f"{sum(abs(outcome.row_clusters - clusters) <= 1 for outcome in found)} of {len(found)}",
                f"{sum(gain < -STUCK for gain in above)} of {len(found)}",
                f"{min(above):,.0f} to {max(above):,.0f}",
                spread([outcome.ari for outcome in found]),
            )
