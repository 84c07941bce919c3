"""The transform that is recommended, and the sample that it is judged by."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from disnplbm import NPLBM
from disnplbm.data.advice import SKEWED, Advice, advise
from disnplbm.data.sample import MOST_COLUMNS, MOST_ROWS, Sample
from disnplbm.data.source import open_source
from disnplbm.data.synthetic import paper_blocks
from disnplbm.posterior.scores import partition_scores

Table = NDArray[np.float64]

GENERATOR = np.random.default_rng(0)


def advice_on(values: Table) -> Advice:
    values = values.reshape(*values.shape[:2], -1)
    sample = Sample(values.shape[1], values.shape[2])
    sample.add(values)
    return advise(sample, [f"c{j}" for j in range(values.shape[1])])


def expression(rows: int, columns: int, classes: int, seed: int) -> Table:
    """Log-normal: levels of the columns over decades, a tenth of them shifted in each class."""
    generator = np.random.default_rng(seed)
    shifts = generator.normal(0, 1.2, (classes, columns)) * (generator.random((classes, columns)) < 0.1)
    logs = generator.normal(6, 1.5, columns) + shifts[np.arange(rows) % classes]
    return np.exp(logs + generator.normal(0, 0.5, (rows, columns)))


def paper(rows: int) -> Table:
    blocks = paper_blocks()
    place = np.ix_(np.arange(rows) % 10, np.arange(90) % 3)
    return blocks.means[place][..., 0] + blocks.roots[place][..., 0, 0] * GENERATOR.standard_normal((rows, 90))


@pytest.mark.parametrize(("rows", "columns", "classes"), [(72, 1868, 2), (100, 500, 4), (22, 1000, 2), (300, 40, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_expression_tables_are_logged(rows: int, columns: int, classes: int, seed: int) -> None:
    values = expression(rows, columns, classes, seed)
    advice = advice_on(values)
    assert advice.transform == "log"
    assert advice.reason.startswith("all values are above 0, they span 2")
    assert advice.skewness is not None
    assert advice.skewness > SKEWED > 0.2 > abs(advice.skewness_after_log or 1)
    chance = np.random.default_rng(seed).random(values.shape)
    values[chance < 0.01] = 0.0
    values[chance > 0.95] = np.nan
    assert advice_on(values).transform == "log1p"
    assert advice_on(np.log1p(values)).transform == "none"


def test_counts_over_decades_are_logged() -> None:
    advice = advice_on(GENERATOR.poisson(np.exp(GENERATOR.normal(1, 1.5, (60, 300)))).astype(float))
    assert (advice.transform, advice.reason[:39]) == ("log1p", "no value is below 0 and some are 0, the")


@pytest.mark.parametrize(
    ("load", "transform"),
    [(load_wine, "standardize"), (load_breast_cancer, "standardize"), (load_iris, "none"), (load_digits, "none")],
)
def test_tables_of_scikit_learn(load: object, transform: str) -> None:
    assert advice_on(load().data).transform == transform  # type: ignore[operator]


def test_wine_without_its_widest_columns_is_of_several_units_still() -> None:
    """All rows are in one cluster as they come, and 10 clusters tell the cultivars apart when standardised."""
    values = np.delete(load_wine().data, [4, 12], axis=1)
    advice = advice_on(values)
    assert advice.transform == "standardize"
    assert advice.reason.startswith("columns are on different scales (range 0.53 in c")


def in_blocks(rows: int, columns: int, seed: int = 0) -> tuple[Table, NDArray[np.int64]]:
    """Cells of one unit in 4 x 3 blocks, and the classes of the rows."""
    generator = np.random.default_rng(seed)
    classes = np.arange(rows) % 4
    means = generator.normal(0, 2, (4, 3))[np.ix_(classes, np.arange(columns) % 3)]
    return means + generator.normal(size=(rows, columns)), classes


def units(columns: int, kind: str) -> tuple[Table | float, Table | float]:
    """What a column of another unit is multiplied by, and what is added."""
    last, half = np.arange(columns) == columns - 1, np.arange(columns) < columns // 2
    levels = np.random.default_rng(1).normal(0, 100, columns)
    return {
        "one unit": (1.0, 0.0),
        "one a little wider": (np.where(last, 2.0, 1.0), 0.0),
        "one narrower": (np.where(last, 0.1, 1.0), 0.0),
        "one wider": (np.where(last, 10.0, 1.0), 0.0),
        "half wider": (np.where(half, 10.0, 1.0), 0.0),
        "one higher": (1.0, np.where(last, 100.0, 0.0)),
        "all at levels": (1.0, levels),
    }[kind]


@pytest.mark.parametrize("columns", [6, 10, 16])
@pytest.mark.parametrize(
    ("kind", "transform"),
    [
        *((kind, "none") for kind in ("one unit", "one a little wider", "one narrower")),
        *((kind, "standardize") for kind in ("one wider", "half wider", "one higher", "all at levels")),
    ],
)
def test_columns_of_another_unit_are_standardised(columns: int, kind: str, transform: str) -> None:
    scale, level = units(columns, kind)
    for rows in (40, 300):
        advice = advice_on(in_blocks(rows, columns)[0] * scale + level)
        assert advice.transform == transform
        assert ("different scales (range" in advice.reason) == (transform == "standardize")


@pytest.mark.parametrize("kind", ["one wider", "half wider", "one higher", "all at levels"])
def test_the_clusters_of_the_other_columns_are_found_after_what_is_recommended(kind: str) -> None:
    values, classes = in_blocks(100, 10)
    scale, level = units(10, kind)
    found = {}
    for transform in ("none", advice_on(values * scale + level).transform):
        model = NPLBM(60, n_restarts=3, column_transform=transform).fit(values * scale + level)
        found[transform] = partition_scores(classes, model.row_labels_)[0]
    assert found["standardize"] > 0.65
    assert found["standardize"] > found["none"] + 0.2


def test_wide_tables_of_one_unit_are_not_standardised() -> None:
    """As a background that is taken away leaves genes: some below 0, so that there is no logarithm."""
    for seed in range(3):
        values = expression(72, 900, 2, seed)
        assert advice_on(values - 400).transform == "none"
        assert advice_on(np.log(values)).transform == "none"


def test_rare_counts_and_rare_marks_are_of_one_unit() -> None:
    generator = np.random.default_rng(5)
    classes = np.arange(120) % 3
    rates = np.exp(generator.normal(-1, 1.5, 40)) * np.exp(generator.normal(0, 0.8, (3, 40)))[classes]
    assert advice_on(generator.poisson(rates).astype(float)).transform == "none"
    assert advice_on((generator.random((200, 40)) < generator.beta(0.3, 3, 40)).astype(float)).transform == "none"


@pytest.mark.parametrize(
    ("name", "transform"),
    [("chowdary-2006.csv.gz", "log"), ("nutt-2003-v3.csv.gz", "log"), ("senate109.csv.gz", "none")],
)
def test_real_tables(shared_dir: Path, name: str, transform: str) -> None:
    source = open_source(shared_dir / "data" / name, id_column="sample", class_column="class")
    assert advice_on(np.concatenate([chunk.values for chunk in source.chunks()])).transform == transform


@pytest.mark.parametrize(
    ("values", "transform"),
    [
        (paper(2000), "none"),
        (GENERATOR.normal(5, 1, (100, 20)), "none"),
        (GENERATOR.uniform(0, 1, (200, 10)), "none"),
        (GENERATOR.normal(10, 1, (100, 8)) * 10.0 ** np.arange(8), "standardize"),
        # Positive, over decades and skewed as a whole, and normal in each of its blocks.
        (np.where(np.arange(200)[:, None] < 40, 100.0, 5.0) + GENERATOR.normal(0, 0.5, (200, 20)), "none"),
        # Bimodal columns, and log-normal in each of the blocks.
        (
            np.exp(GENERATOR.normal(0, 0.5, (200, 40)) + 4.0 * np.eye(2)[np.arange(200) % 2][:, np.arange(40) % 2]),
            "log",
        ),
        (np.full((5, 3), 2.0), "none"),
        (np.full((5, 3), np.nan), "none"),
        (np.ones((1, 1)), "none"),
        (expression(50, 6, 2, 0).reshape(50, 3, 2), "none"),
        (GENERATOR.normal(1e300, 1e299, (50, 4)), "none"),
    ],
)
def test_generated_tables(values: Table, transform: str) -> None:
    assert advice_on(values).transform == transform


def test_the_reason_names_columns_of_the_whole_table() -> None:
    values = GENERATOR.normal(size=(50, 2 * MOST_COLUMNS))
    values[:, 100:] *= 1000
    narrow = re.search(r"in c(\d+), ", advice_on(values).reason)
    assert narrow is not None
    assert int(narrow[1]) < 100


def test_what_is_chosen_already_is_not_advised_again() -> None:
    advice = Advice("standardize", "columns differ")
    assert advice.note("none") == "columns differ: if they are different quantities, use --transform standardize"
    assert (
        advice.note("log")
        == "after log, columns differ: if they are different quantities, use --transform log,standardize"
    )
    assert advice.note("standardize,center") is None
    assert Advice("log", "cells are skewed").note("none") == "cells are skewed: use --transform log"
    assert Advice("none", "all is well").note("none") is None


def test_whole_numbers_from_zero_may_be_counts() -> None:
    counts = GENERATOR.poisson(3.0, (200, 30)).astype(float)
    advice = advice_on(counts)
    assert (advice.transform, advice.counts) == ("none", True)
    note = advice.note("none")
    assert note is not None
    assert note.said(lambda hint: f"--{hint.option} {hint.value}") == (
        "the cells are whole numbers from 0, and are taken as real numbers: if they are counts, use --cells counts"
    )
    assert note.kind == "cells"
    for other in (counts - 1, counts / 2, counts + 1):
        assert not advice_on(other).counts
    skewed = advice_on(GENERATOR.poisson(np.exp(GENERATOR.normal(1, 1.5, (60, 300)))).astype(float)).note("none")
    assert skewed is not None
    assert skewed.said(lambda hint: f"--{hint.option} {hint.value}").endswith(
        ": use --transform log1p or, if the cells are counts, --cells counts"
    )


@settings(deadline=None, max_examples=30)
@given(n=st.integers(1, 4 * MOST_ROWS), cuts=st.lists(st.integers(1, 700), max_size=5))
def test_a_sample_does_not_depend_on_how_the_table_is_cut(n: int, cuts: list[int]) -> None:
    values = np.arange(n, dtype=np.float64)[:, None, None]
    whole, parts = Sample(1, 1), Sample(1, 1)
    whole.add(values)
    start = 0
    for step in cuts:
        parts.add(values[start : start + step])
        start += step
    parts.add(values[start:])
    assert np.array_equal(whole.cells, parts.cells)
    assert len(whole.cells) == min(n, MOST_ROWS)
    assert (np.diff(whole.cells[:, 0, 0]) > 0).all()


def test_a_sample_is_even_whatever_the_period_of_the_table() -> None:
    sample = Sample(3, 1)
    sample.add(np.tile((np.arange(50_000) % 16.0)[:, None, None], (1, 3, 1)))
    counts = np.bincount(sample.cells[:, 0, 0].astype(int))
    assert abs(counts - MOST_ROWS / 16).max() < 0.4 * MOST_ROWS / 16
