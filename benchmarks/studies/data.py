"""Data sets of the experiments, with the known classes of their rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
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


def votes() -> DataSet:
    """102 senators x 645 roll-call votes, 1, 0 or missing; their parties."""
    source = open_source(REAL_DATA / "senate109.csv.gz", id_column="sample", class_column="class")
    chunks = list(source.chunks())
    values = np.concatenate([chunk.values for chunk in chunks])[..., 0]
    parties = np.array([label for chunk in chunks for label in chunk.classes or []])
    return DataSet("senate votes 102 x 645", values, parties, None, "none")


def log_normal(columns: int = 1_868) -> DataSet:
    """72 rows of three classes as a table of gene expression has them: positive, over decades, a level for each row."""
    generator = np.random.default_rng(0)
    z, w = np.repeat([0, 1, 2], [38, 9, 25]), generator.integers(0, 30, columns)
    profiles = generator.normal(0, 0.8, (3, 30)) * (generator.random((3, 30)) < 0.4)
    logs = generator.normal(6, 1.5, columns) + profiles[z][:, w] + generator.normal(0, 0.3, (72, 1))
    values = np.exp(logs + generator.normal(0, 0.6, (72, columns)))
    return DataSet(f"log-normal 72 x {columns:,}", values, z, w, "none")


def expression_like(rows: int, columns: int, classes: int, noise: float = 0.5, seed: int = 0) -> DataSet:
    """Like gene expression: log-normal cells, columns at levels over decades, a tenth of them shifted in each class."""
    generator = np.random.default_rng(seed)
    z = np.arange(rows) % classes
    shifts = generator.normal(0, 1.2, (classes, columns)) * (generator.random((classes, columns)) < 0.1)
    logs = generator.normal(6, 1.5, columns) + shifts[z] + noise * generator.standard_normal((rows, columns))
    return DataSet(f"log-normal, {classes} classes", np.exp(logs), z, None, "log")


def overlapping(
    rows: int = 5_000, columns: int = 50, k: int = 20, groups: int = 5, separation: float = 1.5, seed: int = 0
) -> DataSet:
    """Row clusters that overlap: cells of unit variance around the profile of their row cluster.

    A profile is the mean of a whole row: it has one number for each column cluster, standard normal before all are
    scaled so that the two nearest profiles are ``separation`` standard deviations of a cell apart (Euclidean distance
    over all columns). That is the Mahalanobis distance of the two clusters' rows: of two as large and 1.5 apart, 23 %
    of the rows lie nearer to the other. Clusters of equal size, shuffled.
    """
    generator = np.random.default_rng(seed)
    z, w = generator.permutation(np.arange(rows) % k), generator.permutation(np.arange(columns) % groups)
    profiles = generator.standard_normal((k, groups))[:, w]
    profiles *= separation / pdist(profiles).min()
    return DataSet(
        f"overlapping {rows:,} x {columns}", profiles[z] + generator.standard_normal((rows, columns)), z, w, "none"
    )


def many(rows: int, columns: int, k: int, groups: int, seed: int = 0) -> DataSet:
    """Hundreds of row clusters, clearly apart: block means that are normal with a standard deviation of 3."""
    generator = np.random.default_rng(seed)
    z, w = generator.permutation(np.arange(rows) % k), generator.permutation(np.arange(columns) % groups)
    means = 3.0 * generator.standard_normal((k, groups))
    values = means[np.ix_(z, w)] + generator.standard_normal((rows, columns))
    return DataSet(f"{k} clusters, {rows:,} x {columns}", values, z, w, "none")


def mirrored(seed: int) -> DataSet:
    """Two row profiles with equal means that mirror each other (case A1)."""
    generator = np.random.default_rng(seed)
    z, w = generator.permutation(np.arange(100) % 2), generator.permutation(np.arange(10) % 2)
    values = np.where(z[:, None] == w, 5.0, -5.0) + generator.standard_normal((100, 10))
    return DataSet("mirrored profiles", values, z, w, "none")


def noisy_rows(rows: int = 60, columns: int = 2_000, classes: int = 3, groups: int = 20, seed: int = 0) -> DataSet:
    """Logarithms of gene expression, where no two rows are alike and some are measured far worse than others.

    In each class half of the groups of columns have a standard normal shift, and in each row every group has a shift of
    0.6 of that size. A row has a noise of its own, from 0.3 to 3 standard deviations of a shift. With a variance in
    each block nearly every row is a cluster.
    """
    generator = np.random.default_rng(seed)
    z, w = np.arange(rows) % classes, generator.integers(0, groups, columns)
    shifts = generator.standard_normal((classes, groups)) * (generator.random((classes, groups)) < 0.5)
    noise = np.exp(generator.uniform(np.log(0.3), np.log(3.0), rows))
    levels = generator.normal(0.0, 0.5, columns)
    own = 0.6 * generator.standard_normal((rows, groups))
    means = levels + (shifts[z] + own)[:, w]
    values = means + noise[:, None] * generator.standard_normal((rows, columns))
    return DataSet("rows of unequal noise", values, z, None, "none")
