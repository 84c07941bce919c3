"""Light sums of counts against dense ones: the same numbers, to the last bit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from disnplbm.dealing import slice_of
from disnplbm.engine.local import LocalEngine, RunState
from disnplbm.families import statistics_of
from disnplbm.families.base import Choices, Proposals
from disnplbm.families.counts import Counts
from disnplbm.families.counts.cells import SparseCounts
from disnplbm.families.counts.sums import CountSums
from disnplbm.families.exponential.sums import Sums
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard
from disnplbm.sampler.starts import Start

FAMILY = Counts(0.8, 1.3, 0.5)


class DenseCounts(SparseCounts):
    """Counts whose sums are never light."""

    def light_by_group(self, *given: Any) -> Any:
        return self.by_group(*given)

    def light_by_cluster(self, *given: Any) -> Any:
        return self.by_cluster(*given)


class Case(NamedTuple):
    """A table, and labels of its rows and columns."""

    counts: Floats
    row_factors: Floats
    column_factors: Floats
    rows: Labels
    columns: Labels

    def cells(self, shard: int = 0, n_shards: int = 1, kind: type[SparseCounts] = SparseCounts) -> SparseCounts:
        here = slice_of(shard, n_shards)
        part = self.counts[here]
        rows, indices = np.nonzero(part)
        indptr = np.searchsorted(rows, np.arange(len(part) + 1)).astype(np.int64)
        stored = indptr, indices.astype(np.int32), part[rows, indices].astype(np.uint8)
        return kind(*stored, self.row_factors[here], self.column_factors, complete=True)


#: Lengths of the axes, and clusters: wider than a stretch of totals, and narrower; more than are multiplied at a time.
SHAPES = ((40, 150, 9, 11), (300, 7, 20, 3), (9, 1, 2, 1), (4, 70_000, 3, 20))


def case_of(shape: tuple[int, int, int, int]) -> Case:
    n, p, k, groups = shape
    generator = np.random.default_rng(n)
    return Case(
        generator.poisson(0.3, (n, p)).astype(np.float64),
        generator.gamma(2.0, 3.0, n),
        generator.gamma(1.0, 1.0, p),
        generator.integers(-1, k, n).astype(np.int32),
        generator.integers(0, groups, p).astype(np.int32),
    )


def assert_same(light: Any, dense: Sums) -> None:
    assert isinstance(light, CountSums)
    assert (light.shape, light.row_shape) == (dense.shape, dense.row_shape)
    np.testing.assert_array_equal(light.values, dense.values)


def pair_of(case: Case) -> tuple[CountSums, Sums]:
    """Columns in clusters of rows, light and dense."""
    cells, k = case.cells(), int(case.rows.max()) + 2
    light = cells.light_by_cluster(case.rows, k)
    assert isinstance(light, CountSums)
    return light, cells.by_cluster(case.rows, k)


@pytest.mark.parametrize("shape", SHAPES)
def test_cells_sum_themselves_up(shape: tuple[int, int, int, int]) -> None:
    case = case_of(shape)
    assert_same(*pair_of(case))
    cells, groups = case.cells(), int(case.columns.max()) + 2
    for rows in (slice(None), slice(1, 3), np.array([3, 0, 2])):
        given = (rows, case.columns, groups)
        assert_same(cells.light_by_group(*given), cells.by_group(*given))


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_chosen_turned_put_and_added(shape: tuple[int, int, int, int]) -> None:
    light, dense = pair_of(case_of(shape))
    assert_same(light.T, Sums(dense.T.contiguous))
    assert_same(light.T.T, dense)
    order = np.random.default_rng(0).permutation(light.shape[0])
    for index in (order, slice(1, 3), slice(0, light.shape[0]), order > 1):
        assert_same(light[index], dense[index])
    assert_same(light.extended(2), dense.extended(2))
    assert_same(light[:2].put(np.array([1]), light[2:3]), dense[:2].copy().put(np.array([1]), dense[2:3]))
    with pytest.raises(TypeError, match="to be read alone"):
        light[:1] = light[1:2]


@pytest.mark.parametrize("shape", SHAPES)
def test_sets_merge_as_dense_ones_do(shape: tuple[int, int, int, int]) -> None:
    light, dense = pair_of(case_of(shape))
    generator = np.random.default_rng(1)
    for ours, twin in ((light, dense), (light.T, Sums(dense.T.contiguous))):
        for axis in (0, 1):
            labels = generator.integers(-1, 4, ours.shape[axis]).astype(np.int32)
            into = Sums(generator.random((4, ours.shape[1], 2) if axis == 0 else (ours.shape[0], 4, 2)))
            found = FAMILY.aggregate(ours, labels, 4, axis)
            np.testing.assert_array_equal(found.values, FAMILY.aggregate(twin, labels, 4, axis).values)
            expected = FAMILY.aggregate(twin, labels, 4, axis, into.copy())
            np.testing.assert_array_equal(FAMILY.aggregate(ours, labels, 4, axis, into).values, expected.values)


@pytest.mark.parametrize("shape", SHAPES)
def test_clusters_of_shards_are_gathered(shape: tuple[int, int, int, int]) -> None:
    """Into the same ones in any order, some of them without a shard, and into more of them than before."""
    case, generator = case_of(shape), np.random.default_rng(2)
    found: Any = None
    expected = Sums(np.zeros((6, len(case.column_factors), 2)))
    for shard in range(3):
        cells = case.cells(shard, 3)
        labels = generator.integers(0, 3, cells.n_rows).astype(np.int32)
        targets = generator.permutation(6)[:3].astype(np.int32)
        found = FAMILY.gather(cells.light_by_cluster(labels, 3), targets, 6, found)
        FAMILY.gather(cells.by_cluster(labels, 3), targets, 6, expected)
        assert_same(found, expected)
    assert_same(found[np.array([4, 1])], expected[np.array([4, 1])])
    assert_same(found.extended(1), expected.extended(1))
    assert_same(found.T, Sums(expected.T.contiguous))
    labels = generator.integers(0, 4, 6).astype(np.int32)
    of_light, of_dense = (FAMILY.aggregate(each, labels, 4, 0) for each in (found, expected))
    np.testing.assert_array_equal(of_light.values, of_dense.values)


def test_clusters_that_expose_columns_otherwise_are_gathered_too() -> None:
    case = case_of(SHAPES[0])
    other = case._replace(column_factors=case.column_factors + 1.0)
    (light, dense), (more, more_dense) = pair_of(case), pair_of(other)
    targets = np.arange(light.shape[0], dtype=np.int32)
    found = FAMILY.gather(more, targets, len(targets), light)
    np.testing.assert_array_equal(found.values, dense.values + more_dense.values)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("by_column", [False, True])
def test_items_are_drawn_as_dense_ones_are(shape: tuple[int, int, int, int], by_column: bool) -> None:
    case, generator = case_of(shape), np.random.default_rng(3)
    light, dense = pair_of(case)
    if by_column:
        light, dense = light.T, Sums(dense.T.contiguous)
    (n, groups), clusters = light.shape, 6
    blocks = Sums(generator.gamma(3.0, 4.0, (clusters, groups, 2)))
    choices = Choices(FAMILY.draw_coefficients(blocks, generator), generator.normal(size=clusters), np.ones(clusters))
    contrasts = 0.1 * generator.normal(size=(1, 2 * groups + 1))
    proposals = Proposals(contrasts, np.array([True]), np.zeros(6, np.int32), np.full(6, -1, np.int32), np.zeros(1))
    uniforms, found = generator.random(n), []
    for sums in (light, dense):
        items = FAMILY.items(sums, alike=True)
        labels, sides, cost = np.empty(n, np.int32), np.full(n, -1, np.int32), np.zeros((1, 2))
        FAMILY.draw_labels(items, choices, uniforms, np.zeros(n), labels)
        FAMILY.draw_sides(items, proposals, uniforms, labels, sides, cost)
        added = Sums(np.ones((6, groups, 2)))
        FAMILY.add_items(items, labels, added)
        found.append((labels, FAMILY.likeliest(items, choices), sides, cost, added.values, items.pattern))
    for ours, twin in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, twin)


@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("sampler", ["split-merge", "collapsed"])
def test_a_chain_is_the_same(n_shards: int, sampler: str) -> None:
    generator = np.random.default_rng(4)
    rates = np.array([[0.2, 2.0], [1.5, 0.1]])[np.arange(90) % 2][:, np.arange(40) % 2]
    counts = generator.poisson(rates).astype(np.float64)
    case = Case(counts, counts.sum(axis=1), counts.sum(axis=0) / counts.sum(), np.empty(0), np.empty(0))
    parameters = Parameters(n_shards=n_shards, sampler=sampler, approach=8, learn_alpha=True)
    found = [_run([Shard([case.cells(e, n_shards, kind)], e, n_shards) for e in range(n_shards)], parameters)
             for kind in (SparseCounts, DenseCounts)]  # fmt: skip
    for ours, twin in zip(*found, strict=True):
        assert ours.chain.log_joint == twin.chain.log_joint
        np.testing.assert_array_equal(ours.row_labels(90), twin.row_labels(90))
        of_ours, of_twin = (state.chain.broadcast.parts[0].column_labels for state in (ours, twin))
        np.testing.assert_array_equal(of_ours, of_twin)
    assert found[0][-1].chain.n_row_clusters > 1


def _run(shards: list[Shard], parameters: Parameters) -> list[RunState]:
    with LocalEngine(shards, parameters, [FAMILY], threads=1) as engine:
        states = [engine.start(Start())]
        for _ in range(14):
            states.append(engine.step(states[-1]))
    return states


@pytest.mark.parametrize("shape", SHAPES)
def test_they_travel_in_few_bytes(shape: tuple[int, int, int, int]) -> None:
    light, dense = pair_of(case_of(shape))
    assert_same(statistics_of(light.arrays), dense)
    stored = np.count_nonzero(dense.values[..., 0])
    assert sum(each.nbytes for each in light.arrays) == 5 * stored + 16 * light.shape[0] + 8 * (1 + light.shape[1])


def replaced(arrays: tuple[NDArray[Any], ...], place: int, array: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    return (*arrays[:place], array, *arrays[place + 1 :])


def test_arrays_that_cannot_be_are_refused() -> None:
    light, _ = pair_of(case_of(SHAPES[0]))
    ends, indices, totals, rows, columns = arrays = light.arrays
    beyond, backwards, twice = indices.copy(), ends.copy(), indices.copy()
    beyond[ends[1] - 1], backwards[1], twice[1] = light.shape[1], ends[2] + 1, indices[0]
    for place, wrong in (
        (0, ends[:-1]),
        (0, ends + 1),
        (0, backwards),
        (0, ends.astype(np.int32)),
        (1, indices[:-1]),
        (1, -indices),
        (1, beyond),
        (1, twice),
        (1, indices.astype(np.int64)),
        (2, totals[:-1]),
        (2, totals.astype(np.int64)),
        (2, totals[None]),
        (3, rows[0]),
        (3, rows[:, 1:]),
        (3, np.repeat(rows, 2, axis=0)),
        (4, columns.astype(np.float32)),
        (4, columns[:, :5]),
    ):
        with pytest.raises((ValueError, TypeError, IndexError)):
            statistics_of(replaced(arrays, place, wrong))


def test_cells_that_may_be_missing_have_dense_sums() -> None:
    stored = np.array([0, 2]), np.array([0, 1], np.int32), np.array([1.0, np.nan])
    cells = SparseCounts(*stored, np.ones(1), np.ones(2), complete=False)
    assert isinstance(cells.light_by_group(slice(None), np.zeros(2, np.int32), 1), Sums)
    assert isinstance(cells.light_by_cluster(np.zeros(1, np.int32), 1), Sums)
