"""A table without some of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from disnplbm.data.named import find_column, id_name_of, number_names_of
from disnplbm.data.sparse_rows import dense_chunks
from disnplbm.data.table import Chunk, Source, SparseChunk, is_sparse
from disnplbm.errors import InputError
from disnplbm.notes import Hint


def drop_columns(source: Source, names: Sequence[str]) -> Source:
    """Drop some columns of a table; InputError if there is no such column, or no other one."""
    return DroppedSource(source, names) if names else source


class DroppedSource:
    """All columns but some, of a format that reads them all at once.

    Parameters
    ----------
    names : sequence of str
        Columns that are left out.

    Raises
    ------
    InputError
        There is no such column, or no other one.
    """

    def __init__(self, source: Source, names: Sequence[str]) -> None:
        self.name, self.dimension = source.name, source.dimension
        self.bytes_total, self.notes = source.bytes_total, source.notes
        self.id_name = id_name_of(source)
        self.sparse, self.number_names = is_sparse(source), number_names_of(source)
        self._source = source
        dropped = [find_column(source.column_names, name, "drop_columns", self.name) for name in names]
        kept = np.setdiff1d(np.arange(len(source.column_names)), np.array(dropped, dtype=np.int64))
        if not len(kept):
            left_out = f"{self.name} has no column besides {' and '.join(names)}; name one less in "
            raise InputError(left_out, Hint("drop_columns"))
        self._kept = kept
        self.column_names = [source.column_names[j] for j in kept]

    def chunks(self) -> Iterator[Chunk]:
        """Read the table from its start."""
        if self.sparse:
            yield from dense_chunks(self.sparse_chunks())
            return
        for chunk in self._source.chunks():
            yield replace(chunk, values=np.ascontiguousarray(chunk.values[:, self._kept]))

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Read a sparse table from its start."""
        assert is_sparse(self._source)
        for chunk in self._source.sparse_chunks():
            yield replace(chunk, values=chunk.values[:, self._kept])
