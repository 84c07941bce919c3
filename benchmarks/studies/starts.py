"""Crossed starts beside one long chain and beside restarts, all of the same iterations; and annealed starts."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from benchmarks.studies.data import DataSet, expression, overlapping, votes, wine
from benchmarks.studies.runs import markdown
from disnplbm import NPLBM
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.diagnostics import convergence
from disnplbm.posterior.scores import partition_scores

#: Of the chains of each way; more where pairs of three chains differ too much to compare the ways.
SEEDS, MORE_SEEDS = range(3), {"digits 1,797 x 64": range(8)}

#: Of a crossed start: 12 + 2 * 20 short chains of 20 iterations.
SHORT_CHAINS, SHORT = 52, 20

#: Iterations after the start, and how many of them, the last ones, are judged.
ITERATIONS, JUDGED = 200, 100

IN_ALL = SHORT_CHAINS * SHORT + ITERATIONS

#: What each way to start is asked for: all are of as many iterations in all.
WAYS: dict[str, dict[str, Any]] = {
    "one chain": {"n_iterations": IN_ALL, "burn_in": IN_ALL - JUDGED},
    "restarts": {"n_iterations": ITERATIONS, "burn_in": ITERATIONS - JUDGED, "n_restarts": SHORT_CHAINS},
    "crossed": {"n_iterations": ITERATIONS, "burn_in": ITERATIONS - JUDGED, "start": "crossed"},
}

INTRODUCTION = f"""## Starts

### Crossed starts

Three ways to spend {IN_ALL:,} iterations on a chain. *One chain* has all of them. *Restarts* has {SHORT_CHAINS} short
chains of {SHORT} iterations (`--restarts {SHORT_CHAINS} --iterations {ITERATIONS}`) and goes {ITERATIONS} on from the
best. *Crossed* has as many short ones (`--start crossed --iterations {ITERATIONS}`), of which 40
start at the rows of one and the columns of another. Each table has {len(SEEDS)} chains of each way, one for each seed,
and digits has 8, of which the first {len(SEEDS)} stand alone too. All options are at their defaults. The log joint is
the mean of the last {JUDGED} iterations, over the chains. Rows and columns agree as much as the adjusted Rand index
between the last states of two chains says, over the pairs of chains. Bold is the best of the three."""

#: Iterations of plain and annealed chains, half of which are burn-in; and how many of that are annealed.
LENGTH, ANNEALED_ITERATIONS = 400, 150

CHAINS = range(4)

ANNEALED = f"""### Annealed starts

Four chains of each from random clusters, seeds 0 to 3: `--sampler split-merge --iterations {LENGTH}
--burn-in {LENGTH // 2}`, and the same with `--anneal {ANNEALED_ITERATIONS}`. The half behind the burn-in is judged. A
plain chain takes more processor time where it has more clusters. *Constant* is a trace that does not change in any
chain."""


ADVICE = """### Which to take

- **Take `--start crossed` for a real table whose chains disagree.** It leads to denser places than as many iterations
  in one chain or in restarts, and the rows of two chains agree more. Most chains still do not meet, so several
  chains and levels are needed all the same.
- **Take `--anneal` where clusters overlap.** There chains meet sooner, and far above plain ones of the same length. The
  log joint is the density of one partition: an annealed chain starts above the level that a long chain keeps, and may
  come down again. On the real tables chains end a little higher, and agree no more than plain ones.
