"""MatrixMarket files, dense (array) and sparse (coordinate), plain or gzipped.

Their entries come in column order or in none, so that rows cannot be streamed: a file is held whole, a sparse one as a
sparse matrix.

SciPy's reader takes the number at the start of a word and drops the rest (``1,5`` gives 1), so the text is parsed here:
a block of lines at a time by pyarrow, and a block that it cannot take once more line by line, which finds the fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm.data.array import ArraySource
from disnplbm.data.limits import LONGEST_LINE, MOST_ROWS, check_columns, check_density, check_promise
from disnplbm.data.numerals import MISSING, PLAIN
from disnplbm.data.reading import Reading
from disnplbm.data.sparse_rows import dense_chunks, sparse_chunks
from disnplbm.data.table import Chunk, Source, SparseChunk
from disnplbm.data.text import open_bytes
from disnplbm.data.text_blocks import cut
from disnplbm.errors import InputError
from disnplbm.smallest import smallest_type

BLOCK_BYTES = 4 * 2**20
"""Text that is parsed at a time."""

_LAYOUTS = ("coordinate", "array")
_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
#: No empty cell: a line that ends after its places has no entry.
_MISSING = [word for word in MISSING if word]

#: Blanks other than one between two numbers.
_UNEVEN = (b"  ", b" \n", b"\n ", b"\t", b"\r")


@dataclass(frozen=True, slots=True)
class Header:
    """What the first lines of a file say.

    Parameters
    ----------
    entries : int
        How many lines follow, one for each entry.
    sparse, pattern : bool
        Whether an entry says where it is; whether it says that and nothing more.
    symmetry : str
        "general"; otherwise only one triangle of the matrix is in the file.
    line : int
        The line of the sizes, counted from 1.
    """

    rows: int
    columns: int
    entries: int
    sparse: bool
    pattern: bool
    symmetry: str
    line: int

    @property
    def width(self) -> int:
        """Numbers in a line."""
        return 1 + 2 * self.sparse - self.pattern


def open_table(path: Path, _reading: Reading) -> Source:
    """Open a .mtx file."""
    return MtxSource(path)


class MtxSource:
    """A .mtx file of real, integer or pattern entries; entries not stored are zeros."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.dimension = 1
        self.notes: list[str] = []
        self.bytes_total = path.stat().st_size
        self._path = path
        header = read_header(path)
        self.rows, self.sparse = header.rows, header.sparse
        self.column_names = [str(j) for j in range(header.columns)]
        if any(path.parent.glob("*barcodes.tsv*")):
            self.notes.append(
                "barcodes.tsv lies beside this file: give the folder, and cells are rows and genes have names"
            )

    def chunks(self) -> Iterator[Chunk]:
        """Load the file, then hand out its rows a few at a time."""
        if self.sparse:
            yield from dense_chunks(self.sparse_chunks())
            return
        matrix = read_matrix(self._path)
        for chunk in ArraySource(matrix, name=self.name, column_names=self.column_names).chunks():
            done = chunk.bytes_read / (self.rows * len(self.column_names) * 8)
            yield Chunk(chunk.values, None, None, int(self.bytes_total * done))

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Load a file of entries with their places, then hand out its rows a few at a time."""
        matrix: Any = read_matrix(self._path)
        yield from sparse_chunks((matrix.data, matrix.indices, matrix.indptr), self)


def read_header(path: Path) -> Header:
    """Read the first lines of a .mtx file.

    Raises
    ------
    InputError
        This is no MatrixMarket file of real numbers, or it promises more than there can be in the file.
    """
    with open_bytes(path) as (stream, _):
        return _header(stream, path)


def read_matrix(path: Path, *, turned: bool = False) -> NDArray[np.float64] | sp.csr_array:
    """Read the numbers of a .mtx file, shape (n, p); a sparse matrix if the file lists entries with their places.

    Entries of the same place are added up.

    Parameters
    ----------
    turned : bool
        Whether the rows of the file become columns, and its columns rows.

    Raises
    ------
    InputError
        A line cannot be read, and the message names it, or the file is cut short.
    """
    with open_bytes(path) as (stream, _):
        header = _header(stream, path)
        # Memory is taken as they are filled, whatever the header promises.
        places = np.empty((2 * header.sparse, header.entries), dtype=np.int32)
        values: NDArray[Any] = np.empty(0 if header.pattern else header.entries, dtype=np.uint8)
        line, found = header.line, 0
        for text in cut(stream, BLOCK_BYTES):
            if text is None:
                raise InputError(f"{path} has a line longer than {LONGEST_LINE // 2**20} MiB; check its line ends")
            block = _parse(text, header)
            if block is None or found + len(block) > header.entries:
                block = _parse_lines(text, header, path, line, found)
            inside = slice(found, found + len(block))
            places[:, inside] = block[:, : len(places)].T - 1
            if not header.pattern:
                # Counts take a byte each, as long as they fit into it.
                kind = smallest_type(block[:, -1])
                if np.dtype(kind).itemsize > values.itemsize:
                    values = values.astype(kind)
                values[inside] = block[:, -1]
            found += len(block)
            line += text.count(b"\n")
    if found < header.entries:
        raise InputError(f"{path} is cut short: it ends after {found:,} of {header.entries:,} entries; copy it again")
    if header.sparse:
        return _sparse(places, values, header, turned=turned)
    matrix = _dense(values.astype(np.float64, copy=False), header)
    return matrix.T if turned else matrix


def _header(stream: IO[bytes], path: Path) -> Header:
    layout, field, symmetry = _read_kind(stream, path)
    sparse = layout == "coordinate"
    line, sizes = _read_sizes(stream, path, sparse=sparse)
    rows, columns = sizes[:2]
    triangle = {"general": rows * columns, "skew-symmetric": rows * (rows - 1) // 2}
    entries = sizes[2] if sparse else triangle.get(symmetry, rows * (rows + 1) // 2)
    header = Header(rows, columns, entries, sparse, field == "pattern", symmetry, line)
    _check_size(header, path)
    return header


def _read_kind(stream: IO[bytes], path: Path) -> list[str]:
    """Layout, field and symmetry: the first line."""
    words = stream.readline(LONGEST_LINE).decode("latin-1").lower().split()
    if len(words) != 5 or words[0] not in ("%%matrixmarket", "%matrixmarket") or words[1] != "matrix":
        raise InputError(f"{path} is not a MatrixMarket file: its first line must be %%MatrixMarket matrix ...")
    layout, field, symmetry = kind = words[2:]
    if field == "complex":
        raise InputError(f"{path} holds complex numbers; write its real part instead")
    known = layout in _LAYOUTS and field in _FIELDS and symmetry in _SYMMETRIES
    if not known or (layout, field) == ("array", "pattern"):
        raise InputError(f"{path} line 1: there is no MatrixMarket file of kind {' '.join(kind)}")
    return kind


def _read_sizes(stream: IO[bytes], path: Path, *, sparse: bool) -> tuple[int, list[int]]:
    """Rows, columns and for a sparse matrix entries, and the line that says them: the first that is no comment."""
    line, sizes = 1, list[bytes]()
    while text := stream.readline(LONGEST_LINE):
        line += 1
        sizes = text.split()
        if sizes and not text.startswith(b"%"):
            break
    if len(sizes) != 2 + sparse or not all(size.isdigit() and len(size) < 19 for size in sizes):
        wanted = "rows, columns and entries" if sparse else "rows and columns"
        raise InputError(f"{path} line {line} must hold the numbers of {wanted}, such as 20 10" + " 35" * sparse)
    return line, [int(size) for size in sizes]


def _check_size(header: Header, path: Path) -> None:
    """Refuse a matrix that cannot be, or that is larger than can be in the file."""
    rows, columns, size = header.rows, header.columns, path.stat().st_size
    if rows == 0 or columns == 0:
        raise InputError(f"{path} has {rows} rows and {columns} columns: at least one of each is needed")
    if header.symmetry != "general" and rows != columns:
        kind = header.symmetry
        raise InputError(f"{path} is {kind} and yet has {rows} rows and {columns} columns: check its first line")
    check_columns(columns, str(path))
    if rows > MOST_ROWS:
        raise InputError(f"{path} has {rows:,} rows, and at most {MOST_ROWS:,} can be read: check its first lines")
    # Each number takes a digit, and what keeps it from the next one.
    check_promise(2 * header.width * header.entries, size, str(path))
    if header.sparse:
        check_density(rows, columns, header.entries, size, str(path))


def _parse(text: bytes, header: Header) -> NDArray[np.float64] | None:
    """Numbers of whole lines, shape (c, width); None unless all is clearly as it must be."""
    if text[:1] == b" " or any(blanks in text for blanks in _UNEVEN):
        text = b"\n".join(b" ".join(line.split()) for line in text.split(b"\n"))
    names = [str(j) for j in range(header.width)]
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(text),
            pa.csv.ReadOptions(column_names=names, use_threads=False, block_size=len(text) + 1),
            pa.csv.ParseOptions(delimiter=" ", quote_char=False),
            pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.float64()), null_values=_MISSING),
        )
    except pa.ArrowInvalid:
        return None
    numbers = np.column_stack([column.to_numpy() for column in table.columns])
    places = numbers[:, : 2 * header.sparse]
    nulls = sum(column.null_count for column in table.columns)
    plain = np.isnan(numbers).sum() == nulls and not np.isinf(numbers).any()
    if not plain or not ((places >= 1) & (places == np.rint(places)) & (places <= _last(header))).all():
        return None
    return numbers


def _parse_lines(text: bytes, header: Header, path: Path, line: int, found: int) -> NDArray[np.float64]:
    """The same line by line, as the rules are; InputError for the first that breaks one."""
    last, rows = _last(header), list[list[float]]()
    for at, part in enumerate(text.split(b"\n"), start=line + 1):
        words = [word.decode("latin-1") for word in part.split()]
        if not words or words[0].startswith("%"):
            continue
        place = f"{path} line {at}"
        if found + len(rows) == header.entries:
            raise InputError(f"{place}: the file promises {header.entries:,} entries and has more; write it again")
        if len(words) != header.width:
            raise InputError(f"{place} has {len(words)} numbers where {header.width} are due; write one entry a line")
        numbers = [_number(word, place) for word in words]
        for number, word, most, noun in zip(numbers, words, last, ("row", "column"), strict=False):
            if not (1 <= number <= most and number == int(number)):
                raise InputError(f"{place}: there is no {noun} {word}; they are counted from 1 to {most:,}")
        rows.append(numbers)
    return np.array(rows, dtype=np.float64).reshape(-1, header.width)


def _number(word: str, place: str) -> float:
    number = PLAIN.parse(word)
    shown = repr(word if len(word) <= 40 else word[:37] + "...")
    if number is None:
        comma = "; write a decimal point and no comma" if "," in word else ""
        raise InputError(f"{place}: {shown} is not a number{comma or '; correct it, or write nan if it is missing'}")
    if np.isinf(number):
        raise InputError(f"{place}: {shown} is not a finite number; replace it, or write nan if it is missing")
    return number


def _last(header: Header) -> tuple[int, ...]:
    """The largest row and column that an entry can name, if it names them."""
    return (header.rows, header.columns) if header.sparse else ()


def _sparse(places: NDArray[np.int32], values: NDArray[np.float64], header: Header, *, turned: bool) -> sp.csr_array:
    row, column = places
    if header.pattern:
        values = np.ones(header.entries, dtype=np.uint8)
    if header.symmetry != "general":
        off = row != column
        sign = -1.0 if header.symmetry == "skew-symmetric" else 1.0
        values = np.concatenate((values, sign * values[off]))
        row, column = np.concatenate((row, column[off])), np.concatenate((column, row[off]))
    shape = (header.rows, header.columns)
    if turned:
        row, column, shape = column, row, shape[::-1]
    rows = sp.coo_array((values, (row, column)), shape=shape).tocsr()
    if rows.nnz < len(values):
        # Entries of the same place were added up, and their sum may be too large for the type.
        del rows
        rows = sp.coo_array((values.astype(np.float64), (row, column)), shape=shape).tocsr()
    return rows


def _dense(numbers: NDArray[np.float64], header: Header) -> NDArray[np.float64]:
    """A matrix whose entries come column by column; of a symmetric one those on and below the diagonal."""
    n, p = header.rows, header.columns
    if header.symmetry == "general":
        return numbers.reshape(p, n).T
    skew = header.symmetry == "skew-symmetric"
    column, row = np.triu_indices(n, int(skew))
    matrix = np.zeros((n, n))
    matrix[row, column] = numbers
    matrix[column, row] = -numbers if skew else numbers
    return matrix
