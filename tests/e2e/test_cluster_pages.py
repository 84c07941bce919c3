"""A person's way through the pages on a cluster: real servers, a master, and workers that are started late."""

from __future__ import annotations

import csv
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from disnplbm.messaging import queues
from e2e.pages import LONG, READY, TRACES, Heatmap, iterations_drawn, path_of, row_of, run_of, state_of, to_page
from faults.customized import customized, is_customized
from faults.waiting import until
from integration.console import fit

if TYPE_CHECKING:
    from services.cluster import Cluster, Member
    from services.served import Served

pytestmark = pytest.mark.usefixtures("built_pages")

SHARDS, ITERATIONS, SEED = 4, 300, 7

#: So large that K or L changes in nearly every iteration.
ALPHA = 50

#: Has a worker read and cut data, but sweep nothing.
READS_ONLY = "from disnplbm.messaging import queues\nqueues.SWEEP = queues.DEAD"

#: Notes what is shown of K and L, until the page is loaded anew.
NOTE_CLUSTERS = """() => {
  const place = document.querySelector("[data-testid=clusters]");
  window.clusters = new Set();
  new MutationObserver(() => window.clusters.add(place.textContent)).observe(place, {
    characterData: true, childList: true, subtree: true,
  });
}"""

GROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture
def dashboard(cluster: Cluster) -> Iterator[Served]:
    """Of a cluster with a master, and no worker yet."""
    from services.served import Served

    cluster.start_master()
    with Served(cluster, guarded=False) as served:
        yield served.start()


def test_from_a_file_to_blocks_that_are_understood(
    cluster: Cluster, dashboard: Served, visit: Callable[..., Page], wine: Path, tmp_path: Path
) -> None:
    folder = fitted(wine, tmp_path / "fit")
    page = visit(dashboard)
    first = submitted(page, wine)
    waits_for_workers(page, cluster, tmp_path / "reads-only")
    workers = both_at_work(cluster, dashboard)
    is_seen_live(page, workers, clusters_of(folder))
    is_found(page, workers)
    shows_its_cells(page, lambda path: visit(dashboard, path, theme="dark"))
    gives_the_files_of_fit(page, folder)
    second = another_is_done(page)
    third = another_is_cancelled(page)
    are_compared(page, dashboard, first, second)
    are_listed(page, {first: "Succeeded", second: "Succeeded", third: "Cancelled"})
    system_is_told_of(page, workers)


def fitted(wine: Path, folder: Path) -> Path:
    """What the command line makes of the same."""
    options = ("--row-classes", "class", "--transform", "standardize", "--shards", SHARDS, "--seed", SEED)
    done = fit(wine, folder, *options, "--alpha", ALPHA, iterations=ITERATIONS)
    assert done.code == 0, done.err
    return folder


def clusters_of(folder: Path) -> set[str]:
    """All that the pages may show of K and L on the way of a run."""
    with (folder / "trace.csv").open() as file:
        return {f"{row['row_clusters']} × {row['column_clusters']}" for row in csv.DictReader(file)}


def submitted(page: Page, wine: Path) -> str:
    """From an empty list to a run, by way of the pre-flight; its id."""
    page.get_by_role("link", name="Start the first run").click()
    page.get_by_label("File with a table").set_input_files(wine)
    page.get_by_role("button", name="Read it with these changes").click()
    expect(page.get_by_label("Known classes of the rows")).to_have_value("class")
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_label("What is in the table")).to_contain_text("178 × 13")
    expect(page.get_by_text("Columns are on very different scales")).to_be_visible()
    expect(page.get_by_label("Transform")).to_have_value("standardize")
    page.get_by_label("Iterations", exact=True).fill(str(ITERATIONS))
    page.get_by_label("Seed").fill(str(SEED))
    page.get_by_text("Advanced parameters").click()
    page.get_by_label("Alpha, of rows").fill(str(ALPHA))
    page.get_by_label("Shards", exact=True).fill(str(SHARDS))
    page.get_by_role("button", name="Start the run").click()
    return run_of(page)


