"""What is shown of draws: numbers of clusters within the draws' numbers, and rows no further from the classes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.studies.data import DataSet, log_normal, paper, votes, wine
from benchmarks.studies.kept import kept_draws
from benchmarks.studies.runs import markdown
from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.shards import prepare
from disnplbm.engine.options import Options
from disnplbm.engine.problem import stored_problem
from disnplbm.model.statistics import Labels
from disnplbm.objects.store import open_store
from disnplbm.posterior.answers import answers
from disnplbm.posterior.consensus import FINALISTS, MOST_STARTS, START_WORK
from disnplbm.posterior.draws import Axis, Draws
from disnplbm.posterior.losses import loss_of
from disnplbm.posterior.partition_sample import collapse
from disnplbm.posterior.refinement import objective, refined
from disnplbm.posterior.scores import partition_scores
from disnplbm.posterior.screening import best_draws

#: Chains that are taken together.
CHAINS = (1, 2, 4)

INTRODUCTION = """## What is shown of draws

Each table has four chains of `collapsed` on one shard, short ones and long ones, with half of the iterations as
burn-in; of these the first, the first two and all four are summarised. *Before* is the consensus of all draws by
variation of information, whatever its numbers of clusters. *Shown* is today's: all draws where the chains agree or are
only short, else the chain of the highest mean log joint, with K and L within the range of its draws. ARI
compares the rows with their known classes. Seconds are of the processor: for the search, on both axes, of all chains
together and of each, since they are compared; without confidence and second answers before, and with them today.
"""


@dataclass(frozen=True, eq=False)
class Study:
    """A data set, and the iterations of its chains."""

    data: DataSet
    iterations: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """What is shown of some chains, and what was before.

    Parameters
    ----------
    table : str
    iterations, chains : int
    verdict : str
    source : str
        Chains that it comes from.
    shown, before : pair of int
        K and L.
    drawn, drawn_by_all : pair of pair of int
        Fewest and most clusters of rows, and of columns, in the draws that it comes from, and in all.
    ari, ari_before : float
    seconds, seconds_before : float
    """

    table: str
    iterations: int
    chains: int
    verdict: str
    source: str
    shown: tuple[int, int]
    before: tuple[int, int]
    drawn: tuple[tuple[int, int], tuple[int, int]]
    drawn_by_all: tuple[tuple[int, int], tuple[int, int]]
    ari: float
    ari_before: float
    seconds: float
    seconds_before: float

    @property
    def is_inside(self) -> bool:
        """Whether K and L shown lie within the draws' numbers."""
        return _inside(self.shown, self.drawn)

    @property
    def was_inside(self) -> bool:
        """Whether K and L before lay within the numbers of all draws."""
        return _inside(self.before, self.drawn_by_all)


def studies() -> list[Study]:
    """The data sets and lengths of chains."""
    return [
        Study(votes(), (40, 120)),
        Study(log_normal(), (24, 80)),
        Study(wine(), (60, 400)),
        Study(paper(1_000, 90), (20, 60)),
    ]


def section() -> str:
    """The page in docs/results."""
    # Compiles what is timed below.
    outcome(wine(), 8, drawn(wine(), 8, 2))
    found = [outcome for study in studies() for outcome in outcomes(study)]
    return "\n\n".join([INTRODUCTION, _summary(found), _table(found)])


def outcomes(study: Study) -> Iterator[Outcome]:
    """What is shown of each number of chains of each length."""
    for iterations in study.iterations:
        draws = drawn(study.data, iterations, max(CHAINS))
        for chains in CHAINS:
            yield outcome(study.data, iterations, draws.select(np.flatnonzero(draws.numbers().chain < chains)))


