"""Cursors come back as they were written; whatever else a client sends is refused before the database sees it."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disnplbm.errors import InputError
from disnplbm_dashboard.lists.cursors import Place, SortType, Value, read_cursor

_TIMES = st.datetimes(timezones=st.just(UTC))

_CREATED = "2026-01-01T00:00:00+00:00"

_VALUES: dict[SortType, st.SearchStrategy[Any]] = {
    str: st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200),
    int: st.integers(-(2**62), 2**62),
    float: st.floats(-(2.0**62), 2.0**62),
}


@settings(deadline=None)
@given(data=st.data(), kind=st.sampled_from([str, int, float]), created=_TIMES, began=_TIMES)
def test_a_cursor_comes_back_as_it_was_written(
    data: st.DataObject, kind: SortType, created: datetime, began: datetime
) -> None:
    value: Value = data.draw(st.none() | _VALUES[kind])
    place = Place("-name", value, created, "3f2a", began)
    text = place.encode()
    assert text.replace("-", "").replace("_", "").isalnum()
    assert len(text) <= 2000
    assert read_cursor(text, "-name", kind) == place


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (str, 1),
        (str, "a\0"),
        (str, "\ud800"),
        (str, ["a"]),
        (int, "1"),
        (int, 1.5),
        (int, True),
        (int, 2**62 + 1),
        (int, 10**400),
        (float, float("nan")),
        (float, float("inf")),
        (float, {}),
        (None, 1),
    ],
)
def test_values_that_no_list_has_are_refused(kind: SortType | None, value: object) -> None:
    with pytest.raises(InputError, match="of no list"):
        read_cursor(_written("name", value, _CREATED, "3f2a", _CREATED), "name", kind)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "abc",
        base64.urlsafe_b64encode(b"\xff").decode(),
        base64.urlsafe_b64encode(b"2026-01-01T00:00:00+00:00\n3f2a").decode(),
        base64.urlsafe_b64encode(b"[" * 1000).decode(),
    ],
)
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InputError, match="of no list"):
        read_cursor(cursor, "name", str)


@pytest.mark.parametrize(
    "record",
    [
        {},
        [],
        ["name", "a", _CREATED, "3f2a"],
        ["name", "a", "2026-01-01T00:00:00", "3f2a", _CREATED],
        ["name", "a", "0001-01-01T00:00:00+14:00", "3f2a", _CREATED],
        ["name", "a", _CREATED, "3f2a", 5],
        ["name", "a", _CREATED, "%", _CREATED],
        ["name", "a", _CREATED, None, _CREATED],
    ],
)
def test_what_is_no_place_is_refused(record: object) -> None:
    with pytest.raises(InputError, match="of no list"):
        read_cursor(_encoded(record), "name", str)


def test_a_cursor_of_another_order_is_refused_as_such() -> None:
    with pytest.raises(InputError, match="another order"):
        read_cursor(_written("-name", "a", _CREATED, "3f2a", _CREATED), "name", str)


def _written(*record: object) -> str:
    return _encoded(list(record))


def _encoded(record: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(record).encode()).decode().rstrip("=")
