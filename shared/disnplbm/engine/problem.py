"""From shards in the user's units to a chain in the working frame, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.data.sharding import Axis
from disnplbm.data.shards import Manifest, load_shard
from disnplbm.engine.local import RunState
from disnplbm.engine.options import Options
from disnplbm.errors import InputError
from disnplbm.families.base import Family
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels, Statistics
from disnplbm.objects.store import ObjectStore
from disnplbm.posterior.draws import Draw, DrawsMeta
from disnplbm.posterior.result import Result
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard
from disnplbm.sampler.starts import Start, StartKind
from disnplbm.sampler.trace_row import TraceRow

_T = TypeVar("_T")

#: Row statistics that all shards together may keep between sweeps.
CACHE_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Everything a chain needs, and what takes its outcome back to the user's units and orientation.

    Parameters
    ----------
    shards : sequence of Shard
        In the working frame: a list of them, or :class:`StoredShards`.
    prior : NIWPrior
        In the working frame.
    axis : {"rows", "columns"}
        The user's axis that is sharded.
    observed : int
        Observed cells of the data.
    n_items, n_others : int
        Lengths of the sharded axis and of the other one.
    complete : bool
        That no cell is missing.
    """

    shards: Sequence[Shard]
    parameters: Parameters
    family: Family
    frame: Frame
    prior: NIWPrior
    axis: Axis
    observed: int
    n_items: int
    n_others: int
    complete: bool

    @property
    def dimension(self) -> int:
        """Numbers in a cell."""
        return len(self.frame.centre)

    def start(self, kind: StartKind, rows: Labels | None = None, columns: Labels | None = None) -> Start:
        """A start given in the user's orientation."""
        if self.axis == "columns":
            rows, columns = columns, rows
        return Start(kind, rows, columns)

    def start_at(self, state: RunState) -> Start:
        """A start from the labels of a state, and nothing else of it."""
        reached = self.result(state, Trace())
        return self.start("given", reached.row_labels, reached.column_labels)

    def of_chain(self, chain: int) -> Problem:
        """The same problem for another chain; the shards are shared."""
        return replace(self, parameters=replace(self.parameters, chain=chain))

    def trace_row(self, state: RunState, seconds: float) -> TraceRow:
        """What the trace has of a state."""
        chain = state.chain
        clusters = self.oriented(chain.n_row_clusters, chain.n_column_clusters)
        jacobian = self.frame.log_jacobian(self.parameters.power * self.observed)
        concentrations = self.oriented(chain.broadcast.alpha, chain.broadcast.beta)
        return TraceRow(chain.log_joint + jacobian, *clusters, seconds, *concentrations)

    def draw(self, state: RunState, row: TraceRow, iteration: int) -> Draw:
        """The state after an iteration, with its row of the trace, as a draw."""
        broadcast = state.chain.broadcast
        rows, columns = self.oriented(state.row_labels(self.n_items), broadcast.column_labels)
        blocks = cast(Statistics, broadcast.blocks if self.axis == "rows" else broadcast.blocks.T)
        return Draw(self.parameters.chain, iteration, row.log_joint, row.alpha, row.beta, rows, columns, blocks)

    def result(self, state: RunState, trace: Trace) -> Result:
        """A state as the user sees it."""
        broadcast = state.chain.broadcast
        blocks = self.frame.leave(cast(Statistics, broadcast.blocks))
        if self.axis == "columns":
            blocks = blocks.T
        rows, columns = self.oriented(state.row_labels(self.n_items), broadcast.column_labels)
        return Result(rows, columns, blocks, trace)

    def draws_meta(
        self, options: Options, n: int, p: int, transform: str, column_names: Sequence[str] | None
    ) -> DrawsMeta:
        """What all draws of this run have in common; n rows and p columns in the user's orientation."""
        return DrawsMeta(
            n,
            p,
            self.frame,
            self.prior,
            options.power,
            transform,
            None if column_names is None else tuple(column_names),
            options.fix_row_clusters,
            options.fix_column_clusters,
        )

    def oriented(self, of_items: _T, of_others: _T) -> tuple[_T, _T]:
        """Turn a pair from the orientation of the shards to the user's, or back."""
        return (of_items, of_others) if self.axis == "rows" else (of_others, of_items)


