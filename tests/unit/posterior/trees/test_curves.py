"""Figures of every level: against trees that are cut at each of them, and items that are compared one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from disnplbm.posterior.scores import partition_scores
from disnplbm.posterior.trees.certainty import certainty_of_level
from disnplbm.posterior.trees.coarsening import Coarsening
from disnplbm.posterior.trees.curves import agreements_of_levels, confidences_of_levels, curves_of, most_of_chains
from disnplbm.posterior.trees.cutting import cut, most_branches
from disnplbm.posterior.trees.growing import Tree

from .test_drawn import some_trees

#: Trees some of whose clusters are too small for a branch.
SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_coarsening_has_the_branches_of_every_cut(seed: int) -> None:
    tree = some_trees(24, 1, seed).trees[0]
    found = Coarsening.of(tree)
    assert found.most == most_branches(tree)
    groups = found.groups.copy()
    for branches in range(found.most, 0, -1):
        labels = cut(tree, branches).labels
        aside = np.flatnonzero(labels < 0)
        labels[aside] = branches + np.arange(len(aside))
        assert partition_scores(groups, labels)[0] == 1.0
        assert len(np.unique(groups)) == branches + len(aside)
        for kept, gone in found.merges_from(branches) if branches > 1 else ():
            groups[groups == gone] = kept


@pytest.mark.parametrize("seed", SEEDS)
def test_agreement_and_confidence_are_those_of_items_at_every_level(seed: int) -> None:
    drawn = some_trees(24, 6, seed)
    tree, fine = drawn.trees[1], drawn.labels[1].astype(np.int32)
    most = most_of_chains(drawn)
    last = drawn.last_of_chains.tolist()
    agreements = [
        np.mean(
            [
                partition_scores(*(drawn.branches(s, number)[drawn.labels[s]] for s in pair))[0]
                for pair in combinations(last, 2)
            ]
        )
        for number in range(2, most + 1)
    ]
    # To the last bit: the sums are of whole numbers.
    assert agreements_of_levels(drawn, most).tolist() == agreements
    for number, found in enumerate(confidences_of_levels(tree, drawn, fine), start=2):
        labels = cut(tree, number).labels[fine]
        sure = certainty_of_level(drawn, labels, fine).confidence
        assert found.mean == pytest.approx(sure.mean())
        assert found.of_branches == pytest.approx([sure[labels == label].mean() for label in range(number)])
    assert number == most_branches(tree)


def test_what_a_level_lost_is_lost_by_the_merges_up_to_it() -> None:
    """The fourth cluster is too small for a branch: the merge that takes it in is one of every level."""
    sizes = np.array([400, 300, 200, 1])
    tree = Tree(sizes, np.array([(0, 3), (1, 2), (4, 5)], dtype=np.int32), np.array([5.0, 40.0, 100.0]))
    found = curves_of(tree, None, np.repeat(np.arange(4), sizes).astype(np.int32))
    assert (found.levels, found.lost) == ([2, 3], [45.0, 5.0])
    assert found.ratio == [pytest.approx(101 / 41, abs=1e-4)]
    assert found.agreement is found.confidence is None


def test_chains_have_agreement_and_one_chain_has_ratios() -> None:
    drawn = some_trees(24, 4, 0)
    found = curves_of(drawn.trees[0], drawn, drawn.labels[0].astype(np.int32))
    assert found.ratio is None
    assert found.agreement is not None
    assert found.confidence is not None
    assert len(found.confidence) == len(found.levels) == len(found.lost)
    assert found.cluster_confidence is not None
    assert [len(each) for each in found.cluster_confidence] == found.levels
    assert max(found.agreement) <= 1.0


def test_one_cluster_has_no_level() -> None:
    tree = Tree(np.array([10]), np.empty((0, 2), dtype=np.int32), np.empty(0))
    found = curves_of(tree, None, np.zeros(10, dtype=np.int32))
    assert (found.levels, found.lost, found.ratio) == ([], [], [])


def test_chains_that_have_one_cluster_agree_on_no_level() -> None:
    assert agreements_of_levels(some_trees(24, 4, 0), 1).tolist() == []
