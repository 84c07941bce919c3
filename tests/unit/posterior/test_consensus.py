"""The consensus is the partition of least expected loss: checked over all partitions of a few items."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from disnplbm.errors import InputError
from disnplbm.model.partition import canonical_labels
from disnplbm.posterior import refinement
from disnplbm.posterior.consensus import consensus, consensus_of_parts, expected_loss
from disnplbm.posterior.losses import loss_of
from disnplbm.posterior.partition_sample import PartitionSample, collapse
from disnplbm.posterior.refinement import merged_to, objective
from disnplbm.posterior.screening import best_draws

from .partitions import all_partitions

LOSSES = ["vi", "binder"]
samples = st.tuples(st.integers(1, 12), st.integers(1, 25)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.integers(0, 4))
)


def noisy(base: np.ndarray, n_draws: int, noise: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    other = rng.integers(0, int(base.max()) + 1, (n_draws, len(base)))
    return np.where(rng.random(other.shape) < noise, other, base).astype(np.uint8)


def range_of(draws: np.ndarray) -> tuple[int, int]:
    """The fewest clusters of a draw, and the most."""
    clusters = [len(np.unique(draw)) for draw in draws]
    return min(clusters), max(clusters)


def least_loss(draws: np.ndarray, name: str) -> tuple[float, bool]:
    """Least expected loss over all partitions of the items; whether a partition within the draws' range has it."""
    partitions, loss = all_partitions(draws.shape[1]), loss_of(name, draws.shape[1], len(draws))
    sample = PartitionSample.of(draws.copy(), np.ones(draws.shape[1], dtype=np.int64))
    own = np.array([loss.phi[np.bincount(labels)].sum() for labels in partitions])
    shared = sample.sum_overlaps(partitions, partitions.max(axis=1).astype(np.int64) + 1, loss).sum(axis=1)
    totals = len(draws) * own + sample.draw_terms(loss).sum() - 2 * shared
    fewest, most = range_of(draws)
    clusters = partitions[totals == totals.min()].max(axis=1) + 1
    inside = bool(((clusters >= fewest) & (clusters <= most)).any())
    return float(totals.min() * loss.unit / len(draws)), inside


