"""Prepare: shards, manifest, moments."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from disnplbm.data import sharding
from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import Dataset, ingest
from disnplbm.data.sharding import Axis, auto_shards, choose_sharding, paying_shards
from disnplbm.data.shards import Manifest, load_manifest, load_shard, load_transform, prepare
from disnplbm.errors import InputError, RunError
from disnplbm.objects import ObjectStore, open_store

from .tables import tables, with_unified_missing


def ingested(values: object, chunk_bytes: int = 2**20) -> tuple[Dataset, ObjectStore]:
    store = open_store("memory://")
    return ingest(ArraySource(values), store, "d", chunk_bytes=chunk_bytes), store


def reassembled(store: ObjectStore, manifest: Manifest) -> NDArray[np.float64]:
    """All shards in the user's orientation."""
    items = np.empty((manifest.n_items, manifest.n_others, manifest.dimension))
    for e in range(manifest.n_shards):
        shard = load_shard(store, manifest, e)
        assert shard.flags.c_contiguous
        assert shard.flags.writeable
        assert shard.shape == (manifest.shards[e].items, manifest.n_others, manifest.dimension)
        items[e :: manifest.n_shards] = shard
    return items if manifest.axis == "rows" else items.transpose(1, 0, 2)


@settings(deadline=None, max_examples=120)
@given(
    values=tables(),
    n_shards=st.integers(1, 9),
    axis=st.sampled_from(["rows", "columns"]),
    chunk_bytes=st.integers(1, 4000),
    part_bytes=st.integers(200, 3000),
)
def test_shards_reassemble_to_the_table(
    values: NDArray[np.float64], n_shards: int, axis: Axis, chunk_bytes: int, part_bytes: int
) -> None:
    assume(not np.isnan(with_unified_missing(values)).all())
    dataset, store = ingested(values, chunk_bytes)
    whole_parts = store.parts
    store.parts = lambda key: whole_parts(key, part_bytes)  # type: ignore[method-assign,misc,assignment]
    manifest = prepare(dataset, store, "q", n_shards=n_shards, axis=axis)
    expected = with_unified_missing(values)
    assert np.array_equal(reassembled(store, manifest), expected, equal_nan=True)
    assert load_manifest(store, "q") == manifest
    assert sum(shard.items for shard in manifest.shards) == manifest.n_items
    assert manifest.n_shards == min(n_shards, manifest.n_items)
    assert manifest.observed + manifest.missing == values.shape[0] * values.shape[1]

    observed = expected[~np.isnan(expected[:, :, 0])]
    assert manifest.observed == len(observed)
    if len(observed):
        scale = np.abs(observed).max()
        np.testing.assert_allclose(manifest.mean, observed.mean(axis=0), rtol=1e-12, atol=1e-12 * scale)
        spread = np.atleast_2d(np.cov(observed.T, bias=True)) if len(observed) > 1 else np.zeros((values.shape[2],) * 2)
        np.testing.assert_allclose(manifest.covariance, spread, rtol=1e-6, atol=1e-6 * spread.max() + 1e-20)
    else:
        assert not np.any(manifest.covariance)


def test_moments_keep_their_digits_far_from_zero() -> None:
    x = 1e8 + np.random.default_rng(0).integers(0, 3, size=(1000, 10)).astype(float)
    dataset, store = ingested(x, chunk_bytes=800)
    manifest = prepare(dataset, store, "q")
    assert manifest.mean[0] == pytest.approx(x.mean(), rel=1e-15)
    assert manifest.covariance[0][0] == pytest.approx((x - 1e8).var(), rel=1e-12)


def test_moments_do_not_depend_on_shards_or_axis() -> None:
    dataset, store = ingested(np.random.default_rng(0).normal(size=(300, 40, 2)), chunk_bytes=5000)
    found = {
        (m.mean, m.covariance)
        for i, (e, axis) in enumerate([(1, "rows"), (7, "rows"), (3, "columns")])
        for m in [prepare(dataset, store, f"q{i}", n_shards=e, axis=axis)]  # type: ignore[arg-type]
    }
    assert len(found) == 1


def test_longer_side_is_sharded_and_rows_in_a_tie() -> None:
    for shape, axis in (((5, 3), "rows"), ((3, 5), "columns"), ((4, 4), "rows")):
        dataset, store = ingested(np.zeros(shape))
        assert prepare(dataset, store, "q").axis == axis


@pytest.mark.parametrize("shape", [(3, 4), (1, 5), (5, 1), (2, 1), (1, 1)])
def test_more_shards_than_items_are_clamped_with_a_note(shape: tuple[int, int]) -> None:
    dataset, store = ingested(np.arange(shape[0] * shape[1], dtype=float).reshape(shape))
    manifest = prepare(dataset, store, "q", n_shards=8, axis="rows")
    assert manifest.n_shards == shape[0]
    assert f"8 shards asked for but there are only {shape[0]} rows: used {shape[0]}" in manifest.warnings


