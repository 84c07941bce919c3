"""Sparse rows as objects: what is not what was written is refused before SciPy follows it."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from disnplbm.errors import RunError
from disnplbm.objects import open_store
from disnplbm.objects.arrays import npy_header
from disnplbm.objects.csr import get_csr, put_csr

TABLE = sp.csr_array(np.array([[0, 1, 2], [0, 0, 0], [3, 0, 4.0]]))
ENDS, COLUMNS, VALUES = (np.array([0, 2, 2, 4]), np.array([1, 2, 0, 2], np.int32), np.array([1, 2, 3, 4], np.uint8))


def packed(*arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    for array in arrays:
        np.lib.format.write_array(file, array, version=(1, 0))
    return file.getvalue()


def test_rows_come_back() -> None:
    store = open_store("memory://")
    put_csr(store, "x", TABLE)
    found = get_csr(store, "x", (3, 3))
    np.testing.assert_array_equal(found.toarray(), TABLE.toarray())
    assert (found.data.dtype, found.indices.dtype) == (np.float64, np.int32)
    assert bytes(store.get("x")) == packed(ENDS, COLUMNS, VALUES)


def test_rows_without_an_entry_come_back() -> None:
    store = open_store("memory://")
    put_csr(store, "x", sp.csr_array((4, 3)))
    assert get_csr(store, "x", (4, 3)).toarray().tolist() == [[0.0] * 3] * 4


def with_value(array: np.ndarray, position: int, value: float) -> np.ndarray:
    array = array.copy()
    array[position] = value
    return array


DAMAGED: dict[str, Callable[[], bytes]] = {
    "cut short": lambda: packed(ENDS, COLUMNS, VALUES)[:-1],
    "longer": lambda: packed(ENDS, COLUMNS, VALUES) + b"0",
    "two arrays": lambda: packed(ENDS, COLUMNS),
    "empty": lambda: b"",
    "no array": lambda: b"x" * 500,
    "pickled": lambda: packed(ENDS, COLUMNS, VALUES.astype(object)),
    "two axes": lambda: packed(ENDS, COLUMNS, VALUES.reshape(2, 2)),
    "a type of ends": lambda: packed(ENDS.astype(np.int32), COLUMNS, VALUES),
    "a type of columns": lambda: packed(ENDS, COLUMNS.astype(np.int64), VALUES),
    "a type of values": lambda: packed(ENDS, COLUMNS, VALUES.astype(np.float32)),
    "fewer rows": lambda: packed(ENDS[1:], COLUMNS, VALUES),
    "fewer values": lambda: packed(ENDS, COLUMNS, VALUES[1:]),
    "a column beyond": lambda: packed(ENDS, with_value(COLUMNS, 3, 3), VALUES),
    "a column before": lambda: packed(ENDS, with_value(COLUMNS, 0, -1), VALUES),
    "columns not in order": lambda: packed(ENDS, COLUMNS[[1, 0, 2, 3]], VALUES),
    "a column twice": lambda: packed(ENDS, with_value(COLUMNS, 0, 2), VALUES),
    "an end beyond": lambda: packed(with_value(ENDS, 3, 5), COLUMNS, VALUES),
    "ends that fall": lambda: packed(with_value(ENDS, 1, 3), COLUMNS, VALUES),
    "a beginning": lambda: packed(with_value(ENDS, 0, 1), COLUMNS, VALUES),
    "a zero": lambda: packed(ENDS, COLUMNS, with_value(VALUES, 1, 0)),
    "infinite": lambda: packed(ENDS, COLUMNS, VALUES / 0.0),
}


@given(
    changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=8),
    cut=st.integers(0, 20) | st.just(0),
)
def test_bytes_that_change_are_refused_or_read_as_rows(changes: list[tuple[int, int]], cut: int) -> None:
    store = open_store("memory://")
    content = bytearray(packed(ENDS, COLUMNS, VALUES))
    for place, byte in changes:
        content[place % len(content)] = byte
    store.put("x", bytes(content[: len(content) - cut]))
    try:
        found = get_csr(store, "x", (3, 3))
    except RunError:
        return
    found.check_format(full_check=True)
    assert (cut, found.shape) == (0, (3, 3))
    assert np.count_nonzero(found.toarray()) == found.nnz


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("what", DAMAGED)
def test_what_put_csr_does_not_write_is_refused(what: str) -> None:
    store = open_store("memory://")
    store.put("x", DAMAGED[what]())
    with pytest.raises(RunError, match=r"object x .*(delete the run's data|delete it) and run again"):
        get_csr(store, "x", (3, 3))


def test_a_header_that_promises_more_than_there_is_takes_no_memory() -> None:
    store = open_store("memory://")
    store.put("x", npy_header((10**15,), np.int64) + bytes(64))
    with pytest.raises(RunError, match="its arrays do not fit into it"):
        get_csr(store, "x", (3, 3))


def test_a_header_that_is_cut_is_refused() -> None:
    store = open_store("memory://")
    store.put("x", packed(ENDS, COLUMNS, VALUES).replace(b"(4,)", b"(4, ", 1))
    with pytest.raises(RunError, match=r"is not a \.npy array"):
        get_csr(store, "x", (3, 3))
