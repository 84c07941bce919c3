"""The dashboard's pages in a real browser, on an embedded server: list of runs, new run, system, sign-in."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Browser, Route, expect

from disnplbm_dashboard.web import PACKED, PAGES
from e2e.built import grave
from e2e.pages import LONG, RUN, path_of, row_of, run_of, state_of, to_page
from integration.console import call
from integration.serving import Server, served

pytestmark = pytest.mark.usefixtures("built_pages")

BUNDLE = 150_000
"""Most bytes of all that the pages are made of, compressed."""


@pytest.fixture(scope="module")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that do not mind what others did."""
    with served(tmp_path_factory.mktemp("served")) as found:
        yield found


@pytest.fixture
def server(one_server: Server) -> Iterator[Server]:
    """The same; no run is left to take its time from the next test, whatever came of this one."""
    yield one_server
    for run in one_server.ask("GET", "/runs?state=PENDING,RUNNING,PAUSED&limit=100")[1]["items"]:
        one_server.ask("POST", f"/runs/{run['id']}/cancel")


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Server]:
    """A server that has seen nothing."""
    with served(tmp_path / "served") as found:
        yield found


def submit(server: Server, wine: Path, **options: Any) -> str:
    """Submit a run by the API; its id."""
    dataset = server.upload(wine.read_bytes(), "wine.csv", class_column="class")
    return server.submit(dataset, **options)


# --- from a file to a run -----------------------------------------------------------------------------------------


def test_a_file_becomes_a_run_that_is_seen_live(empty: Server, visit: Any, wine: Path) -> None:
    page = visit(empty)
    expect(page.get_by_text("No runs yet")).to_be_visible()
    page.get_by_role("link", name="Start the first run").click()
    page.get_by_label("File with a table").set_input_files(wine)
    # A column of text that repeats is proposed as known classes.
    page.get_by_role("button", name="Read it with these changes").click()
    expect(page.get_by_label("Known classes of the rows")).to_have_value("class")
    page.get_by_role("button", name="Upload and check").click()

    expect(page.get_by_text("178 × 13")).to_be_visible()
    assert re.match(r"/runs/new\?dataset=[0-9a-f]{12}$", path_of(page))
    expect(page.get_by_text("Columns are on very different scales")).to_be_visible()
    expect(page.get_by_label("Transform")).to_have_value("standardize")
    page.get_by_label("Name", exact=True).fill("<b>wine & dine</b>")
    page.get_by_label("Iterations", exact=True).fill(str(LONG))
    page.get_by_text("Advanced parameters").click()
    page.get_by_label("Alpha, of rows").fill("learn")
    page.get_by_role("button", name="Start the run").click()
    run = run_of(page)
    asked = empty.ask("GET", f"/runs/{run}")[1]
    assert (asked["name"], asked["transform"]) == ("<b>wine & dine</b>", "standardize")
    assert (asked["options"]["alpha"], asked["options"]["iterations"]) == ("learn", LONG)

    to_page(page, "Runs")
    row = row_of(page, run)
    expect(state_of(row)).to_contain_text("Running")
    expect(row).to_contain_text("<b>wine & dine</b>")
    expect(row).to_contain_text(re.compile(r"\d+ × \d+"))
    progress = row.locator(".progress-text")
    expect(progress).not_to_have_text(progress.inner_text())
    # Another client ends it, and this page learns of it.
    empty.ask("POST", f"/runs/{run}/cancel", {})
    expect(state_of(row)).to_contain_text("Cancelled")


