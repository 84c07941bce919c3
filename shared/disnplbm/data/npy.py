"""NumPy's own files, read a few rows at a time, in either memory order, from the file or from inside a .npz."""

from __future__ import annotations

import io
import math
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.array import check_shape
from disnplbm.data.cells import PartlyMissing, check_finite
from disnplbm.data.in_memory import check_numeric
from disnplbm.data.limits import check_promise, check_unpacked
from disnplbm.data.reading import Reading
from disnplbm.data.table import READ_BYTES, Chunk, Source
from disnplbm.errors import InputError

#: A damaged archive: not a zip, cut, garbled, or (by a flipped bit) encrypted, packed in an unknown way, or with a
#: member that lies before its start.
BAD_ZIP = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, OSError)

LONGEST_HEADER = 10_000
"""Bytes of the header of an array; NumPy reads no longer ones."""

#: Bytes that say that a file holds an array, and in which version.
_MAGIC = 8


def open_table(path: Path, _reading: Reading) -> Source:
    """Open a .npy file."""
    return NpySource(path)


class NpySource:
    """A .npy file with an array (n, p) or (n, p, d)."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.notes: list[str] = []
        self._path = path
        with path.open("rb") as stream:
            self._shape, self._fortran, self._dtype = read_header(stream, self.name)
            self._offset = stream.tell()
        self.rows, columns, self.dimension = check_shape(self._shape, self.name)
        check_numeric(self._dtype, self.name)
        self.column_names = [str(j) for j in range(columns)]
        self.bytes_total = path.stat().st_size
        if self.bytes_total < self._offset + self.rows * columns * self.dimension * self._dtype.itemsize:
            raise InputError(f"{path} is cut short: its header promises an array of shape {self._shape}; copy it again")

    def chunks(self) -> Iterator[Chunk]:
        """Read the file from its first row; of an array in Fortran order each column's stretch of rows."""
        with self._path.open("rb") as stream:
            stream.seek(self._offset)
            yield from _chunks(self, stream, self._shape, self._fortran, self._dtype)


