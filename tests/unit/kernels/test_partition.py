"""Which clusters two partitions have in common."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from disnplbm.kernels.partition import compact, match_clusters


# The first example compiles the kernels.
@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_a_source_has_the_very_same_members(pairs: list[tuple[int, int]]) -> None:
    labels, before = (compact(np.array(side, dtype=np.int32), 5)[0] for side in zip(*pairs, strict=True))
    n_now, n_before = int(labels.max()) + 1, int(before.max()) + 1
    members = {frozenset(np.flatnonzero(before == g)): g for g in range(n_before)}
    expected = [members.get(frozenset(np.flatnonzero(labels == k)), -1) for k in range(n_now)]
    np.testing.assert_array_equal(match_clusters(labels, n_now, before, n_before), expected)
