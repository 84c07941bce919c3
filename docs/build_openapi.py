"""Write docs/openapi.json from the routes of the API: ``make generated``."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from disnplbm.objects import open_store
from disnplbm.runs.database import Database, sqlite_url
from disnplbm.settings import Settings
from disnplbm_dashboard.app import create_app
from disnplbm_dashboard.backend import Backend

TARGET = Path(__file__).with_name("openapi.json")


def text() -> str:
    """The document."""
    # Nothing is connected to.
    database = Database(sqlite_url(Path(tempfile.gettempdir()) / "none.sqlite3"))
    app = create_app(Backend.of(Settings(), database, open_store("memory://")))
    with app.app_context():
        return json.dumps(app.spec, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
