"""A real browser, and what it is given to open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from e2e.built import are_built
from e2e.chromium import chromium
from e2e.pages import Dashboard
from integration.console import PATIENCE


@pytest.fixture(scope="module")
def built_pages() -> None:
    """For tests of the dashboard's pages."""
    if not are_built():
        pytest.fail("the pages are not built: make pages")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium, without a window."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages of a server; in the end, nothing was complained of, and nothing was asked from elsewhere."""
    opened: list[Page] = []
    messages: list[str] = []
    elsewhere: list[str] = []

    def start(
        server: Dashboard, path: str = "/", *, width: int = 1280, theme: Any = "light", calm: bool = True
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        opened.append(page)
        origin = f"http://127.0.0.1:{server.port}"
        if calm:
            page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda asked: asked.url.startswith((origin, "data:")) or elsewhere.append(asked.url))
        page.goto(origin + path)
        return page

    yield start
    for page in opened:
        page.context.close()
    assert messages == []
    assert elsewhere == []


@pytest.fixture(scope="session")
def wine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """wine.csv, 178 x 13, with a column of classes."""
    from sklearn.datasets import load_wine

    table = load_wine()
    path = tmp_path_factory.mktemp("wine") / "wine.csv"
    lines = [",".join(["class", *table.feature_names])]
    for values, label in zip(table.data.tolist(), table.target.tolist(), strict=True):
        lines.append(",".join([str(table.target_names[label]), *map(str, values)]))
    path.write_text("\n".join(lines) + "\n")
    return path
