"""The list of runs in a real browser, of more runs than it shows at a time, on a server without an engine."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import expect

from disnplbm.engine.options import Options
from disnplbm.posterior.verdict import Verdict
from disnplbm.runs.records import Reported
from e2e.pages import row_of
from recorded_runs import REQUEST, uploaded
from services.dashboard import Application, ServedDashboard

pytestmark = pytest.mark.usefixtures("built_pages")

RUNS = 120

#: As of a run without draws.
ONE_STATE = Verdict("no_draws", 1).to_dict()

TITLES = "table.runs tbody th a"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServedDashboard, list[str]]]:
    """A server, and its runs in the order of their names, which is not that in which they were submitted."""
    folder = tmp_path_factory.mktemp("served")
    server = ServedDashboard(folder)
    dataset, options = uploaded(server.service, folder), Options().to_dict()
    ids = {}
    for number in (77 * i % RUNS for i in range(RUNS)):
        ids[number] = server.service.submit(dataset, replace(REQUEST, name=f"run {number:03}"), options).id
    server.backend.tailer.start()
    yield server, [ids[number] for number in range(RUNS)]
    server.close()


def test_an_order_is_of_all_runs_and_not_of_those_that_are_shown(
    served: tuple[ServedDashboard, list[str]], visit: Any
) -> None:
    page = visit(served[0], "/runs")
    page.get_by_role("button", name="Run", exact=True).click()
    names = [f"run {number:03}" for number in range(RUNS)]
    expect(page.locator(TITLES)).to_have_text(names[:100])
    page.get_by_role("button", name="Show more runs").click()
    expect(page.locator(TITLES)).to_have_text(names)
    expect(page.get_by_role("button", name="Show more runs")).to_have_count(0)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(TITLES)).to_have_text(names[::-1])


def test_the_list_is_not_said_to_be_empty_before_it_is_there(
    served: tuple[ServedDashboard, list[str]], visit: Any
) -> None:
    server, held = served[0], threading.Event()

    def slow(app: Application, environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environment["PATH_INFO"] == "/api/v1/runs":
            held.wait(30)
        return app(environment, start_response)

    page = visit(server, "/runs?state=FAILED")
    expect(page.get_by_text("No run matches")).to_be_visible()
    server.around = slow
    page.get_by_label("Failed").uncheck(force=True)
    expect(page).to_have_url(re.compile("/runs$"))
    assert page.get_by_role("searchbox", name="Search runs").is_visible()
    assert page.get_by_text("No runs yet").count() == 0
    held.set()
    server.around = None
    expect(page.locator(TITLES)).to_have_count(100)


def test_a_run_comes_to_its_place_when_it_succeeds(served: tuple[ServedDashboard, list[str]], visit: Any) -> None:
    server, ids = served
    books = server.backend.books
    for run in ids[:3]:
        assert books.runs.start(run, "shards/x", 1)
    assert books.runs.succeed(ids[0], Reported(2, 2, -20.0, ONE_STATE))
    assert books.runs.succeed(ids[1], Reported(3, 2, -30.0, ONE_STATE))
    page = visit(server, "/runs?sort=-log_joint")
    titles = page.locator(TITLES)
    expect(titles.nth(0)).to_have_text("run 000")
    expect(titles.nth(1)).to_have_text("run 001")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    assert books.runs.succeed(ids[2], Reported(4, 2, -25.0, ONE_STATE))
    expect(titles.nth(1)).to_have_text("run 002")
    expect(titles.nth(2)).to_have_text("run 001")
    expect(row_of(page, ids[2])).to_contain_text("4 × 2")
