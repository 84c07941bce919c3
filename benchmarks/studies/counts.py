"""Tables of counts: documents x terms and cells x genes, beside methods that are told the number of classes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.studies.co_clustering import STARTS
from benchmarks.studies.count_methods import COMPONENTS, KMEANS_STARTS, METHODS, Found, run, save
from benchmarks.studies.count_tables import TABLES, CountTable
from benchmarks.studies.runs import markdown, several

SEEDS = range(3)

#: NMI and ARI that refined cuts are held to.
TARGETS = {"classic3": (0.95, 0.97), "20 Newsgroups": (0.66, 0.46), "Drop-seq": (0.93, 0.95)}

INTRODUCTION = f"""## Tables of counts

Three tables whose rows have known classes: classic3 (abstracts of three collections), 20 Newsgroups (messages to 20
groups) and Drop-seq (single cells of three lines). NMI and ARI of the rows against the classes, means over seeds
{SEEDS.start} to {SEEDS.stop - 1}; processor time, and peak memory with the table in it, of a process of its own.

- NPLBM: counts under the Poisson family with the margins as exposure, `split-merge`, one shard, a random start. The
  fit is told nothing. *As fitted* are the clusters it ends with: text and gene expression have structure at every
  scale, so there are many. *Cut*: its tree of rows, cut at the number of classes; rows that are set aside count as one
  cluster more. *Refined*: rows and columns have moved to the clusters that fit them best, rows of the cut and fine ones
  of columns. Only the cut is told the number. The time covers the fit, the tree and the refinement.
- Mutual information (Dhillon and others 2003) and modularity (Ailem and others 2015): co-clusterings with as many
  column clusters as classes, in NumPy (`benchmarks/studies/co_clustering.py`), the best of {STARTS} random starts.
- SpectralCoclustering of scikit-learn.
- k-means on tf-idf (logarithms of the frequencies), and on {COMPONENTS} principal components of logarithms, rows
  brought to the median total first; the best of {KMEANS_STARTS} starts.

These are told the number of classes. The best NMI and ARI of a table are bold, be their lead within chance or not."""


def section() -> str:
    """The page in docs/results."""
    return "\n\n".join([INTRODUCTION, *(_of_table(make()) for make in TABLES)])


def _of_table(table: CountTable) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        save(table, path)
        found = {method: [run(path, method, seed) for seed in SEEDS] for method in METHODS}
    n, p = table.counts.shape
    head = f"### {table.name}\n\n{n:,} x {p:,}, {table.counts.nnz:,} cells that are not 0, {table.n_classes} classes."
    nmi, ari = TARGETS[table.name]
    target = f"A refined cut is held to NMI {nmi:.2f} and ARI {ari:.2f}."
    columns = ("method", "told K", "row clusters", "NMI", "ARI", "processor time", "peak memory")
    return f"{head} {target}\n\n{markdown(columns, _rows(found))}"


def _rows(found: dict[str, list[Found]]) -> list[list[str]]:
    means = {
        (method, part): np.mean([one.scores[part] for one in outcomes], axis=0)
        for method, outcomes in found.items()
        for part in outcomes[0].scores
    }
    best = np.max(list(means.values()), axis=0)
    rows = []
    for (method, part), scores in means.items():
        outcomes = found[method]
        clusters = [one.clusters[part] for one in outcomes]
        shown = (
            f"**{score:.3f}**" if score == top else f"{score:.3f}" for score, top in zip(scores, best, strict=True)
        )
        seconds, peak = np.mean([one.seconds for one in outcomes]), max(one.peak for one in outcomes)
        told = {"": "yes", "as fitted": "no"}.get(part, "the cut alone")
        name = f"{method}, {part}" if part else method
        rows.append([name, told, several(clusters), *shown, f"{seconds:.1f} s", f"{peak:,.0f} MiB"])
    return rows