def drawn(data: DataSet, iterations: int, chains: int) -> Draws:
    """The draws of chains on one shard, half of their iterations being burn-in."""
    options = Options(iterations=iterations, burn_in=iterations // 2, chains=chains)
    store = open_store("memory://")
    manifest = prepare(ingest(ArraySource(data.values), store, "dataset"), store, "shards", transform=data.transform)
    problem = stored_problem(store, manifest, options, consume=True)
    kept = [draw for chain in range(chains) for draw in kept_draws(problem.of_chain(chain), options)]
    return Draws.of(kept, problem.draws_meta(options, data.transform, None))


def outcome(data: DataSet, iterations: int, draws: Draws) -> Outcome:
    """What is shown of draws, and what was before."""
    began = time.process_time()
    found = answers(draws, "vi")
    seconds = time.process_time() - began
    began = time.process_time()
    rows, columns = consensus_of_all(draws, "rows"), consensus_of_all(draws, "columns")
    if len(found.of_chains) > 1:
        for answer in found.of_chains:
            consensus_of_all(answer.draws, "rows")
            consensus_of_all(answer.draws, "columns")
    seconds_before = time.process_time() - began
    best = found.best
    together = len(best.chains) == len(found.of_chains)
    return Outcome(
        data.name,
        iterations,
        len(found.of_chains),
        found.diagnosis.verdict.kind,
        "all" if together else f"chain {best.chains[0]}",
        (_clusters(best.rows.labels), _clusters(best.columns.labels)),
        (_clusters(rows), _clusters(columns)),
        _range(best.draws),
        _range(draws),
        partition_scores(data.rows, best.rows.labels)[0],
        partition_scores(data.rows, rows)[0],
        seconds,
        seconds_before,
    )


def consensus_of_all(draws: Draws, axis: Axis) -> Labels:
    """The rule before: the best partition found, of any number of clusters."""
    sample, types = collapse(draws.labels(axis))
    loss = loss_of("vi", sample.n_items, sample.n_draws)
    n_starts = min(max(START_WORK // sample.labels.size, 1), MOST_STARTS)
    starts = best_draws(sample, loss, max(n_starts, FINALISTS))[:n_starts]
    results = [refined(sample, sample.labels[start].astype(np.int32), loss) for start in starts]
    return min(results, key=lambda labels: objective(sample, labels, loss))[types]


def _clusters(labels: Labels) -> int:
    return int(labels.max()) + 1


def _range(draws: Draws) -> tuple[tuple[int, int], tuple[int, int]]:
    numbers = draws.numbers()
    rows, columns = numbers.row_clusters, numbers.column_clusters
    return (int(rows.min()), int(rows.max())), (int(columns.min()), int(columns.max()))


def _inside(clusters: tuple[int, int], drawn: tuple[tuple[int, int], tuple[int, int]]) -> bool:
    return all(low <= number <= high for number, (low, high) in zip(clusters, drawn, strict=True))


def _summary(found: list[Outcome]) -> str:
    change = np.mean([outcome.ari - outcome.ari_before for outcome in found])
    inside, before = sum(outcome.is_inside for outcome in found), sum(outcome.was_inside for outcome in found)
    return (
        f"K and L shown lie within the range of the draws in {inside} of {len(found)} cases; before, in {before}."
        f" ARI of the rows changes by {change:+.3f} on average. The search takes"
        f" {sum(o.seconds for o in found):.0f} s in all; it took {sum(o.seconds_before for o in found):.0f} s."
    )


def _table(found: list[Outcome]) -> str:
    header = (
        "table", "iterations", "chains", "verdict", "shown", "K x L", "of the draws", "before", "ARI", "ARI before",
        "seconds", "seconds before",
    )  # fmt: skip
    return markdown(header, map(_row, found))


def _row(outcome: Outcome) -> tuple[str, ...]:
    k, l = outcome.drawn  # noqa: E741
    outside = "" if outcome.was_inside else ", outside"
    return (
        outcome.table,
        f"{outcome.iterations:,}",
        str(outcome.chains),
        outcome.verdict.replace("_", " "),
        outcome.source,
        f"{outcome.shown[0]} x {outcome.shown[1]}",
        f"{k[0]} to {k[1]} x {l[0]} to {l[1]}",
        f"{outcome.before[0]} x {outcome.before[1]}{outside}",
        f"{outcome.ari:.2f}",
        f"{outcome.ari_before:.2f}",
        f"{outcome.seconds:.1f}",
        f"{outcome.seconds_before:.1f}",
    )
