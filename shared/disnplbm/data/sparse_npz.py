"""Sparse matrices as `scipy.sparse.save_npz` writes them."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm.data.array import check_shape
from disnplbm.data.in_memory import check_numeric
from disnplbm.data.limits import MOST_ROWS, check_density
from disnplbm.data.npy import BAD_ZIP, check_member, fill, read_header
from disnplbm.data.sparse import check_pointers
from disnplbm.data.sparse_rows import dense_chunks, sparse_chunks
from disnplbm.data.table import Chunk, SparseChunk
from disnplbm.errors import InputError, first_line

_FORMATS = ("csr", "csc", "coo", "bsr", "dia")
_INDICES = tuple(f"{name}.npy" for name in ("indices", "indptr", "row", "col", "coords", "offsets"))


class SparseNpzSource:
    """A .npz file with a matrix in one of SciPy's sparse formats; cells not stored are zeros."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.dimension = 1
        self.sparse = True
        self.notes: list[str] = []
        self.bytes_total = path.stat().st_size
        self._path = path
        try:
            with zipfile.ZipFile(path) as archive:
                members = archive.namelist()
                if not all(member.endswith(".npy") for member in members) or len(set(members)) < len(members):
                    raise InputError(f"{path} holds more than one sparse matrix; write it with scipy.sparse.save_npz")
                entries = [_check_array(archive, member, self) for member in members]
                kind, shape = (_small(archive, member, self.name) for member in ("format.npy", "shape.npy"))
        except (*BAD_ZIP, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path} is damaged: {first_line(error)}; copy or write it again") from error
        word = kind.tobytes().replace(b"\0", b"").decode("latin-1")
        if word not in _FORMATS:
            raise InputError(f"{path} holds a sparse matrix of the unknown format {word!r}; write it as csr")
        if shape.dtype.kind not in "iu" or shape.size != 2:
            raise InputError(f"{path} holds a sparse matrix of shape {shape.tolist()}: a table has two axes")
        self._kind = word
        self.rows, columns, _ = check_shape(tuple(int(length) for length in shape.ravel()), self.name)
        if self.rows > MOST_ROWS:
            raise InputError(f"{path} has {self.rows:,} rows, and at most {MOST_ROWS:,} can be read: write it again")
        check_density(self.rows, columns, max(entries), self.bytes_total, self.name)
        self.column_names = [str(j) for j in range(columns)]

    def chunks(self) -> Iterator[Chunk]:
        """The same rows dense."""
        yield from dense_chunks(self.sparse_chunks())

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Read a few rows at a time of a matrix that is compressed by rows; any other one is loaded first."""
        if self._kind != "csr":
            yield from self._loaded_chunks()
            return
        try:
            with zipfile.ZipFile(self._path) as archive, ExitStack() as opened:
                streams = [opened.enter_context(archive.open(f"{part}.npy")) for part in ("data", "indices", "indptr")]
                data, indices, indptr = (_Member(stream, self.name) for stream in streams)
                check_pointers(indptr, indices, data, (self.rows, len(self.column_names)), "csr", self.name)
                yield from sparse_chunks((data, indices, indptr), self)
        except InputError:
            raise
        except (*BAD_ZIP, KeyError) as error:
            raise InputError(f"{self.name} is damaged: {first_line(error)}; write it again") from error

    def _loaded_chunks(self) -> Iterator[SparseChunk]:
        try:
            matrix: Any = sp.load_npz(self._path)
        except MemoryError:
            raise
        except Exception as error:
            # What is in the file goes through several constructors, each with errors of its own.
            raise InputError(f"{self.name} is damaged: {first_line(error)}; write it again") from error
        rows = _checked(matrix, self.name).tocsr()
        del matrix
        yield from sparse_chunks((rows.data, rows.indices, rows.indptr), self)


class _Member:
    """An array of one axis in an archive, of which stretches are read one after another, as of an HDF5 dataset."""

    ndim = 1

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream, self._name = stream, name
        shape, _, self.dtype = read_header(stream, name)
        if len(shape) != 1:
            raise InputError(f"{name} is damaged: an array of it has {len(shape)} axes, not one; write it again")
        (self._length,) = shape
        self._offset = stream.tell()

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, stretch: slice) -> NDArray[Any]:
        start, stop, _ = stretch.indices(len(self))
        place = self._offset + start * self.dtype.itemsize
        if self._stream.tell() != place:
            self._stream.seek(place)
        values = np.empty(stop - start, dtype=self.dtype)
        fill(self._stream, values, self._name)
        return values


def _checked(matrix: Any, name: str) -> Any:
    """The matrix, if nothing in it points out of it; SciPy itself checks coo."""
    check_numeric(matrix.dtype, name)
    if matrix.format == "csc":
        check_pointers(matrix.indptr, matrix.indices, matrix.data, matrix.shape, matrix.format, name)
    if matrix.format == "bsr":
        sizes = matrix.blocksize
        if min(sizes) < 1 or any(length % size for length, size in zip(matrix.shape, sizes, strict=True)):
            raise InputError(f"{name} is damaged: blocks of {sizes} do not fill {matrix.shape}; write it again")
        rows, columns = (length // size for length, size in zip(matrix.shape, sizes, strict=True))
        check_pointers(matrix.indptr, matrix.indices, matrix.data, (rows, columns), "csr", name)
    # The C code that makes csr of dia trusts the places of diagonals; this way only cells within the matrix are taken.
    return matrix.tocoo() if matrix.format == "dia" else matrix


def _check_array(archive: zipfile.ZipFile, member: str, source: SparseNpzSource) -> int:
    """How many numbers an array has; InputError if it promises more than the file can hold."""
    shape, _, dtype = check_member(archive, member, source.name)
    if member == "data.npy":
        check_numeric(dtype, source.name)
    if member in _INDICES and dtype.kind not in "iu":
        raise InputError(f"{source.name} is damaged: its indices are no whole numbers; write it again")
    return math.prod(shape)


def _small(archive: zipfile.ZipFile, member: str, name: str) -> Any:
    """The word or the two numbers in an array."""
    with archive.open(member) as stream:
        shape, _, _ = read_header(stream, name)
    if math.prod(shape) > 2:
        raise InputError(f"{name} is no sparse matrix of two axes; write it with scipy.sparse.save_npz")
    with archive.open(member) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)
