"""Where a chain starts."""

from __future__ import annotations

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
    rows, columns : ndarray of int32, optional
        Labels for "given", in canonical order once here; an axis without labels starts at random.
    """

    kind: StartKind = "random"
    rows: Labels | None = None
    columns: Labels | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(StartKind):
            raise InputError(f"start = {self.kind!r} is unknown; choose {', '.join(get_args(StartKind))}")
        for axis in ("rows", "columns"):
            labels = getattr(self, axis)
            if labels is not None:
                object.__setattr__(self, axis, canonical_labels(labels))


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


def column_start(start: Start, parameters: Parameters, n_columns: int) -> Labels:
    """Start labels of the columns, in canonical order, shape (p,)."""
    if start.kind == "one":
        return np.zeros(n_columns, dtype=np.int32)
    if start.kind == "singletons":
        return np.arange(n_columns, dtype=np.int32)
    if start.kind == "given" and start.columns is not None:
        return _check_given(start.columns, n_columns, "column")
    number = min(RANDOM_CLUSTERS, n_columns, parameters.column_limit or n_columns)
    generator = random_generator(parameters.seed, parameters.chain, 0, Role.COLUMN_START)
    return canonical_labels(generator.integers(number, size=n_columns, dtype=np.int32))


def _check_given(labels: Labels, length: int, axis: str) -> Labels:
    if len(labels) != length:
        raise InputError(f"start: {len(labels)} {axis} labels given for {length} {axis}s")
    return labels
