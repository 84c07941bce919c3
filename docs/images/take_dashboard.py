"""Take the docs' pictures of the dashboard: ``make picture`` (after ``make demo`` and ``make pages``; needs chromium).

A server of its own fits the two tables of the demo, as a visitor would do it.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright
from take import QUIET, chromium

HERE = Path(__file__).resolve().parent
PATIENCE = 600_000


def main(demo: Path) -> None:
    """Start the server, and visit it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        words = [f"{sys.prefix}/bin/disnplbm", "serve", "--port", str(port), "--folder", folder]
        server = subprocess.Popen(words)
        try:
            await_answer(f"http://127.0.0.1:{port}/api/v1/health")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
                page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
                page.set_default_timeout(PATIENCE)
                visit(page, f"http://127.0.0.1:{port}", demo)
                browser.close()
        finally:
            server.terminate()
            server.wait()


def await_answer(url: str) -> None:
    """Ask until the server answers, for a minute."""
    for _ in range(600):
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit(f"{url} does not answer")


def visit(page: Page, server: str, demo: Path) -> None:
    """From a file to a run, twice."""
    check(page, server, demo / "wine.csv")
    save(page, "dashboard-check")
    start(page, "Wine", {"Iterations": "600", "Burn-in": "300"})
    save(page, "dashboard-run")
    page.get_by_role("region", name="Row clusters", exact=True).evaluate(
        "region => region.scrollIntoView({block: 'start'})"
    )
    save(page, "dashboard-clusters")
    page.locator(".panel").first.wait_for()
    page.locator("#classes").evaluate("title => title.scrollIntoView({block: 'start'})")
    save(page, "dashboard-explained")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").click()
    download.value.save_as(HERE / "slide.png")
    check(page, server, many(demo))
    start(page, "72 patients in 60 clusters", {"Iterations": "200", "Burn-in": "100"})
    page.locator(".matrix").evaluate("section => section.scrollIntoView({block: 'start'})")
    save(page, "dashboard-many")
    page.get_by_role("button", name="Why this level?").click()
    save(page, "dashboard-level")
    check(page, server, demo / "paper" / "x.npy")
    start(page, "Synthetic 20,000 x 90", {"Iterations": "100", "Burn-in": "50"})
    save(page, "dashboard")


def many(folder: Path) -> Path:
    """A table of 72 rows in 60 clusters, and 500 columns in 25: rows of very different noise."""
    rng = np.random.default_rng(0)
    rows, columns = np.r_[np.arange(60), rng.integers(0, 60, 12)], rng.integers(0, 25, 500)
    noise = rng.lognormal(0.0, 0.7, (72, 1)) / 2
    values = rng.normal(0, 3, (60, 25))[rows][:, columns] + noise * rng.normal(size=(72, 500))
    lines = ["sample," + ",".join(f"gene_{j:03}" for j in range(500))]
    lines += [f"patient_{i:02}_first_visit," + ",".join(f"{x:.3f}" for x in row) for i, row in enumerate(values)]
    path = folder / "many.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def check(page: Page, server: str, table: Path) -> None:
    """Drop a table on the page for a new run, and wait for what the server says of it."""
    page.goto(f"{server}/runs/new")
    page.locator("input[type=file]").first.set_input_files(table)
    page.get_by_role("button", name="Upload and check").click()
    ready, mended = (page.get_by_role("button", name=name) for name in ("Start the run", "Read it with these changes"))
    ready.or_(mended).wait_for()
    if mended.is_visible():
        mended.click()
        ready.wait_for()


def start(page: Page, name: str, options: dict[str, str]) -> None:
    """Start the run, and wait for its picture."""
    for label, value in {"Name": name, **options}.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Start the run").click()
    page.locator(".heatmap-box[data-state=ready]").wait_for()
    page.mouse.move(0, 0)


def save(page: Page, name: str) -> None:
    """What the window shows, once it stands still."""
    page.wait_for_timeout(500)
    page.screenshot(path=HERE / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
