"""A table is a list of parts: their columns stand side by side, and so do their clusters of columns.

The columns of the first part come first, then those of the second one, and so on. The clusters of columns are numbered
in the same way, so that no cluster holds columns of two parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.model.statistics import Labels

_T = TypeVar("_T")
_Labels = TypeVar("_Labels", bound=NDArray[np.integer[Any]])


def only_part(parts: Sequence[_T]) -> _T:
    """What there is of a table of one part.

    Raises
    ------
    InputError
        The table has more parts.
    """
    if len(parts) != 1:
        raise InputError(
            f"this is for tables with one kind of columns, and here there are {len(parts)} kinds: fit the columns of"
            " one kind alone"
        )
    return parts[0]


def slices_of(lengths: Sequence[int]) -> list[slice]:
    """Where each part stands in what is put side by side.

    >>> slices_of([2, 3])
    [slice(0, 2, None), slice(2, 5, None)]
    """
    ends = np.cumsum([0, *lengths]).tolist()
    return [slice(start, stop) for start, stop in pairwise(ends)]


def join_labels(labels: Sequence[Labels]) -> Labels:
    """Labels of all columns, of the labels 0, 1, ... of each part.

    >>> join_labels([np.array([0, 1, 0], dtype=np.int32), np.array([0, 0], dtype=np.int32)]).tolist()
    [0, 1, 0, 2, 2]
    """
    starts = slices_of([int(part.max()) + 1 for part in labels])
    return np.concatenate([part + np.int32(where.start) for part, where in zip(labels, starts, strict=True)])


def split_labels(labels: _Labels, n_columns: Sequence[int]) -> list[_Labels]:
    """What :func:`join_labels` was given, of parts of so many columns."""
    return [labels[where] - labels[where].min() for where in slices_of(n_columns)]


def prefixes_of(parts: Sequence[Any]) -> list[str]:
    """What stands before the names of each part's arrays in an archive: nothing for the first one.

    >>> prefixes_of("abc")
    ['', 'part1/', 'part2/']
    """
    return ["", *(f"part{number}/" for number in range(1, len(parts)))]