def waits_for_workers(page: Page, cluster: Cluster, folder: Path) -> None:
    """What is missing is said: somebody to read the file first, and then somebody to sweep."""
    status = page.locator(".vitality")
    expect(status).to_contain_text("Waiting for a worker to read the file")
    reader = cluster.start_worker(**customized(folder, READS_ONLY))
    expect(status).to_contain_text(f"Waiting for workers (0 of {SHARDS}). Last sign of life")
    assert is_customized(reader)
    reader.stop()


def both_at_work(cluster: Cluster, dashboard: Served) -> list[Member]:
    """Two workers that begin together: the master is held until both listen."""
    (master,) = cluster.masters
    master.suspend()
    workers = [cluster.start_worker(), cluster.start_worker()]
    until(cluster, "both listen", lambda: consumers(dashboard)[queues.SWEEP.name] == len(workers))
    master.resume()
    return workers


def consumers(dashboard: Served) -> dict[str, int]:
    """How many listen to each queue."""
    found = dashboard.ask("/api/v1/workers")
    assert found is not None
    return {queue["name"]: queue["consumers"] for queue in found["queues"]}


def name_of(worker: Member) -> str:
    """What a worker calls itself."""
    return f"{socket.gethostname()}-{worker.pid}"


def is_seen_live(page: Page, workers: list[Member], expected: set[str]) -> None:
    """K and L change under one's eyes, before and after the page is loaded anew in the middle."""
    changes(page, expected)
    expect(page.locator(".vitality")).to_contain_text(
        re.compile(rf"2 workers, \d of {SHARDS} shards of this iteration")
    )
    # Held, so that the middle does not go by meanwhile.
    for worker in workers:
        worker.suspend()
    page.reload()
    expect(page.locator(".badge").first).to_contain_text("Running")
    expect(page.get_by_test_id("clusters")).to_have_text(re.compile(r"^\d+ × \d+$"))
    expect(page.get_by_text("The blocks appear here once the run has succeeded")).to_be_visible()
    page.wait_for_selector(".chart-box")
    assert 0 < iterations_drawn(page) < ITERATIONS
    for worker in workers:
        worker.resume()
    changes(page, expected)


def changes(page: Page, expected: set[str]) -> None:
    """K and L come to be others, more than once, as the run has them."""
    page.evaluate(NOTE_CLUSTERS)
    # Not there any more if the page were loaded anew.
    page.wait_for_function("() => window.clusters.size > 2")
    assert set(page.evaluate("[...window.clusters]")) <= expected


def is_found(page: Page, workers: list[Member]) -> None:
    """The end of the run comes by itself; who did which shard is said."""
    page.wait_for_selector(READY)
    expect(page.get_by_text(f"{ITERATIONS} of {ITERATIONS}")).to_be_visible()
    page.wait_for_function(
        "([box, iterations]) => document.querySelector(box).ariaLabel.includes(`at iteration ${iterations}`)",
        arg=[f"{TRACES}-box", ITERATIONS],
    )
    expect(page.get_by_role("region", name="Events, the newest first")).to_contain_text("running → succeeded")
    names = [name_of(worker) for worker in workers]
    for name in names:
        expect(page.get_by_role("region", name="Workers of these iterations")).to_contain_text(name)
    last = page.get_by_role("region", name=f"Shards of iteration {ITERATIONS}").locator("tbody tr")
    expect(last).to_have_count(SHARDS)
    assert {row.locator("td").nth(1).inner_text() for row in last.all()} <= set(names)


