"""The pages as they were built, and what axe has to say of one that is open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from disnplbm.report import page
from disnplbm_dashboard.web import PAGES

AXE = Path(__file__).resolve().parents[2] / "dashboard" / "web" / "node_modules" / "axe-core" / "axe.min.js"


def are_built() -> bool:
    """Whether there are the dashboard's pages, a report's page, and axe."""
    return (PAGES / "index.html").is_file() and page.is_built() and AXE.is_file()


def grave(page: Page, **options: Any) -> list[tuple[str, list[str]]]:
    """What axe finds serious or critical on a page: the rule, and the elements; ``options`` are axe's."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("options => axe.run(document, options).then(found => found.violations)", options)
    return [
        (each["id"], [node["html"] for node in each["nodes"]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
