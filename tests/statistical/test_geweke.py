"""Both samplers pass Geweke's test: drawn in turn with the data, partitions keep the distribution they have a priori.

Two simulators of the joint distribution of data and partitions (Geweke 2004, "Getting it right"):

- *marginal-conditional*: partitions from the Chinese restaurant process, blocks from the normal-inverse-Wishart
  distribution, cells from the blocks. The sampler has no part in it.
- *successive-conditional*: iterations of the sampler given the table, then a new table given the partitions, in turn.

They agree if the sampler leaves the posterior unchanged. Each chain of the second kind starts from a draw of the first:
for a right sampler the mean over a chain has the right expectation, whatever the correlation within, and the means of
separate chains are independent. Tables change between rounds of the schedule only: what an iteration launches for the
next is made of the table. ``pytest -rP`` shows what was measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from benchmarks.studies.generative import draw_cells, draw_partition
from scipy.stats import ttest_ind

from disnplbm.engine.local import LocalEngine, RunState
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.joint import log_joint
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels, aggregate, cells_by_cluster
from disnplbm.sampler.concentrations import RATE, SHAPE
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard
from disnplbm.sampler.split_merge import splits
from disnplbm.sampler.split_merge.measure import instantiate_measure
from disnplbm.sampler.split_merge.plan import Plan
from disnplbm.sampler.split_merge.schedule import ROUND, Step, step_of
from disnplbm.sampler.starts import Start

from .goodness import LEAST_P
from .problems import ALPHA, BETA

N_ROWS, N_COLUMNS = 6, 5

#: Draws of the marginal-conditional simulator.
DRAWS = 3000

#: Chains of the successive-conditional one, and tables that each goes through.
CHAINS, TABLES = 30, 30

#: Cells that are missing where a case says so; (0, 0) and (1, 1) are looked at.
MISSING = ((0, 3), (2, 1), (4, 0), (4, 4))


@dataclass(frozen=True)
class Model:
    """What both simulators draw from.

    Parameters
    ----------
    dimension : int
    missing : bool
        Whether the cells of :data:`MISSING` are.
    learned : bool
        Whether the concentrations are drawn from their Gamma prior, or are :data:`ALPHA` and :data:`BETA`.
    """

    dimension: int
    missing: bool
    learned: bool

    @property
    def prior(self) -> NIWPrior:
        """Fixed numbers, none of them a default."""
        d = self.dimension
        return NIWPrior(np.linspace(0.9, -0.6, d), 0.7, 0.8 * np.ones((d, d)) + 1.5 * np.eye(d), d + 3)

    def table(self, row_labels: Labels, column_labels: Labels, generator: np.random.Generator) -> Floats:
        """Cells given both partitions."""
        values = draw_cells(row_labels, column_labels, self.prior, generator).values
        if self.missing:
            values[tuple(np.transpose(MISSING))] = np.nan
        return values

    def point(self, generator: np.random.Generator) -> Point:
        """A draw of everything."""
        alpha, beta = generator.gamma(SHAPE, 1.0 / RATE, size=2) if self.learned else (ALPHA, BETA)
        rows, columns = draw_partition(N_ROWS, alpha, generator), draw_partition(N_COLUMNS, beta, generator)
        return Point(self.table(rows, columns, generator), rows, columns, float(alpha), float(beta))

    def statistics(self, point: Point) -> dict[str, float]:
        """What is compared: of the partitions, of the cells, and of both."""
        values, rows, columns = point.values, point.rows, point.columns
        rows_alike, columns_alike = float(rows[0] == rows[1]), float(columns[0] == columns[1])
        # Bounded, since cells have heavy tails.
        nearness = float(np.exp(-np.abs(values[0, 0] - values[1, 1]).sum()))
        found = {
            "K": float(rows.max() + 1),
            "L": float(columns.max() + 1),
            "one row cluster": float(rows.max() == 0),
            "one column cluster": float(columns.max() == 0),
            "largest row cluster": float(np.bincount(rows).max()),
            "rows 1 and 2 together": rows_alike,
            "columns 1 and 2 together": columns_alike,
            "cells in one block": rows_alike * columns_alike,
            "nearness of cells": nearness,
            "nearness of cells in one block": nearness * rows_alike * columns_alike,
            "log joint": log_joint(values, rows, columns, self.prior, alpha=ALPHA, beta=BETA),
        }
        if self.learned:
            found |= {"log alpha": float(np.log(point.alpha)), "log beta": float(np.log(point.beta))}
        return found


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the space that both simulators move in."""

    values: Floats
    rows: Labels
    columns: Labels
    alpha: float
    beta: float


@cache
def marginal_conditional(model: Model) -> dict[str, Floats]:
    """Statistics of independent draws, each of shape (DRAWS,)."""
    generator = np.random.default_rng([model.dimension, model.missing, model.learned])
    return stacked([model.statistics(model.point(generator)) for _ in range(DRAWS)])


def successive_conditional(model: Model, parameters: Parameters, tables: int) -> dict[str, Floats]:
    """Means of the statistics over each chain of so many tables, each of shape (CHAINS,)."""
    means = []
    for number in range(CHAINS):
        of_points = stacked([model.statistics(point) for point in chain(model, parameters, number, tables)])
        means.append({name: float(values.mean()) for name, values in of_points.items()})
    return stacked(means)


