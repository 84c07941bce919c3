"""Tables of counts with known classes of their rows: documents x terms, and cells x genes."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.sparse import csr_array

from benchmarks.studies.data import REAL_DATA
from disnplbm.families.counts.cells import SparseCounts

FOLDER = REAL_DATA / "counts"


@dataclass(frozen=True, eq=False)
class CountTable:
    """A sparse table of counts and the known classes of its rows; every row and every column counts something."""

    name: str
    counts: csr_array
    classes: NDArray[np.int32]
    class_names: Sequence[str] = ()
    columns: Sequence[str] = ()  # their names, where they have some

    @property
    def n_classes(self) -> int:
        """Known classes of the rows."""
        return int(self.classes.max()) + 1

    def cells(self, shard: int = 0, n_shards: int = 1) -> SparseCounts:
        """The rows of a shard, expected to count what the margins of the whole table say."""
        of_rows = np.asarray(self.counts.sum(axis=1), dtype=np.float64)
        of_columns = np.asarray(self.counts.sum(axis=0), dtype=np.float64)
        here = csr_array(self.counts[shard::n_shards])
        stored = here.indptr.astype(np.int64), here.indices.astype(np.int32), here.data.astype(np.float64)
        return SparseCounts(*stored, of_rows[shard::n_shards], of_columns / of_rows.sum(), complete=True)


def classic3() -> CountTable:
    """3,891 abstracts of three collections."""
    stored = loadmat(FOLDER / "classic3.mat")
    return _table("classic3", csr_array(stored["A"]), stored["labels"])


def newsgroups() -> CountTable:
    """18,846 messages to 20 newsgroups."""
    stored = loadmat(FOLDER / "20Newsgroups.mat")
    return _table("20 Newsgroups", csr_array(stored["fea"]), stored["gnd"])


def dropseq() -> CountTable:
    """Single cells of three lines, sequenced together."""
    with gzip.open(FOLDER / "sc_dropseq.count.csv.gz", "rt", newline="") as file:
        lines = csv.reader(file)
        names = next(lines)
        genes = list(lines)
    with gzip.open(FOLDER / "sc_dropseq.metadata.csv.gz", "rt", newline="") as file:
        rows = csv.reader(file)
        line = next(rows).index("cell_line_demuxlet") + 1
        of_cell = {row[0]: row[line] for row in rows if row}
    counts = np.array([gene[1:] for gene in genes], dtype=np.float64)
    classes = np.array([of_cell[name] for name in names])
    return _table("Drop-seq", csr_array(counts.T), classes, [gene[0] for gene in genes])


TABLES = (classic3, newsgroups, dropseq)


def _table(name: str, counts: csr_array, classes: NDArray[np.generic], columns: Sequence[str] = ()) -> CountTable:
    names, codes = np.unique(classes, return_inverse=True)
    there = np.flatnonzero(np.asarray(counts.sum(axis=0)) > 0)
    counts, columns = csr_array(counts[:, there]), [columns[j] for j in there] if columns else ()
    there = np.flatnonzero(np.asarray(counts.sum(axis=1)) > 0)
    counts = csr_array(counts[there])
    counts.sort_indices()
    return CountTable(name, counts, codes.reshape(-1)[there].astype(np.int32), [str(each) for each in names], columns)
