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


SCRIPT = b"let it = 1;\n" * LEAST


@pytest.fixture
def assets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The assets of pages that are one script."""
    folder = tmp_path / "assets"
    folder.mkdir()
    (folder / "index-1a2b.js").write_bytes(SCRIPT)
    monkeypatch.setattr(web, "PAGES", tmp_path)
    return folder


def test_the_files_of_the_pages_come_compressed_as_the_build_made_them(dashboard: Dashboard, assets: Path) -> None:
    (assets / "index-1a2b.js.br").write_bytes(b"as brotli")
    (assets / "index-1a2b.js.gz").write_bytes(b"as gzip")
    tags = set()
    for asked, encoding, data in (
        ("gzip, deflate, br", "br", b"as brotli"),
        ("gzip, deflate", "gzip", b"as gzip"),
        ("gzip, br;q=0", "gzip", b"as gzip"),
        ("identity", None, SCRIPT),
    ):
        answer = dashboard.client.get("/assets/index-1a2b.js", headers={"Accept-Encoding": asked})
        assert (answer.content_encoding, answer.data) == (encoding, data)
        assert answer.mimetype == "text/javascript"
        assert "Accept-Encoding" in answer.vary
        assert "immutable" in answer.headers["Cache-Control"]
        tags.add(answer.headers["ETag"])
        again = {"Accept-Encoding": asked, "If-None-Match": answer.headers["ETag"]}
        assert dashboard.client.get("/assets/index-1a2b.js", headers=again).status_code == 304
    assert len(tags) == 3
    assert dashboard.client.get("/assets/index-1a2b.js.br").status_code == 404


def test_files_of_pages_that_were_built_without_copies_are_compressed_when_they_go_out(
    dashboard: Dashboard, assets: Path
) -> None:
    assert len(list(assets.iterdir())) == 1
    answer = dashboard.client.get("/assets/index-1a2b.js", headers=GZIP)
    assert gzip.decompress(answer.data) == SCRIPT


def test_the_build_makes_a_copy_of_every_file_that_says_the_same() -> None:
    files = {file.name: file.read_bytes() for file in (web.PAGES / "assets").iterdir()}
    plain = [name for name in files if not name.endswith((".br", ".gz"))]
    assert len(plain) >= 3
    for name in plain:
        assert gzip.decompress(files[f"{name}.gz"]) == files[name]
        assert f"{name}.br" in files
    script = next(name for name in plain if name.endswith(".js"))
    assert len(files[f"{script}.br"]) < len(files[f"{script}.gz"]) < 0.4 * len(files[script])


def test_a_stream_of_events_does_not_wait_to_be_compressed(dashboard: Dashboard) -> None:
    dashboard.upload()
    answer = dashboard.client.get(f"{API}/events/stream", headers=GZIP, buffered=False)
    assert answer.content_encoding is None
    answer.close()
