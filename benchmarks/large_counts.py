"""Write a sparse table of counts as large as you like: ``python -m benchmarks.large_counts FILE [--rows 13000000]``.

Rows are of 20 groups and columns of 15, with a rate for each block, and columns differ in how common they are. The file
is .npz, as SciPy writes sparse matrices: at 13,000,000 x 20,000 it has 1,027,439,675 cells that are not 0, in 5.2 GB.
Time a fit of it by ``/usr/bin/time -v disnplbm fit FILE --cells counts --iterations 20 --threads 2``.
"""

from __future__ import annotations

import argparse
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy_format

ROW_GROUPS, COLUMN_GROUPS = 20, 15

#: Counts drawn for a row, some of them in the same cell; and rows that are drawn at a time.
COUNTS, AT_ONCE = 80, 200_000


def draw(n_rows: int, n_columns: int, generator: np.random.Generator) -> dict[str, Any]:
    """Draw a table as the arrays of a SciPy file."""
    group = generator.integers(0, COLUMN_GROUPS, n_columns)
    common = generator.lognormal(0.0, 1.0, n_columns)
    rates = generator.gamma(0.6, 1.0, (ROW_GROUPS, COLUMN_GROUPS)) + 0.02
    shares = np.cumsum(common * rates[:, group], axis=1)
    shares /= shares[:, -1:]
    indices = np.empty(n_rows * COUNTS, dtype=np.int32)
    counts, begins = np.empty(n_rows * COUNTS, dtype=np.uint8), np.zeros(n_rows + 1, dtype=np.int64)
    end = 0
    for first in range(0, n_rows, AT_ONCE):
        number = min(AT_ONCE, n_rows - first)
        of_row = generator.integers(0, ROW_GROUPS, number)
        columns = np.empty((number, COUNTS), dtype=np.int32)
        for k in range(ROW_GROUPS):
            here = np.flatnonzero(of_row == k)
            columns[here] = np.searchsorted(shares[k], generator.random((len(here), COUNTS)))
        ones = np.ones(number * COUNTS, dtype=np.uint8)
        starts = np.arange(0, number * COUNTS + 1, COUNTS)
        rows = sp.csr_array((ones, np.minimum(columns, n_columns - 1).ravel(), starts), shape=(number, n_columns))
        rows.sum_duplicates()
        indices[end : end + rows.nnz], counts[end : end + rows.nnz] = rows.indices, rows.data
        begins[first + 1 : first + number + 1] = end + rows.indptr[1:]
        end += rows.nnz
    return {
        "indices": indices[:end],
        "indptr": begins,
        "data": counts[:end],
        "format": np.array(b"csr"),
        "shape": np.array([n_rows, n_columns]),
    }


def main() -> None:
    """Draw a table and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--rows", type=int, default=13_000_000)
    parser.add_argument("--columns", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    arrays = draw(options.rows, options.columns, np.random.default_rng(options.seed))
    with zipfile.ZipFile(options.file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy_format.write_array(member, array, allow_pickle=False)
    print(f"{options.rows:,} x {options.columns:,}, {len(arrays['data']):,} cells that are not 0")


if __name__ == "__main__":
    main()
