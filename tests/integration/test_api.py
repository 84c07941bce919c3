"""The embedded server as a process of its own: what a script that talks to it sees."""

from __future__ import annotations

import http.client
import io
import json
import signal
from pathlib import Path

import numpy as np
import pytest

from services.tables import wine

from .console import PATIENCE, call, fit
from .serving import PART, no_settings, served  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("no_settings")


def test_a_file_becomes_labels_that_are_those_of_fit(tmp_path: Path) -> None:
    path = wine(tmp_path / "data")
    assert fit(path, tmp_path / "run", "--shards", 2, "--seed", 5, iterations=8).code == 0
    with served(tmp_path / "served") as server:
        dataset = server.upload(path.read_bytes(), "x.npy")
        status, report = server.preflight(dataset)
        assert (status, report["rows"], report["columns"]) == (200, 178, 13)
        run = server.submit(dataset, iterations=8, seed=5)
        server.wait(run, ("RUNNING", "SUCCEEDED"), done=1)
        server.wait(run)
        for name in ("rows.csv", "columns.csv", "blocks.csv"):
            assert server.file(run, name) == (tmp_path / "run" / name).read_bytes()
        record = json.loads(server.file(run, "run.json"))
        assert record["digest"] == json.loads((tmp_path / "run" / "run.json").read_text())["digest"]
        assert server.ask("GET", f"/runs/{run}/heatmap?height=20&width=5")[1]["height"] == 20
        code, said = server.end()
        assert (code, said) == (0, "")


@pytest.mark.long
def test_a_server_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    path = wine(tmp_path / "data")
    expected = fit(path, tmp_path / "run", "--shards", 2, "--seed", 5, iterations=300).record["digest"]
    with served(tmp_path / "served") as server:
        run = server.submit(server.upload(path.read_bytes(), "x.npy"), iterations=300, seed=5)
        before = server.wait(run, ("RUNNING",), done=20)["progress"]["done"]
        server.end(signal.SIGKILL)
    with served(tmp_path / "served") as server:
        assert server.ask("GET", f"/runs/{run}")[1]["progress"]["done"] >= before
        server.wait(run)
        assert json.loads(server.file(run, "run.json"))["digest"] == expected
        trace = server.ask("GET", f"/runs/{run}/trace")[1]["streams"][0]
        assert trace["iteration"] == list(range(1, 301))


def test_a_run_is_paused_resumed_and_another_cancelled(tmp_path: Path) -> None:
    path = wine(tmp_path / "data")
    with served(tmp_path / "served") as server:
        dataset = server.upload(path.read_bytes(), "x.npy")
        first, second = (server.submit(dataset, iterations=100_000) for _ in range(2))
        server.wait(first, ("RUNNING",), done=2)
        assert server.ask("POST", f"/runs/{first}/pause", {})[1]["state"] == "PAUSED"
        server.wait(second, ("RUNNING",), done=2)
        assert server.ask("POST", f"/runs/{second}/cancel", {})[1]["state"] == "CANCELLED"
        done = server.ask("GET", f"/runs/{first}")[1]["progress"]["done"]
        assert server.ask("POST", f"/runs/{first}/resume", {})[1]["state"] == "RUNNING"
        server.wait(first, ("RUNNING",), done=done + 2)
        code, said = server.end(signal.SIGINT)
        assert (code, said) == (0, "")


def test_a_large_file_comes_in_parts(tmp_path: Path) -> None:
    values, buffer = np.random.default_rng(0).normal(size=(45_000, 50)), io.BytesIO()
    np.save(buffer, values)
    assert len(buffer.getvalue()) > PART
    with served(tmp_path / "served") as server:
        dataset = server.upload(buffer.getvalue(), "x.npy")
        status, report = server.preflight(dataset)
        assert (status, report["rows"]) == (200, 45_000)
        status, problem, _ = server.ask("PUT", f"/datasets/{dataset}/parts/0", bytes(PART + 1))
        assert (status, problem["type"]) == (404, "urn:disnplbm:problem:not-found")
        status, problem, _ = server.ask("POST", "/runs", bytes(PART + 2048))
        assert (status, problem["type"]) == (413, "urn:disnplbm:problem:too-large")


def test_tokens_from_the_command_line_are_needed_from_then_on(tmp_path: Path) -> None:
    folder = tmp_path / "served"
    refused = call("serve", "--folder", folder, "--host", "0.0.0.0", "--port", 0)
    assert refused.code == 2
    assert "make a token first" in refused.err
    assert refused.err.count("\n") == 1
    made = call("token", "create", "--folder", folder, "--name", "ada", "--scope", "read", "--expires", "1d")
    assert made.code == 0
    secret = made.out.strip()
    listed = call("token", "list", "--folder", folder, "--json").record["tokens"]
    assert [(one["name"], one["scope"], one["state"]) for one in listed] == [("ada", "read", "valid")]
    with served(folder) as server:
        assert server.ask("GET", "/runs")[0] == 401
        assert server.ask("GET", "/runs", token=secret)[0] == 200
        assert server.ask("POST", "/runs", {"dataset": "0000"}, token=secret)[0] == 403
        assert call("token", "revoke", "ada", "--folder", folder).code == 0
        assert server.ask("GET", "/runs", token=secret)[0] == 401
        other = call("serve", "--folder", folder, "--port", 0)
        assert other.code == 1
        assert "another `disnplbm serve`" in other.err
        code, said = server.end()
        assert code == 0
        assert secret not in said
    assert call("token", "revoke", "ada", "--folder", folder).code == 2
    assert call("token", "create", "--folder", folder, "--name", "bob", "--expires", "soon").code == 2


def test_a_port_that_is_taken_is_told_in_one_line(tmp_path: Path) -> None:
    with served(tmp_path / "one") as server:
        refused = call("serve", "--folder", tmp_path / "two", "--port", server.port)
    assert refused.code == 2
    assert f"cannot listen on 127.0.0.1:{server.port}: Address already in use;" in refused.err
    assert refused.err.count("\n") == 1


def test_a_stream_says_what_happens_and_ends_with_the_server(tmp_path: Path) -> None:
    path = wine(tmp_path / "data")
    with served(tmp_path / "served") as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("GET", "/api/v1/events/stream")
        stream = connection.getresponse()
        assert stream.readline() == b"retry: 2000\n"
        run = server.submit(server.upload(path.read_bytes(), "x.npy"), iterations=3)
        seen = []
        while "SUCCEEDED" not in [event["to_state"] for event in seen]:
            line = stream.readline()
            if line.startswith(b"id:"):
                assert stream.readline() == b"event: event\n"
                seen.append(json.loads(stream.readline().removeprefix(b"data: ")))
        assert [event["to_state"] for event in seen if event["run"] == run] == ["PENDING", "RUNNING", "SUCCEEDED"]
        server.end()
        stream.read()
        connection.close()
