"""Trees of clusters: against the log joint, against brute force, and as SciPy reads them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, to_tree

from disnplbm.families.base import Statistics
from disnplbm.kernels.partition_prior import PartitionPrior, log_partition
from disnplbm.posterior.trees.growing import Tree, grow_tree

from .fitted import MAKERS, Fitted, fitted

PRIORS = [PartitionPrior.of(0.7), PartitionPrior.of(0.7, 9)]


def joint(case: Fitted, labels: np.ndarray, prior: PartitionPrior, *, of_columns: bool = False) -> float:
    """What the log joint says of a partition of one axis, up to what the other says."""
    _, labels = np.unique(labels, return_inverse=True)
    blocks = case.blocks_of(case.rows, labels) if of_columns else case.blocks_of(labels, case.columns)
    return float(case.family.log_marginals(blocks).sum()) + log_partition(np.bincount(labels), prior)


def merged(labels: np.ndarray, tree: Tree, number: int) -> np.ndarray:
    """Labels after the first merges of a tree."""
    node, k = np.arange(2 * len(tree.sizes) - 1), len(tree.sizes)
    for t in range(number):
        node[np.isin(node, tree.pairs[t])] = k + t
    return node[labels]


@pytest.mark.parametrize("prior", PRIORS, ids=["crp", "finite"])
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("power", [1.0, 0.4])
def test_losses_add_up_to_the_change_of_the_log_joint(name: str, power: float, prior: PartitionPrior) -> None:
    case = fitted(name, 24, 10, 8, 4, power)
    tree = grow_tree([case.blocks], case.sizes, prior, [case.family])
    for number in range(8):
        lost = joint(case, case.rows, prior) - joint(case, merged(case.rows, tree, number), prior)
        assert tree.losses[:number].sum() == pytest.approx(lost, abs=1e-8)


def test_columns_have_a_tree_of_their_own() -> None:
    case, prior = fitted("counts", 12, 20, 3, 7), PartitionPrior.of(1.3)
    tree = grow_tree([case.blocks.T], np.bincount(case.columns), prior, [case.family])
    for number in range(7):
        lost = joint(case, case.columns, prior, of_columns=True) - joint(
            case, merged(case.columns, tree, number), prior, of_columns=True
        )
        assert tree.losses[:number].sum() == pytest.approx(lost, abs=1e-8)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_each_merge_is_the_best_of_all_pairs(name: str, seed: int) -> None:
    prior, case = PRIORS[1], fitted(name, 20, 8, 7, 3, seed=seed)
    tree = grow_tree([case.blocks], case.sizes, prior, [case.family])
    labels, k = case.rows.astype(np.int64), 7
    for t in range(6):
        before, there = joint(case, labels, prior), np.unique(labels)
        tried = {
            (a, b): before - joint(case, np.where(labels == b, a, labels), prior) for a in there for b in there if a < b
        }
        best = min(tried, key=lambda pair: tried[pair])
        assert tuple(tree.pairs[t]) == best
        assert tree.losses[t] == pytest.approx(tried[best], abs=1e-8)
        labels = np.where(np.isin(labels, best), k + t, labels)


def test_scipy_reads_the_linkage() -> None:
    case = fitted("categories", 40, 12, 12, 4)
    tree = grow_tree([case.blocks], case.sizes, PRIORS[0], [case.family])
    linkage = tree.linkage
    assert is_valid_linkage(linkage, throw=True)
    assert to_tree(linkage).get_count() == 12
    assert tree.members[-1] == 40
    assert len(np.unique(fcluster(linkage, 4, "maxclust"))) <= 4


def test_heights_never_fall_though_losses_may() -> None:
    """Clusters that are alike are better as one: the first merges gain."""
    tree = Tree(np.array([1, 1, 1, 1]), np.array([[0, 1], [2, 4], [3, 5]], dtype=np.int32), np.array([-3.0, 5.0, 1.0]))
    assert tree.heights.tolist() == [0.0, 2.0, 3.0]


def test_alike_clusters_merge_first_and_gain() -> None:
    case = fitted("counts", 60, 10, 2, 2)
    halves = np.repeat([0, 1], 30) + 2 * (np.arange(60) % 2)
    prior = PartitionPrior.of(1.0)
    table = np.where(np.arange(60)[:, None] < 30, 1.0, 6.0) * np.ones(10)
    sums = np.stack([table, np.full_like(table, 3.0)], axis=-1)
    blocks = case.family.empty((4, 1))
    np.add.at(blocks.arrays[0], halves, sums.sum(axis=1)[:, None])
    tree = grow_tree([blocks], np.bincount(halves), prior, [case.family])
    assert {tuple(pair) for pair in tree.pairs[:2]} == {(0, 2), (1, 3)}
    assert (tree.losses[:2] < 0).all()
    assert tree.losses[2] > 0


def test_one_cluster_is_a_tree_without_merges() -> None:
    case = fitted("numbers", 6, 4, 1, 2)
    tree = grow_tree([case.blocks], case.sizes, PRIORS[0], [case.family])
    assert tree.pairs.shape == (0, 2)
    assert tree.linkage.shape == (0, 4)
    assert tree.members.tolist() == [6]


def test_the_blocks_stay_as_they_were() -> None:
    case = fitted("numbers", 20, 8, 6, 3)
    blocks: Statistics = case.blocks
    before = [array.copy() for array in blocks.arrays]
    grow_tree([blocks], case.sizes, PRIORS[0], [case.family])
    assert all(np.array_equal(*pair) for pair in zip(before, blocks.arrays, strict=True))
