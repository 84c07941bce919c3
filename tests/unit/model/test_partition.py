"""The Chinese restaurant process is a distribution, and labels have one canonical order."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disnplbm.model.partition import canonical_labels, canonical_order, log_crp
from statistical.enumeration import partitions

LABELS = st.lists(st.integers(0, 6), min_size=1, max_size=20).map(lambda labels: np.array(labels, dtype=np.int32))


@pytest.mark.parametrize("concentration", [0.1, 1.0, 7.3])
@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_probabilities_of_all_partitions_sum_to_1(n: int, concentration: float) -> None:
    total = sum(np.exp(log_crp(np.bincount(labels), concentration)) for labels in partitions(n))
    assert total == pytest.approx(1.0, abs=1e-12)


def test_seating_guests_one_after_another_gives_the_same_probability() -> None:
    labels, alpha = [0, 0, 1, 0, 2, 1], 1.7
    expected = 0.0
    for i, label in enumerate(labels):
        seated = labels[:i].count(label)
        expected += log((seated or alpha) / (i + alpha))
    assert log_crp(np.bincount(labels), alpha) == pytest.approx(expected, abs=1e-12)


def test_one_table_of_all() -> None:
    assert log_crp([9], 2.5) == pytest.approx(log(2.5) + lgamma(9) + lgamma(2.5) - lgamma(11.5), abs=1e-12)


@given(LABELS)
def test_canonical_labels_have_no_holes_and_go_by_size_then_by_smallest_member(labels: np.ndarray) -> None:
    canonical = canonical_labels(labels)
    sizes = np.bincount(canonical)
    first = [int(np.argmax(canonical == k)) for k in range(len(sizes))]
    assert (sizes > 0).all()
    assert sorted(zip(-sizes, first, strict=True)) == list(zip(-sizes, first, strict=True))


@given(LABELS)
def test_canonical_labels_keep_the_partition(labels: np.ndarray) -> None:
    canonical = canonical_labels(labels)
    np.testing.assert_array_equal(canonical[:, None] == canonical, labels[:, None] == labels)


@given(LABELS, st.permutations(range(7)))
def test_canonical_labels_do_not_depend_on_the_names(labels: np.ndarray, names: list[int]) -> None:
    np.testing.assert_array_equal(canonical_labels(np.array(names)[labels]), canonical_labels(labels))


def test_an_empty_cluster_has_no_place() -> None:
    order = canonical_order(np.array([2, 0, 5, 2]), np.array([4, 9, 1, 0]))
    np.testing.assert_array_equal(order, [2, -1, 0, 1])
