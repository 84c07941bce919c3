"""Runs as people name and repeat them, with seeds as large as they get, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from disnplbm.engine.options import Options
from e2e.pages import READY, path_of, row_of, run_of
from marks import long
from recorded_runs import REQUEST
from services.dashboard import ServedDashboard

pytestmark = pytest.mark.usefixtures("built_pages")

LONG = "W" * 200

LARGE = 9007199254740993
"""2^53 + 1, which is no double."""

UNSEEN = [" ", "\u200b", "\u3164"]


class Named(ServedDashboard):
    """A server with two finished runs of a table, and one that waits; all that can have a name has a long one."""

    def __init__(self, folder: Any) -> None:
        super().__init__(folder)
        table = folder / (LONG[:196] + ".csv")
        columns = [f"{j}{LONG[:150]}" for j in range(4)]
        rows = [f"{i}{LONG[:150]}," + ",".join(str((i % 2) * 5 + (i * j) % 3) for j in range(4)) for i in range(12)]
        table.write_text("\n".join(["id," + ",".join(columns), *rows]) + "\n")
        self.dataset = self.service.add_dataset(table, {"id_column": "id"}).id
        self.first, self.second = (self.start(LONG, seed=LARGE + 2 * number) for number in range(2))
        self.finish()
        self.unseen = [self.start(name, seed=1) for name in UNSEEN]
        self.backend.tailer.start()

    def start(self, name: str, **options: Any) -> str:
        """Submit a run; its id."""
        request = replace(REQUEST, name=name)
        return self.service.submit(self.dataset, request, Options(iterations=3, **options).to_dict()).id


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Named]:
    server = Named(tmp_path_factory.mktemp("served"))
    yield server
    server.close()


def fits(page: Page) -> bool:
    """Whether nothing of a page lies beside it."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


@pytest.mark.parametrize("width", [360, long(1280)])
def test_a_long_name_never_scrolls_a_page_sideways(served: Named, visit: Any, width: int) -> None:
    pages = {
        "/runs": "table.runs",
        f"/runs/{served.first}": READY,
        f"/runs/{served.unseen[0]}": ".facts",
        f"/compare?run={served.first}&run={served.second}": "table.shades",
        "/runs/new": "th.title",
        f"/runs/new?dataset={served.dataset}": "form",
        f"/runs/new?from={served.first}": "form",
        "/system": ".facts",
    }
    for path, ready in pages.items():
        page = visit(served, path, width=width)
        page.wait_for_selector(ready)
        if path == f"/runs/{served.first}":
            expect(page.locator(".others li")).to_have_count(1)
        assert fits(page), path


@pytest.mark.parametrize("name", [long("Clone"), "Delete"])
def test_a_long_name_fits_into_dialogs(served: Named, visit: Any, name: str) -> None:
    page = visit(served, f"/runs/{served.first}", width=360)
    page.get_by_role("button", name=name, exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    assert dialog.evaluate("box => box.scrollWidth <= box.clientWidth")
    assert fits(page)


def test_a_run_whose_name_is_not_seen_goes_by_its_id(served: Named, visit: Any) -> None:
    page = visit(served, "/runs")
    for run in served.unseen:
        expect(row_of(page, run).get_by_role("link", name=f"Run {run}")).to_be_visible()
    row_of(page, served.unseen[0]).get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Run {served.unseen[0]}")


def test_the_like_of_a_run_with_a_burn_in_is_filled_in(served: Named, visit: Any) -> None:
    page = visit(served, f"/runs/{served.first}")
    page.get_by_role("link", name="Run it again with a burn-in").click()
    expect(page.get_by_label("Burn-in")).to_have_value("3")
    expect(page.get_by_label("Iterations", exact=True)).to_have_value("6")
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator(".parameters div", has_text="burn in").locator("dd")).to_have_text("3")
    options = served.service.run(run_of(page)).options
    assert (options["iterations"], options["burn_in"], options["seed"]) == (6, 3, LARGE)


@pytest.mark.long
def test_a_large_seed_stays_what_it_is_on_every_page(served: Named, visit: Any) -> None:
    page = visit(served, f"/runs/{served.first}")
    seed = page.locator(".parameters div", has_text="seed").locator("dd")
    expect(seed).to_have_text(str(LARGE))
    page.get_by_role("button", name="Clone", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Seed")).to_have_value(str(LARGE + 1))
    dialog.get_by_label("Seed").fill(str(2**63 - 1))
    dialog.get_by_role("button", name="Start").click()
    expect(seed).to_have_text(str(2**63 - 1))
    assert served.service.run(run_of(page)).options["seed"] == 2**63 - 1
    page.goto(f"http://127.0.0.1:{served.port}/runs/new?from={served.first}")
    expect(page.get_by_label("Seed")).to_have_value(str(LARGE))
    page.get_by_role("button", name="Start the run").click()
    expect(seed).to_have_text(str(LARGE))
    again = path_of(page).rpartition("/")[2]
    assert again != served.first
    assert served.service.run(again).options["seed"] == LARGE
    page.goto(f"http://127.0.0.1:{served.port}/compare?run={served.first}&run={served.second}")
    values = page.locator("table.compact tr", has_text="seed").locator("td")
    expect(values).to_have_text([str(LARGE), str(LARGE + 2)])
