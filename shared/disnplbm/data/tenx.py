"""Folders of 10x Genomics: a matrix of genes by cells, and the names of both beside it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from disnplbm.data.array import ArraySource
from disnplbm.data.dropped import drop_columns
from disnplbm.data.formats import PACKED
from disnplbm.data.mtx import read_header, read_matrix
from disnplbm.data.reading import Reading
from disnplbm.data.sparse_rows import dense_chunks, sparse_chunks
from disnplbm.data.table import Chunk, Source, SparseChunk
from disnplbm.data.text import open_bytes, records
from disnplbm.errors import InputError

_PARTS = {"matrix.mtx": "the counts", "features.tsv": "the genes", "barcodes.tsv": "the cells"}
_OLD_NAMES = {"features.tsv": "genes.tsv"}


def is_tenx(folder: Path) -> bool:
    """Whether a folder holds a file matrix.mtx or matrix.mtx.gz, perhaps with a prefix."""
    return bool(_candidates(folder, "matrix.mtx"))


def open_table(path: Path, reading: Reading) -> Source:
    """Open a folder of 10x Genomics."""
    return drop_columns(TenXSource(path), reading.drop_columns)


class TenXSource:
    """A folder with matrix.mtx, features.tsv (or genes.tsv) and barcodes.tsv, each also as .gz.

    Cells are the rows, named by their barcodes; genes are the columns, named by their symbols.
    """

    def __init__(self, folder: Path) -> None:
        self.name = str(folder)
        self.dimension = 1
        matrix, features, barcodes = (_find(folder, part) for part in _PARTS)
        self._matrix = matrix
        header = read_header(matrix)
        self._row_names = [cells[0] for cells in _lines(barcodes, header.columns)]
        self.column_names = [
            cells[1] if len(cells) > 1 and cells[1] else cells[0] for cells in _lines(features, header.rows)
        ]
        listed = len(self.column_names), len(self._row_names)
        if (header.rows, header.columns) != listed:
            genes, cells = _count(listed[0], header.rows), _count(listed[1], header.columns)
            raise InputError(
                f"{matrix} has {header.rows:,} rows and {header.columns:,} columns, where {features.name} lists"
                f" {genes} genes and {barcodes.name} {cells} cells: the files are not of one folder"
            )
        self.rows, self.sparse = header.columns, header.sparse
        self.bytes_total = matrix.stat().st_size
        self.notes = [f"{folder.name} is a 10x folder: cells are the rows, genes are the columns"]

    def chunks(self) -> Iterator[Chunk]:
        """Load the matrix, then hand out its cells a few at a time."""
        if self.sparse:
            yield from dense_chunks(self.sparse_chunks())
            return
        matrix = read_matrix(self._matrix, turned=True)
        source = ArraySource(matrix, name=self.name, column_names=self.column_names, row_names=self._row_names)
        for chunk in source.chunks():
            done = chunk.bytes_read / (self.rows * len(self.column_names) * 8)
            yield Chunk(chunk.values, chunk.ids, None, int(self.bytes_total * done))

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Load a matrix of entries with their places, then hand out its cells a few at a time."""
        matrix: Any = read_matrix(self._matrix, turned=True)
        yield from sparse_chunks((matrix.data, matrix.indices, matrix.indptr), self, self._row_names)


def _candidates(folder: Path, part: str) -> list[Path]:
    names = [part, _OLD_NAMES.get(part, part)]
    endings = tuple(name + packed for name in names for packed in ("", PACKED))
    return sorted(path for path in folder.iterdir() if path.name.endswith(endings) and path.is_file())


def _find(folder: Path, part: str) -> Path:
    """The one file of a kind. Files of several samples have prefixes."""
    found = _candidates(folder, part)
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(f"{folder} has no {part} (or {part}{PACKED}) with {_PARTS[part]}, as a 10x folder has; add it")
    listed = ", ".join(path.name for path in found[:4])
    raise InputError(f"{folder} has more than one file with {_PARTS[part]} ({listed}): give each sample its own folder")


def _lines(path: Path, due: int) -> list[list[str]]:
    """Cells of the lines of a file; of the first too many of them no more than tells that they are."""
    with open_bytes(path) as (stream, _):
        return [record.cells[:2] for record in islice(records(stream, path, "\t"), due + 1)]


def _count(listed: int, due: int) -> str:
    return f"{listed:,}" if listed <= due else f"more than {due:,}"
