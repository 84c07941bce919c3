"""Cuts of a tree: as many branches as asked for, outliers aside."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.posterior.trees.cutting import ASIDE, cut, least_members, most_branches
from disnplbm.posterior.trees.growing import Tree


def tree_of(sizes: list[int], pairs: list[tuple[int, int]]) -> Tree:
    return Tree(np.array(sizes), np.array(pairs, dtype=np.int32), np.arange(1.0, len(sizes)))


#: Clusters 0 and 1 are alike, and 2 and 3; 4 is an outlier that joins last.
OUTLIER = tree_of([40, 20, 30, 9, 1], [(0, 1), (2, 3), (5, 6), (4, 7)])


def test_an_outlier_takes_no_branch() -> None:
    found = cut(OUTLIER, 2)
    assert found.labels.tolist() == [0, 0, 1, 1, ASIDE]
    assert found.sizes.tolist() == [60, 39]
    assert found.nodes.tolist() == [5, 6]
    assert found.aside.tolist() == [4]


def test_nothing_is_aside_where_one_member_is_enough() -> None:
    found = cut(OUTLIER, 2, least=1)
    assert found.labels.tolist() == [0, 0, 0, 0, 1]
    assert found.aside.size == 0


def test_one_branch_is_all() -> None:
    assert cut(OUTLIER, 1).labels.tolist() == [0] * 5


def test_two_parts_that_are_both_too_small_stay_together() -> None:
    tree = tree_of([5, 5, 90], [(0, 1), (2, 3)])
    assert most_branches(tree, 10) == 2
    assert cut(tree, 2, 10).labels.tolist() == [1, 1, 0]


def test_more_branches_than_there_are_is_an_error_that_says_how_many() -> None:
    with pytest.raises(InputError, match="5 clusters are too many: the tree has 4 of at least 2 members"):
        cut(OUTLIER, 5)
    with pytest.raises(InputError, match="ask for 1 or more"):
        cut(OUTLIER, 0)


@pytest.mark.parametrize(("n", "least"), [(10, 2), (200, 2), (201, 3), (18_846, 189)])
def test_a_branch_has_a_hundredth_of_all(n: int, least: int) -> None:
    assert least_members(n) == least


def random_tree(sizes: NDArray[np.int64], generator: np.random.Generator) -> Tree:
    """Clusters that merge in any order."""
    k, nodes, pairs = len(sizes), list(range(len(sizes))), []
    for t in range(k - 1):
        a, b = sorted(nodes.pop(generator.integers(len(nodes))) for _ in range(2))
        pairs.append((a, b))
        nodes.append(k + t)
    return tree_of(sizes.tolist(), pairs)


@pytest.mark.parametrize("least", [1, 4])
def test_cuts_nest(least: int) -> None:
    """Each branch of a finer cut lies in one of a coarser."""
    generator = np.random.default_rng(0)
    sizes = generator.integers(1, 8, 20)
    tree = random_tree(sizes, generator)
    cuts = [cut(tree, number, least) for number in range(1, most_branches(tree, least) + 1)]
    assert len(cuts) > 3
    for number, found in enumerate(cuts, start=1):
        assert sorted(set(found.labels.tolist()) - {ASIDE}) == list(range(number))
        assert (found.sizes >= least).all()
        assert [sizes[found.labels == k].sum() for k in range(number)] == found.sizes.tolist()
        assert (np.diff(found.sizes) <= 0).all()
    for coarse, fine in pairwise(cuts):
        for k in range(len(fine.sizes)):
            assert len(np.unique(coarse.labels[fine.labels == k])) == 1
