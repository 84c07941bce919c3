"""AnnData files (.h5ad) of single-cell data: X or a layer, a few rows at a time. Needs the extra `bio`.

Of the rest of a file only the names and the columns that are asked for are read, straight from HDF5: anndata itself
reads all of it into memory, and believes what it finds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from disnplbm.data.cells import check_finite, some_names, unify_missing
from disnplbm.data.dropped import drop_columns
from disnplbm.data.in_memory import check_numeric
from disnplbm.data.limits import check_columns, check_density, check_promise, check_unpacked, check_words
from disnplbm.data.named import find_column
from disnplbm.data.reading import Reading
from disnplbm.data.sparse import check_pointers
from disnplbm.data.sparse_rows import dense_chunks, sparse_chunks
from disnplbm.data.table import READ_BYTES, Chunk, Source, SparseChunk
from disnplbm.errors import InputError, first_line
from disnplbm.notes import Hint

FEWEST_STRINGS = 64
"""Strings that are read at a time, at least. Any one of them may be as long as the file: of a small file more are
read, as long as :data:`STRING_BYTES` hold them."""

STRING_BYTES = 64 * 2**20

MOST_STRINGS = 2**16

MOST_LEVELS = 100
"""Groups within groups. HDF5 looks up each one from the first: a file of 2 MiB can keep it busy for a minute."""

RAW = "raw"
"""As a layer: what a file keeps of all variables beside X, unless one of its layers has that name."""

#: Filters that only rearrange or check: shuffle, fletcher32. Any other one packs.
_REARRANGE = (2, 3)


def open_table(path: Path, reading: Reading) -> Source:
    """Open a .h5ad file."""
    return drop_columns(H5adSource(path, reading), reading.drop_columns)


class H5adSource:
    """The matrix X of an .h5ad file, or another layer; observations are rows, variables are columns.

    Row names are the observations' names, or the column of `obs` that `id_column` names; `class_column` is one of
    `obs`.
    """

    read_quickly = True

    def __init__(self, path: Path, reading: Reading) -> None:
        id_column = reading.named_column
        self.name = str(path)
        self.dimension = 1
        self.notes: list[str] = []
        self.bytes_total = path.stat().st_size
        self._path = path
        with self._opened() as file:
            self._refuse_links(file)
            self._place, described = self._find_matrix(file, reading.layer)
            self._kind, (self.rows, columns) = self._matrix(file)
            self.sparse = self._kind != "dense"
            self.kind = np.dtype(np.float64) if self.sparse else file[self._place].dtype
            obs, var = (self._frame(file, axis) for axis in ("obs", described))
            self.column_names = self._labels(var, _attribute(var, "_index"), columns)
            index = str(_attribute(obs, "_index"))
            known = [name for name in obs if name not in (index, "__categories")]
            id_at = find_column(known, id_column, "id_column", self.name)
            self.id_name = None if id_at is None else known[id_at]
            class_at = find_column(known, reading.class_column, "class_column", self.name)
            self._ids = self._labels(obs, index if id_at is None else known[id_at], self.rows)
            self._classes = None if class_at is None else self._labels(obs, known[class_at], self.rows)

    def chunks(self) -> Iterator[Chunk]:
        """Read the matrix from its first row."""
        if self.sparse:
            yield from dense_chunks(self.sparse_chunks())
            return
        columns = len(self.column_names)
        step = max(1, READ_BYTES // (8 * columns))
        with self._opened() as file:
            matrix: Any = file[self._place]
            for start in range(0, self.rows, step):
                stop = min(self.rows, start + step)
                values = np.array(matrix[start:stop], dtype=np.float64, order="C").reshape(stop - start, columns, 1)
                check_finite(values, start, self.name, self.column_names)
                yield Chunk(
                    unify_missing(values),
                    self._ids[start:stop],
                    None if self._classes is None else self._classes[start:stop],
                    self.bytes_total * stop // self.rows,
                )

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Read a sparse matrix from its first row; a matrix in column order (CSC) is held as a whole meanwhile."""
        with self._opened() as file:
            parts: Any = tuple(file[self._place][part] for part in ("data", "indices", "indptr"))
            if self._kind == "csc":
                shape = (self.rows, len(self.column_names))
                rows = sp.csc_array(tuple(part[:] for part in parts), shape=shape).tocsr()
                parts = rows.data, rows.indices, rows.indptr
            yield from sparse_chunks(parts, self, self._ids, self._classes)

    def _refuse_links(self, file: Any) -> None:
        """Refuse a file that takes something from elsewhere, or whose links take long to follow."""
        import h5py

        def fault(name: str, link: Any) -> str | None:
            if isinstance(link, h5py.ExternalLink):
                return "takes cells from other files: write them into this one"
            if name.count("/") > MOST_LEVELS:
                return f"has groups within groups, more than {MOST_LEVELS} deep: write the file again without them"
            return None

        found = file.visititems_links(fault)
        if found is not None:
            raise InputError(f"{self.name} {found}")

    def _find_matrix(self, file: Any, layer: str | None) -> tuple[str, str]:
        """Where the matrix is, and where its columns are described."""
        layers = _names_in(file, "layers")
        known = [*layers, *([RAW] if RAW not in layers and "X" in _names_in(file, RAW) else [])]
        # A run that was fitted to a layer may be asked about X.
        if layer is None or (layer == "X" and "X" not in layers):
            if file.get("X") is not None:
                return "X", "var"
            if not known:
                raise InputError(f"{self.name} has no matrix X, nor has it any layer: store the data in X")
            remedy = f"{self.name} has no matrix X; its layers are {some_names(known, len(known))}: choose one by "
            raise InputError(remedy, Hint("layer", known[0]))
        if layer not in known:
            has = f"its layers are {some_names(known, len(known))}" if known else "it has none; leave out the option"
            raise InputError(f"{self.name} has no layer {layer!r} for ", Hint("layer"), f": {has}")
        return (f"layers/{layer}", "var") if layer in layers else (f"{RAW}/X", f"{RAW}/var")

    def _matrix(self, file: Any) -> tuple[str, tuple[int, int]]:
        """How the matrix is stored ("csr", "csc" or "dense") and its shape, once it is clear that all of it is here."""
        import h5py

        matrix = file[self._place]
        kind = "dense"
        if not isinstance(matrix, h5py.Dataset):
            kind = str(_attribute(matrix, "encoding-type")).removesuffix("_matrix")
            if kind not in ("csr", "csc"):
                raise InputError(f"{self.name}: {self._place} is of kind {kind}: write it dense, as csr or as csc")
        shape = matrix.shape if kind == "dense" else _attribute(matrix, "shape")
        if shape is None or len(shape) != 2 or min(shape) < 1:
            raise InputError(
                f"{self.name}: {self._place} has shape {shape}: a table has at least one row and one column"
            )
        rows, columns = (int(length) for length in shape)
        check_columns(columns, self.name)
        parts = (matrix,) if kind == "dense" else tuple(matrix[part] for part in ("data", "indices", "indptr"))
        for part in parts:
            self._check_array(part)
        check_numeric(np.dtype(parts[0].dtype), self.name)
        if kind != "dense":
            check_density(rows, columns, len(parts[0]), self.bytes_total, self.name)
            check_pointers(matrix["indptr"], matrix["indices"], matrix["data"], (rows, columns), kind, self.name)
        return kind, (rows, columns)

    def _check_array(self, found: Any) -> None:
        """Refuse an array that is elsewhere, or takes more memory than there can be in the file."""
        if found.external or found.is_virtual:
            raise InputError(f"{self.name} takes cells from other files: write them into this one")
        packing = found.id.get_create_plist()
        filters = [packing.get_filter(i)[0] for i in range(packing.get_nfilters())]
        if sum(code not in _REARRANGE for code in filters) > 1:
            raise InputError(f"{self.name} is packed more than once: write it with one kind of compression")
        # HDF5 unpacks a whole chunk, even if it is larger than the array.
        size = max(found.size, math.prod(found.chunks or ())) * found.dtype.itemsize
        check_promise(size, self.bytes_total, self.name)
        check_unpacked(size, self.bytes_total, self.name)

    def _frame(self, file: Any, axis: str) -> Any:
        """The names and columns that describe rows ("obs") or columns ("var")."""
        found = file[axis]
        if hasattr(found, "dtype"):
            raise InputError(
                f"{self.name} was written by anndata before 0.7: read it with anndata, and write it again with"
                " write_h5ad"
            )
        return found

    def _labels(self, frame: Any, column: str, count: int) -> list[str]:
        """A column as text; blank where it is missing."""
        found = frame[column]
        if "categories" in found.attrs:
            # As anndata wrote categories before 0.8.
            labels = self._coded(found, frame.file[_attribute(found, "categories")])
        elif not hasattr(found, "dtype") and "codes" in found:
            labels = self._coded(found["codes"], found["categories"])
        else:
            labels = self._texts(found)
        if len(labels) != count:
            raise InputError(
                f"{self.name} is damaged: {frame.name.strip('/')} names {len(labels):,} of {count:,}; write it again"
            )
        return labels

    def _coded(self, codes: Any, categories: Any) -> list[str]:
        """Labels of which the file has each once, and its number for each row."""
        self._check_array(codes)
        words = np.array([*self._texts(categories), ""], dtype=object)
        which = np.asarray(codes[:]).astype(np.int64)
        which[which < 0] = len(words) - 1
        lengths = np.array([len(word) for word in words])
        check_words(int(lengths[which].sum()), self.bytes_total, self.name)
        labels: list[str] = words[which].tolist()
        return labels

    def _texts(self, found: Any) -> list[str]:
        """Words or numbers of an array with one axis, or of a group of such an array and a mask, as text."""
        import h5py

        if not hasattr(found, "dtype"):
            self._check_array(found["mask"])
            values = self._texts(found["values"])
            return ["" if gone else value for value, gone in zip(values, found["mask"][:].tolist(), strict=True)]
        self._check_array(found)
        if len(found.shape) != 1:
            raise InputError(f"{self.name} is damaged: {found.name} is no list; write it again")
        if h5py.check_string_dtype(found.dtype) is None:
            if found.dtype.kind not in "biuf":
                raise InputError(f"{self.name}: {found.name} holds neither words nor numbers; leave it out")
            return ["" if value != value else str(value) for value in found[:].tolist()]
        # Each string is in the file, as it is: it takes no more than the file, and all together do not either.
        step = min(max(FEWEST_STRINGS, STRING_BYTES // self.bytes_total), MOST_STRINGS)
        texts, total = list[str](), 0
        for start in range(0, len(found), step):
            words = found[start : start + step].tolist()
            total += sum(map(len, words))
            if total > max(self.bytes_total, len(found) * found.dtype.itemsize):
                raise InputError(
                    f"{self.name} is damaged: the strings of {found.name} are longer than the file; write it again"
                )
            texts += [word.decode() for word in words]
        return texts

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        try:
            import h5py
        except ImportError as error:
            raise InputError(f"{self.name}: reading .h5ad needs h5py; pip install 'disnplbm[bio]'") from error
        try:
            with h5py.File(self._path) as file:
                yield file
        except (InputError, MemoryError):
            raise
        except Exception as error:
            # A damaged file comes out of h5py as any kind of error, some of them private.
            raise InputError(f"{self.name} is not a readable .h5ad file: {first_line(error)}") from error


def _names_in(file: Any, group: str) -> list[str]:
    """What is in a group of a file, if it has one."""
    found = file.get(group)
    return list(found) if hasattr(found, "keys") else []


def _attribute(found: Any, name: str) -> Any:
    """A word or two numbers that go with a group or an array; KeyError if it is longer or not there."""
    if math.prod(found.attrs.get_id(name).shape) > 2:
        raise KeyError(name)
    return found.attrs[name]
