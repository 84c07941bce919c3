"""A dataset in the object store: the user's table as raw chunks of rows, its names, and what is odd about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.data.ahead import read_ahead
from disnplbm.data.digest import DenseDigest, DigestedSummary, SparseDigest
from disnplbm.data.named import number_names_of
from disnplbm.data.rechunk import rechunk, rechunk_sparse
from disnplbm.data.sparse_rows import dense_stretches
from disnplbm.data.table import Chunk, Source, SparseChunk, is_sparse, kind_of
from disnplbm.data.words import digest_of_words, words_of
from disnplbm.data.written import written_of
from disnplbm.errors import RunError
from disnplbm.notes import from_plain, to_plain
from disnplbm.objects.arrays import get_array, put_array
from disnplbm.objects.csr import get_csr, put_csr
from disnplbm.objects.seals import check_seal, get_checked, seal_of
from disnplbm.objects.store import ObjectStore

CHUNK_BYTES = 16 * 2**20
"""Size of a chunk object. Cut here and not where the reader cuts, so that they are the same for any format."""

ENTRY_BYTES = 16
"""What a stored cell of a sparse table counts for the size of a chunk; in memory it takes 12 bytes."""

FLOAT64 = np.dtype(np.float64).str
"""Type of the numbers of most tables, as NumPy spells it."""

Progress = Callable[[int, int], None]
"""Called with work done and work in all, in bytes."""


@dataclass(frozen=True)
class ChunkRef:
    """One chunk object: its key and its number of rows."""

    key: str
    rows: int


@dataclass(frozen=True)
class Dataset:
    """An ingested table; made by `ingest`, found again by `load_dataset`.

    Attributes
    ----------
    n, p, dimension : int
        Rows, columns, numbers per cell.
    sha256 : str
        Digest of shape and cells (missing cells and zeros in one spelling), whatever file format or chunk size they
        came in. Names do not count. The digest of a sparse table visits no zeros, so that a dense file of the same
        cells has another one. Of a table of words, the words count too.
    missing : int
        Cells without a value.
    chunks : tuple of ChunkRef
        Objects in row order: of shape (rows, p, d), float64; of a sparse table as :mod:`disnplbm.objects.csr` writes
        them.
    warnings : tuple of str
    reading : dict
        How the file was read, as :meth:`disnplbm.data.reading.Reading.to_dict` writes it; empty if not known.
    written : dict
        How the numbers of the file are written, as :meth:`disnplbm.data.written.Written.to_dict` writes it; empty if
        it is no text, or not known.
    has_row_names, has_classes : bool
        Whether the table named its rows and their classes.
    names : dict
        The sha256 of all column names, row names and classes; empty for a dataset from before there were seals.
    words : tuple of str
        The different words of a table of words, whose cells are their numbers; empty for a table of numbers.
    number_names : tuple of str
        What the numbers of a cell are called, where they have names.
    sparse : bool
        Whether the table stores only the cells that are not zero, as its file does.
    kind : str
        The smallest type that has all its numbers, as NumPy spells it, where the file has such a type: "<f4", "|u1".
    stored : int or None
        Numbers that are missing or not zero, in a sparse or a dense table; None for a dataset from before they were
        counted.
    seal : str
        Of ``{prefix}/dataset.json``.
    source : Source, optional
        Where the cells are read once more, where the store holds none.
    """

    n: int
    p: int
    dimension: int
    sha256: str
    missing: int
    chunks: tuple[ChunkRef, ...]
    warnings: tuple[str, ...]
    reading: dict[str, Any]
    has_row_names: bool
    has_classes: bool
    prefix: str
    store: ObjectStore
    names: dict[str, str] = field(default_factory=dict)
    written: dict[str, Any] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    number_names: tuple[str, ...] = ()
    sparse: bool = False
    stored: int | None = None
    kind: str = FLOAT64
    seal: str = field(default="", compare=False)
    source: Source | None = field(default=None, compare=False, repr=False)

    @cached_property
    def column_names(self) -> list[str]:
        """Names of the columns, read from the store on first use."""
        key = f"{self.prefix}/column_names.json"
        names: list[str] = json.loads(bytes(get_checked(self.store, key, self.names.get("column_names"))))
        return names

    @cached_property
    def row_names(self) -> list[str]:
        """Names of the rows, or "0", "1", ... if the table has none."""
        if not self.has_row_names:
            return [str(i) for i in range(self.n)]
        return self._strings("row_names")

    @cached_property
    def classes(self) -> list[str] | None:
        """Known class of each row, if a class column was given."""
        return self._strings("classes") if self.has_classes else None

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, numbers in a cell."""
        return self.n, self.p, self.dimension

    def count_stored(self) -> int:
        """Count the numbers that are missing or not zero, by a pass over the cells where nobody did before."""
        if self.stored is not None:
            return self.stored
        if self.sparse:
            return sum(rows.nnz for _, rows in self.csr_chunks())
        return sum(int(np.count_nonzero(values)) for _, values in self._dense_chunks())

    def arrays(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """First row and cells (c, p, d) of each chunk; of a sparse table, of stretches of :data:`CHUNK_BYTES`."""
        return _dense(self.csr_chunks()) if self.sparse else self._dense_chunks()

    def checked_arrays(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """The same; RunError after the last one if they are not the cells that were read."""
        if self.sparse:
            yield from _dense(self.checked_csr_chunks())
            return
        digest = DenseDigest()

        def taken_down() -> Iterator[tuple[int, NDArray[np.float64]]]:
            for first, values in self._dense_chunks():
                digest.add(values)
                yield first, values

        yield from read_ahead(taken_down())
        self._check(digest.finish(self.n, self.p, self.dimension))

    def csr_chunks(self) -> Iterator[tuple[int, csr_array]]:
        """First row and rows (c, p) of each chunk, as a `SparseChunk` has them; a dense table is converted.

        The table has one number a cell.
        """
        if not self.sparse:
            yield from map(_compressed, self._dense_chunks())
            return
        first = 0
        for chunk, rows in zip(self.chunks, self._stored_rows(), strict=True):
            yield first, rows
            first += chunk.rows

    def checked_csr_chunks(self) -> Iterator[tuple[int, csr_array]]:
        """The same; RunError after the last one if they are not the cells that were read."""
        if not self.sparse:
            yield from map(_compressed, self.checked_arrays())
            return
        digest = SparseDigest()
        for first, rows in self.csr_chunks():
            digest.add(rows)
            yield first, rows
        self._check(digest.finish(self.n, self.p))

    def _dense_chunks(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        first = 0
        for values in self._dense_rows():
            yield first, values
            first += len(values)

    def _dense_rows(self) -> Iterator[NDArray[np.float64]]:
        """Cells of each chunk: from the store, or from the source once more."""
        if self.source is None:
            return (get_array(self.store, chunk.key) for chunk in self.chunks)
        return (chunk.values for chunk in rechunk(self.source.chunks(), self.chunks[0].rows))

    def _stored_rows(self) -> Iterator[csr_array]:
        """The same of a sparse table."""
        if self.source is None or not is_sparse(self.source):
            return (get_csr(self.store, chunk.key, (chunk.rows, self.p)) for chunk in self.chunks)
        step = rows_of_chunk(self.p, self.dimension)
        return (chunk.values for chunk in rechunk_sparse(self.source.sparse_chunks(), step, CHUNK_BYTES // ENTRY_BYTES))

    def _check(self, found: str) -> None:
        if self.source is not None and digest_of_words(found, self.words) != self.sha256:
            raise RunError(f"{self.source.name} changed while it was read: fit it once more")
        check_seal(self.store, f"{self.prefix}/chunks", digest_of_words(found, self.words), self.sha256)

    def to_json(self) -> str:
        """What `{prefix}/dataset.json` holds."""
        record = {name: getattr(self, name) for name in _PLAIN_FIELDS}
        if self.words:
            record["words"] = list(self.words)
        if self.number_names:
            record["number_names"] = list(self.number_names)
        record["warnings"] = [to_plain(warning) for warning in self.warnings]
        record["chunks"] = [[chunk.key, chunk.rows] for chunk in self.chunks]
        return json.dumps(record, indent=1)

    def _strings(self, kind: str) -> list[str]:
        names: list[str] = []
        digest = hashlib.sha256()
        for i in range(len(self.chunks)):
            part = bytes(self.store.get(f"{self.prefix}/{kind}/{i:06d}.json"))
            digest.update(part)
            names += json.loads(part)
        check_seal(self.store, f"{self.prefix}/{kind}", digest.hexdigest(), self.names.get(kind))
        return names


_PLAIN_FIELDS = (
    "n",
    "p",
    "dimension",
    "sha256",
    "missing",
    "warnings",
    "reading",
    "has_row_names",
    "has_classes",
    "names",
    "written",
    "sparse",
    "stored",
    "kind",
)


def load_dataset(store: ObjectStore, prefix: str, seal: str | None = None) -> Dataset:
    """Find an ingested dataset again; RunError if there is none under this prefix, or its seal is another."""
    key = f"{prefix}/dataset.json"
    body = bytes(get_checked(store, key, seal))
    try:
        record: dict[str, Any] = json.loads(body)
        chunks = tuple(ChunkRef(*chunk) for chunk in record.pop("chunks"))
        warnings = tuple(map(from_plain, record.pop("warnings")))
        record.setdefault("reading", {})
        for name in ("words", "number_names"):
            record[name] = tuple(record.get(name, ()))
        record.pop("uneven", None)  # written before notes on scales were made after the transform
        return Dataset(**record, chunks=chunks, warnings=warnings, prefix=prefix, store=store, seal=seal_of(body))
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"object {key} in {store.url} is damaged: delete the run's data and run again") from error


_AnyChunk = TypeVar("_AnyChunk", Chunk, SparseChunk)


def ingest(
    source: Source,
    store: ObjectStore,
    prefix: str,
    progress: Progress | None = None,
    *,
    reading: dict[str, Any] | None = None,
    chunk_bytes: int = CHUNK_BYTES,
    keep_cells: bool = True,
) -> Dataset:
    """Stream a table into the object store.

    Writes `{prefix}/chunks/NNNNNN.npy` (`.csr` for a sparse table), the names beside them, and `{prefix}/dataset.json`
    last. Holds a few chunks at a time.

    Parameters
    ----------
    prefix : str
        Where the objects go.
    progress : callable, optional
        Called with bytes of the file read and in all.
    reading : dict, optional
        How the file is read, to be remembered.
    keep_cells : bool
        Whether the store gets the cells. If not, the dataset that is returned reads them from the source once more; one
        that is loaded has none.

    Returns
    -------
    Dataset

    Raises
    ------
    InputError
        The table cannot be read; the line says where.
    RunError
        The store is.
    """
    writer = _ChunkWriter(source, store, prefix, progress, keep_cells=keep_cells)
    writer.write(chunk_bytes)
    summary = writer.summary
    dataset = Dataset(
        n=summary.rows,
        p=len(source.column_names),
        dimension=source.dimension,
        sha256=summary.digest(),
        missing=summary.missing,
        chunks=tuple(writer.refs),
        warnings=tuple(summary.notes()),
        reading=reading or {},
        has_row_names="row_names" in writer.names,
        has_classes="classes" in writer.names,
        prefix=prefix,
        store=store,
        names={kind: of_kind.hexdigest() for kind, of_kind in writer.names.items()},
        written={} if (written := written_of(source)) is None else written.to_dict(),
        words=words_of(source) or (),
        number_names=number_names_of(source),
        sparse=is_sparse(source),
        stored=summary.stored,
        kind=smallest_kind(kind_of(source), summary.low, summary.high).str,
    )
    body = dataset.to_json().encode()
    store.put(f"{prefix}/dataset.json", body)
    return replace(dataset, seal=seal_of(body), source=None if keep_cells else source)


class _ChunkWriter:
    """Writes the chunks of a table with the names beside them, and takes down what is in them.

    Attributes
    ----------
    refs : list of ChunkRef
        Of the chunks that are written.
    names : dict
        A running digest of each kind of names.
    summary : DigestedSummary
    """

    def __init__(
        self, source: Source, store: ObjectStore, prefix: str, progress: Progress | None, *, keep_cells: bool
    ) -> None:
        self._keep_cells = keep_cells
        self.refs: list[ChunkRef] = []
        self.names: dict[str, hashlib._Hash] = {}
        self.summary = DigestedSummary(source)
        self._source, self._store, self._prefix, self._progress = source, store, prefix, progress

    def write(self, chunk_bytes: int) -> None:
        """Write all chunks, and the names of the columns; InputError if the table cannot be read."""
        source = self._source
        step = rows_of_chunk(len(source.column_names), source.dimension, chunk_bytes)
        if is_sparse(source):
            for sparse_chunk in rechunk_sparse(self._report(source.sparse_chunks()), step, chunk_bytes // ENTRY_BYTES):
                key = self._next_key("csr")
                if self._keep_cells:
                    put_csr(self._store, key, sparse_chunk.values)
                self.summary.add_sparse(sparse_chunk)
                self._finish(sparse_chunk, key)
        else:
            for chunk in rechunk(self._report(read_ahead(source.chunks())), step):
                key = self._next_key("npy")
                if self._keep_cells:
                    put_array(self._store, key, chunk.values)
                self.summary.add(chunk)
                self._finish(chunk, key)
        self.summary.check()
        self.names["column_names"] = hashlib.sha256(body := _json_bytes(source.column_names))
        self._store.put(f"{self._prefix}/column_names.json", body)

    def _next_key(self, ending: str) -> str:
        return f"{self._prefix}/chunks/{len(self.refs):06d}.{ending}"

    def _finish(self, chunk: Chunk | SparseChunk, key: str) -> None:
        """Write the names beside a chunk, and take it down."""
        for kind, strings in _strings_of(chunk):
            self.names.setdefault(kind, hashlib.sha256()).update(body := _json_bytes(strings))
            self._store.put(f"{self._prefix}/{kind}/{len(self.refs):06d}.json", body)
        self.refs.append(ChunkRef(key, chunk.values.shape[0]))

    def _report(self, chunks: Iterable[_AnyChunk]) -> Iterator[_AnyChunk]:
        for chunk in chunks:
            yield chunk
            if self._progress is not None:
                self._progress(chunk.bytes_read, self._source.bytes_total)


def smallest_kind(kind: np.dtype[Any], low: NDArray[np.float64], high: NDArray[np.float64]) -> np.dtype[Any]:
    """The smallest type of the same sort that has all numbers of a table.

    Parameters
    ----------
    kind : dtype
        That its file has.
    low, high : ndarray
        Smallest and largest number of each column.

    Examples
    --------
    >>> smallest_kind(np.dtype(">i8"), np.array([0.0, -1.0]), np.array([200.0, 3.0])).str
    '<i2'
    >>> smallest_kind(np.dtype("f4"), np.array([0.0]), np.array([200.0])).str
    '<f4'
    """
    if kind.kind == "f" and kind.itemsize < 8:
        return kind.newbyteorder("=")
    if kind.kind not in "iub":
        return np.dtype(np.float64)
    least, most = int(min(low.min(), 0)), int(max(high.max(), 0))
    return min(
        (np.dtype(name) for name in ("u1", "i1", "u2", "i2", "u4", "i4") if _holds(np.dtype(name), least, most)),
        key=lambda fitting: fitting.itemsize,
        default=np.dtype(np.float64),
    )


def _holds(kind: np.dtype[Any], least: int, most: int) -> bool:
    return bool(np.iinfo(kind).min <= least and most <= np.iinfo(kind).max)


def rows_of_chunk(columns: int, dimension: int, chunk_bytes: int = CHUNK_BYTES) -> int:
    """How many rows of a table make a chunk."""
    return max(1, chunk_bytes // (8 * columns * dimension))


def _dense(chunks: Iterable[tuple[int, csr_array]]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    for first, rows in chunks:
        for start, cells in dense_stretches(rows, CHUNK_BYTES):
            yield first + start, cells


def _compressed(chunk: tuple[int, NDArray[np.float64]]) -> tuple[int, csr_array]:
    first, values = chunk
    return first, csr_array(values[:, :, 0])


def _strings_of(chunk: Chunk | SparseChunk) -> Iterator[tuple[str, list[str]]]:
    """Names and classes of the rows, where there are some."""
    if chunk.ids is not None:
        yield "row_names", chunk.ids
    if chunk.classes is not None:
        yield "classes", chunk.classes


def _json_bytes(strings: list[str]) -> bytes:
    return json.dumps(strings, ensure_ascii=False).encode()
