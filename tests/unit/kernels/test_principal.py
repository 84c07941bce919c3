"""Scores on the leading principal direction against a singular value decomposition."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.kernels.principal import leading_scores


@pytest.mark.parametrize(("m", "features"), [(2, 1), (3, 7), (40, 3), (200, 26)])
def test_scores_are_those_of_the_leading_singular_vector(m: int, features: int) -> None:
    rng = np.random.default_rng([m, features])
    apart = rng.normal(size=features) * 4 / np.sqrt(features)
    table = rng.normal(size=(m, features)) + np.where(np.arange(m) % 2, 1.0, -1.0)[:, None] * apart
    table -= table.mean(axis=0)
    left, values, _ = np.linalg.svd(table, full_matrices=False)
    expected, found = left[:, 0] * values[0], leading_scores(table)
    cosine = found @ expected / (np.linalg.norm(found) * np.linalg.norm(expected))
    assert abs(cosine) > 0.99
    # It stops when no score changes its sign any more.
    plain = abs(expected) > 0.1 * abs(expected).max()
    assert ((found >= 0) == (expected * np.sign(cosine) >= 0))[plain].all()


def test_items_that_are_all_alike_have_no_scores() -> None:
    assert not leading_scores(np.zeros((5, 3))).any()


def test_scores_repeat_to_the_last_bit_and_do_not_depend_on_where_the_table_lies() -> None:
    table = np.random.default_rng(0).normal(size=(50, 9))
    moved = np.empty((51, 9))[1:]
    moved[:] = table
    assert leading_scores(table).tobytes() == leading_scores(moved).tobytes()
