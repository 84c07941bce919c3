"""From shards in the user's units to a chain in the working frame, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.cell_types import DENSE, cell_type_of
from disnplbm.data.prepared import Prepared
from disnplbm.data.sharding import Axis
from disnplbm.data.shards import Loaded, Manifest, load_shard, map_shard
from disnplbm.engine.local import RunState
from disnplbm.engine.options import Options
from disnplbm.engine.residence import CACHE_BYTES, Residence, share_out
from disnplbm.errors import InputError
from disnplbm.families.base import Cells, Family
from disnplbm.families.cell_type import Arrays, Facts
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells, FiledCells
from disnplbm.families.gaussian.sparse_cells import SparseCells
from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels
from disnplbm.objects.store import ObjectStore
from disnplbm.posterior.draws import Draw, DrawsMeta
from disnplbm.posterior.result import Result
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard
from disnplbm.sampler.starts import Start, StartKind
from disnplbm.sampler.trace_row import TraceRow

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Everything a chain needs, and what takes its outcome back to the user's units and orientation.

    Parameters
    ----------
    shards : sequence of Shard
        In the working frame: a list of them, or :class:`StoredShards`.
    axis : {"rows", "columns"}
        The user's axis that is sharded.
    observed : int
        Observed cells of the data.
    n_items, n_others : int
        Lengths of the sharded axis and of the other one.
    complete : bool
        That no cell is missing.
    log_constant : float
        What a log joint lacks to be the one of the table in the user's units.
    cells : str
        Type of the cells: :data:`disnplbm.cell_types.DENSE` or one of those registered there.
    facts : dict
        What the family was made of; empty for real numbers.
    """

    shards: Sequence[Shard]
    parameters: Parameters
    family: Family
    axis: Axis
    observed: int
    n_items: int
    n_others: int
    complete: bool
    log_constant: float
    cells: str
    facts: Facts

    @property
    def n_bytes(self) -> int:
        """What the cells of all shards take in memory."""
        if isinstance(self.shards, StoredShards):
            return self.shards.n_bytes
        return sum(shard.cells.n_bytes for shard in self.shards)

    @property
    def frame(self) -> Frame:
        """The working frame of real numbers."""
        return cast(Gaussian, self.family).frame

    @property
    def diagonal(self) -> bool:
        """Whether a cell is several numbers that are independent given its block."""
        return self.cells == DENSE and self.frame.diagonal

    @property
    def prior(self) -> NIWPrior:
        """The prior of real numbers, in the working frame."""
        return cast(Gaussian, self.family).prior

    def start(self, kind: StartKind, rows: Labels | None = None, columns: Labels | None = None) -> Start:
        """A start given in the user's orientation."""
        if self.axis == "columns":
            rows, columns = columns, rows
        return Start(kind, rows, columns)

    def start_at(self, state: RunState) -> Start:
        """A start from the labels of a state, and nothing else of it."""
        return Start("given", state.row_labels(self.n_items), state.chain.broadcast.column_labels)

    def of_chain(self, chain: int) -> Problem:
        """The same problem for another chain; the shards are shared."""
        return replace(self, parameters=replace(self.parameters, chain=chain))

    def trace_row(self, state: RunState, seconds: float) -> TraceRow:
        """What the trace has of a state."""
        chain = state.chain
        clusters = self.oriented(chain.n_row_clusters, chain.n_column_clusters)
        concentrations = self.oriented(chain.broadcast.alpha, chain.broadcast.beta)
        return TraceRow(chain.log_joint + self.log_constant, *clusters, seconds, *concentrations)

    def draw(self, state: RunState, row: TraceRow, iteration: int) -> Draw:
        """The state after an iteration, with its row of the trace, as a draw."""
        broadcast = state.chain.broadcast
        rows, columns = self.oriented(state.row_labels(self.n_items), broadcast.column_labels)
        blocks = broadcast.blocks if self.axis == "rows" else broadcast.blocks.T
        return Draw(self.parameters.chain, iteration, row.log_joint, row.alpha, row.beta, rows, columns, blocks)

    def result(self, state: RunState, trace: Trace) -> Result:
        """A state as the user sees it."""
        broadcast = state.chain.broadcast
        blocks = self.family.leave(broadcast.blocks)
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
            self.family,
            transform,
            None if column_names is None else tuple(column_names),
            options.fix_row_clusters,
            options.fix_column_clusters,
            self.cells,
            self.facts,
        )

    def shard(self, loaded: Loaded, index: int, *, cache_bytes: int | None = None) -> Shard:
        """A shard as the sampler takes it, from what :func:`disnplbm.data.shards.load_shard` gives, changed in place.

        Parameters
        ----------
        cache_bytes : int, optional
            Row statistics that the shard may keep between sweeps; by default its part of
            :data:`~disnplbm.engine.residence.CACHE_BYTES`.
        """
        if not isinstance(loaded, dict):
            cells: Cells = _framed(loaded, self.frame, complete=self.complete)
        elif self.cells == DENSE:
            stored = loaded["indptr"], loaded["indices"], loaded["values"]
            cells = SparseCells(*stored, self.n_others, self.frame, complete=self.complete)
        else:
            cells = cell_type_of(self.cells).cells(loaded, self.facts, complete=self.complete)
        n_shards = self.parameters.n_shards
        return Shard(cells, index, n_shards, cache_bytes=_cache(n_shards) if cache_bytes is None else cache_bytes)

    def oriented(self, of_items: _T, of_others: _T) -> tuple[_T, _T]:
        """Turn a pair from the orientation of the shards to the user's, or back."""
        return (of_items, of_others) if self.axis == "rows" else (of_others, of_items)