class NpzSource:
    """A .npz file: the array named x or X, or the only one in it."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.notes: list[str] = []
        self._path = path
        try:
            with zipfile.ZipFile(path) as archive:
                self._member = _choose_member(archive, path)
                info = archive.getinfo(self._member)
                self._shape, self._fortran, self._dtype = check_member(archive, self._member, self.name)
                self.bytes_total = info.file_size
        except BAD_ZIP as error:
            raise InputError(f"{path} is not a .npz file ({error}); write it with numpy.savez") from error
        self.rows, columns, self.dimension = check_shape(self._shape, self.name)
        check_numeric(self._dtype, self.name)
        self.column_names = [str(j) for j in range(columns)]

    def chunks(self) -> Iterator[Chunk]:
        """Read the array from its first row; one in Fortran order is unpacked to a temporary file first."""
        try:
            with zipfile.ZipFile(self._path) as archive, archive.open(self._member) as stream:
                if not self._fortran:
                    read_header(stream, self.name)
                    yield from _chunks(self, stream, self._shape, False, self._dtype)
                    return
                with tempfile.TemporaryFile() as unpacked:
                    shutil.copyfileobj(stream, unpacked)
                    unpacked.seek(0)
                    read_header(unpacked, self.name)
                    yield from _chunks(self, unpacked, self._shape, True, self._dtype)
        except BAD_ZIP as error:
            raise InputError(f"{self.name} is damaged ({error}); copy or write it again") from error


def _choose_member(archive: zipfile.ZipFile, path: Path) -> str:
    names = [name for name in archive.namelist() if name.endswith(".npy")]
    for wanted in ("x.npy", "X.npy"):
        if wanted in names:
            return wanted
    if len(names) != 1:
        found = ", ".join(name.removesuffix(".npy") for name in names) or "none"
        raise InputError(f"{path}: cannot tell which array to use (found: {found}); name the matrix x in it")
    return names[0]


def read_header(stream: IO[bytes], name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether in Fortran order, and type of the array that a stream of a .npy file begins with.

    Raises
    ------
    InputError
        It is none, or its header is longer than those that NumPy writes.
    """
    damaged = InputError(f"{name} is not a .npy array of plain numbers; write it with numpy.save")
    start = stream.read(_MAGIC)
    width = 2 if start[-2:] == b"\1\0" else 4
    length = stream.read(width)
    if len(start) < _MAGIC or len(length) < width or int.from_bytes(length, "little") > LONGEST_HEADER:
        raise damaged
    header = io.BytesIO(start + length + stream.read(int.from_bytes(length, "little")))
    try:
        version = np.lib.format.read_magic(header)
        if version == (1, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(header)
        else:
            shape, fortran, dtype = np.lib.format.read_array_header_2_0(header)
    except Exception as error:
        # What is in the header is parsed as Python, which has errors of many kinds.
        raise damaged from error
    # One axis of length 1 makes both orders the same; reading it in C order spares the seeks.
    return shape, fortran and sum(size > 1 for size in shape) > 1, dtype


def check_member(archive: zipfile.ZipFile, member: str, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """The header of an array in a .npz file, once it is clear that the array is as long as the header says.

    Raises
    ------
    InputError
        The archive unpacks to more, or to less, or to more than a file of its size may.
    """
    info = archive.getinfo(member)
    # Others unpack to thousands of times their size.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise InputError(f"{name} is packed in a way that numpy does not write; write it with numpy.savez_compressed")
    with archive.open(info) as stream:
        shape, fortran, dtype = read_header(stream, name)
        start = stream.tell()
    size = Path(name).stat().st_size
    promised = start + math.prod(shape) * dtype.itemsize
    check_promise(promised, size, name)
    # Objects are pickled, in any number of bytes, and refused by whoever asked.
    if info.file_size != promised and not dtype.hasobject:
        raise InputError(
            f"{name} is damaged: {member} has {info.file_size:,} bytes where its header promises {promised:,}; write"
            " it again"
        )
    check_unpacked(promised, size, name)
    return shape, fortran, dtype


def _chunks(
    source: NpySource | NpzSource, stream: IO[bytes], shape: tuple[int, ...], fortran: bool, dtype: np.dtype[Any]
) -> Iterator[Chunk]:
    rows, columns, dimension = check_shape(shape, source.name)
    row_numbers = columns * dimension
    step = max(1, READ_BYTES // (8 * row_numbers))
    base = stream.tell()
    partly_missing = PartlyMissing(source.name)
    for start in range(0, rows, step):
        count = min(step, rows - start)
        if fortran:
            raw = np.empty((dimension, columns, count), dtype)
            for number in range(row_numbers):
                stream.seek(base + (number * rows + start) * dtype.itemsize)
                fill(stream, raw.reshape(row_numbers, count)[number], source.name)
            raw = raw.transpose(2, 1, 0)
        else:
            raw = np.empty((count, columns, dimension), dtype)
            fill(stream, raw.reshape(-1), source.name)
        values = np.ascontiguousarray(raw, dtype=np.float64)
        check_finite(values, start, source.name, source.column_names)
        bytes_read = base + (start + count) * row_numbers * dtype.itemsize
        yield Chunk(partly_missing.unify(values), None, None, min(bytes_read, source.bytes_total))
    source.notes = list(dict.fromkeys([*source.notes, *partly_missing.notes()]))


def fill(stream: IO[bytes], out: NDArray[Any], name: str) -> None:
    """Read an array's numbers from a stream; InputError if it ends before."""
    target = out.view(np.uint8).data
    filled = 0
    while filled < len(target):
        got = stream.readinto(target[filled:])  # type: ignore[attr-defined]
        if not got:
            raise InputError(f"{name} is cut short: the array ends before its last row; copy it again")
        filled += got
