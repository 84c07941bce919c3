"""Pictures of how often draws put items and clusters together."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.posterior.similarity import cluster_similarity, shared_draws
from disnplbm.posterior.similarity_store import AxisSimilarity
from disnplbm.report.pixels import LEVELS
from disnplbm.report.similarity import MAX_CLUSTERS, MAX_PIXELS, cluster_shares, picture


def similarity_of(draws: np.ndarray, labels: np.ndarray) -> AxisSimilarity:
    return AxisSimilarity(shared_draws(draws), cluster_similarity(draws, labels))


@pytest.mark.parametrize("shown", [None, [2, 0, 3, 1]])
def test_the_picture_is_the_matrix_sorted_by_cluster(shown: list[int] | None) -> None:
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(4), [20, 12, 6, 2]))
    draws = np.where(rng.random((50, 40)) < 0.2, rng.integers(0, 4, (50, 40)), labels)
    drawn = picture(similarity_of(draws, labels), 50, labels, None if shown is None else np.array(shown))
    assert drawn is not None
    order = np.argsort(labels if shown is None else np.argsort(shown)[labels], kind="stable")
    np.testing.assert_array_equal(drawn.bands.order, order)
    expected = (draws[:, order, None] == draws[:, None, order]).mean(axis=0)
    np.testing.assert_allclose(drawn.levels / (LEVELS - 1), expected, atol=0.5 / (LEVELS - 1) + 1e-12)


def test_pixels_of_many_items_are_means() -> None:
    labels = np.repeat([0, 1], [1500, 500])
    draws = np.tile(labels, (4, 1))
    draws[0] = 0
    drawn = picture(similarity_of(draws, labels), 4, labels)
    assert drawn is not None
    assert drawn.levels.shape == (MAX_PIXELS, MAX_PIXELS)
    border = drawn.bands.borders[1]
    assert set(drawn.levels[:border, :border].ravel()) == {LEVELS - 1}
    assert set(drawn.levels[:border, border:].ravel()) == {round(0.25 * (LEVELS - 1))}


def test_there_is_no_picture_of_too_many_items() -> None:
    assert picture(AxisSimilarity(None, np.ones((1, 1))), 3, np.zeros(9000, dtype=np.int64)) is None


def test_the_table_holds_the_largest_clusters_and_no_number_for_one_alone() -> None:
    clusters = np.full((40, 40), 0.1)
    clusters[0, 0], clusters[1, 1] = 1.0, np.nan
    shares = cluster_shares(AxisSimilarity(None, clusters))
    assert [len(line) for line in shares] == [MAX_CLUSTERS] * MAX_CLUSTERS
    assert (shares[0][0], shares[1][1], shares[0][1]) == (1.0, None, 0.1)
