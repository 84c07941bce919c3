"""Chains of both samplers on one table: their traces, the seconds they took, and where they ended."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.studies.data import DataSet
from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.shards import prepare
from disnplbm.engine.drive import InMemory, Step, run_one
from disnplbm.engine.options import Options
from disnplbm.engine.problem import stored_problem
from disnplbm.engine.warmup import warm_up
from disnplbm.model.statistics import Labels
from disnplbm.objects.store import open_store
from disnplbm.posterior.scores import partition_scores

SAMPLERS: tuple[str, ...] = ("collapsed", "split-merge")

#: Concentrations of rows and of columns, as in the paper.
ALPHA, BETA = 5.0, 2.0


@dataclass(frozen=True, eq=False)
class Chain:
    """What a chain did, on one thread.

    Parameters
    ----------
    log_joint, row_clusters, column_clusters : ndarray, shape (iterations,)
    processor, clock : ndarray, shape (iterations,)
        Seconds of each iteration: of this process, and those that passed.
    row_labels, column_labels : ndarray of int32
        Of the last state.
    ari, column_ari : float
        Adjusted Rand index with the known classes; NaN where no classes of columns are known.
    """

    log_joint: NDArray[np.float64]
    row_clusters: NDArray[np.int64]
    column_clusters: NDArray[np.int64]
    processor: NDArray[np.float64]
    clock: NDArray[np.float64]
    row_labels: Labels
    column_labels: Labels
    ari: float
    column_ari: float


class Table:
    """A data set in shards, ready for any number of chains.

    Parameters
    ----------
    data : DataSet
    n_shards : int
    """

    def __init__(self, data: DataSet, n_shards: int) -> None:
        self.data = data
        store = open_store("memory://")
        dataset = ingest(ArraySource(data.values), store, "dataset")
        manifest = prepare(dataset, store, "shards", n_shards=n_shards, transform=data.transform)
        self._problem = stored_problem(store, manifest, Options(), consume=True)

    def chain(self, sampler: str, seed: int, iterations: int, **options: Any) -> Chain:
        """Run a chain, with further options as :class:`disnplbm.engine.options.Options` has them."""
        wanted = Options(
            iterations=iterations, sampler=sampler, seed=seed, **({"alpha": ALPHA, "beta": BETA} | options)
        )
        axis, shards = self._problem.axis, self._problem.shards
        problem = replace(self._problem, parameters=wanted.parameters(len(shards), axis))
        cells = shards[0].only_part.cells
        warm_up(cells.values.shape[2], Options(sampler=sampler), complete=cells.complete)
        for shard in shards:
            shard.drop_cache()
        ticks = [time.process_time()]

        def see(_: Step) -> bool:
            ticks.append(time.process_time())
            return False

        state, trace = run_one(problem, iterations, problem.start(wanted.start), InMemory(see))
        result = problem.result(state, trace)
        return Chain(
            np.array(trace.log_joint),
            np.array(trace.row_clusters),
            np.array(trace.column_clusters),
            np.diff(ticks),
            np.array(trace.seconds),
            result.row_labels,
            result.column_labels,
            partition_scores(self.data.rows, result.row_labels)[0],
            float("nan") if self.data.columns is None else partition_scores(self.data.columns, result.column_labels)[0],
        )

    def chains(self, sampler: str, seeds: Iterable[int], iterations: int, **options: Any) -> list[Chain]:
        """Run a chain for every seed."""
        return [self.chain(sampler, seed, iterations, **options) for seed in seeds]