def test_a_short_run_is_seen_to_succeed(visit: Any, server: Server, wine: Path) -> None:
    dataset = server.upload(wine.read_bytes(), "wine.csv", class_column="class")
    page = visit(server, f"/runs/new?dataset={dataset}")
    page.get_by_label("Iterations", exact=True).fill("20")
    page.get_by_role("button", name="Start the run").click()
    run = run_of(page)
    to_page(page, "Runs")
    row = row_of(page, run)
    expect(state_of(row)).to_contain_text("Succeeded")
    expect(row).to_contain_text("20 of 20")
    found = server.ask("GET", f"/runs/{run}")[1]
    expect(row).to_contain_text(f"{found['row_clusters']} × {found['column_clusters']}")

    # Its known classes, cluster by cluster at the level that is shown.
    page.goto(f"http://127.0.0.1:{server.port}/runs/{run}?row-level=3")
    classes = page.get_by_role("region", name="Classes of row clusters").get_by_role("row")
    expect(classes).to_have_count(4)
    expect(classes.first).to_have_text(re.compile("class_1 71.*class_0 59.*class_2 48"))
    expect(page.get_by_role("list", name="Classes of the rows")).to_contain_text("class_2")

    # The like of it, but for the seed.
    page.goto(f"http://127.0.0.1:{server.port}/runs/new?from={run}")
    expect(page.get_by_label("Transform")).to_have_value("standardize")
    expect(page.get_by_label("Iterations", exact=True)).to_have_value("20")
    page.get_by_label("Seed").fill("3")
    page.get_by_role("button", name="Start the run").click()
    again = server.ask("GET", f"/runs/{run_of(page)}")[1]
    assert again["options"] == found["options"] | {"seed": 3}
    assert again["transform"] == "standardize"


def test_the_list_and_the_page_of_a_run_say_what_it_reports(visit: Any, server: Server, wine: Path) -> None:
    # The consensus of its draws, which is not the last of them.
    run = submit(server, wine, iterations=60, burn_in=20, seed=1)
    server.wait(run)
    reported = json.loads(server.file(run, "run.json"))
    page = visit(server, "/runs")
    clusters = f"{reported['row_clusters']} × {reported['column_clusters']}"
    joint = f"{reported['log_joint']:,.1f}".replace("-", "−")
    expect(row_of(page, run)).to_contain_text(clusters)
    expect(row_of(page, run)).to_contain_text(joint)
    row_of(page, run).get_by_role("link").click()
    expect(page.get_by_test_id("clusters")).to_have_text(clusters)
    expect(page.locator("dl.facts")).to_contain_text(joint)
    findings = page.get_by_label("What was found")
    expect(findings).to_contain_text("The consensus of 40 draws.")
    expect(findings).to_contain_text(f"adjusted Rand index {reported['scores']['ari']:.2f}")
    members = page.get_by_role("region", name="Column clusters")
    first = [line.split(",")[0] for line in server.file(run, "columns.csv").decode().splitlines() if ",0," in line]
    expect(members.locator("tbody tr").first).to_contain_text(", ".join(first[:8]))


