"""Take the README's picture of the demo's report: ``make picture`` (after ``make demo``; needs chromium)."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def chromium() -> str:
    """Where the browser is."""
    found = shutil.which("chromium")
    if found is None:
        sys.exit("the picture needs chromium: install it (Debian: sudo apt-get install chromium)")
    return found


def main(report: Path, target: Path) -> None:
    """Open a report in chromium and save what it shows down to what makes each cluster."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        page = browser.new_page(viewport={"width": 1200, "height": 760}, device_scale_factor=1)
        page.goto(report.resolve().as_uri() + "#theme=light")
        for place in ("original", "reordered"):
            page.wait_for_selector(f"[data-view={place}] .heatmap-box[data-state=ready]")
        end = page.locator("dl.profiles").first.bounding_box()
        page.screenshot(
            path=target, full_page=True, clip={"x": 0, "y": 0, "width": 1200, "height": end["y"] + end["height"]}
        )
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
