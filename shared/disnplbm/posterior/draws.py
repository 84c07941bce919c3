"""Posterior draws: the states of one or several chains after burn-in, in memory or on disk behind one sequence.

Labels and blocks are in the user's orientation. Blocks are kept in the working frame (:mod:`disnplbm.model.frame`),
where they lose no digits; the family that they belong to, with its frame, prior and power, is kept once, in the meta.
A table of several parts has blocks of each; its columns stand side by side (:mod:`disnplbm.parts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Protocol, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disnplbm.cell_types import DENSE
from disnplbm.errors import InputError
from disnplbm.families.base import Family
from disnplbm.families.numbers import NumberFamily
from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels
from disnplbm.parts import only_part

Axis = Literal["rows", "columns"]
SmallLabels = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """One draw of both partitions.

    Parameters
    ----------
    chain, iteration : int
        Where it comes from; iterations count from 1.
    log_joint : float
        log p(X, z, w) in the user's units.
    alpha : float
        Concentration of the rows in this draw.
    betas : tuple of float
        Concentration of the columns of each part.
    row_labels : ndarray of int32, shape (n,)
        In canonical order: 0 is the largest cluster, ties by the smallest index of a member.
    column_labels : ndarray of int32, shape (p,)
        In canonical order within each part.
    parts : tuple of Statistics of shape (K, L)
        Observed cells of each block of each part, in the working frame.
    """

    chain: int
    iteration: int
    log_joint: float
    alpha: float
    betas: tuple[float, ...]
    row_labels: Labels
    column_labels: Labels
    parts: tuple[Any, ...]

    @classmethod
    def of_one(
        cls,
        chain: int,
        iteration: int,
        log_joint: float,
        alpha: float,
        beta: float,
        row_labels: Labels,
        column_labels: Labels,
        blocks: Any,
    ) -> Draw:
        """A draw of a table of one part."""
        return cls(chain, iteration, log_joint, alpha, (beta,), row_labels, column_labels, (blocks,))

    @property
    def beta(self) -> float:
        """Concentration of the columns of a table of one part."""
        return only_part(self.betas)

    @property
    def blocks(self) -> Any:
        """Blocks of a table of one part."""
        return only_part(self.parts)

    @property
    def n_clusters(self) -> tuple[int, int]:
        """Clusters of rows, and of the columns of all parts."""
        return int(self.parts[0].shape[0]), sum(int(blocks.shape[1]) for blocks in self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class PartMeta:
    """What all draws have in common of a part.

    Parameters
    ----------
    n_columns : int
        In the user's orientation.
    family : Family
        With its frame, its prior, and its likelihood power in (0, 1].
    cells : str
        Type of the cells: :data:`disnplbm.cell_types.DENSE` or one of those registered there.
    facts : dict
        What the family was made of, see :class:`disnplbm.families.cell_type.CellType`; empty for real numbers.
    """

    n_columns: int
    family: Family
    cells: str = DENSE
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class DrawsMeta:
    """What all draws have in common.

    Parameters
    ----------
    n_rows : int
        n.
    parts : tuple of PartMeta
    transform : str
        What was done to the data before they were modelled, as whoever made the draws writes it down.
    column_names : tuple of str, optional
    row_limit, column_limit : int, optional
        Clusters there may be, of columns in each part, under a symmetric Dirichlet
        (:mod:`disnplbm.kernels.partition_prior`); None: no limit.
    """

    n_rows: int
    parts: tuple[PartMeta, ...]
    transform: str = "none"
    column_names: tuple[str, ...] | None = None
    row_limit: int | None = None
    column_limit: int | None = None

    @classmethod
    def of_one(
        cls,
        n_rows: int,
        n_columns: int,
        family: Family,
        transform: str = "none",
        *,
        row_limit: int | None = None,
        cells: str = DENSE,
        facts: dict[str, Any] | None = None,
    ) -> DrawsMeta:
        """What draws of a table of one part have in common."""
        return cls(n_rows, (PartMeta(n_columns, family, cells, facts or {}),), transform, row_limit=row_limit)

    @property
    def n_columns(self) -> int:
        """p, of all parts."""
        return sum(self.lengths)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Columns of each part."""
        return tuple(part.n_columns for part in self.parts)

    @property
    def families(self) -> tuple[Family, ...]:
        """Of the parts."""
        return tuple(part.family for part in self.parts)

    @property
    def power(self) -> float:
        """The likelihood power, of all parts."""
        return self.parts[0].family.power

    @property
    def family(self) -> Family:
        """The family of a table of one part."""
        return only_part(self.parts).family

    @property
    def cells(self) -> str:
        """Type of the cells of a table of one part."""
        return only_part(self.parts).cells

    @property
    def facts(self) -> dict[str, Any]:
        """Facts of a table of one part."""
        return only_part(self.parts).facts

    @property
    def numbers(self) -> NumberFamily:
        """The family of real numbers; InputError if the cells are of another type."""
        if self.cells != DENSE:
            raise InputError(f"the run took its cells as {self.cells}, and this is for real numbers")
        return cast(NumberFamily, self.family)

    @property
    def dimension(self) -> int:
        """Dimension d of a cell."""
        return len(self.numbers.frame.centre) if self.cells == DENSE else 1


@dataclass(frozen=True, slots=True, eq=False)
class DrawNumbers:
    """The numbers of all draws, arrays of shape (S,): what can be said of them without their labels.

    Column clusters are those of all parts, and beta is the first part's.
    """

    chain: NDArray[np.int64]
    iteration: NDArray[np.int64]
    log_joint: Floats
    row_clusters: NDArray[np.int64]
    column_clusters: NDArray[np.int64]
    alpha: Floats
    beta: Floats

    def __len__(self) -> int:
        return len(self.chain)

    def take(self, positions: NDArray[np.int64]) -> DrawNumbers:
        """The numbers of some of the draws, in the given order."""
        return DrawNumbers(*(getattr(self, field.name)[positions] for field in fields(self)))