def test_a_cell_at_fault_does_not_cost_its_column(visit: Any, server: Server, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,3\n2,3\n3,inf\n")
    page = visit(server, "/runs/new", calm=False)
    page.get_by_label("File with a table").set_input_files(path)
    expect(page.get_by_role("alert")).to_contain_text("a.csv line 4, column b: 'inf'")
    page.get_by_role("button", name="Upload and check").click()
    page.wait_for_url("**dataset=*")
    expect(page.get_by_role("alert")).to_contain_text("a.csv line 4, column b: 'inf'")


def test_a_file_at_fault_is_refused_with_its_place_and_read_in_another_way(
    visit: Any, server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("a,b\n1.5,x\n2.5,y\n2.5,x\n")
    page = visit(server, "/runs/new", calm=False)
    page.get_by_label("File with a table").set_input_files(path)
    expect(page.get_by_role("alert")).to_contain_text("column b")
    page.get_by_role("button", name="Upload and check").click()
    page.wait_for_url("**dataset=*")
    expect(page.get_by_role("alert")).to_contain_text("column b")
    page.get_by_role("button", name="Read it with these changes").click()
    expect(page.get_by_text("3 × 1")).to_be_visible()


def test_an_upload_that_was_broken_off_goes_on_where_it_was(visit: Any, server: Server, tmp_path: Path) -> None:
    path = tmp_path / "large.npy"
    np.save(path, np.random.default_rng(0).normal(size=(1100, 2000)))
    page = visit(server, "/runs/new", calm=False)
    sent: list[str] = []

    def watch(route: Route) -> None:
        sent.append(route.request.url.rpartition("/")[2])
        # The second part does not get through the first time; it is tried again by itself, and waits.
        if sent == ["0", "1"]:
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/parts/*", watch)
    page.get_by_label("File with a table").set_input_files(path)
    with page.expect_request_finished(lambda request: request.url.endswith("/parts/0")):
        page.get_by_role("button", name="Upload and check").click()
    page.wait_for_event("requestfailed", lambda request: request.url.endswith("/parts/1"))
    page.reload()
    page.get_by_label("File with a table").set_input_files(path)
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("1,100 × 2,000")).to_be_visible()
    assert sent[:2] == ["0", "1"]
    assert set(sent[2:]) == {"1"}


# --- the list -----------------------------------------------------------------------------------------------------


def test_runs_that_are_chosen_are_cancelled_together(visit: Any, server: Server, wine: Path) -> None:
    runs = [submit(server, wine, iterations=LONG, seed=seed) for seed in (1, 2, 3)]
    page = visit(server, "/runs?state=PENDING,RUNNING")
    for run in runs[:2]:
        row_of(page, run).get_by_role("checkbox").check()
    expect(page.get_by_text("2 runs chosen")).to_be_visible()
    expect(page.get_by_role("button", name="Compare")).to_be_disabled()
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Cancel", exact=True).click()
    dialog = page.get_by_role("dialog", name="Cancel 2 runs?")
    expect(dialog).to_contain_text(runs[0])
    dialog.get_by_role("button", name="Cancel them").click()
    for run in runs[:2]:
        expect(row_of(page, run)).to_have_count(0)
    assert [server.ask("GET", f"/runs/{run}")[1]["state"] for run in runs[:2]] == ["CANCELLED", "CANCELLED"]
    expect(state_of(row_of(page, runs[2]))).to_contain_text("Running")
    server.ask("POST", f"/runs/{runs[2]}/cancel", {})


def test_the_address_says_what_is_shown_and_brings_it_back(visit: Any, server: Server, wine: Path) -> None:
    dataset = server.upload(wine.read_bytes(), "wine.csv", class_column="class")
    names = ["cork", "barrel", "amphora"]
    for name in names:
        body = {"dataset": dataset, "name": f"order {name}", "options": {"iterations": 2}}
        assert server.ask("POST", "/runs", body)[0] == 201
    page = visit(server, "/runs")
    page.get_by_role("searchbox", name="Search runs").fill("order")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_label("Failed").check(force=True)
    expect(page.get_by_text("No run matches")).to_be_visible()
    page.get_by_label("Failed").uncheck(force=True)
    page.get_by_label("Succeeded").check(force=True)
    titles = page.locator("table.runs tbody th a")
    shown = ["order amphora", "order barrel", "order cork"]
    expect(titles).to_have_text(shown)
    assert parse_qs(urlsplit(page.url).query) == {"search": ["order"], "sort": ["name"], "state": ["SUCCEEDED"]}

    page.reload()
    expect(titles).to_have_text(shown)
    expect(page.get_by_role("searchbox", name="Search runs")).to_have_value("order")
    titles.first.click()
    expect(page).to_have_url(RUN)
    page.go_back()
    expect(titles).to_have_text(shown)
    expect(page.locator("th[aria-sort=ascending]")).to_have_text(re.compile("^Run"))


def test_what_is_typed_is_searched_whatever_is_clicked_meanwhile(visit: Any, server: Server, wine: Path) -> None:
    dataset = server.upload(wine.read_bytes(), "wine.csv", class_column="class")
    for name in ("typed in haste", "another"):
        body = {"dataset": dataset, "name": name, "options": {"iterations": 2}}
        assert server.ask("POST", "/runs", body)[0] == 201
    page = visit(server, "/runs?state=FAILED")
    expect(page.get_by_text("No run matches")).to_be_visible()
    # Nothing is shown and nothing is filtered by the time that the pause after the last key is over.
    page.get_by_role("searchbox", name="Search runs").fill("in haste")
    page.get_by_label("Failed").uncheck(force=True)
    expect(page.locator("table.runs tbody th a")).to_have_text(["typed in haste"])


def test_a_server_that_is_away_is_said_and_asked_again(visit: Any, server: Server) -> None:
    page = visit(server, "/system", calm=False)
    expect(page.get_by_role("heading", name="Versions")).to_be_visible()
    page.route("**/api/v1/runs?*", lambda route: route.abort("connectionrefused"))
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.locator(".problem")).to_contain_text("the server does not answer")
    page.unroute("**/api/v1/runs?*")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_live_goes_on_by_asking_where_no_stream_can_be_had(visit: Any, server: Server, wine: Path) -> None:
    page = visit(server, "/system", calm=False)
    page.route("**/events/stream*", lambda route: route.fulfill(status=429, body="{}"))
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_text("Live, every few seconds")).to_be_visible()
    run = submit(server, wine, iterations=2)
    expect(state_of(row_of(page, run))).to_contain_text("Succeeded")


