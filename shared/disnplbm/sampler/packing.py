"""A chain's state, and what shards and masters tell each other, as bytes: msgpack, never pickle.

An array is an extension of its dtype, shape and bytes in C order. The same values give the same bytes, so that a digest
of them says whether two workers agree. The arrays of the first part stand in a list, and behind them a list for each
further part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import RunError
from disnplbm.families import statistics_of
from disnplbm.families.base import Family
from disnplbm.model.statistics import Labels
from disnplbm.sampler.part import Part
from disnplbm.sampler.shard import ShardStatistics
from disnplbm.sampler.starts import Start
from disnplbm.sampler.state import Broadcast, ChainState, Record

_ARRAY = 1

#: What an array may consist of.
_DTYPES = frozenset(np.dtype(name).str for name in ("f8", "i8", "i4", "u4", "u2", "u1", "?"))

_MOST_AXES = 4

#: Most parts of a list or a map, which are a run's shards or a message's fields: each takes memory, empty or not.
_MOST_PARTS = 2**16


def pack(value: Any) -> bytes:
    """Plain values (dict, list, str, bytes, int, float, bool, None) and arrays as bytes."""
    packed: bytes = msgpack.packb(value, default=_extension, use_bin_type=True)
    return packed


def unpack(data: bytes | memoryview) -> Any:
    """What :func:`pack` was given; tuples come back as lists, arrays are writable.

    Raises
    ------
    RunError
        The bytes are something else.
    """
    try:
        return msgpack.unpackb(data, ext_hook=_value, raw=False, max_array_len=_MOST_PARTS, max_map_len=_MOST_PARTS)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        raise RunError(f"a message of {len(data)} bytes is damaged: {error}") from error


def pack_statistics(statistics: ShardStatistics) -> bytes:
    """All that a shard sends: without its labels, which stay with it."""
    return pack(
        [
            statistics.shard,
            statistics.global_ids,
            statistics.sizes,
            statistics.first_row,
            _of_parts([list(cells.arrays) for cells in statistics.parts]),
            statistics.overlap,
            statistics.record,
        ]
    )


def unpack_statistics(data: bytes | memoryview) -> ShardStatistics:
    """What :func:`pack_statistics` was given, with no labels; RunError if the bytes are something else."""
    try:
        shard, global_ids, sizes, first_row, cells, overlap, record = unpack(data)
        parts = tuple(map(statistics_of, _parts(cells)))
        _check_clusters(shard, global_ids, sizes, first_row, [found.shape for found in parts], overlap)
        no_labels = np.zeros(0, dtype=np.int32)
        return ShardStatistics(shard, no_labels, global_ids, sizes, first_row, parts, overlap, _record(record))
    except (ValueError, TypeError, AttributeError, IndexError) as error:
        raise RunError(f"the statistics of a shard are damaged: {error}") from error


def _check_clusters(
    shard: Any, global_ids: Any, sizes: Any, first_row: Any, shapes: list[tuple[int, ...]], overlap: Any
) -> None:
    """Raise ValueError if arrays do not fit each other: kernels trust the shapes that they are given."""
    (n,) = global_ids.shape
    found = [(array.dtype, array.shape) for array in (global_ids, sizes, first_row, overlap)]
    expected = [(dtype, (n,)) for dtype in (np.int32, np.int64, np.int64, np.float64)]
    fit = all(len(shape) == 2 and shape[0] == n for shape in shapes)
    if not isinstance(shard, int) or found != expected or not fit:
        raise ValueError(f"arrays of {found} for cells of the shapes {shapes} of shard {shard!r}")


def pack_broadcast(broadcast: Broadcast) -> bytes:
    """What every shard gets to know before an iteration."""
    return pack(_of_broadcast(broadcast))


def unpack_broadcast(data: bytes | memoryview, families: Sequence[Family]) -> Broadcast:
    """What :func:`pack_broadcast` was given, of parts of these families; RunError if the bytes are something else."""
    try:
        return _broadcast(unpack(data), families)
    except (ValueError, TypeError) as error:
        raise RunError(f"a broadcast is damaged: {error}") from error


def pack_state(state: ChainState) -> bytes:
    """A chain between two iterations."""
    return pack([_of_broadcast(state.broadcast), list(state.to_global), state.log_joint])


def unpack_state(data: bytes | memoryview, families: Sequence[Family]) -> ChainState:
    """What :func:`pack_state` was given, of parts of these families; RunError if the bytes are something else."""
    try:
        broadcast, to_global, log_joint = unpack(data)
        return ChainState(_broadcast(broadcast, families), tuple(to_global), log_joint)
    except (ValueError, TypeError) as error:
        raise RunError(f"the state of a chain is damaged: {error}") from error


def pack_start(start: Start) -> bytes:
    """Where a chain starts, in shard orientation."""
    return pack([start.kind, start.rows, *([None] if start.columns is None else start.columns)])


def unpack_start(data: bytes | memoryview) -> Start:
    """What :func:`pack_start` was given; RunError if the bytes are something else."""
    try:
        kind, rows, *columns = unpack(data)
        return Start(kind, rows, None if len(columns) == 1 and columns[0] is None else columns)
    except (ValueError, TypeError) as error:
        raise RunError(f"the start of a chain is damaged: {error}") from error


def pack_labels(labels: Labels) -> bytes:
    """Labels of a shard's rows, or the map of its clusters to global ones."""
    return pack(labels)


