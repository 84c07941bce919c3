"""Plain arrays in a .npz archive: zip with 64-bit sizes, deflated, never pickle; read with suspicion.

``numpy.load`` reads these files too. Here each array is asked for by type and shape, and its size is checked against
the archive's before any memory is taken.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

#: What reading a damaged archive may raise: not a zip, cut, garbled, or (by a flipped bit) encrypted, packed in an
#: unknown way, or of an impossible size.
DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    OverflowError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    zipfile.BadZipFile,
    zlib.error,
)

#: Deflate packs no more bytes than this into one: a larger size in a directory is a lie.
_DEFLATE_RATIO = 1032

#: The most an entry takes besides its data: local header, directory entry, 64-bit sizes, its name twice, .npy header.
_ENTRY_BYTES = 512


def packed_bytes(sizes: list[int]) -> int:
    """The most bytes that an archive of arrays of these many bytes takes."""
    # What cannot be compressed grows by less than a thousandth (zlib's deflateBound).
    return sum(size + size // 1000 + 1 for size in sizes) + _ENTRY_BYTES * len(sizes)


def add_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Add one array; the entry bears no time, so that equal arrays make equal files."""
    entry = zipfile.ZipInfo(f"{name}.npy")
    entry.compress_type = zipfile.ZIP_DEFLATED
    little = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    with archive.open(entry, "w", force_zip64=True) as member:
        np.lib.format.write_array(member, little, version=(1, 0), allow_pickle=False)


def array_shape(archive: zipfile.ZipFile, name: str) -> tuple[int, ...]:
    """Shape of an array, from its header alone."""
    with archive.open(f"{name}.npy") as member:
        return _header(member)[0]


def read_array(
    archive: zipfile.ZipFile, archive_bytes: int, name: str, shape: tuple[int, ...] | None, dtype: DTypeLike
) -> NDArray[Any]:
    """Read an array of a known type and shape.

    Parameters
    ----------
    archive_bytes : int
        Size of the archive.
    shape : tuple of int, or None
        None: one axis, of any length.

    Raises
    ------
    One of :data:`DAMAGE`
        The archive does not hold such an array.
    """
    wanted = np.dtype(dtype).newbyteorder("<")
    info = archive.getinfo(f"{name}.npy")
    check(info.compress_size <= archive_bytes and info.file_size <= _DEFLATE_RATIO * (info.compress_size + 1))
    with archive.open(info) as member:
        found, stored, start = _header(member)
        check(stored == wanted and (len(found) == 1 if shape is None else found == shape))
        check(info.file_size == start + math.prod(found) * wanted.itemsize)
        data = bytearray(info.file_size - start)
        view, filled = memoryview(data), 0
        while got := member.readinto(view[filled:]):  # type: ignore[attr-defined]
            filled += got
        # The checksum was compared when the last byte was read.
        check(filled == len(data))
    return np.frombuffer(data, dtype=wanted).reshape(found).astype(dtype, copy=False)


def check(fits: bool) -> None:
    """Raise ValueError unless what was read fits what was expected."""
    if not fits:
        raise ValueError("sizes or types do not fit")


def _header(member: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Shape, type and length of the header of an array; leaves the member at its first number."""
    check(np.lib.format.read_magic(member) == (1, 0))
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(member)
    check(not (fortran or dtype.hasobject))
    return shape, dtype, member.tell()
