"""Archives of arrays: a sparse matrix as SciPy writes it, or NumPy's."""

from __future__ import annotations

import zipfile
from pathlib import Path

from disnplbm.data.npy import BAD_ZIP, NpzSource
from disnplbm.data.reading import Reading
from disnplbm.data.sparse_npz import SparseNpzSource
from disnplbm.data.table import Source


def open_table(path: Path, reading: Reading) -> Source:
    """Open a .npz file."""
    return SparseNpzSource(path) if _is_sparse(path) else NpzSource(path, reading).as_read()


def _is_sparse(path: Path) -> bool:
    """Whether a file holds a sparse matrix; not if it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {"format.npy", "shape.npy", "data.npy"} <= set(archive.namelist())
    except BAD_ZIP:
        return False
