"""A table that may take only so much room."""

from __future__ import annotations

from collections.abc import Iterator

from disnplbm.data.limits import check_room
from disnplbm.data.named import id_name_of, number_names_of
from disnplbm.data.sparse_rows import dense_chunks
from disnplbm.data.table import Chunk, Source, SparseChunk, is_sparse
from disnplbm.data.words import words_of
from disnplbm.data.written import written_of


class LimitedSource:
    """A table whose cells take no more than so many bytes, however small its file is.

    Of a sparse table the cells count that are stored.

    Raises
    ------
    InputError
        The file says how many rows it has, and they take more.
    """

    def __init__(self, source: Source, most: int) -> None:
        self.name, self.dimension = source.name, source.dimension
        self.bytes_total, self.notes = source.bytes_total, source.notes
        self.written, self.id_name = written_of(source), id_name_of(source)
        self._source, self._most = source, most
        self.sparse, self.number_names = is_sparse(source), number_names_of(source)
        # Text does not say how many rows it has, and a sparse table not how many cells are not zero.
        rows = 0 if self.sparse else getattr(source, "rows", 0)
        if rows:
            check_room(8 * rows * len(source.column_names) * source.dimension, most, self.name)

    @property
    def column_names(self) -> list[str]:
        """Names of the columns of the table."""
        return self._source.column_names

    @property
    def words(self) -> tuple[str, ...] | None:
        """The words of the table, if it is one of words."""
        return words_of(self._source)

    def chunks(self) -> Iterator[Chunk]:
        """Read the table from its start; InputError where it is too large."""
        if self.sparse:
            yield from dense_chunks(self.sparse_chunks())
            return
        done = 0
        for chunk in self._source.chunks():
            done += chunk.values.nbytes
            check_room(done, self._most, self.name)
            yield chunk

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Read a sparse table from its start; InputError where it is too large."""
        assert is_sparse(self._source)
        done = 0
        for chunk in self._source.sparse_chunks():
            rows = chunk.values
            done += rows.data.nbytes + rows.indices.nbytes + rows.indptr.nbytes
            check_room(done, self._most, self.name)
            yield chunk