class StoredShards(Sequence[Shard]):
    """Shards in an object store, in the working frame, each loaded anew when it is asked for and not kept."""

    def __init__(self, store: ObjectStore, manifest: Manifest, frame: Frame) -> None:
        self._store, self._manifest, self._frame = store, manifest, frame

    def __len__(self) -> int:
        return self._manifest.n_shards

    @overload
    def __getitem__(self, index: int) -> Shard: ...

    @overload
    def __getitem__(self, index: slice) -> list[Shard]: ...

    def __getitem__(self, index: int | slice) -> Shard | list[Shard]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        manifest = self._manifest
        values = load_shard(self._store, manifest, index)
        # Nothing sweeps these.
        return framed_shard(values, index, len(self), self._frame, complete=manifest.missing == 0, cache_bytes=0)


def framed_shard(
    values: Floats, index: int, n_shards: int, frame: Frame, *, complete: bool, cache_bytes: int | None = None
) -> Shard:
    """Bring one shard into the working frame.

    Parameters
    ----------
    values : ndarray of shape (items, others, d)
        Changed in place.
    complete : bool
        That no cell of the whole data is missing.
    cache_bytes : int, optional
        Row statistics that the shard may keep between sweeps; by default its part of :data:`CACHE_BYTES`.
    """
    values -= frame.centre
    values /= frame.scale
    cache_bytes = CACHE_BYTES // n_shards if cache_bytes is None else cache_bytes
    cells = DenseCells(values, complete=complete, diagonal=frame.diagonal)
    return Shard(cells, index, n_shards, cache_bytes=cache_bytes)


def build_problem(
    shards: Iterable[Floats],
    n_shards: int,
    options: Options,
    axis: Axis,
    mean: ArrayLike,
    covariance: ArrayLike,
    observed: int,
    *,
    complete: bool,
    prior: NIWPrior | None = None,
) -> Problem:
    """Bring shards into the working frame, one at a time.

    Parameters
    ----------
    shards : iterable of ndarray of shape (items, others, d)
        In shard order; each is changed in place.
    axis : {"rows", "columns"}
    mean, covariance : array-like of shape (d,) and (d, d), or (d,) and (d,)
        Of all observed cells; where the options ask for a diagonal covariance the variances are enough.
    complete : bool
        That no cell is missing.
    prior : NIWPrior, optional
        In the user's units, instead of the one that ``options`` describes.
    """
    problem = _without_shards(n_shards, options, axis, mean, covariance, observed, complete, prior)
    framed = [
        framed_shard(values, index, n_shards, problem.frame, complete=complete) for index, values in enumerate(shards)
    ]
    n_items = sum(shard.n_rows for shard in framed)
    return replace(problem, shards=framed, n_items=n_items, n_others=framed[0].cells.n_columns)


def problem_of_manifest(manifest: Manifest, options: Options) -> Problem:
    """The problem of prepared shards without any of them: all that does not take the cells themselves."""
    problem = _without_shards(
        manifest.n_shards,
        options,
        manifest.axis,
        manifest.mean,
        manifest.covariance,
        manifest.observed,
        manifest.missing == 0,
        None,
    )
    return replace(problem, n_items=manifest.n_items, n_others=manifest.n_others)


def stored_problem(store: ObjectStore, manifest: Manifest, options: Options, *, consume: bool = False) -> Problem:
    """The problem of prepared shards, all of them in memory.

    Parameters
    ----------
    consume : bool
        Delete each shard from the store once it is loaded, so that the data are in memory once.
    """
    problem = problem_of_manifest(manifest, options)
    shards = []
    for index, shard in enumerate(manifest.shards):
        values = load_shard(store, manifest, index)
        shards.append(framed_shard(values, index, manifest.n_shards, problem.frame, complete=problem.complete))
        if consume:
            store.delete([shard.key])
    return replace(problem, shards=shards)


def _without_shards(
    n_shards: int,
    options: Options,
    axis: Axis,
    mean: ArrayLike,
    covariance: ArrayLike,
    observed: int,
    complete: bool,
    prior: NIWPrior | None,
) -> Problem:
    mean, covariance = np.asarray(mean, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    options = options.resolved(len(mean))
    frame = Frame.of(mean, covariance, diagonal=options.diagonal)
    parameters = options.parameters(n_shards, axis, len(mean))
    if options.diagonal and prior is not None:
        raise InputError("a prior that is given as a whole needs covariance = full; state kappa0 and psi0_factor")
    if options.diagonal:
        prior = options.prior_of_parts(len(mean))
    else:
        prior = frame.prior(options.prior(mean, covariance) if prior is None else prior)
    return Problem([], parameters, Gaussian(prior, options.power), frame, prior, axis, observed, 0, 0, complete)