def test_number_of_shards_chosen() -> None:
    assert auto_shards(999_999, 1, 1) == 1
    assert auto_shards(1_000_000, 1, 1) == 2
    assert auto_shards(20_000, 90, 1) == 4
    assert auto_shards(500_000, 20, 1) == 20
    assert auto_shards(600, 10_000, 1) == 1
    assert auto_shards(10**7, 100, 4) == 64


def test_number_of_shards_that_pay_where_each_is_a_message() -> None:
    assert paying_shards(999_999, 1, 1) == 1
    assert paying_shards(20_000, 90, 1) == 1
    assert paying_shards(40_000, 90, 1) == 3
    assert paying_shards(100_000, 90, 1) == 6
    assert paying_shards(1_000_000, 90, 1) == 21
    assert paying_shards(10**9, 20, 1) == 64
    # Cells that are not stored cost nothing.
    assert paying_shards(100_000, 10_000, 1, 9_000_000) == 6


@pytest.mark.parametrize("items", [100, 11_112, 30_000, 300_000, 3_000_000, 10**8])
@pytest.mark.parametrize("others", [1, 20, 90, 5_000])
@pytest.mark.parametrize("dimension", [1, 4])
def test_a_message_a_shard_never_makes_more_of_them(items: int, others: int, dimension: int) -> None:
    paying = paying_shards(items, others, dimension)
    assert 1 <= paying <= auto_shards(items, others, dimension)
    assert paying <= paying_shards(2 * items, others, dimension)


def test_words_for_a_number_of_shards() -> None:
    sharded = SimpleNamespace(n=100_000, p=90, dimension=1)
    assert choose_sharding(sharded).n_shards == 18
    assert choose_sharding(sharded, n_shards="paying").n_shards == 6


def test_bad_options_are_refused() -> None:
    dataset, store = ingested(np.zeros((3, 2)))
    for n in (0, -1, True, 1.5, "many"):
        with pytest.raises(InputError, match=r"(whole number from|must be at least) 1"):
            prepare(dataset, store, "q", n_shards=n)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="unknown shard axis 'cells'"):
        prepare(dataset, store, "q", axis="cells")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="unknown transform 'sqrt'; choose one of none, log, log1p, boxcox, center"):
        prepare(dataset, store, "q", transform="sqrt")


def test_numbers_too_large_for_a_covariance_are_refused() -> None:
    dataset, store = ingested(np.array([[1e200, -1e200], [0.0, 1.0]]))
    with pytest.raises(InputError, match="too large"):
        prepare(dataset, store, "q")


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_damaged_shard_is_refused(axis: Axis) -> None:
    dataset, store = ingested(np.random.default_rng(0).normal(size=(30, 4)))
    manifest = prepare(dataset, store, "q", n_shards=2, axis=axis)
    good = bytes(store.get(manifest.shards[1].key))
    store.put(manifest.shards[1].key, good[:-1] + bytes([good[-1] ^ 1]))
    with pytest.raises(RunError, match=r"shard 1 .* is damaged"):
        load_shard(store, manifest, 1)
    store.put(manifest.shards[1].key, good[:-8])
    with pytest.raises(RunError, match=r"shard 1 .* is damaged"):
        load_shard(store, manifest, 1)
    store.delete([manifest.shards[1].key])
    with pytest.raises(RunError, match="is missing"):
        load_shard(store, manifest, 1)
    load_shard(store, manifest, 0)


def test_manifest_appears_last() -> None:
    dataset, store = ingested(np.array([[1.0], [-1.0]]))
    with pytest.raises(InputError):
        prepare(dataset, store, "q", transform="boxcox")
    assert store.list("q") == []


def test_transform_is_stored_beside_the_shards() -> None:
    x = np.random.default_rng(0).normal(3, 2, size=(40, 5))
    dataset, store = ingested(x)
    manifest = prepare(dataset, store, "q", transform="standardize")
    fitted = load_transform(store, manifest)
    assert np.array_equal(fitted.apply(x[:, :, None]), reassembled(store, manifest))


def test_progress_ends_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset, store = ingested(np.random.default_rng(0).lognormal(size=(50, 4)), chunk_bytes=320)
    for transform in ("none", "boxcox"):
        seen: list[tuple[int, int]] = []
        prepare(dataset, store, "q", transform=transform, progress=lambda done, total: seen.append((done, total)))  # noqa: B023
        assert seen == sorted(seen)
        assert seen[-1][0] == seen[-1][1]
    assert sharding.MOST_SHARDS == 64
