"""The page of a report: one HTML file that needs nothing but itself.

It is built with the dashboard's pages, from dashboard/web, and shows the document that is put into it here.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from disnplbm.errors import RunError

PAGE = Path(__file__).with_name("pages") / "report.html"
"""The built page; a checkout has none until it is built."""

NOT_BUILT = "the page of the report is not built: `make pages` builds it"

_TITLE, _SUMMARY, _DOCUMENT = "<title>disnplbm</title>", "<!-- summary -->", "<!-- document -->"


def is_built() -> bool:
    """Whether there is a page to write a report with."""
    return PAGE.is_file()


def filled(document: Mapping[str, Any], title: str, summary: Sequence[str]) -> str:
    """The page with a document in it.

    Parameters
    ----------
    document : mapping
        Of values that JSON has.
    title : str
        Of the window.
    summary : sequence of str
        What a reader sees whose browser runs no scripts, line by line; the first is the heading.
    """
    try:
        page = PAGE.read_text(encoding="utf-8")
    except OSError as error:
        raise RunError(NOT_BUILT) from error
    # No text of the document can end the element that it is in.
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    heading, *lines = (html.escape(line) for line in summary)
    shown = "".join((f"<h1>{heading}</h1>", *(f"<p>{line}</p>" for line in lines)))
    for place, content in (
        (_TITLE, f"<title>{html.escape(title)}</title>"),
        (_SUMMARY, shown),
        (_DOCUMENT, f'<script type="application/json" id="document">{text}</script>'),
    ):
        before, found, after = page.partition(place)
        if not found:
            raise RunError(f"{PAGE}: {place} is missing in the page of the report; build it anew with `make pages`")
        page = before + content + after
    return page
