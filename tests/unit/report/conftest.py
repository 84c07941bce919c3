"""A page for documents, where the real one is not built."""

from __future__ import annotations

from pathlib import Path

import pytest

from disnplbm.report import page

PAGE = """<!doctype html>
<html><head><title>disnplbm</title></head>
<body><noscript><!-- summary --></noscript><!-- document --><script>show();</script></body></html>
"""


@pytest.fixture
def report_page(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The places of the page, and no more."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(page, "PAGE", path)
    return path
