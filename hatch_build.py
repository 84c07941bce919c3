"""Refuses to build a package that lacks the pages of the dashboard or the page of a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGES = (
    Path("dashboard", "disnplbm_dashboard", "pages", "index.html"),
    Path("shared", "disnplbm", "report", "pages", "report.html"),
)


class BuiltPages(BuildHookInterface[Any]):
    """Looks for the built pages; an editable installation may do without, since they can be built later."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Abort where they are missing."""
        for page in PAGES:
            if version != "editable" and not (Path(self.root) / page).is_file():
                self.app.abort(f"{page} is missing: build the pages first, with `make pages`")
