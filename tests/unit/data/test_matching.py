"""Labels are matched to a table by their ids, and by position only where one of the two has none."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.data.matching import LabelList, find_order, match
from disnplbm.errors import InputError

NAMES = ["a", "b", "c"]


def matched(given: LabelList[int], names: list[str] = NAMES) -> tuple[list[int], list[str]]:
    return match(given, names, "row", "row classes", "x.csv")


def test_the_same_order_is_taken_as_it_is() -> None:
    assert matched(LabelList([1, 2, 3], NAMES)) == ([1, 2, 3], [])
    assert matched(LabelList([1, 2, 3], [" a", "b ", "c"])) == ([1, 2, 3], [])
    assert matched(LabelList([1, 2], ["a", "a"]), ["a", "a"]) == ([1, 2], [])
    assert matched(LabelList([1, 2], ["0", "1"]), ["0", "1"]) == ([1, 2], [])


def test_another_order_is_matched_by_id_and_said() -> None:
    note = "the row classes are in another order than x.csv: matched by their ids"
    assert matched(LabelList([3, 1, 2], ["c", "a", "b"])) == ([1, 2, 3], [note])
    assert matched(LabelList([2, 1], ["1", "0"]), ["0", "1"]) == ([1, 2], [note])


@pytest.mark.parametrize("ids", [None, ["0", "1", "2"]], ids=["none", "a count"])
def test_without_ids_the_order_counts_and_a_note_says_so(ids: list[str] | None) -> None:
    note = "the row classes have no ids: taken in the order of the rows of x.csv"
    assert matched(LabelList([1, 2, 3], ids)) == ([1, 2, 3], [note])
    with pytest.raises(InputError, match=r"3 row classes for 2 rows of x.csv; give one for each, in the same order"):
        matched(LabelList([1, 2, 3], ids), ["a", "b"])


@pytest.mark.parametrize(
    ("ids", "names", "said"),
    [
        (["a", "b", "z"], NAMES, "the row classes are for rows that x.csv does not have: z; give one for each row"),
        (["a", "b"], NAMES, "the row classes lack rows of x.csv: c; give one for each row, by the same names"),
        ([f"q{i}" for i in range(9)], NAMES, "does not have: q0, q1, q2, q3, q4 and 4 more"),
        (["a", "b", "c"], ["0", "1", "2"], r"have ids \(a, b, c\) and the rows of x.csv have no names to match"),
        (["a", "b", "b"], NAMES, "the row classes: row names occur more than once, so that they cannot be matched: b"),
        (["b", "a"], ["a", "a", "b"], "x.csv: row names occur more than once"),
        (["1", "2", "3"], ["0", "1", "2"], "have no names to match"),
        (["0", "1", "2"], ["2", "3", "4"], "rows that x.csv does not have: 0, 1"),
    ],
)
def test_ids_that_are_not_those_of_the_table_are_refused(ids: list[str], names: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        matched(LabelList(list(range(len(ids))), ids), names)


def test_lists_travel_as_json() -> None:
    for given in (LabelList([1, 2]), LabelList(["u"], ["a"])):
        assert LabelList.from_plain(given.to_plain()) == given
    with pytest.raises(InputError, match="2 ids for 1 labels"):
        LabelList.from_plain({"ids": ["a", "b"], "labels": [1]})


def test_an_order_is_found_by_names_that_say_something() -> None:
    values = np.array([10, 20, 30])
    assert values[find_order(["c", "a", "b"], NAMES, "row", "rows", "x")].tolist() == [20, 30, 10]
    for names in (None, ["0", "1", "2"]):
        assert values[find_order(names, NAMES, "row", "rows", "x")].tolist() == values.tolist()
        assert values[find_order(NAMES, names, "row", "rows", "x")].tolist() == values.tolist()
    with pytest.raises(InputError, match="does not have: z"):
        find_order(["a", "b", "z"], NAMES, "row", "rows", "x")
