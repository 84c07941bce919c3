"""Lists of runs in every order, on SQLite and on a real Postgres: pages make up the whole list."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert

from disnplbm.errors import InputError
from disnplbm.runs.database import Database
from disnplbm.runs.database.models import Chain, Dataset, Run
from disnplbm.runs.states import State
from disnplbm_dashboard.lists.listing import Listing
from disnplbm_dashboard.lists.sorting import SORTS

_START = datetime(2020, 1, 1, tzinfo=UTC)

_TOTAL = 12

_DATASETS: tuple[dict[str, Any], ...] = (
    {"id": "d0", "name": "b.csv", "n": 10**10, "p": 10**5},
    {"id": "d1", "name": "A.csv", "n": 10, "p": 3},
    {"id": "d2", "name": "ä.csv", "n": None, "p": None},
)

#: Few values, so that there are ties; and those that sort differently by locale, by case and by length.
_RUNS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["a", "B", "b", "Éa", "é", "_", "z z", "\U0001f600", "x" * 250, "x" * 250 + "y"]),
            "dataset_id": st.sampled_from([dataset["id"] for dataset in _DATASETS]),
            "state": st.sampled_from([state.value for state in State]),
            "created_at": st.integers(0, 3),
            "started_at": st.sampled_from([None, 4, 5]),
            "finished_at": st.sampled_from([None, 6, 7]),
            "row_clusters": st.sampled_from([None, 1, 2, 2**31 - 1]),
            "column_clusters": st.sampled_from([1, 2, 2**31 - 1]),
            "log_joint": st.sampled_from([None, -1e12, -1.5, -0.1 - 0.2, -0.3, math.pi]),
            "iterations": st.lists(st.integers(0, 4), min_size=1, max_size=2),
        }
    ),
    max_size=12,
)

_KEYS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "name": lambda run: _small(run["name"]),
    "state": lambda run: ["PENDING", "RUNNING", "PAUSED", "SUCCEEDED", "FAILED", "CANCELLED"].index(run["state"]),
    "dataset": lambda run: _small(_dataset(run)["name"]),
    "cells": lambda run: None if _dataset(run)["n"] is None else _dataset(run)["n"] * _dataset(run)["p"],
    "clusters": lambda run: None if run["row_clusters"] is None else run["row_clusters"] * run["column_clusters"],
    "log_joint": lambda run: run["log_joint"],
    "progress": lambda run: sum(max(0, iteration - 1) for iteration in run["iterations"]) / _TOTAL,
    # Whoever has not ended has run for years by now.
    "elapsed": lambda run: None if run["started_at"] is None else (run["finished_at"] or 10**8) - run["started_at"],
}


_PENDING: dict[str, Any] = {
    "name": "a",
    "dataset_id": "d1",
    "state": "PENDING",
    "started_at": None,
    "finished_at": None,
    "created_at": 0,
    "row_clusters": None,
    "column_clusters": None,
    "log_joint": None,
    "iterations": [0],
}


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database with datasets."""
    if request.param == "sqlite":
        database = Database(f"sqlite:///{tmp_path_factory.mktemp('listing')}/runs.sqlite3")
    else:
        database = Database(request.getfixturevalue("postgres").create_database())
    database.migrate()
    more = dict.fromkeys(("path", "state", "upload_key", "upload_sha256", "prefix"), "x")
    with database.session() as session:
        for dataset in _DATASETS:
            session.execute(insert(Dataset).values(**dataset, **more, upload_bytes=1, reading={}, created_at=_START))
    yield database
    database.close()


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs=_RUNS, limit=st.integers(1, 5), states=st.sets(st.sampled_from(list(State)), max_size=3))
def test_pages_make_up_the_sorted_list(
    database: Database, runs: list[dict[str, Any]], limit: int, states: set[State]
) -> None:
    _put(database, runs)
    wanted = [run for run in runs if not states or run["state"] in states]
    # As those with equal values come, and those without one.
    wanted.sort(key=lambda run: (run["created_at"], run["id"]), reverse=True)
    for name in SORTS:
        for sort in (name, f"-{name}"):
            expected = [run["id"] for run in _sorted(wanted, name, down=sort != name)]
            assert _walked(database, sort, limit, states) == expected, sort
            assert _walked(database, sort, 200, states) == expected, sort


def test_what_is_submitted_meanwhile_moves_no_page(database: Database) -> None:
    listing, runs = Listing(database), [{**_PENDING, "created_at": number} for number in range(5)]
    for sort in ("-created", "name", "-log_joint"):
        _put(database, runs)
        first = listing.runs(sort=sort, limit=2)
        _add(database, {**_PENDING, "id": "9999", "created_at": 99})
        rest = listing.runs(sort=sort, limit=9, cursor=first.cursor)
        assert [found.id for found in [*first.records, *rest.records]] == [run["id"] for run in reversed(runs)]


def test_a_cursor_is_of_one_order(database: Database) -> None:
    _put(database, [dict(_PENDING), dict(_PENDING)])
    cursor = Listing(database).runs(sort="name", limit=1).cursor
    for sort in ("-name", "-created", "log_joint"):
        with pytest.raises(InputError, match="of a list in another order"):
            Listing(database).runs(sort=sort, cursor=cursor)


def _put(database: Database, runs: list[dict[str, Any]]) -> None:
    """Have these runs and no others; they get ids, that are in no order of anything else."""
    with database.session() as session:
        session.execute(delete(Run))
    for number, run in enumerate(runs):
        run["id"] = f"{number * 7919 % 10007:04x}"
        _add(database, run)


def _add(database: Database, run: dict[str, Any]) -> None:
    columns = {name: value for name, value in run.items() if name != "iterations"}
    times = {name: run[name] for name in ("created_at", "started_at", "finished_at")}
    columns |= {name: None if at is None else _START + timedelta(seconds=at) for name, at in times.items()}
    more = {"epoch": 0, "options": {}, "n_shards_wanted": "auto", "axis_wanted": "auto", "transform": "none"}
    chain = {"run_id": run["id"], "chain": 0, "iterations": 3, "ended": False}
    with database.session() as session:
        session.execute(insert(Run).values(**columns, **more, algorithm=4, iterations_total=_TOTAL))
        for stream, iteration in enumerate(run["iterations"]):
            session.execute(insert(Chain).values(**chain, stream=stream, iteration=iteration))


def _walked(database: Database, sort: str, limit: int, states: set[State]) -> list[str]:
    """Ids of all pages."""
    found: list[str] = []
    cursor = None
    while True:
        page = Listing(database).runs(states=states, sort=sort, cursor=cursor, limit=limit)
        assert len(page.records) == limit or page.cursor is None
        found += [run.id for run in page.records]
        assert len(found) == len(set(found))
        cursor = page.cursor
        if cursor is None:
            return found


def _sorted(newest_first: list[dict[str, Any]], name: str, *, down: bool) -> list[dict[str, Any]]:
    if name == "created":
        return newest_first if down else newest_first[::-1]
    key = _KEYS[name]
    known = [run for run in newest_first if key(run) is not None]
    return sorted(known, key=key, reverse=down) + [run for run in newest_first if key(run) is None]


def _small(name: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in name[:200])


def _dataset(run: dict[str, Any]) -> dict[str, Any]:
    return next(dataset for dataset in _DATASETS if dataset["id"] == run["dataset_id"])
