"""A table that is read once, in chunks of rows, whatever file format it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy import float64
from numpy.typing import NDArray

from disnplbm.data.reading import NO_COLUMN, TEXT_ONLY, Reading
from disnplbm.errors import InputError

READ_BYTES = 8 * 2**20
"""About how many bytes of cells a reader puts into one chunk."""

FORMATS = ".csv, .tsv, .txt (also .gz), .npy, .npz, .parquet, .h5ad, .mtx (also .gz)"

SPREADSHEET = "a spreadsheet: open it there and save the sheet as CSV (UTF-8), then give that file"

_SHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")

_TENX = "10x folder"

_TEXT = (".csv", ".tsv", ".txt")
_PACKABLE = (*_TEXT, ".mtx")
_KINDS = (*_PACKABLE, ".npy", ".npz", ".parquet", ".h5ad")


@dataclass(frozen=True)
class Chunk:
    """Some consecutive rows of a table.

    Attributes
    ----------
    values : ndarray, shape (c, p, d), float64
        Cells; a missing cell is NaN in all its components.
    ids : list of str or None
        Row names, one per row, if the table has them.
    classes : list of str or None
        Known classes of the rows, if a class column was asked for.
    bytes_read : int
        How far into the file the reader is; compare with `Source.bytes_total`.
    """

    values: NDArray[float64]
    ids: list[str] | None
    classes: list[str] | None
    bytes_read: int


class Source(Protocol):
    """A table that can be read from its start any number of times.

    Attributes
    ----------
    name : str
        What to call the table in messages.
    column_names : list of str
        One name per data column, in order; names may repeat.
    dimension : int
        Numbers per cell, d.
    bytes_total : int
        Size of the file, for progress.
    notes : list of str
        What the reader decided about the file by itself and the user should know.
    """

    name: str
    dimension: int
    bytes_total: int
    notes: list[str]

    @property
    def column_names(self) -> list[str]:
        """One name per data column; a table that is turned is read for it."""
        ...

    def chunks(self) -> Iterator[Chunk]:
        """Read the table from its start.

        Raises
        ------
        InputError
            A cell is neither a finite number nor missing, a row has another number of cells, or the file is damaged:
            one line that names file, place and remedy.
        """
        ...


def open_source(
    path: str | Path, reading: Reading | None = None, *, most_bytes: int | None = None, **options: Any
) -> Source:
    """Open a table by the ending of its file name.

    Parameters
    ----------
    path : str or Path
        One of .csv, .tsv, .txt, .npy, .npz, .parquet, .h5ad, .mtx; the text formats also with .gz. Or a folder of 10x
        Genomics with matrix.mtx, features.tsv and barcodes.tsv (see :class:`disnplbm.data.tenx.TenXSource`).
    reading : Reading, optional
        How it is read; by default each option has its default.
    most_bytes : int, optional
        The cells may not take more, however small the file is.
    **options
        Fields of a `Reading` that replace those of `reading`.

    Raises
    ------
    InputError
        The file is missing, unreadable, empty or of an unknown kind, a named column is not in it, or the format does
        not have an option.
    """
    path = Path(path)
    reading = (reading or Reading()).but(**options)
    kind = _TENX if _is_tenx(path) else _kind_of_file(path)
    what = kind if kind == _TENX else f"{kind} file"
    if reading.layout == "long" and kind not in _TEXT:
        raise InputError(f"{path}: a {what} has no lines of text, so --layout does not apply; leave it out")
    source = _limited(_opened(path, kind, what, reading), most_bytes)
    if reading.layout == "long":
        from disnplbm.data.long import LongSource

        source = _limited(LongSource(source), most_bytes)
    if reading.transpose:
        from disnplbm.data.transposed import TransposedSource

        source = TransposedSource(source)
    return source


def _limited(source: Source, most_bytes: int | None) -> Source:
    if most_bytes is None:
        return source
    from disnplbm.data.limited import LimitedSource

    return LimitedSource(source, most_bytes)


def _is_tenx(path: Path) -> bool:
    try:
        if not path.is_dir():
            return False
        from disnplbm.data.tenx import is_tenx

        return is_tenx(path)
    except OSError:
        return False


def _kind_of_file(path: Path) -> str:
    check_readable(path)
    return kind_of(path)


def _opened(path: Path, kind: str, what: str, reading: Reading) -> Source:
    """The table as it is in the file, without the columns that are no data."""
    if reading.drop_columns and kind in (_TENX, ".h5ad"):
        from disnplbm.data.dropped import DroppedSource

        return DroppedSource(_opened(path, kind, what, reading.but(drop_columns=())), reading.drop_columns)
    # Imported on use: pyarrow, scipy and anndata are slow to load and most runs need one of them.
    if kind in _TEXT:
        from disnplbm.data.csv import CsvSource

        return CsvSource(path, usual_delimiter(path), reading)
    if kind == ".parquet":
        from disnplbm.data.parquet import ParquetSource

        return ParquetSource(path, reading)
    if kind == ".h5ad":
        from disnplbm.data.h5ad import H5adSource

        return H5adSource(path, reading)
    if reading.class_column is not None:
        raise InputError(
            f"{path}: --row-classes {reading.class_column} is no label file, and a {what} has no named columns;"
            " check the name"
        )
    reading.refuse_all_but(
        ("id_column",) if reading.id_column == NO_COLUMN else (), f"{path}: a {what} has no named columns"
    )
    if kind == _TENX:
        from disnplbm.data.tenx import TenXSource

        return TenXSource(path)
    if kind == ".mtx":
        from disnplbm.data.mtx import MtxSource

        return MtxSource(path)
    from disnplbm.data.npy import NpySource, NpzSource
    from disnplbm.data.sparse_npz import SparseNpzSource, is_sparse

    if kind == ".npy":
        return NpySource(path)
    return SparseNpzSource(path) if is_sparse(path) else NpzSource(path)


def kind_of(path: Path) -> str:
    """The ending that says how a file is read, without ".gz"; InputError if it is none of those there are."""
    kind = packed = path.suffix.lower()
    if packed == ".gz":
        kind = Path(path.stem).suffix.lower()
    if kind in _SHEETS:
        raise InputError(f"{path} is {SPREADSHEET}")
    if kind not in (_PACKABLE if packed == ".gz" else _KINDS):
        raise InputError(f"{path}: unknown kind of file {path.suffix!r}; supported are {FORMATS}")
    return kind


def usual_delimiter(path: Path) -> str:
    """The delimiter that the ending of a text file's name stands for; InputError if it is no text file."""
    kind = kind_of(path)
    if kind not in _TEXT:
        raise InputError(f"{path}: a {kind} file has no lines of text: what is in it is seen once it is uploaded")
    return "," if kind == ".csv" else "\t"


