"""Co-clustering matrices of a run on disk: one .npz file of plain arrays, which ``numpy.load`` reads too.

- ``draws``: how many, S;
- ``rows`` and ``columns``: number of draws in which two of them are together, shapes (n, n) and (p, p), in the smallest
  unsigned type that holds S; each up to :data:`~disnplbm.posterior.similarity.MOST_ITEMS` items;
- ``row_clusters`` and ``column_clusters``: for the reported clusters, mean probability that members of two are
  together, shapes (K, K) and (L, L); NaN on the diagonal for a cluster of one.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.files import whole_file
from disnplbm.model.statistics import Floats, Labels
from disnplbm.notes import Hint
from disnplbm.posterior.archive import DAMAGE, check
from disnplbm.posterior.draws import Axis, Draws
from disnplbm.posterior.similarity import MOST_ITEMS, cluster_similarity, shared_draws

Counts = NDArray[np.unsignedinteger[Any]]

#: Ten times as fast as the usual 6, for files that are a tenth larger.
_DEFLATE_LEVEL = 1


@dataclass(frozen=True, slots=True, eq=False)
class AxisSimilarity:
    """Co-clustering of one axis.

    Parameters
    ----------
    items : ndarray of unsigned integers, shape (n, n), or None
        Number of draws in which two items are together; None where there are too many items.
    clusters : ndarray of shape (K, K)
        Mean probability that members of two reported clusters are together.
    """

    items: Counts | None
    clusters: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Similarities:
    """Co-clustering of both axes.

    Parameters
    ----------
    draws : int
        Divide ``items`` by this to have probabilities.
    """

    draws: int
    rows: AxisSimilarity
    columns: AxisSimilarity

    def of_part(self, columns: slice, clusters: slice) -> Similarities:
        """The same with the columns and the column clusters of a part alone."""
        items = None if self.columns.items is None else self.columns.items[columns, columns]
        return replace(self, columns=AxisSimilarity(items, self.columns.clusters[clusters, clusters]))


def save_similarities(path: Path, draws: Draws, row_labels: Labels, column_labels: Labels) -> None:
    """Compute and write the co-clustering matrices of draws; the file appears whole or not at all.

    Parameters
    ----------
    row_labels, column_labels : ndarray of int32, shapes (n,) and (p,)
        The reported partitions.

    Raises
    ------
    RunError
        The file cannot be written.
    """
    axes: tuple[tuple[Axis, Labels], ...] = (("rows", row_labels), ("columns", column_labels))
    with whole_file(path, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        _add(archive, "draws", np.array(len(draws)))
        for axis, reported in axes:
            labels = draws.labels(axis)
            _add(archive, f"{axis[:-1]}_clusters", cluster_similarity(labels, reported))
            if draws.length(axis) <= MOST_ITEMS:
                _add(archive, axis, shared_draws(labels))


def load_similarities(path: Path) -> Similarities:
    """Read what :func:`save_similarities` wrote.

    Raises
    ------
    InputError
        The file is missing or damaged.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = dict(archive)
        return Similarities(int(arrays["draws"]), _axis(arrays, "row"), _axis(arrays, "column"))
    except FileNotFoundError as error:
        raise InputError(
            f"{path}: there is none; was the run fitted with draws (", Hint("burn_in"), " or ", Hint("draws"), ")?"
        ) from error
    except DAMAGE as error:
        raise InputError(f"{path}: damaged or of another version; fit again with ", Hint("force")) from error


def _axis(arrays: dict[str, NDArray[Any]], name: str) -> AxisSimilarity:
    items, clusters = arrays.get(f"{name}s"), arrays[f"{name}_clusters"]
    for matrix in (clusters, *([] if items is None else [items])):
        check(matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0)
    check(clusters.dtype == np.float64 and (items is None or items.dtype.kind == "u"))
    return AxisSimilarity(items, clusters)


def _add(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Add one array, packed for speed; the entry bears no time, so that equal arrays make equal files."""
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array, order="C"), version=(1, 0), allow_pickle=False)
    entry = zipfile.ZipInfo(f"{name}.npy")
    archive.writestr(entry, out.getbuffer(), zipfile.ZIP_DEFLATED, _DEFLATE_LEVEL)
