"""The pages of one run and of several side by side, in a real browser on the embedded server."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, expect

from e2e.built import grave
from e2e.pages import READY, TRACES, Heatmap, iterations_drawn, spans
from integration.console import PATIENCE, fit
from integration.serving import Server, served

pytestmark = pytest.mark.usefixtures("built_pages")

ROWS, COLUMNS = 120, 12
#: Of the run that most tests look at.
ITERATIONS, SEED = 40, 5


def values() -> NDArray[np.float64]:
    """120 x 12 in shuffled blocks; a cell in thirteen is missing."""
    rng = np.random.default_rng(7)
    rows, columns = rng.permutation(np.arange(ROWS) % 4), rng.permutation(np.arange(COLUMNS) % 3)
    table = np.round(5.0 * rng.normal(size=(4, 3))[rows][:, columns] + rng.normal(scale=0.3, size=(ROWS, COLUMNS)), 3)
    table[np.add.outer(np.arange(ROWS), 5 * np.arange(COLUMNS)) % 13 == 0] = np.nan
    return np.asarray(table)


def table() -> bytes:
    """The same as CSV, with a name for each row and column; one of them is a script."""
    lines = ["id," + ",".join(f"col{j}" for j in range(COLUMNS - 1)) + ",<script>alert(1)</script>"]
    for i, row in enumerate(values()):
        lines.append(f"row{i}," + ",".join("" if np.isnan(value) else f"{value}" for value in row))
    return ("\n".join(lines) + "\n").encode()


@dataclass
class Runs:
    """A server with two finished runs of one dataset."""

    server: Server
    dataset: str
    first: str
    second: str

    def labels(self, axis: str) -> dict[str, str]:
        """Label by name, of the first run."""
        text = self.server.file(self.first, f"{axis}.csv").decode()
        return {row["id"]: row["label"] for row in csv.DictReader(io.StringIO(text))}


class Visit(Heatmap):
    """A page that was opened, and what it complained about."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.messages: list[str] = []


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    with served(tmp_path_factory.mktemp("served")) as server:
        dataset = server.upload(table(), "table.csv", id_column="id")
        first = server.submit(dataset, iterations=ITERATIONS, seed=SEED)
        second = server.submit(dataset, iterations=2, seed=8, alpha=40.0, start="singletons", pair_moves=False)
        for run in (first, second):
            server.wait(run)
        yield Runs(server, dataset, first, second)


@pytest.fixture
def visit(browser: Browser, runs: Runs) -> Iterator[Callable[..., Visit]]:
    contexts = []

    def start(path: str, *, theme: Any = "light", width: int = 1280, wait: str = READY) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, accept_downloads=True
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        opened = Visit(page)
        page.on("console", lambda message: opened.messages.append(message.text))
        page.on("pageerror", lambda error: opened.messages.append(str(error)))
        page.goto(f"http://127.0.0.1:{runs.server.port}{path}")
        page.wait_for_selector(wait)
        return opened

    yield start
    for context in contexts:
        context.close()


def test_clusters_and_traces_appear_live_and_in_the_end_the_blocks(visit: Callable[..., Visit], runs: Runs) -> None:
    run = runs.server.submit(runs.dataset, iterations=600, seed=1)
    opened = visit(f"/runs/{run}", wait="h1")
    page = opened.page
    expect(page.get_by_text("The blocks appear here once the run has succeeded")).to_be_visible()
    expect(page.get_by_test_id("clusters")).to_have_text(re.compile(r"^\d+ × \d+$"))
    expect(page.get_by_text(re.compile(r"Doing iteration \d+ of 600"))).to_be_visible()
    page.wait_for_selector(".chart-box")
    before = iterations_drawn(page)
    page.wait_for_function(
        "([box, before]) => Number(/at iteration ([\\d,]+)/.exec(document.querySelector(box).ariaLabel)[1]) > before",
        arg=[f"{TRACES}-box", before],
    )
    page.wait_for_selector(READY)
    expect(page.get_by_text("600 of 600")).to_be_visible()
    page.wait_for_function("box => /at iteration 600/.test(document.querySelector(box).ariaLabel)", arg=f"{TRACES}-box")
    # What stands beside a chart is its last value, too.
    for chart in page.locator(TRACES).all():
        beside = chart.locator("figcaption span").inner_text()
        expect(chart.locator(".chart-box")).to_have_attribute(
            "aria-label", re.compile(rf"\. {re.escape(beside)} at iteration 600")
        )
    expect(page.get_by_role("region", name="Events, the newest first")).to_contain_text("running → succeeded")
    assert opened.messages == []


