"""Answers as gzip, for clients that take it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from disnplbm_dashboard import web
from disnplbm_dashboard.compression import LEAST

from .conftest import API, Dashboard

GZIP = {"Accept-Encoding": "gzip, deflate, br"}


def test_long_text_comes_compressed_and_says_the_same(dashboard: Dashboard, table: bytes) -> None:
    run = dashboard.submit(dashboard.upload(table, id_column="id"))
    dashboard.finish()
    for path in ("/openapi.json", f"/runs/{run}/artifacts/report.html", f"/runs/{run}/artifacts/run.json"):
        plain, packed = dashboard.get(path), dashboard.get(path, headers=GZIP)
        assert plain.content_encoding is None
        assert packed.content_encoding == "gzip"
        assert gzip.decompress(packed.data) == plain.data
        assert len(packed.data) < len(plain.data) / 2
        assert "Accept-Encoding" in plain.vary
        assert "Accept-Encoding" in packed.vary


def test_what_is_short_or_packed_or_a_part_comes_as_it_is(dashboard: Dashboard, table: bytes) -> None:
    run = dashboard.submit(dashboard.upload(table, id_column="id"))
    dashboard.finish()
    part = GZIP | {"Range": "bytes=0-1999"}
    report = f"/runs/{run}/artifacts/report.html"
    for path, headers in ((f"/runs/{run}/artifacts.zip", GZIP), ("/health", GZIP), (report, part)):
        answer = dashboard.get(path, headers=headers)
        assert answer.content_encoding is None
    assert len(dashboard.get(report, headers=part).data) == 2000


def test_the_files_of_the_pages_come_compressed(
    dashboard: Dashboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "assets").mkdir()
    script = b"let it = 1;\n" * LEAST
    (tmp_path / "assets" / "index-1a2b.js").write_bytes(script)
    monkeypatch.setattr(web, "PAGES", tmp_path)
    answer = dashboard.client.get("/assets/index-1a2b.js", headers=GZIP)
    assert gzip.decompress(answer.data) == script
    assert "immutable" in answer.headers["Cache-Control"]
    again = GZIP | {"If-None-Match": answer.headers["ETag"]}
    assert dashboard.client.get("/assets/index-1a2b.js", headers=again).status_code == 304


def test_a_stream_of_events_does_not_wait_to_be_compressed(dashboard: Dashboard) -> None:
    dashboard.upload()
    answer = dashboard.client.get(f"{API}/events/stream", headers=GZIP, buffered=False)
    assert answer.content_encoding is None
    answer.close()
