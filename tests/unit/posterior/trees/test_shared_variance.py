"""Trees and levels of real numbers whose variance is shared: against Ward's criterion, and where it matters."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.families.base import Choices
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.families.gaussian.shared_variance import SharedVariance
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.prior import NIWPrior
from disnplbm.posterior.scores import partition_scores
from disnplbm.posterior.trees.cutting import cut
from disnplbm.posterior.trees.growing import grow_tree
from disnplbm.posterior.trees.refining import refine
from disnplbm.sampler.shard import Shard

from .fitted import fitted

KINDS = ["numbers", "vectors", "independent numbers"]


@pytest.mark.parametrize("name", KINDS)
def test_a_merge_loses_what_wards_criterion_says(name: str) -> None:
    case = fitted(name, 30, 10, 6, 3)
    blocks = case.blocks
    family = SharedVariance.of(case.family, blocks)
    tree = grow_tree([blocks], case.sizes, None, [family])
    within = np.einsum("kld->d", blocks.squares) / blocks.count.sum()
    assert np.allclose(family.variances, within)
    a, b = tree.pairs[0]
    weight = blocks.count[a] * blocks.count[b] / (blocks.count[a] + blocks.count[b])
    ward = (weight[:, None] * (blocks.mean[a] - blocks.mean[b]) ** 2 / (2.0 * within)).sum()
    assert tree.losses[0] == pytest.approx(ward, rel=1e-9)
    assert (tree.losses > 0).all()
    # To merge all leaves the scatter of each group about its mean.
    everything = family.aggregate(blocks, np.zeros(6, dtype=np.int32), 1, axis=0)
    lost = ((everything.squares.sum(axis=(0, 1)) - blocks.squares.sum(axis=(0, 1))) / (2.0 * within)).sum()
    assert tree.losses.sum() == pytest.approx(lost, rel=1e-9)


@pytest.mark.parametrize("name", KINDS)
def test_likeliest_labels_are_those_of_the_nearest_means(name: str) -> None:
    case = fitted(name, 30, 10, 4, 3)
    blocks = case.blocks
    family = SharedVariance.of(case.family, blocks)
    items = case.cells(slice(None)).by_group(slice(None), case.columns, 3)
    coefficients = family.mean_coefficients(blocks)
    found = family.likeliest(family.bare_items(items), Choices(coefficients, np.zeros(4), np.ones(4)))
    apart = (items.mean[:, None] - blocks.mean) ** 2 * items.count[:, None, :, None] / family.variances
    assert np.array_equal(found, apart.sum(axis=(2, 3)).argmin(axis=1))


def noisy(seed: int) -> tuple[Gaussian, DenseCells, np.ndarray]:
    """Two kinds of rows; a fifth of the rows has noise of its own scale."""
    generator = np.random.default_rng(seed)
    kinds = generator.permutation(np.arange(60) % 2)
    noise = np.where(np.arange(60) % 5 == 0, 3.0, 1.0)[:, None] * generator.normal(size=(60, 40))
    profile = np.where(np.arange(40) % 2 == 0, 1.0, -1.0)
    values = np.where(kinds[:, None] == 0, profile, -profile) + noise
    return Gaussian(NIWPrior([0.0], 0.1, [[1.0]], 3.0), 1.0), DenseCells(values[..., None], complete=True), kinds


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_no_kind_of_its_own(seed: int) -> None:
    """The model's own loss tells rows by their noise; with a shared variance the cut is the kinds."""
    family, cells, kinds = noisy(seed)
    rows, columns = np.arange(60, dtype=np.int32), (np.arange(40) % 2).astype(np.int32)
    blocks = family.aggregate(cells.by_cluster(rows, 60), columns, 2, axis=1)
    shared = SharedVariance.of(family, blocks)
    found = {}
    for name, tree in (
        ("own", grow_tree([blocks], np.ones(60), PartitionPrior.of(1.0), [family])),
        ("shared", grow_tree([blocks], np.ones(60), None, [shared])),
    ):
        found[name] = partition_scores(kinds, cut(tree, 2).labels[rows])[0]
    assert found["shared"] > 0.9 > found["own"]
    start = cut(grow_tree([blocks], np.ones(60), None, [shared]), 2).labels[rows]
    refined = refine([Shard([cells], 0, 1)], start, columns, shared)
    assert partition_scores(kinds, refined.rows)[0] >= found["shared"]


def test_a_table_that_does_not_vary_has_a_variance() -> None:
    family = Gaussian(NIWPrior([0.0], 1.0, [[1.0]], 3.0), 1.0)
    cells = DenseCells(np.ones((4, 3, 1)), complete=True)
    blocks = cells.by_group(slice(None), np.zeros(3, dtype=np.int32), 1)
    assert SharedVariance.of(family, blocks).variances.tolist() == [1.0]
