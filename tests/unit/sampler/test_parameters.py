"""Parameters are checked when they are made."""

from __future__ import annotations

import re

import numpy as np
import pytest

from disnplbm.errors import InputError
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.starts import Start, column_starts, row_start


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alpha": 0.0}, "alpha = 0.0 must be at least 1e-09"),
        ({"beta": -1.0}, "beta = -1.0 must be at least 1e-09"),
        ({"alpha": float("nan")}, "alpha = nan must be a number from 1e-09 to 1e+09"),
        ({"beta": float("inf")}, "beta = inf must be at most 1e+09"),
        ({"power": 0.0}, "power = 0.0 must be at least 1e-06"),
        ({"power": 1.5}, "power = 1.5 must be at most 1"),
        ({"view": "own"}, "view = 'own' is unknown; choose global or local"),
        ({"join": "mean"}, "join = 'mean' is unknown; choose blockwise or averaged"),
        ({"sampler": "gibbs"}, "sampler = 'gibbs' is unknown; choose collapsed or split-merge"),
        ({"row_limit": 0}, "fix_row_clusters = 0 must be at least 1"),
        ({"column_limit": 2, "learn_beta": True}, "cannot be learned while the number of column clusters is fixed"),
        ({"sampler": "split-merge", "view": "local"}, "has the global view and the blockwise join only"),
        ({"seed": -1}, "seed = -1 must be at least 0"),
        ({"chain": -1}, "chain = -1 must be at least 0"),
        ({"n_shards": 0}, "n_shards = 0 must be at least 1"),
    ],
)
def test_a_value_out_of_bounds_is_named_with_its_bound(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Parameters(**changes)


def test_given_row_labels_of_the_wrong_length_are_refused_with_both_lengths() -> None:
    start = Start("given", rows=np.zeros(4, dtype=np.int32))
    with pytest.raises(InputError, match="start: 4 row labels given for 5 rows"):
        row_start(start, Parameters(), 5, 0, 5)


def test_given_column_labels_of_the_wrong_length_are_refused_with_both_lengths() -> None:
    start = Start("given", columns=[np.zeros(4, dtype=np.int32)])
    with pytest.raises(InputError, match="start: 4 column labels given for 5 columns"):
        column_starts(start, Parameters(), [5])


def test_a_random_start_uses_at_most_30_clusters_and_no_more_than_there_are_items() -> None:
    labels, number = row_start(Start(), Parameters(), 1000, 0, 1000)
    assert number == 30
    assert set(labels.tolist()) == set(range(30))
    assert row_start(Start(), Parameters(), 7, 0, 7)[1] == 7


def test_singletons_have_labels_of_their_own_over_all_shards() -> None:
    parts = [row_start(Start("singletons"), Parameters(n_shards=3), 8, e, len(range(e, 8, 3)))[0] for e in range(3)]
    assert sorted(np.concatenate(parts).tolist()) == list(range(8))


def test_given_labels_reach_the_shard_that_holds_the_row() -> None:
    rows = np.array([5, 5, 2, 5, 2, 9], dtype=np.int32)
    start = Start("given", rows=rows)
    dealt = np.empty(6, dtype=np.int32)
    for e in range(2):
        dealt[e::2], number = row_start(start, Parameters(n_shards=2), 6, e, 3)
        assert number == 3
    np.testing.assert_array_equal(dealt, [0, 0, 1, 0, 1, 2])
