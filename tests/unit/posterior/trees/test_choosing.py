"""The level that is shown first: by the losses of one chain's tree, or by what several chains agree on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disnplbm.families.counts import Counts
from disnplbm.families.exponential.sums import Sums
from disnplbm.posterior.draws import Draw, Draws, DrawsMeta
from disnplbm.posterior.trees import choosing
from disnplbm.posterior.trees.choosing import suggest_levels
from disnplbm.posterior.trees.curves import ratios_of_levels
from disnplbm.posterior.trees.cutting import losses_of_levels
from disnplbm.posterior.trees.growing import Tree
from disnplbm.posterior.trees.grown import Drawn, Trees, grow_all_drawn
from disnplbm.posterior.trees.losses import grow_columns, grow_rows

#: Three groups of ten row clusters of ten rows each. Six groups of columns tell the groups, and five more each cluster.
GROUPS, EACH, MEMBERS = 3, 10, 10

#: Of a run without draws.
NONE = Drawn(None, None)


def table(seed: int) -> Sums:
    """Counts of blocks, with the exposure of each: groups differ much, the clusters of a group a little."""
    rng = np.random.default_rng(seed)
    coarse = np.repeat(np.where(np.eye(GROUPS, dtype=bool).repeat(2, axis=1), 4.0, 0.5), EACH, axis=0)
    fine = np.exp(0.3 * rng.normal(size=(GROUPS * EACH, 5)))
    rates = np.concatenate([coarse, fine], axis=1)
    exposure = np.full(rates.shape, 200.0)
    return Sums(np.stack([rng.poisson(rates * exposure), exposure], axis=-1).astype(np.float64))


def meta() -> DrawsMeta:
    return DrawsMeta.of_one(GROUPS * EACH * MEMBERS, 11, Counts(), cells="counts")


def trees_of(blocks: Sums) -> Trees:
    sizes = np.full(blocks.shape[0], MEMBERS), np.ones(blocks.shape[1], dtype=np.int64)
    rows, columns = grow_rows([blocks], sizes[0], 1.0, meta()), grow_columns([blocks], sizes[1], [1.0], meta())
    return Trees(rows, columns, (blocks,), meta())


def draw_of(chain: int, blocks: Sums, rows: np.ndarray) -> Draw:
    return Draw.of_one(chain, 10, 0.0, 1.0, 1.0, rows.astype(np.int32), np.arange(11, dtype=np.int32), blocks)


def test_a_short_axis_is_shown_as_it_is() -> None:
    rows, columns = suggest_levels(trees_of(table(0)), NONE)
    assert (rows.reason, columns.reason) == ("losses", "fine")
    assert (columns.clusters, columns.fine) == (11, 11)


@pytest.mark.parametrize("seed", range(5))
def test_the_losses_tell_clear_groups(seed: int) -> None:
    found = suggest_levels(trees_of(table(seed)), NONE).rows
    assert (found.clusters, found.fine) == (GROUPS, GROUPS * EACH)
    assert found.figure == found.figures[found.levels.index(GROUPS)] == max(found.figures) > 3


def test_a_number_that_is_asked_for_is_shown() -> None:
    trees = trees_of(table(0))
    found = {asked: suggest_levels(trees, NONE, asked) for asked in ("5", "5x4", "fine", "autox2", "200x12")}
    told = {asked: [(each.clusters, each.reason) for each in levels] for asked, levels in found.items()}
    assert told == {
        "5": [(5, "asked"), (11, "fine")],
        "5x4": [(5, "asked"), (4, "asked")],
        "fine": [(30, "fine"), (11, "fine")],
        "autox2": [(3, "losses"), (2, "asked")],
        "200x12": [(30, "fine"), (11, "fine")],
    }
    assert [levels.are_coarse for levels in found.values()] == [True, True, False, True, False]


def test_more_than_there_are_branches_gives_as_many_as_there_are() -> None:
    sizes = np.array([400, 300, 1, 1])
    tree = Tree(sizes, np.array([(0, 1), (2, 4), (3, 5)], dtype=np.int32), np.array([50.0, 90.0, 100.0]))
    found = suggest_levels(replace(trees_of(table(0)), rows=tree), NONE, "3").rows
    assert (found.clusters, found.fine, found.reason) == (2, 4, "most")


def test_a_finer_level_is_taken_whose_ratio_is_nearly_as_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "MOST_FINE", 3)
    sizes = np.full(5, 10)
    pairs = np.array([(0, 1), (2, 3), (4, 5), (6, 7)], dtype=np.int32)
    # Ratios of 2, 3 and 4 branches: about 2, 1.9 and 1.2.
    tree = Tree(sizes, pairs, np.array([10.0, 12.0, 22.8, 45.6]))
    assert np.array_equal(losses_of_levels(tree), [45.6, 22.8, 12.0, 10.0])
    assert np.allclose(ratios_of_levels(losses_of_levels(tree)), [2, 1.9, 1.2], rtol=0.03)
    trees = replace(trees_of(table(0)), rows=tree)
    assert suggest_levels(trees, NONE).rows.clusters == 3
    monkeypatch.setattr(choosing, "NEARLY", 0.99)
    assert suggest_levels(trees, NONE).rows.clusters == 2


def test_merges_that_lose_next_to_nothing_make_no_level() -> None:
    ratios = ratios_of_levels(np.array([5000.0, 900.0, 80.0, 1.0, 0.01, -3.0]))
    assert ratios.argmax() == 1
    assert ratios.max() == pytest.approx(950 / 130)


def test_a_merge_that_sets_a_branch_aside_makes_no_level() -> None:
    tree = Tree(np.array([400, 300, 1]), np.array([(0, 1), (2, 3)], dtype=np.int32), np.array([50.0, 1000.0]))
    assert losses_of_levels(tree).tolist() == [50.0]


def test_chains_that_agree_on_the_groups_alone_are_cut_there() -> None:
    blocks = table(0)
    own = np.repeat(np.arange(GROUPS * EACH), MEMBERS)
    # In the second chain the clusters of each group are other sets of its rows, with blocks as they come.
    rng = np.random.default_rng(1)
    groups = own // EACH
    other = groups * EACH + rng.integers(0, EACH, len(own))
    draws = Draws.of([draw_of(0, blocks, own), draw_of(1, table(2), other)], meta())
    found = suggest_levels(trees_of(blocks), grow_all_drawn(draws, "shared")).rows
    assert found.reason == "agreement"
    assert found.figures[found.levels.index(GROUPS)] == 1.0
    assert found.figure == found.figures[found.levels.index(found.clusters)] >= choosing.AGREEMENT
    assert max(found.figures[found.levels.index(found.clusters) + 1 :]) < choosing.AGREEMENT


def test_chains_that_agree_on_nothing_say_so() -> None:
    blocks, rng = table(0), np.random.default_rng(1)
    labels = [rng.integers(0, GROUPS * EACH, GROUPS * EACH * MEMBERS) for _ in range(2)]
    draws = Draws.of([draw_of(chain, blocks, own) for chain, own in enumerate(labels)], meta())
    found = suggest_levels(trees_of(blocks), grow_all_drawn(draws, "shared")).rows
    assert found.reason == "most stable"
    assert found.figure == max(found.figures) < 0.2
