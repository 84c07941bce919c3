"""Synthetic matrices with known blocks: the setting of the DisNPLBM paper, and others like it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, save_npz, vstack

from disnplbm.cell_types import DENSE
from disnplbm.data.synthetic_cells import MEAN, SPARSE, Draw, plant
from disnplbm.errors import InputError, RunError
from disnplbm.files import whole_file
from disnplbm.notes import Hint

#: Ranges that block means and variances are drawn from where the paper's own do not apply.
MEAN_RANGE, VARIANCE_RANGE = (-10.0, 10.0), (0.5, 2.0)

_ROWS_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """True blocks.

    Parameters
    ----------
    means : ndarray of shape (K, L, d)
    roots : ndarray of shape (K, L, d, d)
        A matrix R with R R^T the covariance of a block.
    """

    means: NDArray[np.float64]
    roots: NDArray[np.float64]


def paper_blocks() -> Blocks:
    """The 10 x 3 blocks of the paper's synthetic data (d = 1)."""
    record = json.loads(files("disnplbm.data").joinpath("paper_blocks.json").read_text())
    means, variances = (np.array(record[name]).T for name in ("means", "variances"))
    return Blocks(means[..., None], np.sqrt(variances)[..., None, None])


def draw_blocks(row_clusters: int, column_clusters: int, dimension: int, generator: np.random.Generator) -> Blocks:
    """Blocks with means and principal variances uniform over the module's ranges, randomly rotated."""
    shape = (row_clusters, column_clusters, dimension)
    means = generator.uniform(*MEAN_RANGE, size=shape)
    deviations = np.sqrt(generator.uniform(*VARIANCE_RANGE, size=shape))
    rotations = np.linalg.qr(generator.standard_normal((*shape, dimension)))[0]
    return Blocks(means, rotations * deviations[..., None, :])


def generate(
    folder: Path,
    *,
    rows: int,
    columns: int,
    row_clusters: int,
    column_clusters: int,
    dimension: int = 1,
    missing: float = 0.0,
    seed: int = 0,
    cells: str = DENSE,
    mean: float | None = None,
) -> Path:
    """Write a table, rows.csv and columns.csv: clusters of equal size, rows and columns shuffled.

    Parameters
    ----------
    folder : Path
        Made if needed; these three files must not be in it.
    rows, columns, row_clusters, column_clusters, dimension : int
        All at least 1, with no more clusters than rows or columns; a dimension above 1 is for real numbers.
    missing : float
        Probability that a cell is missing, in [0, 1).
    cells : str
        :data:`disnplbm.cell_types.DENSE`, or one of :data:`disnplbm.data.synthetic_cells.KINDS`.
    mean : float, optional
        Of counts, and of 0/1 the share of ones; by default :data:`disnplbm.data.synthetic_cells.MEAN`.

    Returns
    -------
    Path
        The table: x.npy, or x.npz with counts or 0/1 in sparse form.

    Raises
    ------
    InputError
        A number is out of bounds, or a file is there already.
    RunError
        The folder cannot be written.
    """
    _check(rows, columns, row_clusters, column_clusters, dimension, missing, seed)
    _check_kind(cells, dimension, mean)
    generator = np.random.default_rng(seed)
    paper = (row_clusters, column_clusters, dimension) == (10, 3, 1)
    if cells == DENSE:
        blocks = paper_blocks() if paper else draw_blocks(row_clusters, column_clusters, dimension, generator)
    row_labels = generator.permutation(np.arange(rows) % row_clusters)
    column_labels = generator.permutation(np.arange(columns) % column_clusters)
    if cells == DENSE:
        draw = _normal_cells(blocks, row_labels, column_labels, generator)
    else:
        draw = plant(cells, row_labels, column_labels, MEAN if mean is None else mean, generator)
    table = folder / ("x.npz" if cells in SPARSE else "x.npy")
    _make_room(folder, table.name)
    step = max(1, _ROWS_AT_ONCE // (columns * dimension))

    def chunks() -> Iterator[NDArray[np.float64]]:
        for first in range(0, rows, step):
            drawn = draw(slice(first, first + step))
            if missing > 0:
                drawn[generator.random(drawn.shape[:2]) < missing] = np.nan
            yield drawn

    if cells in SPARSE:
        sparse = vstack([csr_array(chunk) for chunk in chunks()], format="csr")
        with whole_file(table, "wb") as file:
            save_npz(file, sparse)
    else:
        shape = (rows, columns) if dimension == 1 else (rows, columns, dimension)
        with whole_file(table, "wb") as file:
            np.lib.format.write_array_header_2_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
            for chunk in chunks():
                file.write(chunk.tobytes())
    for name, labels in (("rows.csv", row_labels), ("columns.csv", column_labels)):
        with whole_file(folder / name) as file:
            file.write("id,label\n")
            file.writelines(f"{index},{label}\n" for index, label in enumerate(labels.tolist()))
    return table


def _normal_cells(
    blocks: Blocks, row_labels: NDArray[np.int64], column_labels: NDArray[np.int64], generator: np.random.Generator
) -> Draw:
    """What draws real cells of such blocks, shape (c, p, d)."""

    def draw(rows: slice) -> NDArray[np.float64]:
        labels, dimension = row_labels[rows], blocks.means.shape[-1]
        noise = generator.standard_normal((len(labels), len(column_labels), dimension))
        where = np.ix_(labels, column_labels)
        return np.asarray(blocks.means[where] + np.einsum("ijab,ijb->ija", blocks.roots[where], noise))

    return draw


def _make_room(folder: Path, table: str) -> None:
    """Make the folder, and refuse one that has any of the files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot make the folder {folder}: {error.strerror}; choose another ", Hint("output")) from error
    for name in (table, "rows.csv", "columns.csv"):
        if (folder / name).exists():
            raise InputError(f"{folder / name} is there already; choose another ", Hint("output"))


def _check_kind(cells: str, dimension: int, mean: float | None) -> None:
    if cells != DENSE and dimension > 1:
        raise InputError(
            f"dimension = {dimension} is for real numbers, and the cells are {cells}: leave it out, or take ",
            Hint("cells", DENSE),
        )
    if mean is None:
        return
    if cells not in SPARSE:
        raise InputError(
            f"mean = {mean:g} is for counts and 0/1, and the cells are {cells}: leave it out, or take ",
            Hint("cells", "counts"),
        )
    most = 1.0 if cells == "binary" else np.inf
    if not 0.0 < mean < most:
        bounds = "be above 0 and below 1" if cells == "binary" else "be a number above 0"
        raise InputError(f"mean = {mean:g} must {bounds}")


def _check(
    rows: int, columns: int, row_clusters: int, column_clusters: int, dimension: int, missing: float, seed: int
) -> None:
    for noun, clusters, items in (("row", row_clusters, rows), ("column", column_clusters, columns)):
        if items < 1:
            raise InputError(f"{noun}s = {items} must be at least 1")
        if not 1 <= clusters <= items:
            raise InputError(f"{noun} clusters = {clusters} must lie between 1 and the number of {noun}s, {items}")
    if dimension < 1:
        raise InputError(f"dimension = {dimension} must be at least 1")
    if not 0 <= missing < 1:
        raise InputError(f"missing = {missing} must lie in [0, 1)")
    if seed < 0:
        raise InputError(f"seed = {seed} must be at least 0")
