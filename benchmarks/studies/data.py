"""Data sets of the experiments, with the known classes of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_wine

from disnplbm.data.source import open_source
from disnplbm.data.synthetic import paper_blocks

REAL_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@dataclass(frozen=True, eq=False)
class DataSet:
    """A matrix and the known classes of its rows, and of its columns where they are known."""

    name: str
    values: NDArray[np.float64]
    rows: NDArray[np.generic]
    columns: NDArray[np.generic] | None
    transform: str


def paper(rows: int, columns: int, seed: int = 0) -> DataSet:
    """The paper's synthetic data: 10 x 3 blocks of equal size, shuffled."""
    generator = np.random.default_rng(seed)
    blocks = paper_blocks()
    z, w = generator.permutation(np.arange(rows) % 10), generator.permutation(np.arange(columns) % 3)
    where = np.ix_(z, w)
    values = blocks.means[where][..., 0] + blocks.roots[where][..., 0, 0] * generator.standard_normal((rows, columns))
    return DataSet(f"synthetic {rows:,} x {columns}", values, z, w, "none")


def wine() -> DataSet:
    """178 wines x 13 measurements, standardised; three cultivars."""
    bunch = load_wine()
    return DataSet("wine", bunch.data, bunch.target, None, "standardize")


def expression(name: str) -> DataSet:
    """A gene expression set, Box-Cox transformed gene by gene: "chowdary-2006" or "nutt-2003-v3"."""
    path = REAL_DATA / f"{name}.csv.gz"
    source = open_source(path, id_column="sample", class_column="class")
    chunks = list(source.chunks())
    values = np.concatenate([chunk.values for chunk in chunks])[..., 0]
    classes = np.array([label for chunk in chunks for label in chunk.classes or []])
    return DataSet(name.split("-")[0].capitalize(), values, classes, None, "boxcox")


def mirrored(seed: int) -> DataSet:
    """Two row profiles with equal means that mirror each other (case A1)."""
    generator = np.random.default_rng(seed)
    z, w = generator.permutation(np.arange(100) % 2), generator.permutation(np.arange(10) % 2)
    values = np.where(z[:, None] == w, 5.0, -5.0) + generator.standard_normal((100, 10))
    return DataSet("mirrored profiles", values, z, w, "none")