def test_a_panel_says_what_makes_each_cluster_of_the_level_that_is_shown(
    visit: Callable[..., Visit], runs: Runs
) -> None:
    opened = visit(f"/runs/{runs.first}?row-level=2")
    page = opened.page
    panels = page.locator(".panel")
    expect(panels).to_have_count(2)
    expect(panels.first).to_contain_text(re.compile("Cluster 0.*(High|Low) in .*Typical: row", re.DOTALL))
    panels.first.locator("summary").click()
    expect(panels.first.get_by_role("row").nth(1)).to_contain_text(re.compile(r"col\d|script"))
    panels.nth(1).get_by_role("button", name="Cluster 1").click()
    expect(page).to_have_url(re.compile(r"rows=\d+-\d+"))
    page.get_by_role("radio", name="Column clusters").check(force=True)
    expect(panels).to_have_count(3)
    expect(page).to_have_url(re.compile("explain=columns"))
    assert opened.messages == []


def test_a_chart_tells_the_iteration_under_the_mouse(visit: Callable[..., Visit], runs: Runs) -> None:
    page = visit(f"/runs/{runs.first}").page
    charts = page.locator(f"{TRACES} figcaption span")
    resting = charts.all_inner_texts()
    page.locator(f"{TRACES} .u-over").first.hover()
    # All of one iteration.
    expect(charts.first).to_have_text(re.compile(r"^\d+: "))
    (place,) = {text.partition(":")[0] for text in charts.all_inner_texts()}
    assert 1 < int(place) < ITERATIONS
    page.mouse.move(0, 0)
    expect(charts).to_have_text(resting)


def test_the_heatmap_is_zoomed_to_single_cells_that_are_those_of_the_file(
    visit: Callable[..., Visit], runs: Runs
) -> None:
    opened = visit(f"/runs/{runs.first}")
    assert opened.looked_at().startswith(f"Heatmap of the matrix. All {ROWS} rows × {COLUMNS} columns, by cluster:")
    opened.canvas.focus()
    for _ in range(30):
        opened.page.keyboard.press("+")
    expect(opened.canvas).to_have_attribute("aria-label", re.compile("2 of 120 rows × 2 of 12 columns"))
    # The address follows a little later.
    opened.page.wait_for_url(lambda url: [span and span[1] - span[0] for span in spans(url).values()] == [2, 2])
    opened.page.wait_for_selector(READY)
    row, column, value = opened.read_out(0.45, 0.45)
    i, k = re.fullmatch(r"row row(\d+), cluster (\d+)", row).groups()  # type: ignore[union-attr]
    j, c = re.fullmatch(r"column (.+), cluster (\d+)", column).groups()  # type: ignore[union-attr]
    assert (runs.labels("rows")[f"row{i}"], runs.labels("columns")[j]) == (k, c)
    expected = values()[int(i), list(runs.labels("columns")).index(j)]
    shown = np.nan if value == "missing" else float(value.replace("−", "-"))
    np.testing.assert_allclose(shown, expected, rtol=1e-3)

    # A link shows what its sender saw.
    again = visit(opened.page.url.partition(str(runs.server.port))[2])
    expect(again.canvas).to_have_attribute("aria-label", opened.looked_at())
    assert again.read_out(0.45, 0.45) == [row, column, value]
    assert opened.messages == again.messages == []


def test_the_other_order_is_a_key_away(visit: Callable[..., Visit], runs: Runs) -> None:
    opened = visit(f"/runs/{runs.first}?rows=0-2&columns=0-2")
    opened.page.keyboard.press("o")
    opened.page.wait_for_url(re.compile("order=original"))
    expect(opened.canvas).to_have_attribute("aria-label", re.compile("as the file has them"))
    opened.page.wait_for_selector(READY)
    assert opened.read_out(0.2, 0.2)[:2] == ["row row0", "column col0"]
    assert opened.read_out(0.9, 0.2)[:2] == ["row row0", "column col1"]
    opened.page.keyboard.press("o")
    expect(opened.canvas).to_have_attribute("aria-label", re.compile("by cluster"))


def test_the_wheel_zooms_where_the_mouse_is_and_dragging_moves(visit: Callable[..., Visit], runs: Runs) -> None:
    opened = visit(f"/runs/{runs.first}")
    page = opened.page
    at = opened.canvas.bounding_box()
    page.mouse.move(at["x"] + at["width"] - 4, at["y"] + at["height"] * 0.3)
    page.mouse.wheel(0, -400)
    page.wait_for_url(re.compile("rows="))
    last = spans(page.url)
    # Its columns are wide enough already: they wait for the rows.
    assert last["columns"] is None
    assert last["rows"][1] - last["rows"][0] < ROWS
    page.mouse.down()
    page.mouse.move(at["x"] + at["width"] - 4, at["y"] + at["height"] * 0.3 + 100, steps=5)
    page.mouse.up()
    page.wait_for_function("before => location.href !== before", arg=page.url)
    assert spans(page.url)["rows"][0] < last["rows"][0]
    page.get_by_role("button", name="Whole").click()
    page.wait_for_function("() => !location.search.includes('rows')")


