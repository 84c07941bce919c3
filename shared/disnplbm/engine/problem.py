"""From shards in the user's units to a chain in the working frame, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.cell_types import DENSE, type_of_parts
from disnplbm.data.mixed.manifest import AnyManifest
from disnplbm.data.prepared import Prepared
from disnplbm.data.sharding import Axis
from disnplbm.data.shards import Loaded, Manifest, load_shard, map_shard
from disnplbm.engine.local import RunState
from disnplbm.engine.options import Options
from disnplbm.engine.problem_part import ProblemPart
from disnplbm.engine.residence import CACHE_BYTES, Residence, share_out
from disnplbm.errors import InputError
from disnplbm.families.base import Family, Statistics
from disnplbm.families.cell_type import Arrays
from disnplbm.families.gaussian.cells import FiledCells
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels
from disnplbm.notes import Hint
from disnplbm.objects.store import ObjectStore
from disnplbm.parts import join_labels, only_part, slices_of
from disnplbm.posterior.draws import Draw, DrawsMeta, PartMeta
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
    parts : tuple of ProblemPart
        Of the table.
    axis : {"rows", "columns"}
        The user's axis that is sharded.
    n_items : int
        Length of that axis.
    """

    shards: Sequence[Shard]
    parameters: Parameters
    parts: tuple[ProblemPart, ...]
    axis: Axis
    n_items: int

    def __post_init__(self) -> None:
        if len(self.parts) > 1 and self.axis != "rows":
            raise InputError(
                f"a table with {len(self.parts)} kinds of columns is cut by its rows alone; leave out ",
                Hint("shard_axis", self.axis),
            )

    @property
    def n_bytes(self) -> int:
        """What the cells of all shards take in memory."""
        if isinstance(self.shards, StoredShards):
            return self.shards.n_bytes
        return sum(shard.n_bytes for shard in self.shards)

    @property
    def families(self) -> tuple[Family, ...]:
        """Of the parts, in the working frame."""
        return tuple(part.family for part in self.parts)

    @property
    def n_columns(self) -> tuple[int, ...]:
        """Columns of each part, in the orientation of the shards."""
        return tuple(part.n_columns for part in self.parts)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Columns of each part, in the user's orientation."""
        return self.n_columns if self.axis == "rows" else (self.n_items,)

    @property
    def complete(self) -> tuple[bool, ...]:
        """For each part, that no cell is missing."""
        return tuple(part.complete for part in self.parts)

    @property
    def log_constant(self) -> float:
        """What a log joint lacks to be the one of the table in the user's units."""
        return sum((part.log_constant for part in self.parts), 0.0)

    @property
    def only_part(self) -> ProblemPart:
        """The part of a table of one part; InputError if it has more (docs/adr/0035-a-table-is-a-list-of-parts.md)."""
        return only_part(self.parts)

    def alone(self, part: int) -> Problem:
        """One of the parts as a table of its own, with the same rows."""
        shards = ShardsOfPart(self.shards, part)
        return replace(self, shards=shards, parts=(self.parts[part],))

    def start(self, kind: StartKind, rows: Labels | None = None, columns: Labels | None = None) -> Start:
        """A start given in the user's orientation; a cluster of columns of several parts becomes one in each."""
        if self.axis == "columns":
            rows, columns = columns, rows
        if columns is None:
            return Start(kind, rows)
        if len(columns) != sum(self.n_columns):
            raise InputError(f"start: {len(columns)} column labels given for {sum(self.n_columns)} columns")
        return Start(kind, rows, [columns[where] for where in slices_of(self.n_columns)])

    def start_at(self, state: RunState) -> Start:
        """A start from the labels of a state, and nothing else of it."""
        columns = [part.column_labels for part in state.chain.broadcast.parts]
        return Start("given", state.row_labels(self.n_items), columns)

    def of_chain(self, chain: int) -> Problem:
        """The same problem for another chain; the shards are shared."""
        return replace(self, parameters=replace(self.parameters, chain=chain))

    def trace_row(self, state: RunState, seconds: float) -> TraceRow:
        """What the trace has of a state."""
        chain, parts = state.chain, state.chain.broadcast.parts
        clusters = self.oriented(chain.n_row_clusters, sum(part.n_column_clusters for part in parts))
        # A trace has one beta: the first part's.
        concentrations = self.oriented(chain.broadcast.alpha, parts[0].beta)
        return TraceRow(chain.log_joint + self.log_constant, *clusters, seconds, *concentrations)

    def draw(self, state: RunState, row: TraceRow, iteration: int) -> Draw:
        """The state after an iteration, with its row of the trace, as a draw."""
        parts, blocks = state.chain.broadcast.parts, self.turned(part.blocks for part in state.chain.broadcast.parts)
        betas = (row.beta, *(part.beta for part in parts[1:]))
        labels = self._labels(state)
        return Draw(self.parameters.chain, iteration, row.log_joint, row.alpha, betas, *labels, blocks)

    def result(self, state: RunState, trace: Trace) -> Result:
        """A state as the user sees it."""
        parts = state.chain.broadcast.parts
        blocks = self.turned(part.family.leave(part.blocks) for part in parts)
        return Result(*self._labels(state), blocks, (trace.beta[-1], *(part.beta for part in parts[1:])), trace)

    def _labels(self, state: RunState) -> tuple[Labels, Labels]:
        """Labels of the user's rows and columns."""
        columns = join_labels([part.column_labels for part in state.chain.broadcast.parts])
        return self.oriented(state.row_labels(self.n_items), columns)

    def turned(self, parts: Iterable[Statistics]) -> tuple[Statistics, ...]:
        """Blocks of each part, turned from the orientation of the shards to the user's, or back."""
        return tuple(blocks if self.axis == "rows" else blocks.T for blocks in parts)

    def draws_meta(self, options: Options, transform: str, column_names: Sequence[str] | None) -> DrawsMeta:
        """What all draws of this run have in common."""
        of_parts = zip(self.parts, self.lengths, strict=True)
        return DrawsMeta(
            self.oriented(self.n_items, sum(self.n_columns))[0],
            tuple(PartMeta(length, part.family, part.cells, part.facts) for part, length in of_parts),
            transform,
            None if column_names is None else tuple(column_names),
            options.fix_row_clusters,
            options.fix_column_clusters,
        )

    def shard(self, loaded: Sequence[Loaded], index: int, *, cache_bytes: int | None = None) -> Shard:
        """A shard as the sampler takes it, from what :func:`disnplbm.data.shards.load_shard` gives of each part.

        Dense cells are changed in place.

        Parameters
        ----------
        cache_bytes : int, optional
            Row statistics that the shard may keep between sweeps; by default its part of
            :data:`~disnplbm.engine.residence.CACHE_BYTES`.
        """
        cells = [part.in_frame(of_part) for part, of_part in zip(self.parts, loaded, strict=True)]
        n_shards = self.parameters.n_shards
        return Shard(cells, index, n_shards, cache_bytes=_cache(n_shards) if cache_bytes is None else cache_bytes)

    def oriented(self, of_items: _T, of_others: _T) -> tuple[_T, _T]:
        """Turn a pair from the orientation of the shards to the user's, or back."""
        return (of_items, of_others) if self.axis == "rows" else (of_others, of_items)


