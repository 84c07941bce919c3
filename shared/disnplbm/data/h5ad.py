"""AnnData files (.h5ad) of single-cell data: X, dense or sparse, a few rows at a time. Needs the extra `bio`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from disnplbm.data.cells import check_finite, unify_missing
from disnplbm.data.in_memory import check_numeric, other_layers
from disnplbm.data.limits import check_columns, check_promise
from disnplbm.data.named import CLASS_OPTION, ID_OPTION, find_column
from disnplbm.data.reading import NO_COLUMN, Reading
from disnplbm.data.source import READ_BYTES, Chunk
from disnplbm.data.sparse import check_pointers
from disnplbm.errors import InputError, first_line


class H5adSource:
    """The matrix X of an .h5ad file; observations are rows, variables are columns.

    Row names are the observations' names, or the column of `obs` that `id_column` names; `class_column` is one of
    `obs`.
    """

    def __init__(self, path: Path, reading: Reading) -> None:
        reading.refuse_all_but(("id_column", "class_column"), f"{path}: a .h5ad file has no lines of text")
        id_column = None if reading.id_column == NO_COLUMN else reading.id_column
        self.name = str(path)
        self.dimension = 1
        self.notes: list[str] = []
        self.bytes_total = path.stat().st_size
        self._path = path
        with self._opened(looking=True) as data:
            self.rows = int(data.n_obs)
            self.column_names = [str(name) for name in data.var_names]
            if self.rows == 0 or not self.column_names:
                raise InputError(
                    f"{path} has {self.rows} rows and {len(self.column_names)} columns: one of each is needed"
                )
            columns = [str(name) for name in data.obs.columns]
            id_at = find_column(columns, id_column, ID_OPTION, self.name)
            class_at = find_column(columns, reading.class_column, CLASS_OPTION, self.name)
            self._ids = _strings(data.obs_names if id_at is None else data.obs.iloc[:, id_at])
            self._classes = None if class_at is None else _strings(data.obs.iloc[:, class_at])
            check_numeric(np.dtype(data.X.dtype), self.name)

    def chunks(self) -> Iterator[Chunk]:
        """Read X from its first row; a matrix in column order (CSC) is held as a sparse matrix meanwhile."""
        columns = len(self.column_names)
        step = max(1, READ_BYTES // (8 * columns))
        with self._opened() as data:
            matrix: Any = data.X
            if getattr(matrix, "format", None) == "csc":
                matrix = matrix.to_memory().tocsr()
            for start in range(0, self.rows, step):
                stop = min(self.rows, start + step)
                rows = matrix[start:stop]
                dense = rows.toarray() if hasattr(rows, "toarray") else rows
                values = np.array(dense, dtype=np.float64, order="C").reshape(stop - start, columns, 1)
                check_finite(values, start, self.name, self.column_names)
                yield Chunk(
                    unify_missing(values),
                    self._ids[start:stop],
                    None if self._classes is None else self._classes[start:stop],
                    self.bytes_total * stop // self.rows,
                )

    def _check_contents(self) -> None:
        """Refuse arrays that are larger than the file can hold, for which anndata would make room, or are elsewhere."""
        import h5py

        def elsewhere(_name: str, link: Any) -> bool | None:
            return True if isinstance(link, h5py.ExternalLink) else None

        def odd(_name: str, found: Any) -> bool | None:
            if not isinstance(found, h5py.Dataset):
                return None
            check_promise(found.size * found.dtype.itemsize, self.bytes_total, self.name)
            return True if found.external or found.is_virtual else None

        with h5py.File(self._path) as file:
            if file.visititems_links(elsewhere) or file.visititems(odd):
                raise InputError(f"{self.name} takes cells from other files: write them into this one")
            matrix = file.get("X")
            if matrix is None:
                remedy = "write the one to cluster as X (data.X = data.layers[...])"
                raise InputError(f"{self.name} has no matrix X; {other_layers(list(file.get('layers', ())), remedy)}")
            shape = matrix.shape if isinstance(matrix, h5py.Dataset) else matrix.attrs["shape"]
            check_columns(int(shape[-1]), self.name)
            kind = str(matrix.attrs.get("encoding-type", ""))
            if kind in ("csr_matrix", "csc_matrix"):
                rows, columns = (int(length) for length in shape)
                check_pointers(matrix["indptr"], matrix["indices"], (rows, columns), kind[:3], self.name)

    @contextmanager
    def _opened(self, *, looking: bool = False) -> Iterator[Any]:
        try:
            import anndata
        except ImportError as error:
            raise InputError(f"{self.name}: reading .h5ad needs anndata; pip install 'disnplbm[bio]'") from error
        try:
            with warnings.catch_warnings():
                # Names that repeat are accepted here, by position, with a warning of our own.
                warnings.simplefilter("ignore")
                if looking:
                    self._check_contents()
                data = anndata.read_h5ad(self._path, backed="r")
            try:
                yield data
            finally:
                data.file.close()
        except (InputError, MemoryError):
            raise
        except Exception as error:
            # A damaged file comes out of h5py and anndata as any kind of error, some of them private.
            raise InputError(f"{self.name} is not a readable .h5ad file: {first_line(error)}") from error


def _strings(labels: Any) -> list[str]:
    """Names or classes of an index or a column of pandas; blank where they are missing."""
    return ["" if missing else str(label) for label, missing in zip(labels, labels.isna(), strict=True)]
