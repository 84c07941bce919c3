"""MatrixMarket files, dense (array) and sparse (coordinate), plain or gzipped.

Their entries come in column order or in none, so that rows cannot be streamed: a sparse file is held as a sparse matrix
and made dense a few rows at a time, a dense one is held whole.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.io

from disnplbm.data.array import ArraySource
from disnplbm.data.limits import check_columns
from disnplbm.data.source import Chunk
from disnplbm.errors import InputError


class MtxSource:
    """A .mtx file of real, integer or pattern entries; entries not stored are zeros."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.dimension = 1
        self.notes: list[str] = []
        self.bytes_total = path.stat().st_size
        self._path = path
        try:
            self.rows, columns, _, _, field, _ = scipy.io.mminfo(path)
        except (ValueError, OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path} is not a MatrixMarket file: {error}") from error
        if field == "complex":
            raise InputError(f"{path} holds complex numbers; write its real part instead")
        if self.rows == 0 or columns == 0:
            raise InputError(f"{path} has {self.rows} rows and {columns} columns: at least one of each is needed")
        check_columns(columns, self.name)
        self.column_names = [str(j) for j in range(columns)]

    def chunks(self) -> Iterator[Chunk]:
        """Load the file, then hand out its rows a few at a time."""
        try:
            matrix = scipy.io.mmread(self._path, spmatrix=False)
        except (ValueError, OverflowError, EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{self.name} is damaged: {error}; copy or write it again") from error
        if isinstance(matrix, np.ndarray):
            matrix = matrix.reshape(self.rows, len(self.column_names))
        for chunk in ArraySource(matrix, name=self.name, column_names=self.column_names).chunks():
            done = chunk.bytes_read / (self.rows * len(self.column_names) * 8)
            yield Chunk(chunk.values, None, None, int(self.bytes_total * done))
