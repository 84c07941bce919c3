"""What tests look for on the pages, and read from them."""

from __future__ import annotations

import re
from typing import Any, Protocol

from playwright.sync_api import Locator, Page, expect

from integration.console import PATIENCE

RUN = re.compile(r"/runs/[0-9a-f]{12}$")
"""End of the address of a run."""

READY = ".heatmap-box[data-state=ready]"
"""A heatmap that is drawn."""

LONG = 1_000_000
"""Iterations that no test waits for."""

expect.set_options(timeout=1000 * PATIENCE)


class Dashboard(Protocol):
    """A server on this machine that has the pages."""

    port: int


class Heatmap:
    """The matrix on the page of a finished run.

    Parameters
    ----------
    page : Page
    """

    def __init__(self, page: Page) -> None:
        self.page = page

    @property
    def canvas(self) -> Locator:
        """Where it is drawn."""
        return self.page.locator(".heatmap-box canvas")

    def looked_at(self) -> str:
        """What it says it shows."""
        return str(self.canvas.get_attribute("aria-label"))

    def read_out(self, across: float, down: float) -> list[str]:
        """What is said of the place at these shares of its width and height."""
        self.canvas.scroll_into_view_if_needed()
        at = self.canvas.bounding_box()
        assert at is not None
        self.page.mouse.move(at["x"] + at["width"] * across, at["y"] + at["height"] * down)
        return self.page.locator(".heatmap-tip").inner_text().split("\n")


def path_of(page: Page) -> str:
    """Path and query of a page's address."""
    return str(page.evaluate("location.pathname + location.search"))


def run_of(page: Page) -> str:
    """The id of the run whose page it is, or becomes."""
    expect(page).to_have_url(RUN)
    return path_of(page).rpartition("/")[2]


def row_of(page: Page, run: str) -> Locator:
    """The row of a run in the list."""
    return page.locator("table.runs tbody tr", has_text=run)


def state_of(row: Locator) -> Locator:
    """The state that a row shows, where there is room for a column of states."""
    return row.locator("td .badge")


def to_page(page: Page, name: str) -> None:
    """Follow a link at the top of the page."""
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True).click()


def spans(url: str) -> dict[str, Any]:
    """Rows and columns of the heatmap that an address names: from and to, or None for all."""
    found = {axis: re.search(rf"{axis}=(\d+)-(\d+)", url) for axis in ("rows", "columns")}
    return {axis: None if span is None else (int(span[1]), int(span[2])) for axis, span in found.items()}


#: Charts of the traces; a run that has ended has charts of its levels too.
TRACES = "[aria-labelledby=traces] .chart"


def iterations_drawn(page: Page) -> int:
    """Up to where the trace of the log joint is drawn; 0 before it is."""
    chart = page.locator(f"{TRACES}-box").first
    found = re.search(r"at iteration ([\d,]+)", chart.get_attribute("aria-label") or "") if chart.count() else None
    return int(found[1].replace(",", "")) if found else 0
