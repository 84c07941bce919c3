"""Draws in memory: what goes in comes out, and labels are kept small."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.posterior.draws import Draw, Draws, label_type

from .draw_samples import draw_of, meta_of, random_draws, table

VALUES = table(12, 5, 2, missing=0.1)
META = meta_of(VALUES)


def test_draws_come_back_as_they_were() -> None:
    draw = draw_of(VALUES, META, np.arange(12) % 4, np.arange(5) % 2, iteration=7, chain=3)
    back = Draws.of(iter([draw]), META)[0]
    assert (back.chain, back.iteration, back.log_joint) == (3, 7, draw.log_joint)
    assert (back.alpha, back.beta) == (draw.alpha, draw.beta)
    for name in ("row_labels", "column_labels"):
        assert getattr(back, name).dtype == np.int32
        np.testing.assert_array_equal(getattr(back, name), getattr(draw, name))
    assert back.blocks is draw.blocks


def test_numbers_are_those_of_the_draws() -> None:
    draws = random_draws(VALUES, META, 6, k=5, n_groups=3)
    numbers = draws.numbers()
    assert len(numbers) == len(draws) == 6
    for index, draw in enumerate(draws):
        assert numbers.iteration[index] == draw.iteration == index + 1
        assert numbers.log_joint[index] == draw.log_joint
        assert (numbers.row_clusters[index], numbers.column_clusters[index]) == draw.blocks.shape
        assert (numbers.alpha[index], numbers.beta[index]) == (draw.alpha, draw.beta)
        np.testing.assert_array_equal(draws.row_labels(index), draw.row_labels)
        np.testing.assert_array_equal(draws.column_labels(index), draw.column_labels)


def test_slices_and_selections_are_draws() -> None:
    draws = random_draws(VALUES, META, 7)
    assert [draw.iteration for draw in draws[2:6:2]] == [3, 5]
    assert draws[-1].iteration == 7
    chosen = draws.select([5, 0, 3])[1:]
    assert chosen.numbers().iteration.tolist() == [1, 4]
    assert [draw.iteration for draw in chosen] == [1, 4]
    np.testing.assert_array_equal(chosen.row_labels(1), draws[3].row_labels)
    with pytest.raises(IndexError):
        draws[7]


def test_all_labels_come_in_the_smallest_type() -> None:
    draws = random_draws(VALUES, META, 4)
    rows, columns = draws.labels("rows"), draws.labels("columns")
    assert (rows.shape, columns.shape) == ((4, 12), (4, 5))
    assert rows.dtype == columns.dtype == np.uint8
    np.testing.assert_array_equal(rows[2], draws.row_labels(2))
    np.testing.assert_array_equal(columns[3], draws.column_labels(3))


@pytest.mark.parametrize(("clusters", "kind"), [(1, "u1"), (256, "u1"), (257, "u2"), (65536, "u2"), (65537, "u4")])
def test_type_of_labels_is_the_smallest_that_holds_them(clusters: int, kind: str) -> None:
    assert label_type(clusters) == np.dtype(kind)


def test_draws_with_many_clusters_keep_their_labels() -> None:
    """Beside a draw with few clusters, one with 300 asks for two bytes a label."""
    values = table(300, 2, 1)
    meta = meta_of(values)
    many: Draw = draw_of(values, meta, np.arange(300), np.array([0, 0]), iteration=2)
    draws = Draws.of([draw_of(values, meta, np.zeros(300, int), np.array([0, 1])), many], meta)
    assert draws.labels("rows").dtype == np.uint16
    np.testing.assert_array_equal(draws.labels("rows")[1], np.arange(300))


def test_no_draws_are_draws_too() -> None:
    draws = Draws.of([], META)
    assert len(draws) == len(draws.numbers()) == 0
    assert draws.labels("rows").shape == (0, 12)