def shows_its_cells(page: Page, opened: Callable[[str], Page]) -> None:
    """The heatmap is zoomed to single cells; who is sent the address sees the same, in the dark if he likes."""
    heatmap = Heatmap(page)
    assert "All 178 rows × 13 columns, by cluster" in heatmap.looked_at()
    heatmap.canvas.focus()
    for _ in range(30):
        page.keyboard.press("+")
    expect(heatmap.canvas).to_have_attribute("aria-label", re.compile("2 of 178 rows × 2 of 13 columns"))
    page.wait_for_url(re.compile(r"rows=\d+-\d+&columns=\d+-\d+"))
    page.wait_for_selector(READY)
    read = heatmap.read_out(0.45, 0.45)
    assert re.fullmatch(r"row \d+, cluster \d+", read[0])

    shared = opened(path_of(page))
    shared.wait_for_selector(READY)
    # An address names whole cells: where half a column was at the edge, all of it is now.
    assert path_of(shared) == path_of(page)
    assert Heatmap(shared).read_out(0.45, 0.45) == read
    assert shared.evaluate(GROUND) != page.evaluate(GROUND)

    page.get_by_role("button", name="Whole").click()
    page.wait_for_function("() => !location.search.includes('rows')")


def gives_the_files_of_fit(page: Page, folder: Path) -> None:
    """Labels that are downloaded are the command line's, to the last byte."""
    for name in ("rows.csv", "columns.csv"):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        assert download.value.path().read_bytes() == (folder / name).read_bytes()


def cloned(page: Page, iterations: int) -> str:
    """Have the run done again with the next seed, for so many iterations; the id of the new one."""
    before = page.url
    page.get_by_role("button", name="Clone").click()
    page.get_by_label("Iterations", exact=True).fill(str(iterations))
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(lambda url: url != before)
    return run_of(page)


def another_is_done(page: Page) -> str:
    """A run beside it; its id."""
    run = cloned(page, 20)
    expect(page.get_by_text("20 of 20")).to_be_visible()
    page.wait_for_selector(READY)
    return run


def another_is_cancelled(page: Page) -> str:
    """A run that would take for ever is ended from its page; its id."""
    run = cloned(page, LONG)
    expect(page.locator(".vitality")).to_contain_text(re.compile(r"[12] workers?, \d of"))
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Cancel the run").click()
    expect(page.get_by_text(re.compile("it has no results"))).to_be_visible()
    return run


def are_compared(page: Page, dashboard: Served, first: str, second: str) -> None:
    """From the list, by way of the one run, to both side by side; and back."""
    to_page(page, "Runs")
    row_of(page, first).get_by_role("link").click()
    page.get_by_role("checkbox", name=re.compile(second)).check()
    page.get_by_role("button", name="Compare 2 runs").click()
    page.wait_for_url(f"**/compare?run={first}&run={second}")
    expected = dashboard.ask(f"/api/v1/compare?runs={first},{second}")
    assert expected is not None
    rows = page.get_by_role("region", name="Partitions of rows")
    expect(rows.locator("td.chosen").first).to_have_text(f"{expected['rows']['ari'][0][1]:.3f}".replace("-", "−"))
    expect(page.locator(".chart-box")).to_have_count(4)
    page.go_back()
    page.wait_for_selector(READY)
    assert run_of(page) == first
    page.go_back()
    expect(row_of(page, first)).to_be_visible()
    page.go_forward()
    page.go_forward()
    expect(rows).to_be_visible()


def are_listed(page: Page, states: dict[str, str]) -> None:
    """The list says how they stand."""
    to_page(page, "Runs")
    for run, state in states.items():
        expect(state_of(row_of(page, run))).to_contain_text(state)


def system_is_told_of(page: Page, workers: list[Member]) -> None:
    """The workers and the queues, by name."""
    to_page(page, "System")
    for worker in workers:
        row = page.get_by_role("region", name="Workers").get_by_role("row", name=name_of(worker))
        expect(row.locator("time")).to_be_visible()
        expect(row.locator("td.number")).to_have_text(re.compile(r"^[1-9][\d,]*$"))
    listed = page.get_by_role("region", name="Queues")
    for queue in queues.ALL:
        expect(listed.get_by_role("rowheader", name=queue.name, exact=True)).to_be_visible()
    for queue in (queues.SWEEP, queues.PREPARE):
        row = listed.get_by_role("row", name=queue.name)
        expect(row.locator("td")).to_have_text(["0", str(len(workers))])
