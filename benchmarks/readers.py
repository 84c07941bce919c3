"""How fast files are read, against another checkout.

    git worktree add /tmp/before bafc5c6
    python -m benchmarks.readers /tmp/before [--rounds N] [--only WORD]

Each file is read into a store by both checkouts, in processes that take turns. What is compared is the processor time
of reading, without the time to load Python; the ratio is the median of the rounds' ratios.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.tables import table

#: What both checkouts run.
PROGRAM = """
import sys, tempfile, time
from pathlib import Path
from disnplbm.data.dataset import ingest
from disnplbm.data.source import open_source
from disnplbm.objects.store import open_store
import disnplbm
assert Path(disnplbm.__file__).is_relative_to(sys.argv[2]), disnplbm.__file__
with tempfile.TemporaryDirectory() as folder:
    store = open_store(folder)
    began = time.process_time()
    ingest(open_source(Path(sys.argv[1])), store, "dataset")
    print(time.process_time() - began)
"""

HERE = Path(__file__).parents[1]


def files() -> dict[str, Callable[[Path], object]]:
    """What is read, by name: tables of numbers, with names of rows and without, packed and not."""
    generator = np.random.default_rng(0)
    long, wide = generator.normal(size=(400_000, 20)), generator.normal(size=(3_000, 3_000))
    counts = sp.random_array((20_000, 2_000), density=0.05, format="csr", rng=generator)
    return {
        "long.parquet": lambda path: _parquet(path, long),
        "long-named.parquet": lambda path: _parquet(path, long, names=True),
        "long-zstd.parquet": lambda path: _parquet(path, long, compression="zstd"),
        "wide.parquet": lambda path: _parquet(path, wide),
        "wide-named.parquet": lambda path: _parquet(path, wide, names=True),
        "dense.h5ad": lambda path: anndata.AnnData(wide).write_h5ad(path),
        "dense-gzip.h5ad": lambda path: anndata.AnnData(wide).write_h5ad(path, compression="gzip"),
        "csr.h5ad": lambda path: anndata.AnnData(sp.csr_matrix(counts)).write_h5ad(path),
        "csr-gzip.h5ad": lambda path: anndata.AnnData(sp.csr_matrix(counts)).write_h5ad(path, compression="gzip"),
        "csc.h5ad": lambda path: anndata.AnnData(sp.csc_matrix(counts)).write_h5ad(path),
        "named.csv": lambda path: pd.DataFrame(long[:50_000], index=_names(50_000)).to_csv(path, float_format="%.6g"),
    }


def _names(rows: int) -> list[str]:
    return [f"sample-{i:07d}" for i in range(rows)]


def _parquet(path: Path, cells: NDArray[np.float64], *, names: bool = False, **options: str) -> None:
    columns = {f"c{j}": column for j, column in enumerate(cells.T)}
    pq.write_table(pa.table({"id": _names(len(cells)), **columns} if names else columns), path, **options)


def seconds(path: Path, checkout: Path) -> float:
    """Processor time in which a checkout reads a file."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), str(checkout)],
        env=os.environ | {"PYTHONPATH": str(checkout / "shared")},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="files whose names have this word")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, write in files().items():
            if given.only not in name:
                continue
            path = Path(folder) / name
            write(path)
            pairs = [(seconds(path, given.other.resolve()), seconds(path, HERE)) for _ in range(given.rounds)]
            before, now = (statistics.median(times) for times in zip(*pairs, strict=True))
            ratio = statistics.median(here / there for there, here in pairs)
            rows.append([name, f"{path.stat().st_size / 1e6:.0f}", f"{before:.2f}", f"{now:.2f}", f"{ratio:.2f}"])
            print(*rows[-1], file=sys.stderr)
            path.unlink()
    print(table(["file", "MB", "s of the other", "s of this one", "ratio"], rows))


if __name__ == "__main__":
    main()
