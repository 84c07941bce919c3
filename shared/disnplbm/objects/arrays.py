"""Numeric arrays as .npy objects: whole, and piece by piece with the header known in advance. Never pickle."""

from __future__ import annotations

import io
import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import RunError
from disnplbm.objects.store import Buffer, ObjectStore

_HEADER_BYTES = 8192
"""Enough of an object to hold the .npy header of any plain numeric array with few axes."""


def npy_header(shape: tuple[int, ...], dtype: np.dtype[Any] | type = np.float64) -> bytes:
    """Header of a C-ordered .npy file of this shape."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out,
        {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": shape},
    )
    return out.getvalue()


def array_bytes(array: NDArray[Any]) -> memoryview:
    """The bytes of an array in C order, without a copy when it is laid out so already."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def put_array(store: ObjectStore, key: str, array: NDArray[Any]) -> None:
    """Write an array as a .npy object."""
    store.put(key, b"".join((npy_header(array.shape, array.dtype), array_bytes(array))))


def get_array(store: ObjectStore, key: str) -> NDArray[Any]:
    """Read a .npy object.

    Raises
    ------
    RunError
        The object is missing or is no .npy file of plain numbers.
    """
    # In parts: whole objects, allocated by the store's threads, would be held by their heaps long after their use.
    size = store.size(key)
    parts = store.parts(key)
    first = next(parts, memoryview(b""))
    shape, dtype, start = parse_header(first, key)
    count = int(np.prod(shape, dtype=np.int64))
    if size - start != count * dtype.itemsize:
        raise RunError(f"object {key} in {store.url} is cut short or too long: delete it and run again")
    out = np.empty(count, dtype)
    target = out.view(np.uint8).data
    filled = 0
    for part in itertools.chain([first[start:]], parts):
        target[filled : filled + len(part)] = part
        filled += len(part)
    return out.reshape(shape)


def parse_header(data: Buffer, key: str) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Shape, dtype and length of the header of a C-ordered .npy object; RunError if it is none."""
    head = io.BytesIO(bytes(data[:_HEADER_BYTES]))
    try:
        version = np.lib.format.read_magic(head)
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(head)
    except Exception as error:
        # A damaged header comes out of NumPy as any kind of error.
        raise RunError(f"object {key} is not a .npy array of plain numbers: delete it and run again") from error
    if version != (1, 0) or fortran or dtype.hasobject:
        raise RunError(f"object {key} is not a .npy array as this package writes them: delete it and run again")
    return shape, dtype, head.tell()