def small_posterior(n_items: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    n_draws = int(rng.integers(2, 40))
    if seed % 2:
        return noisy(rng.integers(0, 3, n_items), n_draws, 0.3, seed)
    partitions = all_partitions(n_items)
    return partitions[rng.integers(0, len(partitions), n_draws)].astype(np.uint8)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("n_items", [5, 6])
def test_the_minimum_over_all_partitions_is_found(n_items: int, name: str) -> None:
    """In at least 99 of 100 random posteriors, since the search is local; where it has as many clusters as a draw."""
    posteriors = [small_posterior(n_items, seed) for seed in range(100)]
    least = [least_loss(draws, name) for draws in posteriors]
    assert sum(inside for _, inside in least) > 50
    missed = [
        loss for draws, (loss, inside) in zip(posteriors, least, strict=True)
        if inside and consensus(draws, name).expected_loss > loss + 1e-9
    ]  # fmt: skip
    assert len(missed) <= 1


@pytest.mark.parametrize("name", LOSSES)
@given(draws=samples)
@settings(deadline=None, max_examples=50)
def test_it_has_as_many_clusters_as_draws_have(name: str, draws: np.ndarray) -> None:
    result = consensus(draws, name)
    fewest, most = range_of(draws)
    assert fewest <= result.labels.max() + 1 <= most
    assert result.kind == "consensus" or any((canonical_labels(draw) == result.labels).all() for draw in draws)


@pytest.mark.parametrize("name", LOSSES)
def test_noisy_draws_around_one_answer_give_that_answer_and_not_one_cluster(name: str) -> None:
    base = np.arange(120) // 30
    draws = noisy(base, 100, 0.3, seed=0)
    found = consensus(draws, name)
    assert found.kind == "consensus"
    np.testing.assert_array_equal(found.labels, base)


def test_two_answers_that_would_cross_to_more_clusters_give_way_to_a_draw() -> None:
    """The crossing of two partitions into 3 clusters is as near to both: it has 9 clusters, which no draw has."""
    crossed = np.stack([np.arange(90) % 3, np.arange(90) // 30] * 10).astype(np.uint8)
    found = consensus(crossed, "vi")
    assert found.kind == "draw"
    assert found.labels.max() + 1 == 3


@pytest.mark.parametrize("name", LOSSES)
@given(draws=samples)
@settings(deadline=None, max_examples=50)
def test_no_draw_is_better_and_the_loss_is_that_of_the_labels(name: str, draws: np.ndarray) -> None:
    result = consensus(draws, name)
    assert result.expected_loss == pytest.approx(expected_loss(draws, result.labels, name), abs=1e-9)
    assert result.expected_loss <= min(expected_loss(draws, draw, name) for draw in draws) + 1e-9
    np.testing.assert_array_equal(result.labels, canonical_labels(result.labels))
    assert result.labels.dtype == np.int32
    assert ((result.confidence >= 0) & (result.confidence <= 1)).all()


@given(draws=samples, seed=st.integers(0, 99))
@settings(deadline=None, max_examples=50)
def test_names_of_clusters_do_not_matter(draws: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    renamed = np.stack([rng.permutation(5)[draw] for draw in draws]).astype(np.uint8)
    first, second = consensus(draws), consensus(renamed)
    np.testing.assert_array_equal(first.labels, second.labels)
    np.testing.assert_array_equal(first.confidence, second.confidence)


@pytest.mark.parametrize("name", LOSSES)
def test_the_order_of_the_items_does_not_matter_where_the_answer_is_clear(name: str) -> None:
    draws, order = noisy(np.arange(60) % 4, 50, 0.1, seed=0), np.random.default_rng(1).permutation(60)
    first, second = consensus(draws, name), consensus(draws[:, order], name)
    np.testing.assert_array_equal(second.labels, canonical_labels(first.labels[order]))
    np.testing.assert_array_equal(second.confidence, first.confidence[order])
    assert second.expected_loss == first.expected_loss


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(
    "move",
    [refinement.merged, refinement.reassigned, lambda *given: refinement.split(*given, {}), refinement.refined],
    ids=["merged", "reassigned", "split", "refined"],
)
def test_no_move_raises_the_loss(move: object, name: str) -> None:
    lowered = 0
    for seed in range(10):
        sample, _ = collapse(noisy(np.arange(80) % 5, 30, 0.4, seed))
        loss = loss_of(name, 80, 30)
        # A single cluster is what splits are for, and many are what mergers are for.
        for clusters in (1, 3, 20):
            start = np.arange(len(sample.weights), dtype=np.int32) % clusters
            before = refinement.objective(sample, start, loss)
            after = refinement.objective(sample, move(sample, start, loss), loss)
            assert after <= before
            lowered += after < before
    assert lowered


def test_a_draws_partition_of_one_cluster_is_taken_over() -> None:
    base = np.arange(40) % 4
    sample, types = collapse(noisy(base, 30, 0.02, seed=0))
    start = np.minimum(base[np.unique(types, return_index=True)[1]], 2).astype(np.int32)
    assert refinement.split(sample, start, loss_of("vi", 40, 30), {}).max() == 3


def test_the_most_certain_items_stay_where_sweeps_are_too_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = noisy(np.arange(60) % 3, 20, 0.3, seed=1)
    sample, _ = collapse(draws)
    loss = loss_of("vi", 60, 20)
    start = sample.labels[0].astype(np.int32)
    monkeypatch.setattr(refinement, "SWEEP_WORK", 20 * 4 * 10)
    moved = refinement.reassigned(sample, start, loss) != start
    assert 0 < moved.sum() <= 10


def test_screening_agrees_with_the_full_comparison_where_the_draws_differ_much() -> None:
    levels = np.linspace(0.02, 0.5, 40)
    draws = np.concatenate([noisy(np.arange(3_000) % 5, 1, noise, seed=i) for i, noise in enumerate(levels)])
    sample, _ = collapse(draws)
    loss = loss_of("vi", 3_000, 40)
    exact = best_draws(sample, loss, 4, work=10**9)
    assert best_draws(sample, loss, 4, work=1)[0] == exact[0]


def test_draws_whose_tables_do_not_fit_are_screened_only(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = noisy(np.arange(60) % 4, 20, 0.2, seed=0)
    monkeypatch.setattr(refinement, "LARGEST_TABLE", 10)
    result = consensus(draws)
    assert result.expected_loss <= min(expected_loss(draws, draw) for draw in draws) + 1e-9


def test_the_same_draws_give_the_same_bytes() -> None:
    draws = noisy(np.arange(200) % 6, 40, 0.3, seed=0)
    first, second = consensus(draws), consensus(draws.copy())
    assert first.labels.tobytes() == second.labels.tobytes()
    assert first.confidence.tobytes() == second.confidence.tobytes()
    assert first.expected_loss == second.expected_loss


def test_one_draw_is_its_own_consensus() -> None:
    result = consensus(np.array([[2, 2, 0, 1, 1, 1]]))
    assert result.labels.tolist() == [1, 1, 2, 0, 0, 0]
    assert (result.expected_loss, result.confidence.tolist()) == (0.0, [1.0] * 6)
    assert result.runner_up is None


def test_an_unknown_loss_is_refused() -> None:
    with pytest.raises(InputError, match="loss is"):
        consensus(np.array([[0, 1]]), "nmi")


@pytest.mark.parametrize("name", LOSSES)
def test_clusters_merge_beside_one_of_more_than_half_of_the_items(name: str) -> None:
    items = np.repeat(np.arange(4), (14, 3, 2, 1)).astype(np.uint8)
    draws = noisy(items, 30, 0.1, 0)
    sample, loss = PartitionSample.of(draws, np.ones(20, dtype=np.int64)), loss_of(name, 20, 30)

    def lost(a: int, b: int) -> int:
        united = np.unique(np.where(items == b, a, items), return_inverse=True)[1].astype(np.int32)
        return objective(sample, united, loss)

    a, b = min(combinations(range(4), 2), key=lambda pair: lost(*pair))
    found = merged_to(sample, items.astype(np.int32), loss, 3)
    assert found.max() == 2
    assert objective(sample, found, loss) == lost(a, b)


@pytest.mark.parametrize("loss", ["vi", "binder"])
def test_the_loss_of_parts_is_that_of_all_items(loss: str) -> None:
    rng = np.random.default_rng(2)
    lengths = [7, 1, 12]
    drawn = np.hstack([rng.integers(3, size=(20, length)) + 3 * part for part, length in enumerate(lengths)])
    found = consensus_of_parts(drawn, lengths, loss)
    assert found.expected_loss == pytest.approx(expected_loss(drawn, found.labels, loss), rel=1e-9)
    part = np.repeat(np.arange(3), lengths)
    assert all(len(set(part[found.labels == label])) == 1 for label in range(int(found.labels.max()) + 1))
    # Of one part, it is the consensus.
    alone, same = consensus_of_parts(drawn, [20], loss), consensus(drawn, loss)
    assert np.array_equal(alone.labels, same.labels)
    assert (alone.expected_loss, alone.kind) == (same.expected_loss, same.kind)


def test_a_second_answer_of_one_part_stands_beside_the_first_of_the_others() -> None:
    halves, other = np.repeat([0, 1], 10), np.tile([0, 1], 10)
    drawn = np.vstack([np.append(halves, [2, 2])] * 12 + [np.append(other, [2, 2])] * 8)
    found = consensus_of_parts(drawn, [20, 2])
    assert found.runner_up is not None
    assert found.runner_up.share == pytest.approx(0.4)
    assert sorted(found.runner_up.labels[20:].tolist()) == [2, 2]
    assert found.runner_up.moved == pytest.approx(0.5 * 20 / 22)
