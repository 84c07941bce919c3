"""Transforms of each kind against plain NumPy, several in order, and the way back."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import Dataset, ingest, load_dataset
from disnplbm.data.shards import load_shard, load_transform, prepare
from disnplbm.data.transform import KINDS, MOST_STEPS, Transform, check_transform, fit_transform
from disnplbm.errors import InputError
from disnplbm.notes import Hint
from disnplbm.objects import open_store

Table = NDArray[np.float64]

SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 7), st.integers(1, 3))


def ingested(values: object, chunk_bytes: int = 500) -> Dataset:
    return ingest(ArraySource(values), open_store("memory://"), "d", chunk_bytes=chunk_bytes)


def fitted(values: Table, names: str) -> Transform:
    transform = fit_transform(ingested(values), names)[0]
    again = Transform.from_json(transform.to_json())
    assert again.name == transform.name == names
    assert again.apply(values).tobytes() == transform.apply(values).tobytes()
    return transform


def positive(shape: tuple[int, ...], seed: int = 0, missing: float = 0.2) -> Table:
    generator = np.random.default_rng(seed)
    values = generator.lognormal(2, 1, shape)
    values[generator.random(shape[:2]) < missing] = np.nan
    return values


@settings(deadline=None, max_examples=50)
@given(shape=SHAPES, seed=st.integers(0, 100))
def test_center_takes_away_the_mean_of_each_column(shape: tuple[int, int, int], seed: int) -> None:
    values = positive(shape, seed)
    seen = ~np.isnan(values)
    mean = np.where(seen, values, 0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    np.testing.assert_allclose(fitted(values, "center").apply(values), values - mean, atol=1e-12)


@settings(deadline=None, max_examples=50)
@given(shape=SHAPES, seed=st.integers(0, 100))
def test_rows_are_standardised_each_by_itself(shape: tuple[int, int, int], seed: int) -> None:
    values = positive(shape, seed)
    out = fitted(values, "standardize-rows").apply(values)
    for row, scaled in zip(values, out, strict=True):
        for component, found in zip(row.T, scaled.T, strict=True):
            seen = component[~np.isnan(component)]
            expected = (component - seen.mean()) / seen.std() if len(set(seen)) > 1 else component * 0.0
            np.testing.assert_allclose(found, expected, atol=1e-9)


@settings(deadline=None, max_examples=50)
@given(shape=SHAPES, seed=st.integers(0, 100))
def test_a_row_is_the_same_whichever_rows_come_with_it(shape: tuple[int, int, int], seed: int) -> None:
    values = positive(shape, seed)
    transform = Transform.from_json('{"kind": "standardize-rows"}')
    alone = np.concatenate([transform.apply(values[i : i + 1]) for i in range(len(values))])
    assert alone.tobytes() == transform.apply(values).tobytes()
    assert transform.apply(values[::-1])[::-1].tobytes() == alone.tobytes()


@pytest.mark.parametrize("scale", [1e-200, 1e-5, 1.0, 1e150, 1e300])
def test_rows_of_any_size_are_standardised(scale: float) -> None:
    values = np.random.default_rng(0).normal(size=(5, 8, 1)) * scale
    out = fitted(values, "standardize-rows").apply(values)
    np.testing.assert_allclose(out.std(axis=1), 1, rtol=1e-9)
    np.testing.assert_allclose(out.mean(axis=1), 0, atol=1e-9)


def test_constant_rows_and_columns_become_zero_and_are_named() -> None:
    values = np.random.default_rng(0).normal(size=(6, 5))
    values[2] = 0.1
    transform, warnings = fit_transform(ingested(values, chunk_bytes=80), "standardize-rows")
    assert warnings == ["1 row constant: set to 0 by standardize-rows: 3"]
    assert (transform.apply(values[:, :, None])[2] == 0).all()
    transform, warnings = fit_transform(ingested(values.T), "center")
    assert warnings == ["1 column constant: set to 0 by center: 2"]
    assert (transform.apply(values.T[:, :, None])[:, 2] == 0).all()


def test_log_is_the_natural_logarithm() -> None:
    values = positive((20, 4, 2))
    np.testing.assert_allclose(fitted(values, "log").apply(values), np.log(values), rtol=1e-15)


@pytest.mark.parametrize("names", ["log,center", "center,standardize-rows", "log1p,standardize", "boxcox,center"])
def test_several_are_applied_in_order_each_to_what_the_last_one_left(names: str) -> None:
    values = positive((30, 5, 1))
    by_hand = values
    for name in names.split(","):
        by_hand = fit_transform(ingested(by_hand), name)[0].apply(by_hand)
    assert fitted(values, names).apply(values).tobytes() == by_hand.tobytes()


def test_order_matters() -> None:
    values = positive((30, 5, 1))
    one, other = (
        fitted(values, names).apply(values) for names in ("center,standardize-rows", "standardize-rows,center")
    )
    assert np.nanmax(np.abs(one - other)) > 0.01


@pytest.mark.parametrize(
    "names", [*KINDS, "log1p,center,standardize-rows", "standardize-rows,center", "log,log", "boxcox,standardize"]
)
@pytest.mark.parametrize("d", [1, 2])
def test_every_transform_can_be_taken_back(names: str, d: int) -> None:
    values = positive((12, 6, d)) + 2
    transform = fitted(values, names)
    np.testing.assert_allclose(transform.inverse(transform.apply(values), values), values, rtol=1e-9, atol=1e-9)


def test_means_and_spreads_go_back_to_the_last_scale_that_is_not_bent() -> None:
    values = positive((12, 6, 2), missing=0)
    for names, after in (("standardize", "none"), ("standardize-rows,center", "none"), ("log,standardize", "log")):
        transform, kept = fitted(values, names), fitted(values, after).apply(values)
        low, high = transform.apply(values), transform.apply(values) + 1
        mean, sd = transform.in_plain_units(low, np.ones_like(low), values)
        np.testing.assert_allclose(mean, kept, atol=1e-9)
        np.testing.assert_allclose(sd, transform.in_plain_units(high, low, values)[0] - mean, atol=1e-9)


def test_one_alone_is_stored_as_it_always_was() -> None:
    values = np.array([[1.0, 2.0], [3.0, 6.0]])
    stored = {
        "none": {"kind": "none"},
        "log1p": {"kind": "log1p"},
        "standardize": {"kind": "standardize", "center": [[2.0], [4.0]], "scale": [[1.0], [2.0]]},
    }
    for names, record in stored.items():
        assert fit_transform(ingested(values), names)[0].to_json() == json.dumps(record)
    assert json.loads(fit_transform(ingested(values), "boxcox")[0].to_json()).keys() == {"kind", "power"}


def test_a_dataset_stored_with_a_note_on_scales_is_found() -> None:
    dataset = ingested(np.ones((2, 2)))
    record = json.loads(dataset.to_json()) | {"uneven": None}
    dataset.store.put("d/dataset.json", json.dumps(record).encode())
    assert load_dataset(dataset.store, "d").sha256 == dataset.sha256


@pytest.mark.parametrize("axis", ["rows", "columns"])
@pytest.mark.parametrize("names", ["log,standardize-rows", "standardize-rows,center", "log1p,center"])
def test_shards_hold_the_transformed_table_along_either_axis(axis: str, names: str) -> None:
    values = positive((23, 11, 1))
    dataset = ingested(values)
    manifest = prepare(dataset, dataset.store, "s", n_shards=3, axis=axis, transform=names)  # type: ignore[arg-type]
    assert manifest.transform == names
    whole = np.empty((manifest.n_items, manifest.n_others, 1))
    for index in range(3):
        whole[index::3] = load_shard(dataset.store, manifest, index)
    expected = load_transform(dataset.store, manifest).apply(values)
    np.testing.assert_array_equal(whole if axis == "rows" else whole.transpose(1, 0, 2), expected)


@pytest.mark.parametrize(
    ("given", "stored"), [("none", "none"), ("log1p, center", "log1p,center"), (["log", "center"], "log,center")]
)
def test_names_have_one_spelling(given: object, stored: str) -> None:
    assert check_transform(given) == stored  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "unknown transform ''"),
        ([], "unknown transform ''"),
        ("log,", "unknown transform ''"),
        ("log,cube", "unknown transform 'cube'; choose one of none, log"),
        ("none,log", "stands alone"),
        (",".join(["log"] * (MOST_STEPS + 1)), f"at most {MOST_STEPS}"),
    ],
)
def test_bad_names_are_refused(given: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_transform(given)  # type: ignore[arg-type]


def test_a_domain_error_names_the_step_the_column_and_the_row() -> None:
    with pytest.raises(InputError, match=r"^after center, column 0, row 1 holds -1; log needs values above 0"):
        fit_transform(ingested([[1.0, 1.0], [3.0, 1.0]]), "center,log")


@pytest.mark.parametrize(("kind", "bound"), [("log", 0), ("boxcox", 0), ("log1p", -1)])
@pytest.mark.parametrize("lowest", [0.0, -0.5, -1.0, -5.0])
def test_a_transform_that_is_proposed_instead_takes_the_whole_table(kind: str, bound: int, lowest: float) -> None:
    dataset = ingested([[2.0, bound], [3.0, lowest], [5.0, 4.0]])
    with pytest.raises(InputError, match=f"needs values above {bound}: add a constant") as refused:
        fit_transform(dataset, kind)
    proposed = [part.value for part in refused.value.note.parts if isinstance(part, Hint)]
    assert proposed
    for name in proposed:
        fit_transform(dataset, name)
    assert ("log1p" in proposed) == (kind != "log1p" and lowest > -1)