class StoredShards(Sequence[Shard]):
    """Shards in an object store, in the working frame, each loaded anew when it is asked for and not kept."""

    def __init__(self, store: ObjectStore, manifest: Manifest, problem: Problem) -> None:
        self._store, self._manifest, self._problem = store, manifest, problem

    def __len__(self) -> int:
        return self._manifest.n_shards

    @property
    def n_bytes(self) -> int:
        """What all of them would take in memory."""
        return sum(map(self._manifest.memory_bytes, range(len(self))))

    @overload
    def __getitem__(self, index: int) -> Shard: ...

    @overload
    def __getitem__(self, index: slice) -> list[Shard]: ...

    def __getitem__(self, index: int | slice) -> Shard | list[Shard]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        # Nothing sweeps these.
        return self._problem.shard(load_shard(self._store, self._manifest, index), index, cache_bytes=0)


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
    framed = [problem.shard(values, index) for index, values in enumerate(shards)]
    n_items = sum(shard.n_rows for shard in framed)
    return replace(problem, shards=framed, n_items=n_items, n_others=framed[0].cells.n_columns)


def problem_of_manifest(manifest: Manifest, options: Options) -> Problem:
    """The problem of prepared shards without any of them: all that does not take the cells themselves."""
    return _problem_of(manifest, manifest.n_shards, options)


def typed_problem(
    cells: str, facts: Facts, n_shards: int, options: Options, axis: Axis, observed: int, *, complete: bool
) -> Problem:
    """The problem of cells of a registered type, without shards.

    Parameters
    ----------
    facts : dict
        As the type's :meth:`~disnplbm.families.cell_type.CellType.describe` gives them.
    """
    options = options.resolved(1, cells)
    family = cell_type_of(cells).family(facts, options.power)
    constant = options.power * float(facts["log_constant"])
    return Problem(
        [], options.parameters(n_shards, axis), family, axis, observed, 0, 0, complete, constant, cells, facts
    )


def problem_of_dealt(
    prepared: Prepared, shards: Sequence[Arrays], options: Options, prior: NIWPrior | None = None
) -> Problem:
    """The problem of cells in memory, without their zeros.

    Parameters
    ----------
    shards : sequence of dict of ndarray
        As :func:`disnplbm.data.typed.deal_cells` or :func:`disnplbm.data.sparse_numbers.deal_numbers` dealt them out.
    prior : NIWPrior, optional
        Of real numbers, see :func:`build_problem`.
    """
    problem = _problem_of(prepared, len(shards), options, prior)
    return replace(problem, shards=[problem.shard(arrays, index) for index, arrays in enumerate(shards)])


def stored_problem(
    store: ObjectStore,
    manifest: Manifest,
    options: Options,
    *,
    consume: bool = False,
    residence: Residence | None = None,
) -> Problem:
    """The problem of prepared shards.

    Parameters
    ----------
    consume : bool
        Delete each shard from the store once it is loaded, so that the data are in memory once.
    residence : Residence, optional
        Which of them are in memory, all by default; the others are read from the store's folder as they are used.
    """
    residence = share_out(manifest, None, on_disk=False) if residence is None else residence
    cache = residence.cache_bytes // manifest.n_shards
    problem, shards, before = problem_of_manifest(manifest, options), [], Arrays()
    for index, shard in enumerate(manifest.shards):
        if index >= residence.in_memory:
            raw, forget = map_shard(store, manifest, index)
            cells = FiledCells(raw, problem.frame, complete=problem.complete, forget=forget)
            shards.append(Shard(cells, index, manifest.n_shards, cache_bytes=cache))
            continue
        loaded = load_shard(store, manifest, index)
        if isinstance(loaded, dict) and problem.cells != DENSE:
            loaded = before = _share_equal(loaded, before)
        shards.append(problem.shard(loaded, index, cache_bytes=cache))
        if consume:
            store.delete([shard.key])
    return replace(problem, shards=shards)


def _share_equal(arrays: Arrays, before: Arrays) -> Arrays:
    """The arrays of a shard; one that the shard before holds too is in memory once."""
    return {
        name: before[name] if name in before and np.array_equal(before[name], values) else values
        for name, values in arrays.items()
    }


def _problem_of(prepared: Prepared, n_shards: int, options: Options, prior: NIWPrior | None = None) -> Problem:
    """The problem of cells of which all is known but the cells themselves."""
    complete = prepared.missing == 0
    if prepared.cells == DENSE:
        moments = prepared.mean, prepared.covariance
        problem = _without_shards(n_shards, options, prepared.axis, *moments, prepared.observed, complete, prior)
    else:
        problem = typed_problem(
            prepared.cells, prepared.facts, n_shards, options, prepared.axis, prepared.observed, complete=complete
        )
    return replace(problem, n_items=prepared.n_items, n_others=prepared.n_others)


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
    family = Gaussian(prior, options.power, frame)
    constant = frame.log_jacobian(options.power * observed)
    return Problem([], parameters, family, axis, observed, 0, 0, complete, constant, DENSE, {})


def _framed(values: Floats, frame: Frame, *, complete: bool) -> DenseCells:
    """Bring dense cells, shape (items, others, d), into the working frame, in place."""
    values -= frame.centre
    values /= frame.scale
    return DenseCells(values, complete=complete, diagonal=frame.diagonal)


def _cache(n_shards: int) -> int:
    """Bytes of row statistics that each shard may keep."""
    return CACHE_BYTES // n_shards
