"""Cursors: places in a list, as text, that a next page begins after."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

from disnplbm.errors import InputError

#: What a list may be sorted by.
Value: TypeAlias = str | int | float | None

SortType: TypeAlias = type[str] | type[int] | type[float]

#: Larger numbers are in no list, and not every database takes them.
_MOST = 2**62

_NO_CURSOR = "this cursor is of no list: leave it out to begin anew"

_OTHER_ORDER = "this cursor is of a list in another order: leave it out to begin anew"


class Place(NamedTuple):
    """A place in a list.

    Parameters
    ----------
    sort : str
        What orders the list.
    value : str, int, float or None
        What that is of the row before the place.
    created : datetime
        When that row was made.
    id : str
        Its id.
    began : datetime
        When the list was begun.
    """

    sort: str
    value: Value
    created: datetime
    id: str
    began: datetime

    def encode(self) -> str:
        """Write the place as text that needs no escaping in an address."""
        record = [self.sort, self.value, self.created.isoformat(), self.id, self.began.isoformat()]
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str, sort: str, kind: SortType | None) -> Place:
    """The place that :meth:`Place.encode` wrote.

    Parameters
    ----------
    cursor : str
        Of whatever origin: what comes back is fit for the database.
    sort : str
        What orders the list that it is for.
    kind : type or None
        Of the values of that; None if it has none.

    Raises
    ------
    InputError
        The cursor is none, or of another order.
    """
    try:
        found, value, created, own, began = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        place = Place(found, value, _time(created), own, _time(began))
        str(value).encode()
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InputError(_NO_CURSOR) from error
    if not isinstance(own, str) or not own.isalnum():
        raise InputError(_NO_CURSOR)
    if found != sort:
        raise InputError(_OTHER_ORDER)
    if value is not None and not _is_of(value, kind):
        raise InputError(_NO_CURSOR)
    return place


def _time(text: str) -> datetime:
    """A moment in UTC; ValueError, TypeError or OverflowError if the text is none, or has no zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(text)
    return moment.astimezone(UTC)


def _is_of(value: object, kind: SortType | None) -> bool:
    """Whether a database takes a value as one of a kind."""
    if kind is str:
        return isinstance(value, str) and "\0" not in value
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _MOST:
        return False
    return kind is float or (kind is int and isinstance(value, int))