class ShardsOfPart(Sequence[Shard]):
    """The cells of one part in shards of several; each is made when it is asked for."""

    def __init__(self, shards: Sequence[Shard], part: int) -> None:
        self._shards, self._part = shards, part

    def __len__(self) -> int:
        return len(self._shards)

    @overload
    def __getitem__(self, index: int) -> Shard: ...

    @overload
    def __getitem__(self, index: slice) -> list[Shard]: ...

    def __getitem__(self, index: int | slice) -> Shard | list[Shard]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        shard = self._shards[index]
        return Shard([shard.parts[self._part].cells], shard.index, shard.n_shards)


class StoredShards(Sequence[Shard]):
    """Shards in an object store, in the working frame, each loaded anew when it is asked for and not kept."""

    def __init__(self, store: ObjectStore, manifest: AnyManifest, problem: Problem) -> None:
        self._store, self._manifest, self._problem = store, manifest, problem

    def __len__(self) -> int:
        return self._manifest.n_shards

    @property
    def n_bytes(self) -> int:
        """What all of them would take in memory."""
        return sum(part.memory_bytes(index) for part in self._manifest.parts for index in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Shard: ...

    @overload
    def __getitem__(self, index: slice) -> list[Shard]: ...

    def __getitem__(self, index: int | slice) -> Shard | list[Shard]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        loaded = [load_shard(self._store, part, index) for part in self._manifest.parts]
        # Nothing sweeps these.
        return self._problem.shard(loaded, index, cache_bytes=0)


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
    part = ProblemPart.of_numbers(options, mean, covariance, 0, observed, complete=complete, prior=prior)
    dimension = len(np.asarray(mean))
    parameters = options.resolved(dimension).parameters(n_shards, axis, dimension)
    problem = Problem([], parameters, (part,), axis, 0)
    framed = [problem.shard([values], index) for index, values in enumerate(shards)]
    n_items, n_columns = sum(shard.n_rows for shard in framed), framed[0].only_part.cells.n_columns
    return replace(problem, shards=framed, n_items=n_items, parts=(replace(part, n_columns=n_columns),))


def problem_of_manifest(manifest: AnyManifest, options: Options) -> Problem:
    """The problem of prepared shards without any of them: all that does not take the cells themselves."""
    return _problem_of(manifest.parts, manifest.n_shards, options)


def join_parts(tables: Sequence[Problem], options: Options) -> Problem:
    """Tables over the same rows, each with the shards of its rows, as one problem with the parts of all.

    Parameters
    ----------
    tables : sequence of Problem
        In memory, as :func:`build_problem` and :func:`problem_of_dealt` make them: over the axis "rows", of as many
        shards.
    options : Options
        Of the whole; the tables' own say what the cells of each are.

    Raises
    ------
    ValueError
        The tables differ in their rows or shards, or are not cut by rows.

    Examples
    --------
    A table of real numbers ``x`` and of counts ``dealt`` (:func:`disnplbm.data.typed.deal_cells`), both cut by rows::

        numbers = build_problem([x], 1, options, "rows", mean, covariance, x.size, complete=True)
        counts = problem_of_dealt(dealt.prepared, dealt.shards, replace(options, cells="counts"))
        problem = join_parts([numbers, counts], options)
    """
    first, parts = tables[0], tuple(part for table in tables for part in table.parts)
    cut = ("rows", first.n_items, len(first.shards))
    if any((table.axis, table.n_items, len(table.shards)) != cut for table in tables):
        raise ValueError("the tables are not cut into the same shards of rows")
    n_shards, axis, n_items = len(first.shards), first.axis, first.n_items
    dimension = max(part.dimension for part in parts)
    resolved = options.resolved(dimension, type_of_parts(part.cells for part in parts))
    shards = [
        Shard([part.cells for shard in pieces for part in shard.parts], e, n_shards, cache_bytes=_cache(n_shards))
        for e, pieces in enumerate(zip(*(table.shards for table in tables), strict=True))
    ]
    return Problem(shards, resolved.parameters(n_shards, axis, dimension), parts, axis, n_items)


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
    problem = _problem_of([prepared], len(shards), options, prior)
    return replace(problem, shards=[problem.shard([arrays], index) for index, arrays in enumerate(shards)])


def stored_problem(
    store: ObjectStore,
    manifest: AnyManifest,
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
    n_shards, cache = manifest.n_shards, residence.cache_bytes // manifest.n_shards
    problem, shards = problem_of_manifest(manifest, options), []
    before = [Arrays() for _ in manifest.parts]
    for index in range(n_shards):
        if index >= residence.in_memory:
            cells = [
                _mapped(store, part, index, known) for part, known in zip(manifest.parts, problem.parts, strict=True)
            ]
            shards.append(Shard(cells, index, n_shards, cache_bytes=cache))
            continue
        loaded = [load_shard(store, part, index) for part in manifest.parts]
        for number, part in enumerate(manifest.parts):
            piece = loaded[number]
            if isinstance(piece, dict) and part.cells != DENSE:
                loaded[number] = before[number] = _share_equal(piece, before[number])
        shards.append(problem.shard(loaded, index, cache_bytes=cache))
        if consume:
            store.delete([part.shards[index].key for part in manifest.parts])
    return replace(problem, shards=shards)


def _mapped(store: ObjectStore, manifest: Manifest, index: int, part: ProblemPart) -> FiledCells:
    """The cells of a part in a shard, read from their file as they are used."""
    raw, forget = map_shard(store, manifest, index)
    return FiledCells(raw, part.frame, complete=part.complete, forget=forget)


def _share_equal(arrays: Arrays, before: Arrays) -> Arrays:
    """The arrays of a shard; one that the shard before holds too is in memory once."""
    return {
        name: before[name] if name in before and np.array_equal(before[name], values) else values
        for name, values in arrays.items()
    }


def _problem_of(tables: Sequence[Prepared], n_shards: int, options: Options, prior: NIWPrior | None = None) -> Problem:
    """The problem of cells of which all is known but the cells themselves; one table for each part."""
    first, parts = tables[0], tuple(ProblemPart.of(table, options, prior) for table in tables)
    dimension = max(table.dimension for table in tables)
    resolved = options.resolved(dimension, type_of_parts(part.cells for part in parts))
    parameters = resolved.parameters(n_shards, first.axis, dimension)
    return Problem([], parameters, parts, first.axis, first.n_items)


def _cache(n_shards: int) -> int:
    """Bytes of row statistics that each shard may keep."""
    return CACHE_BYTES // n_shards
