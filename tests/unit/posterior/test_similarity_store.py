"""Co-clustering matrices on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disnplbm.errors import InputError
from disnplbm.model.statistics import Labels
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.similarity import MOST_ITEMS, cluster_similarity, similarity
from disnplbm.posterior.similarity_store import load_similarities, save_similarities

from .draw_samples import draw_of, meta_of, table


def draws_of(n: int, p: int, number: int) -> Draws:
    """Draws of random partitions of an n x p table into up to 3 x 2 clusters."""
    rng, values = np.random.default_rng(0), table(n, p, 1)
    meta = meta_of(values)

    def labels(length: int, clusters: int) -> Labels:
        return np.append(np.arange(clusters), rng.integers(0, clusters, length - clusters)).astype(np.int32)

    return Draws.of((draw_of(values, meta, labels(n, 3), labels(p, 2)) for _ in range(number)), meta)


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    draws, path = draws_of(30, 8, 300), tmp_path / "similarity.npz"
    rows, columns = draws.row_labels(4), draws.column_labels(4)
    save_similarities(path, draws, rows, columns)
    found = load_similarities(path)
    assert found.draws == 300
    for axis, labels in (("rows", rows), ("columns", columns)):
        of_axis = getattr(found, axis)
        assert of_axis.items.dtype == np.uint16
        np.testing.assert_allclose(of_axis.items / 300, similarity(draws.labels(axis)), atol=1e-6)
        np.testing.assert_array_equal(of_axis.clusters, cluster_similarity(draws.labels(axis), labels))
    with np.load(path) as plain:
        assert set(plain.files) == {"draws", "rows", "columns", "row_clusters", "column_clusters"}
    again = tmp_path / "again.npz"
    save_similarities(again, draws, rows, columns)
    assert again.read_bytes() == path.read_bytes()


def test_counts_take_the_smallest_type(tmp_path: Path) -> None:
    draws = draws_of(10, 4, 255)
    save_similarities(tmp_path / "s.npz", draws, draws.row_labels(0), draws.column_labels(0))
    assert load_similarities(tmp_path / "s.npz").rows.items.dtype == np.uint8


def test_a_long_axis_has_the_matrix_of_its_clusters_only(tmp_path: Path) -> None:
    draws = draws_of(MOST_ITEMS + 1, 4, 2)
    save_similarities(tmp_path / "s.npz", draws, draws.row_labels(0), draws.column_labels(0))
    found = load_similarities(tmp_path / "s.npz")
    assert found.rows.items is None
    assert found.rows.clusters.shape == (3, 3)
    assert found.columns.items.shape == (4, 4)


def test_a_file_that_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    path = tmp_path / "similarity.npz"
    with pytest.raises(InputError, match=r"similarity\.npz: there is none; .*burn_in"):
        load_similarities(path)
    draws = draws_of(10, 4, 3)
    save_similarities(path, draws, draws.row_labels(0), draws.column_labels(0))
    whole = path.read_bytes()
    for damaged in (whole[:200], b"", whole.replace(b"PK", b"XX")):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"similarity\.npz: damaged"):
            load_similarities(path)
    np.savez(path, draws=np.array(3), row_clusters=np.zeros((2, 3)), column_clusters=np.zeros((2, 2)))
    with pytest.raises(InputError, match="damaged"):
        load_similarities(path)
