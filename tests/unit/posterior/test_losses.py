"""Losses of partitions against the formulas written out, and their integer tables against both."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score, rand_score

from disnplbm.errors import InputError
from disnplbm.posterior.consensus import expected_loss
from disnplbm.posterior.losses import loss_of

from .distances import binder_loss, variation_of_information

pairs = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n).map(np.array)] * 2)
)


@given(pairs)
def test_variation_of_information_is_two_entropies_less_twice_the_information(pair: tuple) -> None:
    a, b = pair
    expected = mutual_info_score(a, a) + mutual_info_score(b, b) - 2 * mutual_info_score(a, b)
    assert variation_of_information(a, b) == pytest.approx(expected, abs=1e-12)
    assert expected_loss(b[None], a) == pytest.approx(expected, abs=1e-9)


@given(pairs)
def test_binder_loss_counts_the_pairs_that_differ(pair: tuple) -> None:
    a, b = pair
    differing = [(a[i] == a[j]) != (b[i] == b[j]) for i, j in combinations(range(len(a)), 2)]
    assert binder_loss(a, b) == pytest.approx(np.mean(differing), abs=1e-12)
    assert binder_loss(a, b) == pytest.approx(1 - rand_score(a, b), abs=1e-12)
    assert expected_loss(b[None], a, "binder") == pytest.approx(np.mean(differing), abs=1e-12)


def test_expected_loss_is_the_mean_over_the_draws() -> None:
    rng = np.random.default_rng(0)
    draws, labels = rng.integers(0, 6, (20, 500)), rng.integers(0, 5, 500)
    mean = np.mean([variation_of_information(labels, draw) for draw in draws])
    assert expected_loss(draws, labels) == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize("name", ["vi", "binder"])
def test_sums_over_the_largest_samples_fit_into_their_integers(name: str) -> None:
    loss = loss_of(name, 500_000, 1_000)
    assert 4 * 1_000 * int(loss.phi[-1]) < 2**63
    assert loss.unit * 500_000 < 1e-7 or name == "binder"


def test_one_item_has_no_loss() -> None:
    assert expected_loss([[0], [0]], np.array([0])) == expected_loss([[0]], np.array([0]), "binder") == 0.0


def test_an_unknown_loss_and_another_number_of_items_are_refused() -> None:
    with pytest.raises(InputError, match="binder"):
        loss_of("vdi", 3, 1)
    with pytest.raises(InputError, match="3 items"):
        expected_loss([[0, 1, 0]], np.array([0, 1]))
