"""Scores of partitions equal scikit-learn's, and scores of blocks what listing all cells gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from disnplbm.posterior.scores import block_ari, contingency, partition_scores

Pair = tuple[list[int], list[int]]


def labels(n: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 4), min_size=n, max_size=n)


pairs = st.integers(2, 30).flatmap(lambda n: st.tuples(labels(n), labels(n)))


@given(pairs)
def test_ari_and_nmi_are_those_of_scikit_learn(pair: Pair) -> None:
    ari, nmi = partition_scores(*pair)
    assert ari == pytest.approx(adjusted_rand_score(*pair), abs=1e-12)
    assert nmi == pytest.approx(normalized_mutual_info_score(*pair), abs=1e-12)


@given(pairs, pairs)
def test_block_ari_is_that_of_the_cells(
    rows: tuple[list[int], list[int]], columns: tuple[list[int], list[int]]
) -> None:
    cells = [np.add.outer(10 * np.array(rows[side]), np.array(columns[side])).ravel() for side in (0, 1)]
    expected = adjusted_rand_score(cells[0], cells[1])
    assert block_ari(contingency(*rows), contingency(*columns)) == pytest.approx(expected, abs=1e-9)
