"""Chains on small arrays for the tests of the sampler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disnplbm.engine.local import LocalEngine, RunState
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior, default_prior
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard
from disnplbm.sampler.starts import Start


@dataclass(frozen=True, eq=False)
class Run:
    """A chain's states after the start and after each iteration."""

    states: list[RunState]
    n_rows: int

    @property
    def rows(self) -> Labels:
        """Row labels at the end."""
        return self.states[-1].row_labels(self.n_rows)

    @property
    def columns(self) -> Labels:
        """Column labels at the end."""
        return self.states[-1].chain.broadcast.parts[0].column_labels

    @property
    def trace(self) -> Floats:
        """Log joint after each iteration, in the working frame."""
        return np.array([state.chain.log_joint for state in self.states[1:]])

    def bytes(self) -> bytes:
        """Labels and trace, bit for bit."""
        return self.rows.tobytes() + self.columns.tobytes() + self.trace.tobytes()


def framed(values: Floats, prior: NIWPrior | None = None) -> tuple[Floats, NIWPrior]:
    """The working frame's cells and prior, by default the data's own."""
    cells = values.reshape(-1, values.shape[-1])
    seen = cells[~np.isnan(cells).any(axis=1)]
    mean, covariance = seen.mean(axis=0), np.cov(seen.T, bias=True)
    frame = Frame.of(mean, covariance)
    return frame.enter(values), frame.prior(default_prior(mean, covariance) if prior is None else prior)


def shards_of(values: Floats, n_shards: int, cache_bytes: int = 1 << 26) -> list[Shard]:
    """Rows dealt to shards in turn."""
    complete = not np.isnan(values).any()
    return [
        Shard([DenseCells(values[e::n_shards], complete=complete)], e, n_shards, cache_bytes=cache_bytes)
        for e in range(n_shards)
    ]


def run(
    values: Floats,
    parameters: Parameters,
    iterations: int,
    *,
    start: str = "random",
    threads: int = 1,
    cache_bytes: int = 1 << 26,
    prior: NIWPrior | None = None,
) -> Run:
    """Run the real engine on an array of shape (n, p, d)."""
    cells, inner = framed(values, prior)
    family: Gaussian = Gaussian(inner, parameters.power)
    shards = shards_of(cells, parameters.n_shards, cache_bytes)
    with LocalEngine(shards, parameters, [family], threads) as engine:
        states = [engine.start(Start(start))]
        for _ in range(iterations):
            states.append(engine.step(states[-1]))
    return Run(states, len(values))


def blocks_of(
    n: int, p: int, n_rows: int, n_columns: int, seed: int, d: int = 1, sd: float = 1.0
) -> tuple[Floats, Labels, Labels]:
    """A table of n_rows x n_columns blocks with means N(0, 5^2), and the true labels of rows and columns."""
    rng = np.random.default_rng(seed)
    z, w = rng.permutation(np.arange(n) % n_rows), rng.permutation(np.arange(p) % n_columns)
    means = rng.normal(0.0, 5.0, (n_rows, n_columns, d))
    return means[z][:, w] + sd * rng.normal(size=(n, p, d)), z, w