def fields_of(path: Path) -> tuple[str, ...]:
    """Fields of a `Reading` that apply to a file of this name; none if it is of an unknown kind."""
    if _is_tenx(path):
        return ("drop_columns", "transpose")
    try:
        kind = kind_of(path)
    except InputError:
        return ()
    columns = ("id_column", "class_column", "drop_columns", "transpose")
    if kind in _TEXT:
        return (*columns, *TEXT_ONLY)
    return columns if kind in (".parquet", ".h5ad") else ("transpose",)


def without_format(name: str) -> str:
    """The name of a file without the ending of a format, such as ".csv" or ".csv.gz"; other dots stay.

    >>> without_format("P08.A.csv.gz"), without_format(".hidden.npy"), without_format("notes.final")
    ('P08.A', '.hidden', 'notes.final')
    """
    bare = name[:-3] if name.lower().endswith(tuple(f"{kind}.gz" for kind in _PACKABLE)) else name
    kind = Path(bare).suffix
    return bare.removesuffix(kind) if kind.lower() in _KINDS else name


def check_readable(path: Path) -> None:
    """Raise InputError unless the path is a file that can be read and is not empty."""
    try:
        if path.is_fifo() or path.is_socket():
            raise InputError(f"{path} is a pipe, and a table is read more than once: save it to a file first")
        with path.open("rb") as stream:
            if not stream.read(1):
                raise InputError(f"{path} is empty: give a file with at least one row of numbers")
    except FileNotFoundError as error:
        raise InputError(f"{path}: file not found; check the name") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder: give a file ({FORMATS}), or a folder with matrix.mtx") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; check its permissions") from error
