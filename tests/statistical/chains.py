"""Chains over small tables: the real sampler, and the NumPy twin with a fault that can be switched on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Family
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.model.frame import Frame
from disnplbm.model.partition import canonical_labels
from disnplbm.model.statistics import Floats, Labels, Statistics, aggregate, cells_by_group
from disnplbm.model.sweep import candidate_log_weights, draw, sweep
from disnplbm.sampler.chain import (
    join_of,
    master_step,
    shard_step,
    start_chain,
    start_join,
    start_shard,
)
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard
from disnplbm.sampler.starts import Start

from .enumeration import Problem

Draws = NDArray[np.int32]

#: Iterations before the first draw.
BURN_IN = 50


def sampled(problem: Problem, parameters: Parameters, n_draws: int, thin: int) -> Draws:
    """Draws of the real sampler, shape (n_draws, n + p): row labels, then column labels.

    The sampler's parameters are those given; of the problem, its table and its prior alone are used.
    """
    return thinned(_iterations(problem, parameters), n_draws, thin)


def twin(problem: Problem, n_draws: int, thin: int, *, seed: int, take_out: bool = True) -> Draws:
    """Draws of the sweep written in NumPy; without ``take_out``, an item stays in its cluster while it is drawn."""
    return thinned(_twin_iterations(problem, seed, take_out), n_draws, thin)


def thinned(iterations: Iterator[Draws], n_draws: int, thin: int) -> Draws:
    return np.array(list(islice(iterations, BURN_IN, BURN_IN + n_draws * thin, thin)))


def _iterations(problem: Problem, parameters: Parameters) -> Iterator[Draws]:
    values, (n, _, d) = problem.values, problem.values.shape
    cells = values.reshape(-1, d)
    seen = cells[~np.isnan(cells).any(axis=1)]
    diagonal = problem.prior.copies > 1
    if diagonal:
        # All numbers of a cell share the prior: its units are the table's.
        frame = Frame(np.zeros(d), np.ones(d), diagonal=True)
        prior = Gaussian(problem.prior, parameters.power)
    else:
        frame = Frame.of(seen.mean(axis=0), np.cov(seen.T, bias=True))
        prior = Gaussian(frame.prior(problem.prior), parameters.power)
    framed, complete, n_shards = frame.enter(values), len(seen) == len(cells), parameters.n_shards
    shards = [
        Shard([DenseCells(framed[e::n_shards], complete=complete, diagonal=diagonal)], e, n_shards)
        for e in range(n_shards)
    ]
    return chain_of(shards, [prior], parameters, n)


def chain_of(
    shards: list[Shard],
    families: Sequence[Family],
    parameters: Parameters,
    n: int,
    betas: Sequence[float] | None = None,
) -> Iterator[Draws]:
    """All partitions after each iteration of a chain: of the n rows, then of each part's columns.

    Parameters
    ----------
    betas : sequence of float, optional
        Of each part; by default the one of the parameters.
    """
    n_shards, complete = len(shards), shards[0].complete
    start = Start("random")
    join = start_join(start, parameters, families, n, [part.cells.n_columns for part in shards[0].parts])
    sent = [start_shard(shard, start, parameters, n) for shard in shards]
    for statistics in sent:
        join.add(statistics)
    chain = start_chain(join.finish(), parameters)
    if betas is not None:
        parts = (replace(part, beta=beta) for part, beta in zip(chain.broadcast.parts, betas, strict=True))
        chain = replace(chain, broadcast=replace(chain.broadcast, parts=tuple(parts)))
    while True:
        join = join_of(chain, parameters)
        sent = [
            shard_step(shard, before.labels, names, chain.broadcast, parameters)
            for shard, before, names in zip(shards, sent, chain.to_global, strict=True)
        ]
        for statistics in sent:
            join.add(statistics)
        chain = master_step(join.finish(), chain, parameters, complete=complete)
        rows = np.empty(n, dtype=np.int32)
        for e, (statistics, names) in enumerate(zip(sent, chain.to_global, strict=True)):
            rows[e::n_shards] = names[statistics.labels]
        yield np.concatenate([rows, *(part.column_labels for part in chain.broadcast.parts)])


def _twin_iterations(problem: Problem, seed: int, take_out: bool) -> Iterator[Draws]:
    values, transposed = problem.values, np.swapaxes(problem.values, 0, 1)
    n, p, _ = values.shape
    generator = np.random.default_rng(seed)
    rows, columns = np.zeros(n, dtype=np.int32), np.zeros(p, dtype=np.int32)
    step = _sweep_twin if take_out else _sweep_without_removal
    while True:
        rows = step(values, rows, columns, problem.alpha, problem, generator)
        columns = step(transposed, columns, rows, problem.beta, problem, generator)
        yield np.concatenate([rows, columns])


def _clusters(values: Floats, labels: Labels, groups: Labels) -> tuple[Statistics, Floats, Statistics]:
    items = cells_by_group(values, groups, int(groups.max()) + 1)
    return items, np.bincount(labels).astype(np.float64), aggregate(items, labels, int(labels.max()) + 1, axis=0)


def _sweep_twin(
    values: Floats,
    labels: Labels,
    groups: Labels,
    concentration: float,
    problem: Problem,
    generator: np.random.Generator,
) -> Labels:
    items, sizes, blocks = _clusters(values, labels, groups)
    uniforms = generator.random(len(labels))
    swept, _, _ = sweep(labels, uniforms, items, sizes, blocks, problem.prior, concentration, problem.power)
    return canonical_labels(swept)


def _sweep_without_removal(
    values: Floats,
    labels: Labels,
    groups: Labels,
    concentration: float,
    problem: Problem,
    generator: np.random.Generator,
) -> Labels:
    """The published fault: the item is still counted in its own cluster when its new one is drawn."""
    labels, prior = labels.copy(), problem.prior
    for i, uniform in enumerate(generator.random(len(labels))):
        items, sizes, blocks = _clusters(values, labels, groups)
        weights = candidate_log_weights(items[i], sizes, blocks, prior, concentration, problem.power)
        labels[i] = draw(weights, float(uniform))
        labels = canonical_labels(labels)
    return labels