def test_the_keyboard_reads_out_the_cell_in_the_middle(visit: Callable[..., Visit], runs: Runs) -> None:
    opened = visit(f"/runs/{runs.first}?rows=10-14&columns=2-5")
    page = opened.page
    page.get_by_role("button", name="Whole").focus()
    page.keyboard.press("Tab")
    status = page.locator(".heatmap-status")
    expect(status).to_contain_text("At the mark: row row")
    before = status.inner_text()
    page.keyboard.press("ArrowDown")
    expect(status).not_to_have_text(before)
    page.wait_for_url(re.compile("rows=11-15"))


def test_a_block_of_the_table_opens_the_heatmap_at_its_place(visit: Callable[..., Visit], runs: Runs) -> None:
    opened = visit(f"/runs/{runs.first}")
    opened.page.get_by_role("button", name=re.compile("block 1, 1: show it")).click()
    opened.page.wait_for_url(re.compile("rows="))
    expect(opened.canvas).to_have_attribute("aria-label", re.compile("1 row cluster × 1 column cluster"))
    sizes = [list(runs.labels(axis).values()).count("1") for axis in ("rows", "columns")]
    found = spans(opened.page.url)
    assert [found[axis][1] - found[axis][0] for axis in ("rows", "columns")] == sizes


def test_labels_that_are_downloaded_are_those_of_fit(visit: Callable[..., Visit], runs: Runs, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(table())
    done = fit(path, tmp_path / "run", "--id-column", "id", "--shards", 2, "--seed", SEED, iterations=ITERATIONS)
    assert done.code == 0, done.err
    page = visit(f"/runs/{runs.first}").page
    for name in ("rows.csv", "columns.csv"):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        assert download.value.path().read_bytes() == (tmp_path / "run" / name).read_bytes()
    with page.expect_download() as download:
        page.get_by_role("link", name="rows.csv for a spreadsheet").click()
    assert download.value.suggested_filename == f"{runs.first}-rows-spreadsheet.csv"
    # No name of this table is a formula.
    assert download.value.path().read_bytes() == (tmp_path / "run" / "rows.csv").read_bytes()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all").click()
    assert download.value.suggested_filename == f"{runs.first}.zip"


def test_two_runs_are_compared(visit: Callable[..., Visit], runs: Runs) -> None:
    opened = visit(f"/runs/{runs.first}")
    page = opened.page
    page.get_by_role("checkbox", name=re.compile(runs.second)).check()
    page.get_by_role("button", name="Compare 2 runs").click()
    page.wait_for_url(f"**/compare?run={runs.first}&run={runs.second}")
    expected = runs.server.ask("GET", f"/compare?runs={runs.first},{runs.second}")[1]
    rows = page.get_by_role("region", name="Partitions of rows")
    expect(rows.locator("td.chosen").first).to_have_text(f"{expected['rows']['ari'][0][1]:.3f}".replace("-", "−"))
    page.get_by_label("Normalised mutual information").check()
    expect(rows.locator("td.chosen").first).to_have_text(f"{expected['rows']['nmi'][0][1]:.3f}")
    page.wait_for_url(re.compile("measure=nmi"))
    contingency = page.get_by_role("region", name=re.compile("^Rows by cluster in"))
    counts = [int(text) for text in contingency.locator("tbody td").all_inner_texts() if text]
    assert sum(counts) == ROWS
    differing = page.get_by_role("region", name="Their values")
    for name in ("iterations", "seed", "start", "pair moves"):
        expect(differing.get_by_role("rowheader", name=name, exact=True)).to_be_visible()
    assert page.locator(".chart-box").count() == 4
    page.get_by_role("link", name="table.csv").first.click()
    page.wait_for_selector(READY)
    page.go_back()
    page.wait_for_selector(".shades")
    assert "measure=nmi" in page.url
    assert opened.messages == []


def test_runs_that_cannot_be_compared_say_why(visit: Callable[..., Visit], runs: Runs) -> None:
    page = visit(f"/compare?run={runs.first}", wait=".empty").page
    expect(page.get_by_text("There are fewer than two runs to compare")).to_be_visible()
    other = runs.server.submit(runs.server.upload(b"a,b\n1,2\n3,4\n5,7\n", "other.csv"), iterations=1)
    runs.server.wait(other)
    page = visit(f"/compare?run={runs.first}&run={other}", wait=".problem").page
    expect(page.get_by_text(re.compile("tables of different shapes"))).to_be_visible()


def test_a_run_is_paused_resumed_cancelled_and_cloned(visit: Callable[..., Visit], runs: Runs) -> None:
    run = runs.server.submit(runs.dataset, iterations=100_000)
    opened = visit(f"/runs/{run}", wait=".vitality")
    page = opened.page
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text(re.compile(r"Paused after \d+ iterations?\."))).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text(re.compile("Doing iteration"))).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Leave it").click()
    expect(page.get_by_text(re.compile("Doing iteration"))).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Cancel the run").click()
    expect(page.get_by_text(re.compile("it has no results"))).to_be_visible()
    page.get_by_role("button", name="Clone").click()
    page.get_by_label("Iterations", exact=True).fill("3")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(lambda url: f"/runs/{run}" not in url)
    page.wait_for_selector(READY)
    made = runs.server.ask("GET", f"/runs/{page.url.rpartition('/')[2]}")[1]
    assert (made["options"]["iterations"], made["options"]["seed"]) == (3, 1)
    assert opened.messages == []


