"""Orders of lists, and their pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Double,
    Select,
    Text,
    and_,
    case,
    cast,
    collate,
    extract,
    func,
    literal,
    or_,
    select,
    tuple_,
)
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.types import TypeEngine

from disnplbm.runs.database.models import Chain, Dataset, Run, UtcTime
from disnplbm.runs.states import State
from disnplbm_dashboard.lists.cursors import Place, SortType, Value, read_cursor

#: Characters of a name that it is sorted by: cursors hold them.
_OF_NAME = 200

#: In the order in which a run comes through them.
_STATES = (State.PENDING, State.RUNNING, State.PAUSED, State.SUCCEEDED, State.FAILED, State.CANCELLED)

#: Types of values, so that a database takes all that a cursor may hold.
_TYPES: Mapping[SortType, type[TypeEngine[Any]]] = {str: Text, int: BigInteger, float: Double}


class _Moment(NamedTuple):
    """When a list was begun, for what changes with time, and in which database."""

    began: datetime
    is_postgres: bool


@dataclass(frozen=True, slots=True)
class _Key:
    """What a list is sorted by: the expression, the kind of its values, and what a query of runs is joined with."""

    of: Callable[[_Moment], ColumnElement[Any]]
    kind: SortType
    joined: Callable[[Select[Any]], Select[Any]] = lambda query: query


def _plain(column: InstrumentedAttribute[str]) -> Callable[[_Moment], ColumnElement[Any]]:
    """Names by their characters' numbers, capital letters of ASCII as small ones: the same in both databases."""
    return lambda moment: func.lower(func.substr(collate(column, "C") if moment.is_postgres else column, 1, _OF_NAME))


def _state(_: _Moment) -> ColumnElement[Any]:
    return case({state.value: place for place, state in enumerate(_STATES)}, value=Run.state)


#: Iterations that are done of each run: all at once, which takes less time than run by run.
_DONE = (
    select(Chain.run_id, func.sum(case((Chain.iteration > 0, Chain.iteration - 1), else_=0)).label("done"))
    .group_by(Chain.run_id)
    .subquery()
)


def _with_dataset(query: Select[Any]) -> Select[Any]:
    return query.join(Dataset, Dataset.id == Run.dataset_id)


def _with_done(query: Select[Any]) -> Select[Any]:
    return query.join(_DONE, _DONE.c.run_id == Run.id)


def _elapsed(moment: _Moment) -> ColumnElement[Any]:
    """Milliseconds from the start to the end, or until the list was begun."""
    end = func.coalesce(Run.finished_at, literal(moment.began, UtcTime()))
    if moment.is_postgres:
        return cast(func.round(extract("epoch", end - Run.started_at) * 1000), BigInteger)
    return cast(func.round((func.julianday(end) - func.julianday(Run.started_at)) * 86_400_000), BigInteger)


_KEYS: Mapping[str, _Key] = {
    "name": _Key(_plain(Run.name), str),
    "state": _Key(_state, int),
    "dataset": _Key(_plain(Dataset.name), str, _with_dataset),
    "cells": _Key(lambda _: Dataset.n * Dataset.p, int, _with_dataset),
    "clusters": _Key(lambda _: cast(Run.row_clusters, BigInteger) * Run.column_clusters, int),
    "log_joint": _Key(lambda _: Run.log_joint.expression, float),
    "progress": _Key(lambda _: cast(_DONE.c.done, Double) / Run.iterations_total, float, _with_done),
    "elapsed": _Key(_elapsed, int),
}

#: What runs can be sorted by; "-" before it turns the order round.
SORTS = ("created", *_KEYS)

NEWEST_FIRST = "-created"


class Order:
    """An order of runs or datasets, from its beginning or from a place in it.

    Those with equal values come with the newest first, those without a value last, whichever way the order goes.

    Parameters
    ----------
    table : type
        Run; or Dataset, of which there are orders by ``created`` only.
    sort : str
        One of SORTS, with or without "-" before it.
    cursor : str or None
        Where a page ended.

    Raises
    ------
    InputError
        The cursor is none, or of another order.
    """

    def __init__(self, table: type[Run] | type[Dataset], sort: str, cursor: str | None, *, is_postgres: bool) -> None:
        self._table, self._sort, self._down = table, sort, sort.startswith("-")
        name = sort.removeprefix("-")
        self._key = None if name == "created" else _KEYS[name]
        kind = None if self._key is None else self._key.kind
        self._after = None if cursor is None else read_cursor(cursor, sort, kind)
        self._began = datetime.now(UTC) if self._after is None else self._after.began
        self._is_postgres = is_postgres

    def page(self, query: Select[Any], limit: int) -> Select[Any]:
        """A page of a query of the table, and one row more if there is another page.

        Beside each row is the value that it is sorted by, for :meth:`cursor`.
        """
        created, own = self._table.created_at, self._table.id
        if self._key is None:
            query = query.add_columns(literal(None, Text()))
            if self._after is not None:
                here, there = tuple_(created, own), _moment(self._after)
                query = query.where(here < there if self._down else here > there)
            by = (created.desc(), own.desc()) if self._down else (created.asc(), own.asc())
            return query.order_by(*by).limit(limit + 1)
        value = self._key.of(_Moment(self._began, self._is_postgres))
        query = self._key.joined(query.add_columns(value))
        if self._after is not None:
            query = query.where(self._beyond(value, self._after, _TYPES[self._key.kind]()))
        by_value = (value.desc() if self._down else value.asc()).nulls_last()
        return query.order_by(by_value, created.desc(), own.desc()).limit(limit + 1)

    def cursor(self, row: Run | Dataset, value: Value) -> str:
        """The place after a row."""
        return Place(self._sort, value, row.created_at, row.id, self._began).encode()

    def _beyond(self, value: ColumnElement[Any], after: Place, of: TypeEngine[Any]) -> ColumnElement[bool]:
        """What comes after a place."""
        older = tuple_(self._table.created_at, self._table.id) < _moment(after)
        if after.value is None:
            return and_(value.is_(None), older)
        there = literal(after.value, of)
        further = value < there if self._down else value > there
        return or_(further, and_(value == there, older), value.is_(None))


def _moment(place: Place) -> ColumnElement[Any]:
    return tuple_(literal(place.created, UtcTime()), literal(place.id))
