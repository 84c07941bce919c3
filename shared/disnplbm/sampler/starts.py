"""Where a chain starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from disnplbm.dealing import item_at
from disnplbm.errors import InputError
from disnplbm.model.partition import canonical_labels
from disnplbm.model.statistics import Labels
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.parameters import Parameters

StartKind = Literal["random", "one", "singletons", "given"]

#: Random starts use at most this many clusters on either axis.
RANDOM_CLUSTERS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """A start, in shard orientation. Checked when made.

    Parameters
    ----------
    kind : {"random", "one", "singletons", "given"}
    rows : ndarray of int32, optional
        Labels for "given", in canonical order once here; without labels the rows start at random.
    columns : sequence of ndarray of int32, optional
        The same for the columns of each part.
    """

    kind: StartKind = "random"
    rows: Labels | None = None
    columns: Sequence[Labels] | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(StartKind):
            raise InputError(f"start = {self.kind!r} is unknown; choose {', '.join(get_args(StartKind))}")
        if self.rows is not None:
            object.__setattr__(self, "rows", canonical_labels(self.rows))
        if self.columns is not None:
            object.__setattr__(self, "columns", tuple(map(canonical_labels, self.columns)))


def crossed(rows: Start, columns: Start) -> Start:
    """The rows of one start with the columns of another."""
    return Start("given", rows.rows, columns.columns)


def row_start(start: Start, parameters: Parameters, n_rows: int, shard: int, n_here: int) -> tuple[Labels, int]:
    """Start labels of a shard's rows, and the number of labels in use over all shards.

    Parameters
    ----------
    n_rows : int
        Rows of the whole data.
    n_here : int
        Rows of this shard.
    """
    index = item_at(np.arange(n_here), shard, parameters.n_shards)
    if start.kind == "one":
        return np.zeros(n_here, dtype=np.int32), 1
    if start.kind == "singletons":
        return index.astype(np.int32), n_rows
    if start.kind == "given" and start.rows is not None:
        labels = _check_given(start.rows, n_rows, "row")
        return labels[index], int(labels.max()) + 1
    number = min(RANDOM_CLUSTERS, n_rows, parameters.row_limit or n_rows)
    generator = random_generator(parameters.seed, parameters.chain, 0, Role.START, shard)
    return generator.integers(number, size=n_here, dtype=np.int32), number


def column_starts(start: Start, parameters: Parameters, n_columns: Sequence[int]) -> list[Labels]:
    """Start labels of the columns of each part, which has so many, in canonical order."""
    if start.columns is not None and len(start.columns) != len(n_columns):
        raise InputError(f"start: column labels of {len(start.columns)} parts given for {len(n_columns)} parts")
    return [_column_start(start, parameters, number, part) for part, number in enumerate(n_columns)]


def _column_start(start: Start, parameters: Parameters, n_columns: int, part: int) -> Labels:
    if start.kind == "one":
        return np.zeros(n_columns, dtype=np.int32)
    if start.kind == "singletons":
        return np.arange(n_columns, dtype=np.int32)
    if start.kind == "given" and start.columns is not None:
        return _check_given(start.columns[part], n_columns, "column")
    number = min(RANDOM_CLUSTERS, n_columns, parameters.column_limit or n_columns)
    generator = random_generator(parameters.seed, parameters.chain, 0, Role.COLUMN_START, part=part)
    return canonical_labels(generator.integers(number, size=n_columns, dtype=np.int32))


def _check_given(labels: Labels, length: int, axis: str) -> Labels:
    if len(labels) != length:
        raise InputError(f"start: {len(labels)} {axis} labels given for {length} {axis}s")
    return labels