# --- all pages ----------------------------------------------------------------------------------------------------


def test_dark_and_light_are_the_systems_until_one_is_chosen(visit: Any, server: Server) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = (visit(server, "/runs", theme=theme) for theme in ("light", "dark"))
    grounds = [page.evaluate(ground) for page in (light, dark)]
    assert grounds[0] != grounds[1]
    light.get_by_role("button", name="Theme: auto").click()
    light.get_by_role("button", name="Theme: light").click()
    assert light.evaluate(ground) == grounds[1]
    light.reload()
    expect(light.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert light.evaluate(ground) == grounds[1]


@pytest.mark.parametrize(
    ("width", "theme", "rules"),
    [(1280, "light", {}), (360, "dark", {"runOnly": ["color-contrast", "target-size"]})],
)
def test_every_page_is_for_everybody(
    visit: Any, server: Server, wine: Path, width: int, theme: str, rules: dict[str, Any]
) -> None:
    """What axe finds grave, nothing; no page is wider than a phone."""
    run = submit(server, wine, iterations=2)
    dataset = server.wait(run)["dataset"]["id"]
    places = {
        "/runs": run,
        "/runs?search=nothing-of-that-name": "No run matches",
        "/runs/new": "Choose a file",
        f"/runs/new?dataset={dataset}": "Start the run",
        "/system": "Versions",
        "/runs/nothing/there": "No such page",
    }
    for place, sign in places.items():
        page = visit(server, place, width=width, theme=theme)
        expect(page.get_by_text(sign).first).to_be_visible()
        advanced = page.get_by_text("Advanced parameters")
        if advanced.count():
            advanced.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, place
        assert grave(page, **rules) == [], place


def test_times_are_local_and_in_utc_on_hover(browser: Browser, server: Server, wine: Path) -> None:
    run = submit(server, wine, iterations=2)
    created = server.ask("GET", f"/runs/{run}")[1]["created_at"]
    context = browser.new_context(timezone_id="Asia/Tokyo", locale="en-GB")
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/runs")
    time = row_of(page, run).locator("time").last
    expect(time).to_have_attribute("title", f"{created[:19].replace('T', ' ')} UTC")
    hour = (int(created[11:13]) + 9) % 24
    expect(time).to_contain_text(f"{hour:02d}:{created[14:16]}")
    context.close()


def test_a_token_is_asked_for_once_and_the_page_that_was_wanted_is_shown(visit: Any, tmp_path: Path) -> None:
    folder = tmp_path / "served"
    secret = call("token", "create", "--name", "ada", "--scope", "run", "--folder", folder).out.strip()
    with served(folder) as server:
        page = visit(server, "/system", calm=False)
        page.get_by_label("Token").fill("dnp_wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("unknown, expired or revoked")
        page.get_by_label("Token").fill(secret)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Versions")).to_be_visible()
        expect(page.get_by_text("ada")).to_be_visible()
        assert secret not in page.content()
        assert secret not in json.dumps(page.context.storage_state()["origins"])
        page.reload()
        expect(page.get_by_role("heading", name="Versions")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        page.reload()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_the_pages_are_small() -> None:
    files = [file for file in PAGES.rglob("*") if file.is_file() and file.suffix not in PACKED.values()]
    sizes = {file.name: len(gzip.compress(file.read_bytes())) for file in files}
    assert sum(sizes.values()) < BUNDLE, sizes
