"""Effective draws of both samplers, in chains that start from two ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.studies.chains import ALPHA, BETA, Chain, Table
from benchmarks.studies.data import DataSet, expression, overlapping, paper, wine
from benchmarks.studies.runs import markdown
from disnplbm.model.statistics import Floats
from disnplbm.posterior.diagnostics import convergence

#: Start and seed of the chains of each setting.
CHAINS = (("random", 0), ("random", 1), ("one", 2), ("one", 3))

#: Sampler and shards. With several shards `collapsed` is an approximation, whose draws count for nothing.
SETTINGS: tuple[tuple[str, int], ...] = (("collapsed", 1), ("split-merge", 1), ("split-merge", 4))

TRACES = {"log_joint": "log joint", "row_clusters": "K"}

#: Decimals of a trace that mean anything.
DIGITS = 6

INTRODUCTION = f"""## Effective draws

How many independent draws a chain is worth (ArviZ, bulk, rank-normalised), of the log joint and of K; alpha {ALPHA:g},
beta {BETA:g}. Each setting has four chains, two from the random start and two from one cluster. *Together* is the
effective size of all four, which counts how far they are from agreeing. R-hat above 1.01 says that they have not met
yet; then a high figure *apart* (four sizes, each of one chain on its own, added up) is worth little, since each may be
stuck in a place of its own. The level (mean after burn-in) of each chain stands beside it. Rates are per processor
second of one thread after the burn-in.

Where clusters overlap, the level of the log joint does not say which chain is right: it is the density of one
partition, and many partitions of low density can weigh more than a few of high density. There chains from one cluster
come down to the posterior, and those from the random start come up."""


@dataclass(frozen=True, eq=False)
class Study:
    """A data set, and the iterations that are dropped and kept."""

    data: DataSet
    burn_in: int
    kept: int


def studies() -> list[Study]:
    """The data sets, the overlapping one last."""
    return [
        Study(paper(20_000, 90), 200, 800),
        Study(wine(), 1_000, 3_000),
        Study(expression("chowdary-2006"), 500, 1_500),
        Study(overlapping(), 1_000, 1_500),
    ]


def section() -> str:
    """The page in docs/results."""
    return "\n\n".join([INTRODUCTION, *(_part(study) for study in studies())])


def _part(study: Study) -> str:
    rows = []
    for sampler, n_shards in SETTINGS:
        table = Table(study.data, n_shards)
        total = study.burn_in + study.kept
        chains = [table.chain(sampler, seed, total, start=start, burn_in=study.burn_in) for start, seed in CHAINS]
        rows += list(_rows(f"{sampler}, {n_shards} shard{'s' * (n_shards > 1)}", chains, study.burn_in))
    header = (
        "sampler",
        "processor (clock) seconds",
        "trace",
        "level of each chain: random, random; one, one",
        "R-hat",
        "together",
        "together, a second",
        "together, an iteration",
        "apart",
        "apart, a second",
    )
    n, p = study.data.values.shape
    of_iterations = f"{n:,} x {p}. {study.burn_in:,} iterations dropped and {study.kept:,} kept of each of four chains."
    return "\n\n".join([f"### {study.data.name}", of_iterations, markdown(header, rows)])


def _rows(name: str, chains: list[Chain], burn_in: int) -> Iterator[tuple[str, ...]]:
    """One row a trace."""
    seconds = sum(float(chain.processor[burn_in:].sum()) for chain in chains)
    clock = sum(float(chain.clock[burn_in:].sum()) for chain in chains)
    for trace, noun in TRACES.items():
        # Sums in another order differ in their last digits: a log joint that stands still must not look as if it moved.
        values = np.array([getattr(chain, trace)[burn_in:] for chain in chains], dtype=np.float64).round(DIGITS)
        yield (
            name,
            f"{seconds:.1f} ({clock:.1f})",
            noun,
            _levels(values, trace),
            *_effective(trace, values, seconds),
        )


def _levels(values: Floats, trace: str) -> str:
    digits = 0 if trace == "log_joint" else 1
    means = [f"{chain.mean():.{digits}f}" for chain in values]
    return f"{', '.join(means[:2])}; {', '.join(means[2:])}"


def _effective(trace: str, values: Floats, seconds: float) -> tuple[str, ...]:
    """R-hat; effective draws together, a second, an iteration; apart, a second."""
    apart = [convergence(trace, chain[None]).ess_bulk for chain in values]
    known = [draws for draws in apart if draws is not None]
    of_parts = (f"{sum(known):,.0f}", f"{sum(known) / seconds:.1f}") if known else ("not defined", "")
    if known and len(known) < len(apart):
        of_parts = (f"{of_parts[0]} ({len(apart) - len(known)} constant)", of_parts[1])
    if np.ptp(values) == 0:
        return "not defined: constant", "not defined", "", "", "not defined", ""
    together = convergence(trace, values)
    if together.r_hat is None or together.ess_bulk is None:
        return "infinite: each keeps to its own", "none", "", "", *of_parts
    draws = together.ess_bulk
    return (
        f"{together.r_hat:.2f}",
        f"{draws:,.0f}",
        f"{draws / seconds:.2f}",
        f"{draws / values.size:.4f}",
        *of_parts,
    )
