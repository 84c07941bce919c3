"""Numbers of a run's tables."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from disnplbm.report.arrow import from_integers, to_numbers


def test_integers_go_to_arrow_and_back() -> None:
    values = np.arange(10)[::3]
    assert from_integers(values).to_pylist() == [0, 3, 6, 9]
    np.testing.assert_array_equal(to_numbers(pa.chunked_array([from_integers(values)]), np.int64), values)


def test_chunks_are_one_column_and_a_blank_is_not_a_number() -> None:
    column = pa.chunked_array([pa.array([0.0, 1.5, None, 2.5])[1:], pa.array([4.0])])
    np.testing.assert_array_equal(to_numbers(column, np.float64), [1.5, np.nan, 2.5, 4.0])
    assert np.isnan(to_numbers(pa.chunked_array([pa.nulls(3)]), np.float64)).all()
    assert to_numbers(pa.chunked_array([], pa.int64()), np.float64).shape == (0,)


@pytest.mark.parametrize("cells", [["a", "b"], [1, None]])
def test_what_is_no_integer_is_refused(cells: list[object]) -> None:
    with pytest.raises(ValueError):
        to_numbers(pa.chunked_array([pa.array(cells)]), np.int64)
