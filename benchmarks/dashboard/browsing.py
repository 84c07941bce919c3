"""How long pages take to open in a browser, and how much of them there is to load."""

from __future__ import annotations

import gzip
import time
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, Request

from benchmarks.dashboard.figures import median
from benchmarks.dashboard.ground import HUGE, LARGE, VIEWPORT, Ground
from benchmarks.dashboard.history import RUNS
from benchmarks.dashboard.observed import Others
from benchmarks.tables import Figure, figure_table
from disnplbm_dashboard.web import PACKED, PAGES
from e2e.chromium import chromium
from integration.serving import Server

BAR, BUNDLE, TIMES = 1.0, 150_000, 5

#: There once a picture of the matrix is drawn.
DRAWN = ".heatmap-box[data-state=ready]"

#: Waits for an element, and for two frames more. What Playwright has to wait with looks twice a second in the end.
_THERE = """there => new Promise(done => {
    const look = () => {
        if (document.querySelector(there) === null) return;
        watch.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(done));
    };
    const watch = new MutationObserver(look);
    watch.observe(document, {subtree: true, childList: true, attributes: true});
    look();
})"""


def section(ground: Ground) -> str:
    """Pages, each in browsers that have nothing in their caches."""
    pages = {
        f"list of runs ({RUNS:,} of them)": ("/runs", "table.runs tbody tr"),
        "new run": ("/runs/new", "[aria-labelledby=datasets-title] tbody tr"),
        "system": ("/system", "#versions-title"),
        **{
            f"run of {n:,} x {p}, until its heatmap is drawn": (f"/runs/{ground.run((n, p))}", DRAWN)
            for n, p in (LARGE, HUGE)
        },
    }
    figures = []
    with ground.serving() as server, chromium() as browser:
        others = Others()
        for what, (path, there) in pages.items():
            figures.append(median(what, [_opened(browser, server, path, there) for _ in range(TIMES)], BAR))
        figures.append(others.figure())
    files = [file for file in PAGES.rglob("*") if file.is_file() and file.suffix not in PACKED.values()]
    size = sum(len(gzip.compress(file.read_bytes())) for file in files)
    figures.append(
        Figure(
            "all files of the pages, gzipped", f"{size / 1000:.1f} kB", f"under {BUNDLE / 1000:.0f} kB", size < BUNDLE
        )
    )
    return f"""## Pages

Chromium without a window on the same machine, {VIEWPORT["width"]} x {VIEWPORT["height"]}, which draws without a
graphics card, with empty caches each time; from the address being entered until what the page is for is drawn. Medians.

{figure_table(figures)}"""


def picture_size(server: Server, run: str) -> tuple[int, int]:
    """Height and width of the picture that the page of a run asks for, in pixels."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/heatmap?" in request.url:
            asked.append(request.url)

    with chromium() as browser:
        page = browser.new_page(viewport=VIEWPORT)
        page.on("request", note)
        page.goto(f"http://127.0.0.1:{server.port}/runs/{run}")
        page.wait_for_selector(DRAWN)
    query = parse_qs(urlsplit(asked[-1]).query)
    return int(query["height"][0]), int(query["width"][0])


def _opened(browser: Browser, server: Server, path: str, there: str) -> float:
    """Seconds until something is on a page."""
    context = browser.new_context(viewport=VIEWPORT)
    page = context.new_page()
    began = time.perf_counter()
    page.goto(f"http://127.0.0.1:{server.port}{path}", wait_until="commit")
    page.evaluate(_THERE, there)
    taken = time.perf_counter() - began
    context.close()
    return taken
