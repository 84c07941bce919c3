"""How sure a level is: against pairs of items counted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.posterior.trees.certainty import certainty_of_level
from disnplbm.posterior.trees.cutting import cut
from disnplbm.posterior.trees.drawn import DrawnTrees
from disnplbm.posterior.trees.growing import Tree

from .test_drawn import some_trees


@pytest.mark.parametrize("seed", range(4))
def test_confidence_is_the_share_of_mates_that_stay_together(seed: int) -> None:
    drawn = some_trees(24, 4, seed)
    tree, fine = drawn.trees[0], drawn.labels[0].astype(np.int32)
    number = min(3, drawn.most[0])
    labels = cut(tree, number).labels[fine]
    found = certainty_of_level(drawn, labels, fine)
    cuts, own = drawn.cuts(number), np.where(labels < 0, number + fine, labels)
    for i in range(24):
        mates = [j for j in range(24) if j != i and own[j] == own[i]]
        if mates:
            share = np.mean([[each[i] == each[j] for j in mates] for each in cuts])
        else:
            share = np.mean([np.count_nonzero(each == each[i]) == 1 for each in cuts])
        assert found.confidence[i] == pytest.approx(share)
    assert (found.draws, found.chains) == (4, 2)


def test_draws_that_agree_leave_no_doubt() -> None:
    one = some_trees(24, 1, 0)
    drawn = DrawnTrees([one.trees[0]] * 3, [one.labels[0]] * 3, np.zeros(3, dtype=np.int64))
    fine = one.labels[0].astype(np.int32)
    found = certainty_of_level(drawn, cut(one.trees[0], 2).labels[fine], fine)
    assert found.confidence.tolist() == [1.0] * 24
    assert found.to_dict() == {"draws": 3, "chains": 1, "mean_confidence": 1.0, "runner_up": None}


def test_two_answers_at_a_level_are_both_told() -> None:
    """Half of the draws cut the rows one way, half another."""
    half, other = np.repeat([0, 1], 12).astype(np.uint8), np.tile([0, 1], 12).astype(np.uint8)
    tree = Tree(np.array([12, 12]), np.array([[0, 1]], dtype=np.int32), np.array([1.0]))
    drawn = DrawnTrees([tree] * 10, [half] * 6 + [other] * 4, np.arange(10) // 5)
    found = certainty_of_level(drawn, half.astype(np.int32), half.astype(np.int32))
    assert found.runner_up is not None
    assert found.runner_up.share == 0.4
    assert len(np.unique(np.stack([found.runner_up.labels, other]), axis=1).T) == 2
