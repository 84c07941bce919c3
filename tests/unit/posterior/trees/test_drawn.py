"""The consensus of the trees of draws: against counting pairs of items one by one, and where all draws are the same."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.posterior.draws import Draw, Draws, DrawsMeta
from disnplbm.posterior.trees import drawn as drawn_trees
from disnplbm.posterior.trees.cutting import cut, most_branches
from disnplbm.posterior.trees.drawn import DrawnTrees, grow_drawn, ladder, spread_positions
from disnplbm.posterior.trees.growing import Tree, grow_tree

from .fitted import fitted

PRIOR = PartitionPrior.of(1.0)


def some_trees(n: int, number: int, seed: int) -> DrawnTrees:
    """Trees of draws that know nothing of each other, of different numbers of clusters."""
    generator, trees, labels = np.random.default_rng(seed), [], []
    for s in range(number):
        k = int(generator.integers(2, 9))
        case = fitted("counts", n, 8, k, 3, seed=seed + s)
        trees.append(grow_tree([case.blocks], case.sizes, PRIOR, [case.family]))
        labels.append(case.rows.astype(np.uint8))
    return DrawnTrees(trees, labels, np.arange(number) // 2)


def counted(drawn: DrawnTrees, fine: np.ndarray) -> np.ndarray:
    """How often two items of two clusters are together, counted pair by pair."""
    k, most = int(fine.max()) + 1, max(len(tree.sizes) for tree in drawn.trees)
    total = np.zeros((k, k))
    for tree, own in zip(drawn.trees, drawn.labels, strict=True):
        for level in ladder(most):
            branch = cut(tree, min(level, most_branches(tree))).labels
            for i in range(len(fine)):
                for j in range(len(fine)):
                    alone = branch[own[i]] < 0 and own[i] != own[j]
                    total[fine[i], fine[j]] += not alone and branch[own[i]] == branch[own[j]]
    return total


@pytest.mark.parametrize("seed", range(3))
def test_pairs_are_counted_over_draws_and_levels(seed: int) -> None:
    drawn, fine = some_trees(24, 3, seed), np.random.default_rng(seed).permutation(np.arange(24) % 6).astype(np.int32)
    found, expected = drawn.together(fine), counted(drawn, fine)
    apart = ~np.eye(6, dtype=bool)
    assert np.array_equal(found[apart], expected[apart])
    assert expected[apart].max() > 0


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 9))
def test_draws_that_are_all_the_same_give_their_own_tree(seed: int, k: int) -> None:
    case = fitted("counts", 40, 8, k, 3, seed=seed)
    # Clusters of one would be set aside, whatever the losses say.
    tree = grow_tree([case.blocks], case.sizes, PRIOR, [case.family])
    drawn = DrawnTrees([tree] * 3, [case.rows.astype(np.uint8)] * 3, np.zeros(3, dtype=np.int64))
    again = grow_tree([case.blocks], case.sizes, PRIOR, [case.family], drawn.together(case.rows))
    assert np.array_equal(again.pairs, tree.pairs)
    assert np.allclose(again.losses, tree.losses)


@pytest.mark.parametrize("seed", range(4))
def test_each_merge_joins_the_pair_that_is_together_most_often_and_then_loses_least(seed: int) -> None:
    case, drawn = fitted("counts", 36, 8, 8, 3, seed=seed), some_trees(36, 3, seed + 50)
    together = drawn.together(case.rows)
    tree = grow_tree([case.blocks], case.sizes, PRIOR, [case.family], together)
    members: dict[int, list[int]] = {k: [k] for k in range(8)}
    for t, pair in enumerate(tree.pairs):

        def share(a: int, b: int) -> float:
            count = sum(together[i, j] for i in members[a] for j in members[b])
            return float(count / (case.sizes[members[a]].sum() * case.sizes[members[b]].sum()))

        shares = {(a, b): share(a, b) for a, b in combinations(sorted(members), 2)}
        assert shares[tuple(pair)] == max(shares.values())
        members[8 + t] = members.pop(int(pair[0])) + members.pop(int(pair[1]))
    own = grow_tree([case.blocks], case.sizes, PRIOR, [case.family])
    assert tree.losses.sum() == pytest.approx(own.losses.sum(), rel=1e-9)


def test_equal_shares_are_decided_by_the_losses() -> None:
    case = fitted("counts", 36, 8, 6, 3)
    even = np.outer(case.sizes, case.sizes).astype(np.float64)
    own = grow_tree([case.blocks], case.sizes, PRIOR, [case.family])
    assert np.array_equal(grow_tree([case.blocks], case.sizes, PRIOR, [case.family], even).pairs, own.pairs)


def test_what_a_draw_sets_aside_is_with_nobody() -> None:
    tree = Tree(np.array([10, 9, 1]), np.array([(0, 1), (2, 3)], dtype=np.int32), np.array([5.0, 50.0]))
    own = np.repeat([0, 1, 2], [10, 9, 1]).astype(np.uint8)
    drawn = DrawnTrees([tree], [own], np.zeros(1, dtype=np.int64))
    assert drawn.branches(0, 2).tolist() == [0, 1, 2]
    assert len(np.unique(drawn.cuts(2)[0])) == 3


def draws(chains: list[int], k: int) -> Draws:
    case = fitted("counts", 30, 8, k, 3)
    meta = DrawsMeta.of_one(30, 8, case.family, cells="counts")
    made = (
        Draw.of_one(chain, t, 0.0, 1.0, 1.0, case.rows, case.columns, case.blocks) for t, chain in enumerate(chains)
    )
    return Draws.of(made, meta)


def test_draws_are_spread_over_the_chains_as_far_as_the_work_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = draws([0] * 6 + [1] * 4, 5)
    everything = grow_drawn("rows", kept, "shared")
    assert everything is not None
    assert (everything.n_draws, everything.n_chains) == (10, 2)
    assert everything.last_of_chains.tolist() == [5, 9]
    monkeypatch.setattr(drawn_trees, "TREE_WORK", 1)
    few = grow_drawn("rows", kept, "shared")
    assert few is not None
    assert (few.n_draws, few.chains.tolist()) == (2, [0, 1])


def test_one_draw_has_no_consensus() -> None:
    assert grow_drawn("rows", draws([0], 5), "shared") is None


@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=4), most=st.integers(1, 40))
def test_every_chain_gives_its_last_draw_and_none_twice(lengths: list[int], most: int) -> None:
    chains = np.repeat(np.arange(len(lengths)), lengths)
    found = spread_positions(chains, most)
    assert len(set(found.tolist())) == len(found) <= max(most, len(lengths))
    assert set(np.cumsum(lengths) - 1) <= set(found.tolist())
    assert np.array_equal(found, np.sort(found))
