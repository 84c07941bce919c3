"""The datasets of a server, and a server that goes away, in a real browser; no engine is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import expect

from disnplbm.engine.options import Options
from e2e.built import grave
from recorded_runs import REQUEST, uploaded
from services.dashboard import ServedDashboard

pytestmark = pytest.mark.usefixtures("built_pages")

NAMES = ["votes.csv", "wine.csv", "genes.csv"]


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedDashboard]:
    """A server with three datasets, of which the first has a run."""
    folder = tmp_path_factory.mktemp("served")
    server = ServedDashboard(folder)
    datasets = [uploaded(server.service, folder) for _ in NAMES]
    for dataset, name in zip(datasets, NAMES, strict=True):
        server.service.rename_dataset(dataset, name)
    server.service.submit(datasets[0], replace(REQUEST, name="all votes"), Options().to_dict())
    server.backend.tailer.start()
    yield server
    server.close()


def test_a_dataset_is_found_renamed_and_deleted(served: ServedDashboard, visit: Any) -> None:
    page = visit(served, "/datasets")
    expect(page.locator(".datasets strong")).to_have_text(NAMES[::-1])
    page.get_by_role("searchbox").fill("WINE")
    expect(page.locator(".datasets strong")).to_have_text(["wine.csv"])
    expect(page).to_have_url(re.compile("search=WINE"))
    page.get_by_role("button", name="Rename wine.csv").click()
    page.get_by_role("dialog").get_by_label("Name").fill("wine of 1991.csv")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.locator(".datasets strong")).to_have_text(["wine of 1991.csv"])
    page.get_by_role("button", name="Delete wine of 1991.csv").click()
    page.get_by_role("button", name="Delete the dataset").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("searchbox").fill("")
    expect(page.locator(".datasets strong")).to_have_text(["genes.csv", "votes.csv"])
    assert grave(page) == []


def test_a_dataset_in_use_stays_and_leads_to_its_runs(served: ServedDashboard, visit: Any) -> None:
    page = visit(served, "/datasets", width=360, calm=False)
    page.get_by_role("button", name="Delete votes.csv").click()
    page.get_by_role("button", name="Delete the dataset").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("in use by run")
    page.get_by_role("button", name="Leave it").click()
    page.get_by_role("link", name="Runs of votes.csv").click()
    expect(page.locator("table.runs tbody tr")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_server_that_is_away_is_said_at_the_top_until_it_is_back(served: ServedDashboard, visit: Any) -> None:
    page = visit(served, "/datasets", calm=False)
    expect(page.locator(".datasets strong")).to_have_count(3)
    page.context.set_offline(True)
    page.get_by_role("searchbox").fill("genes")
    expect(page.locator(".away")).to_contain_text("The server does not answer.")
    page.context.set_offline(False)
    expect(page.locator(".away")).to_have_count(0)
    expect(page.locator(".datasets strong")).to_have_text(["genes.csv"])


def test_who_may_only_look_is_offered_nothing_else(served: ServedDashboard, visit: Any) -> None:
    secret = served.backend.tokens.create("bob", "read", None)
    page = visit(served, "/runs", calm=False)
    page.get_by_label("Token").fill(secret)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("table.runs tbody tr")).to_have_count(1)
    expect(page.get_by_role("link", name="New run")).to_have_count(0)
    page.get_by_role("checkbox", name=re.compile("^Choose all votes")).check()
    expect(page.get_by_role("button", name="Compare")).to_be_visible()
    expect(page.get_by_role("button", name="Delete")).to_have_count(0)
    page.goto(page.url.replace("/runs", "/runs/new"))
    expect(page.locator("main")).to_contain_text("Your token may look at runs, and start none")


def test_a_narrow_list_says_what_its_columns_said(served: ServedDashboard, visit: Any) -> None:
    page = visit(served, "/runs", width=640)
    row = page.locator("table.runs tbody tr")
    expect(row).to_contain_text("votes.csv")
    expect(row).to_contain_text("0 of 100 iterations")
    page.get_by_label("Sorted by").select_option("dataset")
    expect(page).to_have_url(re.compile("sort=dataset"))
