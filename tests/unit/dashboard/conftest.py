"""A dashboard on an empty SQLite database and a folder, with no engine of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from disnplbm_dashboard.app import create_app
from services.dashboard import EmbeddedParts

API = "/api/v1"


class Dashboard(EmbeddedParts):
    """The application and what it works on."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(folder, **settings)
        self.app = create_app(self.backend)
        self.client: FlaskClient = self.app.test_client()

    def get(self, path: str, **more: Any) -> TestResponse:
        """GET below the API."""
        return self.client.get(API + path, **more)

    def preflight(self, dataset: str) -> TestResponse:
        """The report of a dataset, or why there is none. Each answer that it is under way took a while."""
        while (answer := self.get(f"/datasets/{dataset}/preflight")).status_code == 202:
            pass
        return answer

    def post(self, path: str, body: Any = None, **more: Any) -> TestResponse:
        """POST some JSON below the API."""
        return self.client.post(API + path, json={} if body is None else body, **more)

    def upload(self, content: bytes = b"a,b\n1,2\n3,4\n5,7\n", name: str = "table.csv", **more: Any) -> str:
        """Upload a small file; the dataset's id."""
        made = self.post("/datasets", {"name": name, "bytes": len(content), **more})
        assert made.status_code == 201, made.text
        dataset = str(made.json["id"])
        assert self.client.put(f"{API}/datasets/{dataset}/parts/0", data=content).status_code == 204
        done = self.post(f"/datasets/{dataset}/complete")
        assert done.status_code == 200, done.text
        return dataset

    def submit(self, dataset: str | None = None, **more: Any) -> str:
        """Submit a short run; its id."""
        body = {"dataset": dataset or self.upload(), "options": {"iterations": 3}, **more}
        made = self.post("/runs", body)
        assert made.status_code == 201, made.text
        return str(made.json["id"])


@pytest.fixture
def dashboard(tmp_path: Path) -> Iterator[Dashboard]:
    """An empty one."""
    found = Dashboard(tmp_path)
    yield found
    found.database.close()


@pytest.fixture(scope="session")
def table() -> bytes:
    """A CSV of 60 x 8 in blocks, with row names, some cells missing."""
    generator = np.random.default_rng(4)
    values = generator.normal(size=(60, 8)) + 6.0 * generator.integers(0, 3, (60, 1)) * generator.integers(0, 2, (1, 8))
    lines = ["id," + ",".join(f"c{j}" for j in range(8))]
    for i, row in enumerate(values):
        cells = ["" if (i + 3 * j) % 17 == 0 else f"{value:.6f}" for j, value in enumerate(row)]
        lines.append(f"r{i}," + ",".join(cells))
    return ("\n".join(lines) + "\n").encode()
