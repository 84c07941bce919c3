"""Compressed sparse matrices from files, checked before SciPy's C code follows what they point to."""

from __future__ import annotations

from typing import Any

import numpy as np

from disnplbm.errors import InputError

_STRETCH = 2**22
"""Indices that are looked at a time."""


def check_pointers(indptr: Any, indices: Any, data: Any, shape: tuple[int, int], kind: str, name: str) -> None:
    """Raise InputError unless every stored cell lies within the matrix.

    Parameters
    ----------
    indptr, indices : array-like of int, one axis
        Of the compressed matrix; arrays, or datasets of an HDF5 file.
    data : array-like
        The stored cells, or blocks of them.
    shape : tuple of int
        Rows and columns; of blocks, for a matrix of blocks.
    kind : {"csr", "csc"}
        Whether rows or columns are compressed.
    name : str
        What to call the file in messages.
    """
    (lines, others), (line, other) = (shape, ("row", "column")) if kind == "csr" else (shape[::-1], ("column", "row"))
    if indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        raise InputError(f"{name} is damaged: its indices are no whole numbers; write it again")
    if indptr.ndim != 1 or indices.ndim != 1 or len(data) != len(indices) or len(indptr) != lines + 1:
        raise InputError(f"{name} is damaged: its {line}s do not add up to its {len(data):,} cells; write it again")
    ends = np.asarray(indptr[:])
    if ends[0] != 0 or ends[-1] != len(indices) or (ends[1:] < ends[:-1]).any():
        raise InputError(f"{name} is damaged: its {line}s do not add up to its {len(indices):,} cells; write it again")
    for start in range(0, len(indices), _STRETCH):
        part = np.asarray(indices[start : start + _STRETCH])
        if part.min() < 0 or part.max() >= others:
            raise InputError(f"{name} is damaged: a {other} index is beyond the last {other}; write it again")