def test_a_run_that_failed_says_why_and_what_to_do(visit: Callable[..., Visit], runs: Runs) -> None:
    run = runs.server.submit(runs.server.upload(b"a,b\n1,2\n3,oops\n", "bad.csv"), iterations=3)
    runs.server.wait(run, ("FAILED",))
    page = visit(f"/runs/{run}", wait=".problem").page
    expect(page.get_by_role("alert")).to_contain_text("line 3, column b: 'oops' is not a number")
    expect(page.get_by_role("alert")).to_contain_text("mend the file")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()


def test_what_there_is_not_is_said(visit: Callable[..., Visit], runs: Runs) -> None:
    page = visit("/runs/beefbeef", wait=".problem").page
    expect(page.get_by_role("link", name="See all runs")).to_be_visible()


def test_a_table_of_nothing_but_one_cell_blanks_no_page(visit: Callable[..., Visit], runs: Runs) -> None:
    run = runs.server.submit(runs.server.upload(b"a,b\n1,\n,\n", "sparse.csv"), iterations=2)
    runs.server.wait(run)
    opened = visit(f"/runs/{run}")
    assert opened.read_out(0.2, 0.2)[2] == "1"
    assert opened.read_out(0.2, 0.8)[2] == "missing"
    for title in ("Traces", "Shards", "Files", "Events"):
        expect(opened.page.get_by_role("heading", name=title)).to_be_visible()
    assert opened.messages == []


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 360)])
def test_both_pages_fit_and_axe_finds_nothing_serious(
    visit: Callable[..., Visit], runs: Runs, theme: str, width: int
) -> None:
    places = {f"/runs/{runs.first}": READY, f"/compare?run={runs.first}&run={runs.second}": ".shades"}
    for path, wait in places.items():
        opened = visit(path, theme=theme, width=width, wait=wait)
        page = opened.page
        page.wait_for_selector(".chart-box")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert grave(page, resultTypes=["violations"]) == []
        assert opened.messages == []


def test_the_themes_draw_the_matrix_in_their_own_colours(visit: Callable[..., Visit], runs: Runs) -> None:
    pixel = "canvas => [...canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 9, 9).data]"
    drawn = [
        visit(f"/runs/{runs.first}", theme=theme).page.eval_on_selector(".heatmap-box canvas", pixel)
        for theme in ("light", "dark")
    ]
    assert drawn[0] != drawn[1]


def test_a_level_a_name_and_the_members_of_a_cluster_are_a_press_away(visit: Callable[..., Visit], runs: Runs) -> None:
    labels = runs.labels("rows")
    fine = len(set(labels.values()))
    page = visit(f"/runs/{runs.first}").page
    canvas = page.locator(".heatmap-box canvas")
    expect(canvas).to_have_attribute("aria-label", re.compile(f"{fine} row cluster"))
    page.get_by_role("slider").first.fill("2")
    expect(canvas).to_have_attribute("aria-label", re.compile("2 row clusters"))
    expect(page.get_by_role("button", name=re.compile("^Show row cluster"))).to_have_count(2)
    expect(page).to_have_url(re.compile(r"\?row-level=2$"))
    more = page.get_by_role("button", name=re.compile("more of row cluster 0"))
    more.click()
    dialog = page.get_by_role("dialog")
    size = int(re.match(r"\d+", dialog.get_by_role("heading").inner_text())[0])
    expect(dialog.get_by_role("listitem")).to_have_count(size)
    dialog.get_by_role("button", name="Close").click()
    name = next(iter(labels))
    page.get_by_role("searchbox", name="Find").fill(name)
    page.locator(".found button").first.click()
    expect(canvas).to_have_attribute("aria-label", re.compile("30 of 120 rows"))
    expect(page).to_have_url(re.compile(r"[?&]row=\d+"))
