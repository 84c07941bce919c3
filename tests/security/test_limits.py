"""Limits hold for all that ask at the same moment: they are held by the transaction that inserts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from disnplbm.engine.options import Options
from disnplbm.objects.store import open_store
from disnplbm.runs.database import Database
from disnplbm.runs.limits import LimitReached
from disnplbm.runs.partial import PartialUploads
from disnplbm.runs.request import Request
from disnplbm.runs.service import RunService
from services.postgres import Postgres

from .conftest import Site

LIMIT = 5


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path}/runs.sqlite3"
    if request.param == "postgres":
        postgres: Postgres = request.getfixturevalue("postgres")
        url = postgres.create_database()
    found = Database(url)
    found.migrate()
    yield found
    found.close()


def _at_once(act: Callable[[], object], times: int = 25) -> int:
    """How often something is done by so many at the same moment; the others meet a limit."""

    def tried(_: int) -> bool:
        try:
            act()
        except LimitReached:
            return False
        return True

    with ThreadPoolExecutor(times) as pool:
        return sum(pool.map(tried, range(times)))


def test_runs_that_are_submitted_at_once(database: Database, tmp_path: Path) -> None:
    """25 runs with a limit of 5, once."""
    service = RunService(database, open_store(tmp_path / "store"))
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,4\n")
    dataset = service.add_dataset(tmp_path / "x.csv").id
    request, options = Request("x", "x"), Options(iterations=2).to_dict()
    assert _at_once(lambda: service.submit(dataset, request, options, "ada", live_runs=LIMIT)) == LIMIT
    assert len(service.runs()) == LIMIT
    # Those of others do not count, and nothing is left of what was refused.
    service.submit(dataset, request, options, "bob", live_runs=LIMIT)
    requests = [key for key in open_store(tmp_path / "store").list("runs") if key.endswith("request.json")]
    assert len(requests) == LIMIT + 1


def test_uploads_that_are_announced_at_once(database: Database, tmp_path: Path) -> None:
    uploads = PartialUploads(database, open_store(tmp_path / "store"))

    def begin() -> object:
        return uploads.begin("x.csv", 100, sha256=None, reading={}, actor="ada", most_bytes=LIMIT * 100 + 50)

    assert _at_once(begin) == LIMIT


def test_the_api_says_so(tmp_path: Path) -> None:
    site = Site(tmp_path, threads=25, live_runs=LIMIT)
    body = json.dumps({"dataset": site.dataset()}).encode()
    with ThreadPoolExecutor(25) as pool:
        answers = list(pool.map(lambda _: site.ask("POST", "/runs", body, site.runner), range(25)))
    assert sorted(status for status, _ in answers) == [201] * LIMIT + [429] * 20
    refused = next(problem for status, problem in answers if status == 429)
    assert refused["type"] == "urn:disnplbm:problem:limit"
    assert "runner has 5 runs that are not over" in refused["detail"]
    site.close()
