"""Co-clustering matrices of items and of clusters."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.errors import InputError
from disnplbm.posterior.similarity import MOST_ITEMS, cluster_similarity, shared_draws, similarity


def test_similarity_is_the_share_of_draws() -> None:
    draws = np.random.default_rng(0).integers(0, 3, (7, 30)).astype(np.uint8)
    got = similarity(draws)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, (draws[:, :, None] == draws[:, None, :]).mean(axis=0), atol=1e-7)


def test_similarity_of_clusters_is_the_mean_over_pairs_of_different_items() -> None:
    rng = np.random.default_rng(1)
    draws = rng.integers(0, 300, (9, 40)) % rng.integers(2, 300, (9, 1))
    labels = np.array([0] * 20 + [1] * 12 + [2] * 7 + [3])
    items = (draws[:, :, None] == draws[:, None, :]).mean(axis=0)
    np.fill_diagonal(items, np.nan)
    got = cluster_similarity(draws, labels)
    for a in range(4):
        for b in range(4):
            pairs = items[np.ix_(labels == a, labels == b)]
            expected = np.nan if a == b == 3 else np.nanmean(pairs)
            assert got[a, b] == pytest.approx(expected, nan_ok=True)


def test_shared_draws_are_counted_in_the_smallest_type() -> None:
    for number, kind in ((255, np.uint8), (256, np.uint16)):
        draws = np.random.default_rng(2).integers(0, 3, (number, 9))
        got = shared_draws(draws)
        assert got.dtype == kind
        np.testing.assert_array_equal(got, (draws[:, :, None] == draws[:, None, :]).sum(axis=0))


def test_too_many_items_and_another_number_of_items_are_refused() -> None:
    with pytest.raises(InputError, match="5,001"):
        similarity(np.zeros((1, MOST_ITEMS + 1), dtype=np.uint8))
    with pytest.raises(InputError, match="2 items"):
        cluster_similarity([[0, 1]], np.array([0]))
