"""The commands over a server that is a process of its own, and dies in the middle of what they do."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from disnplbm.runs.results import RESULT_FILES
from services.process import free_port
from services.tables import wine

from .console import Outcome, assert_refused, call, command, finished, fit, quiet, wait_until
from .serving import Server, no_settings, served  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("no_settings")


def _client(server: Server, *arguments: object) -> subprocess.Popen[str]:
    """A command as a process of its own, which asks that server."""
    environment = {**quiet(), "DISNPLBM_SERVER": f"http://127.0.0.1:{server.port}"}
    return subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def _notice(outcome: Outcome, port: int) -> None:
    """All that was said besides is that the server was away."""
    assert outcome.code == 0, outcome
    lines = outcome.err.splitlines()
    assert lines, "the client did not notice"
    for line in lines:
        assert line.startswith(f"disnplbm: http://127.0.0.1:{port} is away ("), outcome.err


@pytest.mark.long
def test_wine_goes_through_a_server_that_dies_while_it_is_watched(tmp_path: Path) -> None:
    path, options = wine(tmp_path / "data"), ("--shards", 2, "--seed", 5, "--burn-in", 250)
    assert fit(path, tmp_path / "run", *options, iterations=300).code == 0
    folder, port = tmp_path / "served", free_port()
    with served(folder, port=port) as server:
        watching = _client(server, "submit", path, *options, "--iterations", 300, "--watch", "--json")

        def under_way() -> bool:
            runs = server.ask("GET", "/runs")[1]["items"]
            return bool(runs) and runs[0]["progress"]["done"] > 20

        wait_until(under_way, watching)
        server.end(signal.SIGKILL)
    with served(folder, port=port) as server:
        outcome = finished(watching)
        _notice(outcome, port)
        expected = json.loads((tmp_path / "run" / "run.json").read_text())
        assert outcome.record["digest"] == expected["digest"]

        url = ("--server", f"http://127.0.0.1:{port}")
        fetched = call("download", outcome.record["run"], "--output", tmp_path / "fetched", *url)
        assert fetched.code == 0, fetched
        assert {file.name for file in (tmp_path / "fetched").iterdir()} == set(RESULT_FILES)
        for name in ("rows.csv", "columns.csv", "blocks.csv", "draws.npz", "similarity.npz", "heatmap.npz"):
            assert (tmp_path / "fetched" / name).read_bytes() == (tmp_path / "run" / name).read_bytes(), name
        assert call("report", tmp_path / "fetched").code == 0
        again = call("download", outcome.record["run"], "--output", tmp_path / "fetched", *url)
        assert_refused(again, "not empty", "--force")


def test_an_upload_goes_on_where_it_was_when_its_server_died(tmp_path: Path) -> None:
    # Small to fit, and large to send.
    path, options = tmp_path / "x.npz", ("--shards", 2, "--seed", 5)
    np.savez(path, x=np.load(wine(tmp_path / "data")), besides=np.zeros(5_000_000))
    expected = fit(path, tmp_path / "run", *options, iterations=2).record["digest"]
    folder, port = tmp_path / "served", free_port()
    with served(folder, port=port) as server:
        sending = _client(server, "submit", path, *options, "--iterations", 2, "--watch", "--json")

        def parts() -> list[Path]:
            return sorted((folder / "store" / "uploads").glob("*/parts/*[0-9]"))

        wait_until(lambda: bool(parts()), sending)
        # The server dies before the client can send all.
        sending.send_signal(signal.SIGSTOP)
        server.end(signal.SIGKILL)
        before = {part: part.stat().st_mtime_ns for part in parts()}
        assert 0 < len(before) < 3
        sending.send_signal(signal.SIGCONT)
    with served(folder, port=port) as server:
        wait_until(lambda: len(parts()) == 3 or not parts(), sending)
        kept = {part: part.stat().st_mtime_ns for part in parts() if part in before}
        assert kept.items() <= before.items()
        outcome = finished(sending)
        _notice(outcome, port)
        assert outcome.record["digest"] == expected
        assert server.ask("GET", "/datasets")[1]["items"][0]["bytes"] == path.stat().st_size
        # The same file is there already.
        again = call("submit", path, *options, "--server", f"http://127.0.0.1:{port}", "--json")
        assert again.code == 0, again
        assert len(server.ask("GET", "/datasets")[1]["items"]) == 1


def test_commands_say_over_a_server_what_they_say_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = wine(tmp_path / "data")
    with served(tmp_path / "served") as server:
        monkeypatch.setenv("DISNPLBM_SERVER", f"http://127.0.0.1:{server.port}")
        assert "there are no runs" in call("status").out
        assert_refused(call("cancel", "abcdef"), "there is no run abcdef", "disnplbm status")
        assert_refused(call("download", "no-id"), "is no id of a run", "disnplbm status")
        run = call("submit", path, "--iterations", 100_000, "--json").record["run"]
        server.wait(run, ("RUNNING",), done=2)
        assert f"disnplbm resume {run}" in call("pause", run, "--reason", "lunch").out
        assert call("resume", run[:5]).out.startswith(f"run {run} (x.npy) is RUNNING")
        assert call("cancel", run).out == f"run {run} (x.npy) is CANCELLED\n"
        assert_refused(call("resume", run), "CANCELLED")
        assert_refused(call("watch", run), "was cancelled", code=1)
        assert_refused(call("download", run, "--output", tmp_path / "fetched"), "only a run that SUCCEEDED")
        assert not (tmp_path / "fetched").exists()
        said = call("status", run).out
        for words in ("CANCELLED", "PAUSED by local: lunch", "RUNNING by local"):
            assert words in said
        assert run in call("status").out
        assert call("status", "--state", "cancelled", "--json").record["runs"][0]["run"] == run
        assert call("status", "--state", "RUNNING", "--json").record == {"runs": []}
    assert_refused(call("status"), "cannot reach", "--server", code=1)


def test_the_token_comes_from_the_environment_and_is_seen_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "served"
    secret = call("token", "create", "--folder", folder, "--name", "ada", "--scope", "run").out.strip()
    with served(folder) as server:
        url = f"http://127.0.0.1:{server.port}"
        assert_refused(call("status", "--server", url), "set DISNPLBM_TOKEN")
        monkeypatch.setenv("DISNPLBM_TOKEN", "not-the-token")
        assert "not-the-token" not in assert_refused(call("status", "--server", url), "check DISNPLBM_TOKEN")
        monkeypatch.setenv("DISNPLBM_TOKEN", secret)
        outcome = call("submit", wine(tmp_path / "data"), "--server", url, "--iterations", 3, "--watch")
        assert outcome.code == 0, outcome
        run = call("status", "--server", url, "--json").record["runs"][0]["run"]
        shown = call("status", run, "--server", url)
        assert "PENDING by ada" in shown.out
        warned = call("status", "--server", "http://blocks.invalid:1")
        assert "travels unencrypted" in warned.err
        assert secret not in "".join(one.out + one.err for one in (outcome, shown, warned))
        code, said = server.end()
        assert code == 0
        assert secret not in said
    assert "--token" not in call("submit", "--help").out
    assert_refused(call("status", "--server", f"http://ada:{secret}@127.0.0.1"), "DISNPLBM_TOKEN")