class DrawSource(Protocol):
    """Where the draws themselves are."""

    def draw(self, position: int) -> Draw:
        """The whole draw."""

    def labels(self, position: int, axis: Axis) -> SmallLabels:
        """Its labels of one axis, in the smallest unsigned type that holds them."""


class Draws(Sequence[Draw]):
    """A sequence of draws that are loaded one at a time, when asked for.

    Made by :meth:`of` (in memory) or by :func:`disnplbm.posterior.draw_store.open_draws` (on disk). A slice, or
    :meth:`select`, gives draws of the same kind without loading any.

    Parameters
    ----------
    meta : DrawsMeta
    numbers : DrawNumbers
        Of these draws.
    source : DrawSource
    positions : ndarray of int64, shape (S,), optional
        Where in the source each draw is; by default, in order.
    """

    def __init__(
        self, meta: DrawsMeta, numbers: DrawNumbers, source: DrawSource, positions: NDArray[np.int64] | None = None
    ) -> None:
        self.meta = meta
        self._numbers = numbers
        self._source = source
        self._positions = np.arange(len(numbers)) if positions is None else positions

    @classmethod
    def of(cls, draws: Iterable[Draw], meta: DrawsMeta) -> Draws:
        """Draws in memory; they are kept with labels of the smallest type, and may be an iterator."""
        kept = [_with_labels(draw, _narrowed(draw.row_labels), _narrowed(draw.column_labels)) for draw in draws]
        return cls(meta, numbers_of(kept), _Memory(kept))

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> Draw: ...
    @overload
    def __getitem__(self, index: slice) -> Draws: ...
    def __getitem__(self, index: int | slice) -> Draw | Draws:
        if isinstance(index, slice):
            return self.select(np.arange(len(self))[index])
        return self._source.draw(int(self._positions[index]))

    def __iter__(self) -> Iterator[Draw]:
        return (self[index] for index in range(len(self)))

    def select(self, indices: ArrayLike) -> Draws:
        """The draws at the given indices, in that order."""
        chosen = np.asarray(indices, dtype=np.int64)
        return Draws(self.meta, self._numbers.take(chosen), self._source, self._positions[chosen])

    def numbers(self) -> DrawNumbers:
        """Chain, iteration, log joint, numbers of clusters and concentrations of every draw; loads nothing."""
        return self._numbers

    def row_labels(self, index: int) -> Labels:
        """Row labels of one draw, shape (n,)."""
        return self._source.labels(int(self._positions[index]), "rows").astype(np.int32)

    def column_labels(self, index: int) -> Labels:
        """Column labels of one draw, shape (p,)."""
        return self._source.labels(int(self._positions[index]), "columns").astype(np.int32)

    def labels(self, axis: Axis) -> SmallLabels:
        """Labels of one axis in all draws, shape (S, n) or (S, p), in the smallest unsigned type that holds them."""
        clusters = self._numbers.row_clusters if axis == "rows" else self._numbers.column_clusters
        result = np.empty((len(self), self.length(axis)), label_type(int(clusters.max(initial=1))))
        for labels, position in zip(result, self._positions, strict=True):
            labels[:] = self._source.labels(int(position), axis)
        return result

    def length(self, axis: Axis) -> int:
        """Number of rows or of columns."""
        return self.n_rows if axis == "rows" else self.n_columns

    @property
    def n_rows(self) -> int:
        """n."""
        return self.meta.n_rows

    @property
    def n_columns(self) -> int:
        """p."""
        return self.meta.n_columns

    @property
    def dimension(self) -> int:
        """Dimension d of a cell."""
        return self.meta.dimension

    @property
    def frame(self) -> Frame:
        """The working frame of the blocks."""
        return self.meta.numbers.frame

    @property
    def prior(self) -> NIWPrior:
        """The prior, in the working frame."""
        return self.meta.numbers.prior

    @property
    def power(self) -> float:
        """The likelihood power."""
        return self.meta.power


class _Memory:
    """Draws in a list."""

    def __init__(self, draws: list[Draw]) -> None:
        self._draws = draws

    def draw(self, position: int) -> Draw:
        kept = self._draws[position]
        return _with_labels(kept, kept.row_labels.astype(np.int32), kept.column_labels.astype(np.int32))

    def labels(self, position: int, axis: Axis) -> SmallLabels:
        kept: Any = self._draws[position]
        return kept.row_labels if axis == "rows" else kept.column_labels  # type: ignore[no-any-return]


def numbers_of(draws: Iterable[Draw]) -> DrawNumbers:
    """The numbers of draws, each looked at once."""
    records = [
        (draw.chain, draw.iteration, draw.log_joint, *draw.n_clusters, draw.alpha, draw.betas[0]) for draw in draws
    ]
    columns = zip(*records, strict=True) if records else [()] * 7
    types = (np.int64, np.int64, np.float64, np.int64, np.int64, np.float64, np.float64)
    arrays: Any = (np.array(column, dtype=kind) for column, kind in zip(columns, types, strict=True))
    return DrawNumbers(*arrays)


def label_type(n_clusters: int) -> np.dtype[np.unsignedinteger[Any]]:
    """The smallest unsigned type that holds labels 0..n_clusters - 1."""
    return np.min_scalar_type(max(n_clusters - 1, 0))


def _narrowed(labels: Labels) -> Any:
    return labels.astype(label_type(int(labels.max(initial=0)) + 1))


def _with_labels(draw: Draw, rows: Labels, columns: Labels) -> Draw:
    return replace(draw, row_labels=rows, column_labels=columns)
