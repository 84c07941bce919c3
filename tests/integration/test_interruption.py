"""Ctrl-C and SIGTERM end every command soon, with exit code 130 and one line, whatever it is doing."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from marks import long

from .console import assert_refused, call, command, finished, fit, iterations_of, quiet, save_csv, wait_until
from .serving import served

#: Seconds for an answer. It comes within two; machines that run tests are busy.
SOON = 30

#: The console script, with a checkpoint after every iteration.
OFTEN = "import disnplbm.engine.recording as r; r.CHECKPOINT_SECONDS = 0.0; from disnplbm.cli import main; main()"

STOPS = [long(signal.SIGINT), signal.SIGTERM]


class Child:
    """A command under way."""

    def __init__(self, words: list[str], environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**quiet(), **environment}
        )

    @property
    def answers(self) -> bool:
        """Whether it has begun to watch for SIGTERM: the system knows which signals a program catches."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
        return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)

    def interrupted(self, number: signal.Signals = signal.SIGINT) -> str:
        """The one line that it ends with when it is told to."""
        self.process.send_signal(number)
        self.process.wait(SOON)
        return assert_refused(finished(self.process), code=130)


Start = Callable[..., Child]


@pytest.fixture
def start() -> Iterator[Start]:
    children: list[Child] = []

    def started(*arguments: object, words: list[str] | None = None, **environment: str) -> Child:
        children.append(Child([*(words or command()), *map(str, arguments)], environment))
        return children[-1]

    yield started
    for child in children:
        if child.process.poll() is None:
            child.process.kill()
            child.process.communicate()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "x.csv"
    return save_csv(path, np.random.default_rng(0).normal(size=(60, 8)))


@pytest.fixture(scope="module")
def tall(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of which an iteration with many clusters is one long step."""
    path = tmp_path_factory.mktemp("tall") / "x.npy"
    np.save(path, np.random.default_rng(0).normal(size=(60_000, 30)))
    return path


COMMANDS = {
    "fit": ["fit", "x.csv"],
    "calibrate": ["calibrate", "x.csv"],
    "check": ["check", "x.csv"],
    "generate": ["generate", "--output", "made"],
    "score": ["score", "x.csv", "x.csv"],
    "predict": ["predict", "run", "x.csv"],
    "impute": ["impute", "run", "x.csv"],
    "report": ["report", "run"],
    "resume": ["resume", "run"],
    "doctor": ["doctor"],
    "watch": ["watch", "3f2a"],
    "download": ["download", "3f2a"],
    "serve": ["serve"],
    "worker": ["worker"],
    "master": ["master"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_has_just_begun_ends_with_one_line(name: str, start: Start) -> None:
    child = start(*COMMANDS[name])
    wait_until(lambda: child.answers, child.process)
    assert "interrupted" in child.interrupted()


@pytest.mark.parametrize("name", ["fit", "calibrate"])
def test_a_command_that_compiles_kernels_ends_soon(name: str, small: Path, tmp_path: Path, start: Start) -> None:
    cache, output = tmp_path / "cache", tmp_path / "out"
    cache.mkdir()
    child = start(name, small, "--output", output, NUMBA_CACHE_DIR=str(cache))
    # The first kernel is compiled, and the next ones are not.
    wait_until(lambda: any(cache.rglob("*.nbc")), child.process)
    line = child.interrupted()
    if name == "fit":
        assert line.endswith(f"continue with: disnplbm resume {output}")
        assert (
            call("resume", output, "--json").record["digest"]
            == fit(small, tmp_path / "b", iterations=100).record["digest"]
        )
    else:
        assert not output.exists()


@pytest.mark.parametrize("number", STOPS)
def test_a_long_iteration_is_left_and_those_before_it_are_kept(
    number: signal.Signals, tall: Path, tmp_path: Path, start: Start
) -> None:
    options = ["--shards", 1, "--threads", 1, "--fix-row-clusters", 200, "--fix-column-clusters", 15]
    output = tmp_path / "run"
    arguments = ["fit", tall, "--output", output, "--iterations", 4, *options]
    child = start(*arguments, words=[sys.executable, "-c", OFTEN])
    checkpoint = output / ".disnplbm" / "checkpoint"
    wait_until(checkpoint.exists, child.process)
    line = child.interrupted(number)
    kept = iterations_of(checkpoint)
    assert 1 <= kept < 4
    assert f"stopped after {kept} of 4 iterations; continue with: disnplbm resume" in line
    assert [path.name for path in output.iterdir()] == [".disnplbm"]
    assert not list(output.rglob("*.part"))
    resumed = call("resume", output, "--json").record["digest"]
    assert resumed == fit(tall, tmp_path / "undisturbed", *options, iterations=4).record["digest"]


def test_a_run_that_is_stopped_while_its_results_are_made_continues(small: Path, tmp_path: Path, start: Start) -> None:
    output, options = tmp_path / "run", ["--burn-in", 100, "--iterations", 500]
    child = start("fit", small, "--output", output, *options)
    # Draws are packed first, then comes the consensus.
    wait_until(lambda: (output / "draws.npz").exists() or (output / "draws.npz.part").exists(), child.process)
    assert child.interrupted().endswith(f"disnplbm resume {output}")
    assert not (output / "run.json").exists()
    resumed = call("resume", output, "--json").record["digest"]
    assert resumed == fit(small, tmp_path / "other", "--burn-in", 100, iterations=500).record["digest"]


def test_serve_ends_soon_in_the_middle_of_an_iteration_and_continues(tmp_path: Path) -> None:
    values, buffer = np.random.default_rng(0).normal(size=(20_000, 20)), io.BytesIO()
    np.save(buffer, values)
    with served(tmp_path / "served") as server:
        options = {"iterations": 1000, "fix_row_clusters": 200, "fix_column_clusters": 15}
        run = server.submit(server.upload(buffer.getvalue(), "x.npy"), **options)
        before = server.wait(run, ("RUNNING",), done=1)["progress"]["done"]
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SOON) == 0
        assert server.process.communicate()[1] == ""
    with served(tmp_path / "served") as server:
        server.wait(run, ("RUNNING",), done=before + 1)
