"""NumPy's own files, read a few rows at a time, in either memory order, from the file or from inside a .npz."""

from __future__ import annotations

import io
import math
import shutil
import struct
import sys
import tempfile
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.array import check_shape
from disnplbm.data.cells import PartlyMissing, check_finite
from disnplbm.data.head import ROWS
from disnplbm.data.in_memory import check_numeric, mention_categories
from disnplbm.data.limits import check_promise, check_unpacked
from disnplbm.data.numerals import PLAIN
from disnplbm.data.reading import Reading
from disnplbm.data.table import READ_BYTES, Chunk, Source
from disnplbm.data.words import WordChunk, WordSource
from disnplbm.data.wordy import holds_words
from disnplbm.errors import InputError

#: A damaged archive: not a zip, cut, garbled, or (by a flipped bit) encrypted, packed in an unknown way, or with a
#: member that lies before its start.
BAD_ZIP = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, OSError)

LONGEST_HEADER = 10_000
"""Bytes of the header of an array; NumPy reads no longer ones."""

#: Bytes that say that a file holds an array, and in which version.
_MAGIC = 8


def open_table(path: Path, reading: Reading) -> Source:
    """Open a .npy file."""
    return NpySource(path, reading).as_read()


class _ArrayFile(ABC):
    """A file with an array (n, p) or (n, p, d) of numbers, or (n, p) of text.

    Attributes
    ----------
    wordy : bool
        Whether it is to be read as words, by :meth:`word_chunks`.
    """

    id_name: str | None = None
    bytes_total: int

    _shape: tuple[int, ...]
    _fortran: bool
    _dtype: np.dtype[Any]

    def __init__(self, path: Path, reading: Reading) -> None:
        self.name = str(path)
        self.notes: list[str] = []
        self._path, self._reading = path, reading
        self._look()
        self.rows, columns, self.dimension = check_shape(self._shape, self.name)
        self.column_names = [str(j) for j in range(columns)]
        self.wordy = self._look_for_words()
        if not self.wordy:
            with mention_categories(reading.words if self._dtype.kind == "U" else "no"):
                check_numeric(self._dtype, self.name)

    @property
    def kind(self) -> np.dtype[Any]:
        """Type of the numbers."""
        return self._dtype

    def as_read(self) -> Source:
        """The file as a table of numbers, or of words."""
        return WordSource(self, None) if self.wordy else self

    def chunks(self) -> Iterator[Chunk]:
        """Read the array from its first row."""
        partly_missing = PartlyMissing(self.name)
        for start, raw, bytes_read in self._blocks():
            values = np.ascontiguousarray(raw, dtype=np.float64)
            check_finite(values, start, self.name, self.column_names)
            yield Chunk(partly_missing.unify(values), None, None, bytes_read)
        self.notes = list(dict.fromkeys([*self.notes, *partly_missing.notes()]))

    def word_chunks(self) -> Iterator[WordChunk]:
        """Read the array from its first row, as words."""
        for start, raw, bytes_read in self._blocks():
            yield WordChunk(_texts(raw[:, :, 0], start, self.name).T.tolist(), None, None, bytes_read)

    def _look_for_words(self) -> bool:
        """Whether the first rows are words."""
        if self._dtype.kind != "U" or self.dimension > 1 or self._reading.words == "no":
            return False
        for start, raw, _ in self._blocks():
            texts = _texts(raw[:, :, 0], start, self.name)
            if holds_words(texts[:ROWS].T.tolist(), PLAIN, self._reading):
                return True
            if self._reading.words != "yes":
                return False
        return False

    def _blocks(self) -> Iterator[tuple[int, NDArray[Any], int]]:
        """First row, cells (c, p, d), and bytes read, of stretches of rows; in Fortran order each column's stretch."""
        shape, dtype = (self.rows, len(self.column_names), self.dimension), self._dtype
        rows, columns, dimension = shape
        row_numbers = columns * dimension
        # As many rows as a chunk of a dataset has, which then takes no copy.
        step = max(1, 2 * READ_BYTES // (max(8, dtype.itemsize) * row_numbers))
        with self._open() as stream:
            base = stream.tell()
            for start in range(0, rows, step):
                count = min(step, rows - start)
                if self._fortran:
                    raw = np.empty((dimension, columns, count), dtype)
                    for number in range(row_numbers):
                        stream.seek(base + (number * rows + start) * dtype.itemsize)
                        fill(stream, raw.reshape(row_numbers, count)[number], self.name)
                    raw = raw.transpose(2, 1, 0)
                else:
                    raw = np.empty((count, columns, dimension), dtype)
                    fill(stream, raw.reshape(-1), self.name)
                bytes_read = base + (start + count) * row_numbers * dtype.itemsize
                yield start, raw, min(bytes_read, self.bytes_total)

    @abstractmethod
    def _look(self) -> None:
        """Find shape, order and type of the array, and its bytes; InputError if it is cut short."""

    @abstractmethod
    def _open(self) -> AbstractContextManager[IO[bytes]]:
        """Open the file where the cells begin; one in Fortran order can be sought in."""


class NpySource(_ArrayFile):
    """A .npy file."""

    read_quickly = True

    def _look(self) -> None:
        with self._path.open("rb") as stream:
            self._shape, self._fortran, self._dtype = read_header(stream, self.name)
            self._offset = stream.tell()
        self.bytes_total = self._path.stat().st_size
        # Objects are pickled, in any number of bytes, and refused for what they are.
        if (
            not self._dtype.hasobject
            and self.bytes_total < self._offset + math.prod(self._shape) * self._dtype.itemsize
        ):
            raise InputError(
                f"{self._path} is cut short: its header promises an array of shape {self._shape}; copy it again"
            )

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        with self._path.open("rb") as stream:
            stream.seek(self._offset)
            yield stream


class NpzSource(_ArrayFile):
    """A .npz file: the array named x or X, or the only one in it."""

    def _look(self) -> None:
        try:
            with zipfile.ZipFile(self._path) as archive:
                self._member = _choose_member(archive, self._path)
                info = archive.getinfo(self._member)
                self._shape, self._fortran, self._dtype = check_member(archive, self._member, self.name)
                self.bytes_total = info.file_size
        except BAD_ZIP as error:
            raise InputError(f"{self._path} is not a .npz file ({error}); write it with numpy.savez") from error

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        """Open the array; one in Fortran order is unpacked to a temporary file first."""
        try:
            with zipfile.ZipFile(self._path) as archive, archive.open(self._member) as stream:
                if not self._fortran:
                    read_header(stream, self.name)
                    yield stream
                    return
                with tempfile.TemporaryFile() as unpacked:
                    shutil.copyfileobj(stream, unpacked)
                    unpacked.seek(0)
                    read_header(unpacked, self.name)
                    yield unpacked
        except BAD_ZIP as error:
            raise InputError(f"{self.name} is damaged ({error}); copy or write it again") from error


def _texts(raw: NDArray[Any], start: int, name: str) -> NDArray[Any]:
    """Cells of text, shape (c, p); InputError if there are letters that Unicode does not have."""
    letters = np.ascontiguousarray(raw).astype(raw.dtype.newbyteorder("=")).view(np.uint32)
    odd = (letters > sys.maxunicode) | ((letters >= 0xD800) & (letters < 0xE000))
    if odd.any():
        row = start + int(np.argwhere(odd)[0][0]) + 1
        raise InputError(f"{name}: row {row} holds text that is no Unicode; write the file again with numpy.save")
    return raw


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


def fill(stream: IO[bytes], out: NDArray[Any], name: str) -> None:
    """Read an array's numbers from a stream; InputError if it ends before."""
    target = out.view(np.uint8).data
    filled = 0
    while filled < len(target):
        got = stream.readinto(target[filled:])  # type: ignore[attr-defined]
        if not got:
            raise InputError(f"{name} is cut short: the array ends before its last row; copy it again")
        filled += got
