"""The API is what its document says: schemathesis over all of it, with every check on."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from disnplbm.engine.options import Options
from disnplbm.runs.request import Request
from disnplbm_dashboard import tailer
from disnplbm_dashboard.tailer import Client, Tailer
from marks import long
from services.dashboard import ServedDashboard

from .console import quiet

REQUEST = Request("table.csv", "table.csv", n_shards=2)

#: Things that exist come up often, so that more than "there is no such thing" is seen. A request of the right form may
#: still be refused for what it means: a dataset of an unknown kind, a key that was used before.
CONFIGURATION = """
hooks = {hooks}

[dictionaries]
runs = {{ values = {runs} }}
datasets = {{ values = {datasets} }}
numbers = {{ values = [0, 1] }}
files = {{ values = ["run.json", "rows.csv", "report.html"] }}

[parameters]
"path.run_id" = {{ dictionary = "runs", probability = 0.7 }}
"path.dataset_id" = {{ dictionary = "datasets", probability = 0.7 }}
"path.number" = {{ dictionary = "numbers", probability = 0.7 }}
"path.name" = {{ dictionary = "files", probability = 0.7 }}
"body.dataset" = {{ dictionary = "datasets", probability = 0.7 }}

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "411", "413", "422", "429"]
"""


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedDashboard]:
    """A server whose streams end when nothing happens."""
    stream = Tailer.stream

    def short(self: Tailer, client: Client, after: int | None, *more: Any) -> Iterator[str]:
        for text in stream(self, client, after, *more):
            if text.startswith(":"):
                return
            yield text

    monkeypatch.setattr(tailer, "HEARTBEAT", 0.01)
    monkeypatch.setattr(Tailer, "stream", short)
    found = ServedDashboard(tmp_path, live_runs=1000)
    yield found
    found.close()


@pytest.mark.parametrize(
    ("phases", "examples", "requests"),
    [
        pytest.param("fuzzing", 3, 100, id="a few"),
        long("examples,coverage,fuzzing,stateful", 20, 1000, id="many"),
    ],
)
def test_every_answer_is_one_that_the_document_has(
    served: ServedDashboard, tmp_path: Path, caplog: pytest.LogCaptureFixture, phases: str, examples: int, requests: int
) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(b"a,b\n" + b"".join(b"%d,%d\n" % (i % 3 * 5, i % 7) for i in range(30)))
    dataset = served.service.add_dataset(table).id
    runs = [
        served.service.submit(dataset, REQUEST, Options(iterations=3, seed=number).to_dict()).id for number in range(3)
    ]
    served.finish()
    runs.append(served.service.submit(dataset, REQUEST, Options(iterations=3).to_dict()).id)
    configuration = tmp_path / "schemathesis.toml"
    configuration.write_text(
        CONFIGURATION.format(
            hooks=json.dumps(str(Path(__file__).with_name("openapi_hooks.py"))),
            runs=json.dumps(runs),
            datasets=json.dumps([dataset]),
        )
    )
    token = served.backend.tokens.create("ada", "admin", None)
    with caplog.at_level(logging.ERROR):
        done = subprocess.run(
            [
                *(str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(configuration)),
                *("--no-color", "run", f"http://127.0.0.1:{served.port}/api/v1/openapi.json"),
                *("--phases", phases, "--max-examples", str(examples), "--checks", "all"),
                *("--seed", "1", "--generation-database", "none"),
                *("--header", f"Authorization: Bearer {token}", "--request-timeout", "60", "--continue-on-failure"),
            ],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=quiet(),
            timeout=600,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(served.asked) > requests
    assert token not in done.stdout
    assert [record.getMessage() for record in caplog.records] == []


def test_every_property_and_parameter_of_the_document_is_described() -> None:
    document = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
    bare = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, of in schema.get("properties", {}).items()
        if not of.get("description")
    ]
    bare += [
        f"{method} {path} {parameter['name']}"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        for parameter in operation.get("parameters", [])
        if not parameter.get("description") and not parameter["schema"].get("description")
    ]
    assert bare == []