def chain(model: Model, parameters: Parameters, number: int, tables: int) -> Iterator[Point]:
    """The points of one chain, which starts from a draw of everything."""
    generator = np.random.default_rng([parameters.seed, number])
    point = model.point(generator)
    parameters = replace(parameters, chain=number)
    if model.learned:
        parameters = replace(parameters, learn_alpha=True, learn_beta=True, alpha=point.alpha, beta=point.beta)
    of_sampler = Gaussian(model.prior, 1.0)
    with engine_for(model, point, parameters, of_sampler) as engine:
        state = engine.start(Start("given", point.rows, [point.columns]))
    for _ in range(tables):
        with engine_for(model, point, parameters, of_sampler) as engine:
            for _ in range(ROUND):
                state = engine.step(state)
        broadcast = state.chain.broadcast
        (part,) = broadcast.parts
        rows, columns = state.row_labels(N_ROWS), part.column_labels
        point = Point(model.table(rows, columns, generator), rows, columns, broadcast.alpha, part.beta)
        state = told(state, point, parameters)
        yield point


def engine_for(model: Model, point: Point, parameters: Parameters, of_sampler: Gaussian) -> LocalEngine:
    """The product's engine over the point's table."""
    n_shards, complete = parameters.n_shards, not model.missing
    shards = [Shard([DenseCells(point.values[e::n_shards], complete=complete)], e, n_shards) for e in range(n_shards)]
    return LocalEngine(shards, parameters, [of_sampler], 1)


def told(state: RunState, point: Point, parameters: Parameters) -> RunState:
    """The state with its broadcast made of the point's table."""
    broadcast = state.chain.broadcast
    (part,) = broadcast.parts
    k, groups = part.blocks.shape
    blocks = aggregate(cells_by_cluster(point.values, point.rows, k), point.columns, groups, axis=1)
    broadcast = replace(broadcast, parts=(replace(part, blocks=blocks),))
    if parameters.sampler == "split-merge" and step_of(parameters, broadcast.iteration) is Step.DRAW:
        of_rows, sizes = PartitionPrior.of(broadcast.alpha), broadcast.sizes.astype(np.float64)
        measure = instantiate_measure(sizes, broadcast.blocks, parameters, of_rows, broadcast.iteration)
        broadcast = replace(broadcast, record=Plan.none()._replace(measure=measure))
    return replace(state, chain=replace(state.chain, broadcast=broadcast))


def stacked(records: list[dict[str, float]]) -> dict[str, Floats]:
    """One array a statistic."""
    return {name: np.array([record[name] for record in records]) for name in records[0]}


def p_values(model: Model, parameters: Parameters, tables: int = TABLES) -> dict[str, float]:
    """Of Welch's test that both simulators have equal expectations, for every statistic."""
    drawn, moved = marginal_conditional(model), successive_conditional(model, parameters, tables)
    found = {name: float(ttest_ind(drawn[name], moved[name], equal_var=False).pvalue) for name in drawn}
    for name, p in found.items():
        print(f"{name}: {drawn[name].mean():.3f}, {moved[name].mean():.3f}, p = {p:.2g}")
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("model", "sampler", "n_shards"),
    [
        (Model(1, missing=True, learned=False), "collapsed", 1),
        (Model(2, missing=False, learned=False), "collapsed", 1),
        (Model(1, missing=True, learned=False), "split-merge", 2),
        (Model(1, missing=False, learned=True), "split-merge", 1),
        (Model(2, missing=True, learned=True), "split-merge", 3),
    ],
    ids=str,
)
def test_both_simulators_agree(model: Model, sampler: str, n_shards: int) -> None:
    found = p_values(model, Parameters(sampler=sampler, alpha=ALPHA, beta=BETA, n_shards=n_shards, seed=5))
    assert min(found.values()) >= LEAST_P, found


@pytest.mark.long
@pytest.mark.parametrize(
    "parameters",
    [
        Parameters(sampler="collapsed", alpha=1.0, beta=BETA, seed=5),
        Parameters(sampler="split-merge", alpha=ALPHA, beta=2.0 * BETA, n_shards=2, seed=5),
    ],
    ids=["collapsed, no alpha", "split-merge, twice beta"],
)
def test_a_wrong_concentration_is_rejected(parameters: Parameters) -> None:
    found = p_values(Model(1, missing=True, learned=False), parameters)
    assert min(found.values()) < LEAST_P, found


@pytest.mark.long
def test_a_wrong_acceptance_ratio_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the proposal's probability, log q is left out.

    The draws of labels are right and cover up a part of it, and guided sides are nearly certain: the chains are longer.
    """

    def without_log_q(*arguments: object) -> None:
        draw_sides(*arguments)  # type: ignore[arg-type]
        arguments[-1][:] = 0.0  # type: ignore[index]

    draw_sides = splits.draw_sides
    monkeypatch.setattr(splits, "draw_sides", without_log_q)
    parameters = Parameters(sampler="split-merge", alpha=ALPHA, beta=BETA, seed=5)
    found = p_values(Model(1, missing=True, learned=False), parameters, 3 * TABLES)
    assert min(found.values()) < LEAST_P, found
