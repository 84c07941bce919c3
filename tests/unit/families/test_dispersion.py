"""The check of how counts vary: the same as its twin, honest chances, and only what is plain is called so."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.families.counts import Counts
from disnplbm.families.counts.cells import SparseCounts
from disnplbm.families.counts.dispersion import CHANCE, LEAST_TOTAL, Dispersion, PearsonSums, p_value
from disnplbm.families.exponential.sums import Sums
from disnplbm.model.dispersion import pearson_dispersion
from disnplbm.model.statistics import Floats, Labels


def labels_of(n: int, k: int) -> Labels:
    """Clusters of about the same size, in no order."""
    return np.random.default_rng(n).permutation(np.arange(n) % k).astype(np.int32)


def checked(values: Floats, rows: Labels, columns: Labels, *, margins: bool = True, shards: int = 1) -> Dispersion:
    """The check of a table, whose rows are dealt to shards."""
    factors = (
        (np.nansum(values, axis=1), np.nansum(values, axis=0) / np.nansum(values))
        if margins
        else (np.ones(len(values)), np.ones(values.shape[1]))
    )

    def cells(items: NDArray[np.int64]) -> SparseCounts:
        stored = csr_array(np.where(values[items] == 0, 0, values[items]))
        parts = stored.indptr.astype(np.int64), stored.indices.astype(np.int32), stored.data
        return SparseCounts(*parts, factors[0][items], factors[1], complete=not np.isnan(values).any())

    dealt = [np.arange(shard, len(values), shards) for shard in range(shards)]
    blocks = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1, 2))
    for items in dealt:
        by_group = cells(items).by_group(slice(None), columns, blocks.shape[1])
        np.add.at(blocks, rows[items], by_group.values)
    check = Counts().fit_check(Sums(blocks), rows, columns)
    assert isinstance(check, PearsonSums)
    for items in dealt:
        check.add(cells(items), items)
    return check.finish()


def poisson(n: int, p: int, mean: float, seed: int = 0, shape: float = np.inf) -> Floats:
    """Counts of rows and columns of sizes that differ much; negative binomial ones with a finite shape."""
    rng = np.random.default_rng(seed)
    expected = np.outer(rng.gamma(2.0, size=n), rng.gamma(0.5, size=p)) * mean
    if np.isfinite(shape):
        expected = expected * rng.gamma(shape, 1.0 / shape, size=(n, p))
    return rng.poisson(expected).astype(np.float64)


@pytest.mark.parametrize("margins", [True, False])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("shards", [1, 3])
def test_the_check_is_that_of_its_twin(margins: bool, missing: float, shards: int) -> None:
    values = poisson(90, 40, 3.0)
    values[5], values[:, 7] = 0.0, 0.0
    values[np.random.default_rng(1).random(values.shape) < missing] = np.nan
    rows, columns = labels_of(90, 3), labels_of(40, 2)
    found = checked(values, rows, columns, margins=margins, shards=shards)
    factors = (np.nansum(values, axis=1), np.nansum(values, axis=0) / np.nansum(values))
    wanted = pearson_dispersion(values, *(factors if margins else map(np.ones_like, factors)), rows, columns)
    assert found.judged.all()
    np.testing.assert_allclose(found.dispersion[..., 0], wanted, rtol=1e-9)


@pytest.mark.parametrize(("n", "p", "mean"), [(200, 100, 3.0), (200, 100, 0.05), (60, 8, 3.0), (400, 5, 1.0)])
@pytest.mark.parametrize("margins", [True, False])
def test_poisson_counts_have_a_dispersion_of_1_and_are_left_alone(n: int, p: int, mean: float, margins: bool) -> None:
    rows, columns, means = labels_of(n, 3), labels_of(p, 2), []
    for seed in range(30):
        values = poisson(n, p, mean, seed)
        if not margins:
            values = np.random.default_rng(seed).poisson(mean, size=(n, p)).astype(np.float64)
        found = checked(values, rows, columns, margins=margins)
        assert not found.plain.any()
        means.append(np.nanmean(found.dispersion))
    assert np.mean(means) == pytest.approx(1.0, abs=0.05)


def test_counts_with_rates_of_their_own_vary_more() -> None:
    found = checked(poisson(200, 100, 3.0, shape=1.0), labels_of(200, 3), labels_of(100, 2))
    assert found.plain.all()
    said = found.to_dict()
    assert (said["judged"], said["not_poisson"], said["share_of_cells"]) == (6, 6, 1.0)
    assert said["largest_dispersion"] == found.dispersion.max() > 2
    assert said["sentence"].startswith(
        "In 6 of 6 blocks with enough counts (100% of the cells), counts vary more than Poisson counts do, up to"
        f" {found.dispersion.max():.1f} times as much. Rates hold there, but "
    )


def test_the_dispersion_of_negative_binomial_counts_is_the_one_they_have() -> None:
    values = np.random.default_rng(0).negative_binomial(2.0, 0.25, size=(500, 400)).astype(np.float64)
    found = checked(values, labels_of(500, 1), labels_of(400, 1), margins=False)
    assert found.to_dict()["sentence"].startswith("In the one block with enough counts (100% of the cells), ")
    # The variance is the mean over the probability.
    assert found.dispersion.item() == pytest.approx(4.0, rel=0.02)


def test_only_the_blocks_that_vary_more_are_named() -> None:
    rows, columns = labels_of(200, 4), labels_of(100, 2)
    values, wild = poisson(200, 100, 3.0), poisson(200, 100, 3.0, shape=0.5)
    odd = (rows == 2)[:, None] & (columns == 1)
    found = checked(np.where(odd, wild, values), rows, columns)
    assert np.argwhere(found.plain[..., 0]).tolist() == [[2, 1]]
    assert "In 1 of 8 blocks" in found.to_dict()["sentence"]


def test_counts_that_hardly_vary_vary_less() -> None:
    values = np.full((60, 40), 6.0) + np.arange(40) % 2
    found = checked(values, labels_of(60, 2), labels_of(40, 1))
    assert found.plain.all()
    assert "vary less than Poisson counts do" in found.to_dict()["sentence"]
    assert "vary more" not in found.to_dict()["sentence"]


def test_too_few_counts_do_not_tell() -> None:
    values = np.zeros((50, 40))
    values[3, :] = 1.0
    values[:, 2] = 1.0
    few = np.zeros((50, 40))
    few[0, : LEAST_TOTAL - 1] = 1.0
    found = checked(few, labels_of(50, 1), labels_of(40, 1))
    assert np.isnan(found.dispersion).all()
    assert found.to_dict()["not_poisson"] == 0
    assert found.to_dict()["sentence"].startswith("No block has the 20 cells")
    assert checked(values, labels_of(50, 1), labels_of(40, 1)).judged.all()


def test_chance_is_told_honestly() -> None:
    rng = np.random.default_rng(3)
    statistic = rng.chisquare(50.0, size=100_000)
    p = p_value(statistic, np.full(100_000, 50.0), np.full(100_000, 100.0))
    for level in (0.5, 0.1, 0.01, CHANCE):
        assert (p < level).mean() == pytest.approx(level, rel=0.35)


def test_a_table_in_small_types_and_turned_is_the_same() -> None:
    values, rows, columns = poisson(80, 50, 2.0), labels_of(80, 3), labels_of(50, 2)
    one = checked(values.astype(np.uint8), rows, columns)
    other = checked(values.T, columns, rows).T
    np.testing.assert_allclose(one.dispersion, other.dispersion, rtol=1e-9)
    np.testing.assert_allclose(one.p, other.p, rtol=1e-6)
