"""Draws with items of equal labels taken together."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.errors import InputError
from disnplbm.posterior import partition_sample
from disnplbm.posterior.losses import loss_of
from disnplbm.posterior.partition_sample import PartitionSample, checked_labels, collapse


def draws(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, (3, 50)).astype(np.uint8)


def test_types_are_the_different_columns_in_order() -> None:
    labels = draws()
    sample, types = collapse(labels)
    columns = [tuple(column) for column in labels.T]
    order = list(dict.fromkeys(columns))
    assert types.tolist() == [order.index(column) for column in columns]
    assert sample.weights.tolist() == [columns.count(column) for column in order]
    assert sample.labels.flags.c_contiguous
    for row, drawn in zip(sample.labels, labels, strict=True):
        assert len(set(zip(row[types], drawn, strict=True))) == len(set(drawn))


def test_a_hash_that_collides_costs_types_only(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = draws()
    monkeypatch.setattr(partition_sample, "column_hashes", lambda labels: np.zeros(labels.shape[1], dtype=np.uint64))
    sample, types = collapse(labels)
    same = (labels == labels[:, :1]).all(axis=0)
    assert len(sample.weights) == 1 + (~same).sum()
    assert sample.weights[0] == same.sum()
    whole = PartitionSample.of(labels.copy(), np.ones(50, dtype=np.int64))
    partition, loss = (
        np.random.default_rng(1).integers(0, 3, len(sample.weights)).astype(np.int32),
        loss_of("vi", 50, 3),
    )
    np.testing.assert_array_equal(sample.distances(partition, loss), whole.distances(partition[types], loss))


def test_equal_partitions_are_found_under_any_labels() -> None:
    labels = checked_labels([[0, 0, 1, 2], [2, 2, 0, 1], [0, 1, 1, 2], [1, 1, 2, 0]])
    assert collapse(labels)[0].distinct().tolist() == [0, 2]


def test_spread_items_are_drawn_in_proportion_and_in_step_with_no_period() -> None:
    sample = PartitionSample.of(
        np.zeros((1, 100), dtype=np.uint8), np.where(np.arange(100) < 50, 9, 1).astype(np.int64)
    )
    types, weights = sample.spread(100)
    assert weights.sum() == 100
    assert weights[types < 50].sum() == pytest.approx(90, abs=2)
    hours = PartitionSample.of(np.zeros((1, 2400), dtype=np.uint8), np.ones(2400, dtype=np.int64))
    assert set(np.bincount(hours.spread(240)[0] % 24).tolist()) <= set(range(7, 14))


@pytest.mark.parametrize("labels", [[0, 1], [[]], [[0.5, 1.0]], [[0, -1]]])
def test_what_is_no_sample_of_labels_is_refused(labels: list) -> None:
    with pytest.raises(InputError, match="draws"):
        checked_labels(labels)


def test_labels_of_the_smallest_type_are_not_copied() -> None:
    labels = draws()
    assert checked_labels(labels) is labels
    assert checked_labels(np.array([[0, 300]])).dtype == np.uint16
