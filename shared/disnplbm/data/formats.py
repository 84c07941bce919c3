"""The file formats there are. Each is a module of its own; one line here registers it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

from disnplbm.data.reading import TEXT_ONLY
from disnplbm.errors import InputError

_COLUMNS = ("id_column", "class_column", "drop_columns")

_LONG = ("layout", "absent", "cell_covariates")

_LINES = (*_COLUMNS, *TEXT_ONLY, *_LONG)

#: The ending of a packed file, behind the ending of its format.
PACKED = ".gz"

SPREADSHEET = "a spreadsheet: open it there and save the sheet as CSV (UTF-8), then give that file"

_SHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    Parameters
    ----------
    module : str
        It has ``open_table(path, reading)``, which returns a :class:`disnplbm.data.table.Source`. It is imported when
        a file is opened: pyarrow, scipy and anndata are slow to load, and most runs need one of them.
    fields : tuple of str
        The fields of a `Reading` that the format has. Each format can be transposed.
    packable : bool
        Whether a file may be packed with gzip.
    delimiter : str, optional
        Of a format with lines of text: the usual sign between two cells.
    fragile : bool
        Whether a library written in C follows what a file says while it is opened, into a crash or a circle at worst.
    """

    module: str
    fields: tuple[str, ...] = ()
    packable: bool = False
    delimiter: str | None = None
    fragile: bool = False

    def load(self) -> Any:
        """The module of the format."""
        return import_module(self.module)


#: By the ending of a file's name.
FORMATS = {
    ".csv": Format("disnplbm.data.csv", _LINES, packable=True, delimiter=","),
    ".tsv": Format("disnplbm.data.csv", _LINES, packable=True, delimiter="\t"),
    ".txt": Format("disnplbm.data.csv", _LINES, packable=True, delimiter="\t"),
    ".npy": Format("disnplbm.data.npy"),
    ".npz": Format("disnplbm.data.npz"),
    ".parquet": Format("disnplbm.data.parquet", (*_COLUMNS, *_LONG)),
    ".h5ad": Format("disnplbm.data.h5ad", (*_COLUMNS, "layer"), fragile=True),
    ".mtx": Format("disnplbm.data.mtx", packable=True),
}

#: The one format that is a folder, not a file.
_TENX = Format("disnplbm.data.tenx", ("drop_columns",))


def find_format(path: Path) -> tuple[str, Format]:
    """What to call a table in messages, and its format; InputError if it has none, or the file cannot be read."""
    if _is_tenx(path):
        return "10x folder", _TENX
    check_readable(path)
    kind = kind_of(path)
    return f"{kind} file", FORMATS[kind]


def all_endings() -> str:
    """The endings of all formats, for messages.

    >>> all_endings()
    '.csv, .tsv, .txt (also .gz), .npy, .npz, .parquet, .h5ad, .mtx (also .gz)'
    """
    groups = groupby(FORMATS, key=lambda kind: FORMATS[kind].packable)
    return ", ".join(", ".join(kinds) + f" (also {PACKED})" * packable for packable, kinds in groups)


def kind_of(path: Path) -> str:
    """The ending that says how a file is read, without ".gz"; InputError if it is none of those there are."""
    kind = Path(path.stem if is_packed(path) else path).suffix.lower()
    if kind in _SHEETS:
        raise InputError(f"{path} is {SPREADSHEET}")
    if kind not in FORMATS or (is_packed(path) and not FORMATS[kind].packable):
        raise InputError(f"{path}: unknown kind of file {path.suffix!r}; supported are {all_endings()}")
    return kind


def is_packed(path: Path) -> bool:
    """Whether the name of a file says that it is packed with gzip."""
    return path.suffix.lower() == PACKED


def usual_delimiter(path: Path) -> str:
    """The delimiter that the ending of a text file's name stands for; InputError if it is no text file."""
    kind = kind_of(path)
    usual = FORMATS[kind].delimiter
    if usual is None:
        raise InputError(f"{path}: a {kind} file has no lines of text: what is in it is seen once it is uploaded")
    return usual


def fields_of(path: Path) -> tuple[str, ...]:
    """Fields of a `Reading` that apply to a file of this name; none if it is of an unknown kind."""
    try:
        found = _TENX if _is_tenx(path) else FORMATS[kind_of(path)]
    except InputError:
        return ()
    return (*found.fields, "transpose")


def without_format(name: str) -> str:
    """The name of a file without the ending of a format, such as ".csv" or ".csv.gz"; other dots stay.

    >>> without_format("P08.A.csv.gz"), without_format(".hidden.npy"), without_format("notes.final")
    ('P08.A', '.hidden', 'notes.final')
    """
    packable = tuple(kind + PACKED for kind in FORMATS if FORMATS[kind].packable)
    bare = name[: -len(PACKED)] if name.lower().endswith(packable) else name
    kind = Path(bare).suffix
    return bare.removesuffix(kind) if kind.lower() in FORMATS else name


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
        raise InputError(f"{path} is a folder: give a file ({all_endings()}), or a folder with matrix.mtx") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; check its permissions") from error


def _is_tenx(path: Path) -> bool:
    try:
        return path.is_dir() and bool(_TENX.load().is_tenx(path))
    except OSError:
        return False
