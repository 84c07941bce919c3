"""Tables of counts: documents x terms and cells x genes, beside methods that are told the number of classes."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.studies.co_clustering import STARTS
from benchmarks.studies.count_methods import COMPONENTS, KMEANS_STARTS, LIMIT, METHODS, TOLD, Found, run, save
from benchmarks.studies.count_rivals import RIVALS, run_rival
from benchmarks.studies.count_tables import TABLES, CountTable
from benchmarks.studies.limited import UnansweredError
from benchmarks.studies.runs import markdown, several

SEEDS = range(3)

#: A method of others that takes more processor time than this, in seconds, is not repeated with other seeds.
LONG = 30.0

#: Methods that run side by side, each in a process of its own.
AT_A_TIME = 6

#: NMI and ARI that refined cuts are held to.
TARGETS = {"classic3": (0.95, 0.97), "20 Newsgroups": (0.66, 0.46), "Drop-seq": (0.93, 0.95)}

INTRODUCTION = f"""## Tables of counts

Three tables whose rows have known classes: classic3 (abstracts of three collections), 20 Newsgroups (messages to 20
groups) and Drop-seq (single cells of three lines). NMI and ARI of the rows against the classes, medians over seeds
{SEEDS.start} to {SEEDS.stop - 1}; time, and peak memory with the table in it, of a process of its own. A method of
others that takes more than {LONG:.0f} s of processor time runs with seed {SEEDS.start} alone.

All methods run in one run of the study, each on one thread, {AT_A_TIME} of them side by side. *Processor time* is user
and system time of the process and of the programs that it starts. It is what to compare: other work on the machine
hardly changes it. *Wall time* is what a clock showed meanwhile. A method gets {LIMIT} s of processor time for one
table, and is stopped then.

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

These are told the number of classes. Four programs of others, each in a Python of its own
(`benchmarks/rivals`; how to install them: `benchmarks/studies/count_rivals.py`):

- Louvain communities of scikit-network 0.33, on the graph with an edge from a row to a column for each thing counted.
- The nested, degree-corrected stochastic block model of graph-tool 2.45 (`minimize_nested_blockmodel_dl`), on the same
  graph: its finest level, and the level that has nearly as many row groups as there are classes.
- The Bernoulli latent block model of sparsebm 1.6, for 0/1: whether anything was counted. It is told the number of
  classes, for the columns too, and makes its own 100 starts.
- The coclustering of Khiops 11, of the row and the column of each thing counted.

coclust is not in the comparison, because the package index does not have it: mutual information and modularity are its
two methods. The best NMI and ARI of a table are bold, be their lead within chance or not."""


def section() -> str:
    """The page in docs/results."""
    tables = [make() for make in TABLES]
    # The rivals first: some take as long as they may.
    asked = [(table, name) for name in (*RIVALS, *METHODS) for table in tables]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_A_TIME) as pool:
        for table in tables:
            save(table, _path(folder, table))
        lines = dict(zip(asked, pool.map(partial(_line, Path(folder)), *zip(*asked, strict=True)), strict=True))
    parts = [_of_table(table, [lines[table, name] for name in (*METHODS, *RIVALS)]) for table in tables]
    return "\n\n".join([INTRODUCTION, *parts])


def _path(folder: Path | str, table: CountTable) -> Path:
    return Path(folder) / f"{table.name}.npz"


def _line(folder: Path, table: CountTable, name: str) -> Line:
    """What a method finds in a table."""
    path = _path(folder, table)
    if name in METHODS:
        long = np.inf if name.startswith("NPLBM") else LONG
        found = Line(name, TOLD, _repeated(partial(run, path, name), long))
    else:
        found = Line(name, RIVALS[name].told, _repeated(partial(run_rival, path, RIVALS[name], table), LONG))
    print(table.name, *_rows([found]), sep="\n  ", file=sys.stderr, flush=True)
    return found


def _of_table(table: CountTable, lines: list[Line]) -> str:
    n, p = table.counts.shape
    head = f"### {table.name}\n\n{n:,} x {p:,}, {table.counts.nnz:,} cells that are not 0, {table.n_classes} classes."
    nmi, ari = TARGETS[table.name]
    target = f"A refined cut is held to NMI {nmi:.2f} and ARI {ari:.2f}."
    columns = ("method", "told K", "row clusters", "NMI", "ARI", "processor time", "wall time", "peak memory")
    return f"{head} {target}\n\n{markdown(columns, _rows(lines))}"


class Line(NamedTuple):
    """What a method found with each seed, or in words why it found nothing."""

    method: str
    told: dict[str, str]
    outcomes: list[Found] | str


def _repeated(ask: Callable[[int], Found], long: float) -> list[Found] | str:
    """The answers for all seeds, or for the first alone if it took long."""
    outcomes: list[Found] = []
    try:
        for seed in SEEDS:
            outcomes.append(ask(seed))
            if outcomes[-1].taken.processor > long:
                break
    except UnansweredError as error:
        return str(error)
    return outcomes


def _rows(lines: list[Line]) -> list[list[str]]:
    medians = {
        (line.method, part): np.median([one.scores[part] for one in line.outcomes], axis=0)
        for line in lines
        if not isinstance(line.outcomes, str)
        for part in line.outcomes[0].scores
    }
    best = np.max(list(medians.values()), axis=0, initial=0)
    rows = []
    for method, told, outcomes in lines:
        if isinstance(outcomes, str):
            rows.append([method, told[""], outcomes, *[""] * 5])
            continue
        processor, wall = np.median([one.taken for one in outcomes], axis=0)
        cost = f"{processor:.1f} s", f"{wall:.1f} s", f"{max(one.peak for one in outcomes):,.0f} MiB"
        for part in outcomes[0].scores:
            scores = medians[method, part]
            clusters = [one.clusters[part] for one in outcomes]
            shown = (
                f"**{score:.3f}**" if score == top else f"{score:.3f}" for score, top in zip(scores, best, strict=True)
            )
            name = f"{method}, {part}" if part else method
            rows.append([name, told[part], several(clusters), *shown, *cost])
    return rows