def unpack_labels(data: bytes | memoryview) -> Labels:
    """What :func:`pack_labels` was given; RunError if the bytes are something else."""
    labels = unpack(data)
    if not (isinstance(labels, np.ndarray) and labels.dtype == np.int32 and labels.ndim == 1):
        raise RunError("labels of a shard are damaged")
    return labels


def _of_broadcast(broadcast: Broadcast) -> list[Any]:
    first, *others = broadcast.parts
    more = [[part.column_labels, part.beta, *part.blocks.arrays] for part in others]
    return [
        broadcast.iteration,
        first.column_labels,
        broadcast.sizes,
        _of_parts([list(first.blocks.arrays), *more]),
        broadcast.alpha,
        first.beta,
        *broadcast.record,
    ]


def _broadcast(fields: list[Any], families: Sequence[Family]) -> Broadcast:
    iteration, column_labels, sizes, blocks, alpha, beta, *record = fields
    arrays, *others = _parts(blocks)
    of_parts = [(column_labels, beta, *arrays), *others]
    parts = tuple(
        Part(family, labels, statistics_of(arrays), beta)
        for family, (labels, beta, *arrays) in zip(families, of_parts, strict=True)
    )
    return Broadcast(iteration, sizes, parts, alpha, _record(record))


def _of_parts(lists: list[list[Any]]) -> list[Any]:
    """The list of the first part, and behind its entries the lists of the others."""
    first, *others = lists
    return [*first, *others]


def _parts(packed: list[Any]) -> list[list[Any]]:
    """What :func:`_of_parts` was given."""
    others = [entry for entry in packed if isinstance(entry, list)]
    return [[entry for entry in packed if not isinstance(entry, list)], *others]


def _record(parts: list[Any], levels: int = 2) -> Record:
    """A sampler's record: arrays, numbers and tuples of such, which come as lists."""
    if levels == 0 or not isinstance(parts, list):
        raise ValueError("a record of another form")
    return tuple(_record(part, levels - 1) if isinstance(part, list) else part for part in parts)


def _extension(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.str not in _DTYPES or value.ndim > _MOST_AXES:
            raise TypeError(f"an array of {value.dtype} with {value.ndim} axes is no message")
        return msgpack.ExtType(_ARRAY, msgpack.packb([value.dtype.str, value.shape, value.tobytes()]))
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is no message")


def _value(code: int, data: bytes) -> NDArray[Any]:
    if code != _ARRAY:
        raise ValueError(f"unknown extension {code}")
    name, shape, body = msgpack.unpackb(data, max_array_len=_MOST_AXES, max_map_len=0)
    if name not in _DTYPES or len(shape) > _MOST_AXES or not all(isinstance(n, int) and n >= 0 for n in shape):
        raise ValueError(f"an array of {name} and shape {shape}")
    dtype = np.dtype(name)
    if len(body) != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"{len(body)} bytes for an array of {name} and shape {shape}")
    # A copy, since kernels are compiled for arrays that can be written.
    return np.frombuffer(body, dtype).reshape(shape).copy()
