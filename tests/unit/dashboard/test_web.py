"""The pages: every address of theirs, what may be kept, and what is said before they are built."""

from __future__ import annotations

from pathlib import Path

import pytest

from disnplbm_dashboard import web
from disnplbm_dashboard.security import POLICY

from .conftest import Dashboard

PLACES = [
    "/",
    "/runs",
    "/runs/",
    "/runs/new",
    "/runs/0123456789ab",
    "/compare?run=abcd&run=ef01",
    "/system",
    "/datasets",
    "/datasets/",
]


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages that were built."""
    folder = tmp_path / "pages"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>disnplbm</title>")
    (folder / "assets" / "index-1a2b.js").write_text("let it = 1;")
    monkeypatch.setattr(web, "PAGES", folder)
    return folder


@pytest.mark.parametrize("place", PLACES)
def test_every_page_is_the_same_file_and_asked_for_anew(dashboard: Dashboard, built: Path, place: str) -> None:
    answer = dashboard.client.get(place)
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    assert answer.text == (built / "index.html").read_text()
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert dashboard.client.get(place, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


def test_assets_are_kept_for_ever(dashboard: Dashboard, built: Path) -> None:
    answer = dashboard.client.get("/assets/index-1a2b.js")
    assert (answer.status_code, answer.text) == (200, "let it = 1;")
    assert answer.mimetype in ("text/javascript", "application/javascript")
    assert "immutable" in answer.headers["Cache-Control"]


@pytest.mark.parametrize("name", ["none.js", "../index.html", "..%2Findex.html", "%2e%2e/index.html", ""])
def test_there_are_no_other_files(dashboard: Dashboard, built: Path, name: str) -> None:
    answer = dashboard.client.get(f"/assets/{name}")
    assert answer.status_code == 404
    assert "immutable" not in answer.headers.get("Cache-Control", "")


def test_pages_are_seen_without_a_token_and_data_are_not(dashboard: Dashboard, built: Path) -> None:
    dashboard.backend.tokens.create("ada", "admin", None)
    assert dashboard.client.get("/runs").status_code == 200
    assert dashboard.get("/runs").status_code == 401


def test_other_addresses_are_problems_still(dashboard: Dashboard, built: Path) -> None:
    for place in ("/api/v1/none", "/none"):
        answer = dashboard.client.get(place)
        assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")


def test_a_person_at_an_unknown_address_sees_the_page(dashboard: Dashboard, built: Path) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
    answer = dashboard.client.get("/none", headers=browser)
    assert (answer.status_code, answer.text) == (404, (built / "index.html").read_text())
    for place in ("/api/v1/none", "/assets/none.js"):
        answer = dashboard.client.get(place, headers=browser)
        assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")


def test_before_they_are_built_the_way_to_build_them_is_said(
    dashboard: Dashboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "PAGES", tmp_path / "none")
    answer = dashboard.client.get("/")
    assert (answer.status_code, answer.mimetype) == (503, "text/plain")
    assert answer.text.count("\n") == 1
    assert "make pages" in answer.text
