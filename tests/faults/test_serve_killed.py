"""`disnplbm serve` that ends by signal 9 while it samples, as the system ends a process that takes too much memory."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from faults.customized import customized
from integration.console import PATIENCE
from integration.serving import Server, served
from services.tables import missing

pytestmark = pytest.mark.long

#: What Python does before a server starts to which one run is deadly: signal 9 before its fifth iteration is recorded.
DEADLY = """
import os
import signal
import time
from pathlib import Path

from disnplbm.runs.chains import ChainStore

advance = ChainStore.advance


def deadly(self, step):
    if step.iteration == 5:
        while not (culprit := Path({culprit!r})).exists():
            time.sleep(0.01)
        if culprit.read_text() == step.run:
            os.kill(os.getpid(), signal.SIGKILL)
    return advance(self, step)


ChainStore.advance = deadly
"""

#: Some seconds of sampling.
OPTIONS = {"iterations": 200, "seed": 5}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return missing(tmp_path_factory.mktemp("table")).read_bytes()


@pytest.fixture
def deadly(tmp_path: Path) -> dict[str, str]:
    """Settings of a server that dies over the run whose id is in the file ``culprit``."""
    return customized(tmp_path / "deadly", DEADLY.format(culprit=str(tmp_path / "culprit")))


def test_at_the_fourth_start_a_deadly_run_fails_and_the_others_go_on(
    table: bytes, deadly: dict[str, str], tmp_path: Path
) -> None:
    folder, culprit = tmp_path / "runs", tmp_path / "culprit"
    with served(folder, settings=deadly) as server:
        dataset = server.upload(table, "x.npy")
        run = server.submit(dataset, iterations=10)
        other = server.submit(dataset, iterations=10)
        culprit.with_suffix(".new").write_text(run)
        culprit.with_suffix(".new").rename(culprit)
        dies(server)
    for _ in range(2):
        with served(folder, settings=deadly) as server:
            dies(server)
    with served(folder, settings=deadly) as server:
        found = server.wait(run, ("FAILED",))
        assert "died 3 times at the same place" in found["error"]
        assert "memory" in found["error"]
        server.wait(other)
        # Resumed, it has three starts again.
        assert server.ask("POST", f"/runs/{run}/resume", {})[0] == 200
        dies(server)
    culprit.write_text("")
    with served(folder, settings=deadly) as server:
        server.wait(run)
        assert digest(server, run) == digest(server, other)


def test_a_run_that_comes_on_between_deaths_goes_to_its_end(table: bytes, tmp_path: Path) -> None:
    folder, done = tmp_path / "runs", 0
    with served(folder) as server:
        dataset = server.upload(table, "x.npy")
        run = server.submit(dataset, **OPTIONS)
    for _ in range(5):
        with served(folder) as server:
            done = server.wait(run, ("RUNNING",), done + 1)["progress"]["done"]
            assert server.end(signal.SIGKILL)[0] == -signal.SIGKILL
    with served(folder) as server:
        # It was under way each time.
        assert done < OPTIONS["iterations"]
        server.wait(run)
        undisturbed = server.submit(dataset, **OPTIONS)
        server.wait(undisturbed)
        assert digest(server, run) == digest(server, undisturbed)


def dies(server: Server) -> None:
    """Wait for the end of a server that nobody told to end."""
    server.process.communicate(timeout=PATIENCE)
    assert server.process.returncode == -signal.SIGKILL


def digest(server: Server, run: str) -> str:
    record = server.ask("GET", f"/runs/{run}/artifacts/run.json")[1]
    return str(record["digest"])