- Both are starts. What draws say after the burn-in comes from the posterior in either case."""


@dataclass(frozen=True, eq=False)
class Judged:
    """The chains of one way to start on one table.

    Parameters
    ----------
    log_joint, row_clusters : ndarray of shape (chains, iterations)
        Of the iterations that are judged.
    rows, columns : list of ndarray of int32
        Labels of each chain's last state.
    seconds : float
        Processor time of a chain.
    """

    log_joint: Floats
    row_clusters: Floats
    rows: list[Labels]
    columns: list[Labels]
    seconds: float

    @property
    def level(self) -> float:
        """Mean log joint."""
        return float(self.log_joint.mean())

    @property
    def figures(self) -> tuple[float, float, float]:
        """Mean log joint, and agreement of rows and of columns."""
        return self.level, _agreement(self.rows), _agreement(self.columns)

    def first(self, chains: int) -> Judged:
        """The first chains alone."""
        labels = self.rows[:chains], self.columns[:chains]
        return Judged(self.log_joint[:chains], self.row_clusters[:chains], *labels, self.seconds)


def tables() -> list[DataSet]:
    """The tables that starts are compared on."""
    chowdary = expression("chowdary-2006")
    return [
        wine(),
        DataSet("Chowdary, log", chowdary.values, chowdary.rows, None, "log"),
        votes(),
        digits(),
        overlapping(),
        single_cells(),
    ]


def digits() -> DataSet:
    """1,797 handwritten digits of 8 x 8 pixels, from 0 to 16."""
    bunch = load_digits()
    return DataSet("digits 1,797 x 64", bunch.data.astype(np.float64), bunch.target, None, "none")


def single_cells(rows: int = 350, columns: int = 383, types: int = 10, programmes: int = 25) -> DataSet:
    """Like the expression of single cells: counts of ten types in a tree, log-normalised and standardised by gene.

    A type is on a branch of three, and has levels of its own in some of the programmes that its genes belong to. Counts
    are gamma-Poisson around them, with a depth for each cell.
    """
    generator = np.random.default_rng(0)
    z = generator.choice(types, rows, p=generator.dirichlet(np.full(types, 3.0)))
    w = generator.integers(0, programmes, columns)
    branch = generator.normal(0, 0.8, (3, programmes))[np.arange(types) % 3]
    own = generator.normal(0, 0.8, (types, programmes)) * (generator.random((types, programmes)) < 0.3)
    logs = (branch + own)[z][:, w] + generator.normal(0, 1.2, columns) - 0.5
    depth = generator.lognormal(0, 0.5, (rows, 1))
    counts = generator.poisson(depth * np.exp(logs) * generator.gamma(2.0, 0.5, (rows, columns)))
    logged = np.log1p(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) * 1_000)
    seen = logged[:, logged.std(axis=0) > 0]
    return DataSet(f"like single cells {rows} x {columns}", seen, z, None, "standardize")


def section() -> str:
    """The page in docs/results."""
    with warnings.catch_warnings():
        # What the tables are taken as is known here.
        warnings.simplefilter("ignore")
        return "\n\n".join([INTRODUCTION, _crossed(), ANNEALED, _annealed(), ADVICE])


def _crossed() -> str:
    lines, best, with_few = list[list[str]](), np.zeros(3, dtype=int), np.zeros(3, dtype=int)
    for data in tables():
        seeds = MORE_SEEDS.get(data.name, SEEDS)
        found = {way: _judged(data, seeds, JUDGED, **asked) for way, asked in WAYS.items()}
        few = {way: one.first(len(SEEDS)) for way, one in found.items()}
        best += _is_best(found)
        with_few += _is_best(few)
        for several in (few, found) if len(seeds) > len(SEEDS) else (found,):
            lines += _lines(data.name, several)
    header = ("table", "chains", "start", "log joint", "rows agree", "columns agree", "processor seconds a chain")
    (joint, of_rows, of_columns), first = best.tolist(), with_few.tolist()
    said = (
        f"Of {len(tables())} tables, crossed starts have the highest log joint on {joint}, rows that agree most on"
        f" {of_rows}, and columns that agree most, or as much as others, on {of_columns}. With {len(SEEDS)} chains of"
        f" every table it is {first[0]}, {first[1]} and {first[2]}."
    )
    return f"{markdown(header, lines)}\n\n{said}"


def _figures(found: dict[str, Judged]) -> Floats:
    """What each way comes to, shape (ways, 3)."""
    return np.array([one.figures for one in found.values()])


def _is_best(found: dict[str, Judged]) -> NDArray[np.bool_]:
    """In which figures the last way is best, shape (3,)."""
    figures = _figures(found)
    return np.asarray(figures[-1] == figures.max(axis=0))


def _lines(name: str, found: dict[str, Judged]) -> list[list[str]]:
    figures, lines = _figures(found), list[list[str]]()
    for at, (way, one) in enumerate(found.items()):
        lines.append([name, str(len(one.rows)), way, *_bold_best(figures, at), f"{one.seconds:.0f}"])
        print(*lines[-1], sep=" | ", flush=True)
    return lines


def _bold_best(figures: Floats, at: int) -> list[str]:
    """The figures of one way, shape (ways, 3), for people to read."""
    forms = ("{:,.0f}" if abs(figures[at, 0]) > 10_000 else "{:,.1f}", "{:.2f}", "{:.2f}")
    said = [form.format(value) for form, value in zip(forms, figures[at], strict=True)]
    return [
        f"**{text}**" if is_best else text for text, is_best in zip(said, figures[at] == figures.max(0), strict=True)
    ]


def _annealed() -> str:
    chowdary = expression("chowdary-2006")
    logged = DataSet("Chowdary, log", chowdary.values, chowdary.rows, None, "log")
    lines = []
    for data in (overlapping(), wine(), logged, expression("nutt-2003-v3")):
        for way, anneal in (("plain", 0), ("annealed", ANNEALED_ITERATIONS)):
            length = {"n_iterations": LENGTH, "burn_in": LENGTH // 2, "anneal": anneal}
            one = _judged(data, CHAINS, LENGTH // 2, sampler="split-merge", **length)
            mixed = [_mixed("log_joint", one.log_joint), _mixed("row_clusters", one.row_clusters)]
            level = [f"{one.level:,.0f}", f"{one.row_clusters.mean():.1f}"]
            lines.append([data.name, way, *level, *mixed, f"{one.seconds:.1f}"])
            print(*lines[-1], sep=" | ", flush=True)
    header = ("table", "start", "log joint", "K", "R-hat of log joint", "R-hat of K", "processor seconds a chain")
    return markdown(header, lines)


def _mixed(name: str, trace: Floats) -> str:
    """R-hat of traces, shape (chains, iterations)."""
    r_hat = convergence(name, trace).r_hat
    return "constant" if r_hat is None else f"{r_hat:.2f}"


def _judged(data: DataSet, seeds: Sequence[int], judged: int, **asked: Any) -> Judged:
    began = time.process_time()
    models = [
        NPLBM(random_state=seed, n_draws=0, column_transform=data.transform, **asked).fit(data.values) for seed in seeds
    ]
    seconds = (time.process_time() - began) / len(models)
    traces = [
        np.array([model.trace_[name][-judged:] for model in models], dtype=np.float64)
        for name in ("log_joint", "row_clusters")
    ]
    rows, columns = [model.row_labels_ for model in models], [model.column_labels_ for model in models]
    return Judged(traces[0], traces[1], rows, columns, seconds)


def _agreement(labels: Sequence[Labels]) -> float:
    """Mean adjusted Rand index over the pairs."""
    return float(np.mean([partition_scores(a, b)[0] for a, b in combinations(labels, 2)]))
