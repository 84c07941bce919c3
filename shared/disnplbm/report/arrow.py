"""Numbers from Arrow to NumPy and back. Arrow's own ways import pandas where it is installed, which takes 0.3 s."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


def from_integers(values: NDArray[np.int64]) -> Any:
    """An Arrow array of the same integers."""
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def to_numbers(column: Any, dtype: type[np.generic]) -> NDArray[Any]:
    """The numbers of a column.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
    dtype : type
        ``np.int64`` or ``np.float64``; a blank is NaN.

    Returns
    -------
    ndarray, shape (length,)

    Raises
    ------
    ValueError
        The column holds something else, or blanks where integers are asked for.
    """
    cast = pc.cast(column, pa.from_numpy_dtype(dtype))
    chunks = [_to_numbers(chunk) for chunk in cast.chunks]
    return np.concatenate(chunks) if chunks else np.zeros(0, dtype)


def _to_numbers(chunk: Any) -> NDArray[Any]:
    if chunk.null_count == 0:
        return np.from_dlpack(chunk)
    if pa.types.is_integer(chunk.type):
        raise ValueError("a blank is no integer")
    valid = np.from_dlpack(pc.cast(chunk.is_valid(), pa.uint8()))
    # The same numbers without the marks of what is blank.
    numbers = pa.Array.from_buffers(chunk.type, len(chunk), [None, chunk.buffers()[1]], offset=chunk.offset)
    return np.where(valid != 0, np.from_dlpack(numbers), np.nan)
