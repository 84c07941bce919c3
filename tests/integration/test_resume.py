"""Interrupted runs: what was done is kept, and the run goes on to the very result it would have had."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from marks import long

from .console import Outcome, assert_refused, blocks, call, command, finished, fit, iterations_of, quiet, wait_until

ITERATIONS = 400

#: The console script, with a checkpoint after every iteration instead of every ten seconds.
OFTEN = "import disnplbm.engine.recording as r; r.CHECKPOINT_SECONDS = 0.0; from disnplbm.cli import main; main()"

STOPS = [long(signal.SIGINT), signal.SIGTERM]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "x.npy"
    np.save(path, blocks(400, 30)[0] * 0.2)
    return path


@pytest.fixture(scope="module")
def undisturbed(data: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of a run that nothing happens to."""
    outcome = fit(data, tmp_path_factory.mktemp("undisturbed") / "run", iterations=ITERATIONS)
    return str(outcome.record["digest"])


class Children:
    """Child processes of a test; those alive at its end are killed."""

    def __init__(self) -> None:
        self._running: list[subprocess.Popen[str]] = []

    def start(self, words: list[str]) -> subprocess.Popen[str]:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=quiet())
        self._running.append(process)
        return process

    def end(self) -> None:
        for process in self._running:
            if process.poll() is None:
                process.kill()
                process.communicate()


@pytest.fixture
def children() -> Iterator[Children]:
    started = Children()
    yield started
    started.end()


def words(data: Path, output: Path) -> list[str]:
    return command("fit", data, "--output", output, "--iterations", ITERATIONS)


def often(arguments: list[str]) -> list[str]:
    """The same command, with a checkpoint after every iteration."""
    return [sys.executable, "-c", OFTEN, *arguments[1:]]


def checkpoint(output: Path) -> Path:
    return output / ".disnplbm" / "checkpoint"


def iterations_kept(output: Path) -> int:
    """Iterations in the checkpoint."""
    return iterations_of(checkpoint(output))


def stopped(children: Children, arguments: list[str], output: Path, number: signal.Signals) -> Outcome:
    """Run a command until its chain has moved beyond the checkpoint that is there, if any, and stop it by signal."""
    before = iterations_kept(output) if checkpoint(output).exists() else 0
    process = children.start(often(arguments))
    wait_until(lambda: checkpoint(output).exists() and iterations_kept(output) > before, process)
    process.send_signal(number)
    return finished(process)


def resumed(output: Path) -> str:
    """The digest that a run comes to when it is taken up again."""
    outcome = call("resume", output, "--json")
    assert outcome.code == 0, outcome
    assert not (output / ".disnplbm").exists()
    return str(outcome.record["digest"])


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_keeps_a_checkpoint_and_says_how_to_go_on(
    data: Path, tmp_path: Path, children: Children, undisturbed: str, number: signal.Signals
) -> None:
    output = tmp_path / "my run"
    outcome = stopped(children, words(data, output), output, number)
    kept = iterations_kept(output)
    assert 0 < kept < ITERATIONS
    line = assert_refused(outcome, f"{kept} of {ITERATIONS} iterations", code=130)
    assert line.endswith(f"disnplbm resume '{output}'")
    assert not (output / "run.json").exists()
    assert resumed(output) == undisturbed


def test_a_run_interrupted_twice_ends_the_same(
    data: Path, tmp_path: Path, children: Children, undisturbed: str
) -> None:
    output = tmp_path / "run"
    assert stopped(children, words(data, output), output, signal.SIGINT).code == 130
    first = iterations_kept(output)
    assert stopped(children, command("resume", output, "--threads", 2), output, signal.SIGTERM).code == 130
    assert first < iterations_kept(output) < ITERATIONS
    assert resumed(output) == undisturbed


def test_a_killed_run_goes_on_from_its_last_checkpoint(
    data: Path, tmp_path: Path, children: Children, undisturbed: str
) -> None:
    output = tmp_path / "run"
    assert stopped(children, words(data, output), output, signal.SIGKILL).code == -signal.SIGKILL
    assert 0 < iterations_kept(output) < ITERATIONS
    assert resumed(output) == undisturbed


def test_a_run_killed_before_its_first_checkpoint_starts_from_its_beginning(
    data: Path, tmp_path: Path, children: Children, undisturbed: str
) -> None:
    output = tmp_path / "run"
    process = children.start(words(data, output))
    wait_until((output / ".disnplbm" / "request.json").exists, process)
    process.kill()
    finished(process)
    assert not checkpoint(output).exists()
    assert resumed(output) == undisturbed


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_at_any_moment_after_reading_leaves_a_run_to_go_on_with(
    data: Path, tmp_path: Path, children: Children, undisturbed: str, number: signal.Signals
) -> None:
    # Right after the data are in place the program still loads kernels and has done no iteration.
    output = tmp_path / "run"
    process = children.start(words(data, output))
    wait_until((output / ".disnplbm" / "request.json").exists, process)
    process.send_signal(number)
    assert_refused(finished(process), f"disnplbm resume {output}", code=130)
    assert resumed(output) == undisturbed


@pytest.fixture(scope="module")
def slow_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that takes seconds to read, because blanks around NA are left to the plain reader."""
    path = tmp_path_factory.mktemp("slow") / "x.csv"
    path.write_text("a,b,c,d,e,f,g,h\n" + "1.5,2.5, NA ,4.5,5.5,6.5,7.5,8.5\n" * 400_000)
    return path


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_while_reading_leaves_no_half_run(
    slow_table: Path, tmp_path: Path, children: Children, number: signal.Signals
) -> None:
    output = tmp_path / "run"
    process = children.start(words(slow_table, output))
    wait_until(lambda: output.exists() and any(output.iterdir()), process)
    process.send_signal(number)
    assert_refused(finished(process), "interrupted", code=130)
    assert not output.exists()


def test_a_run_killed_while_reading_can_be_done_again(
    data: Path, slow_table: Path, tmp_path: Path, children: Children, undisturbed: str
) -> None:
    output = tmp_path / "run"
    process = children.start(words(slow_table, output))
    wait_until(lambda: output.exists() and any(output.iterdir()), process)
    process.kill()
    finished(process)
    assert_refused(call("resume", output), "is not the folder of an interrupted run")
    assert fit(data, output, "--force", iterations=ITERATIONS).record["digest"] == undisturbed
    assert not [path for path in output.iterdir() if path.name.startswith(".")]


def test_an_interrupted_run_is_not_overwritten_by_accident(
    data: Path, tmp_path: Path, children: Children, undisturbed: str
) -> None:
    output = tmp_path / "run"
    assert stopped(children, words(data, output), output, signal.SIGINT).code == 130
    assert_refused(fit(data, output), "not empty", "disnplbm resume", "--force")
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,x\n")
    assert_refused(fit(bad, output, "--force"), "line 2")
    assert resumed(output) == undisturbed


def test_a_second_signal_ends_at_once_and_loses_no_more_than_the_last_checkpoint(
    data: Path, tmp_path: Path, children: Children, undisturbed: str
) -> None:
    output = tmp_path / "run"
    process = children.start(often(words(data, output)))
    wait_until(checkpoint(output).exists, process)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)
    assert_refused(finished(process), f"disnplbm resume {output}", code=130)
    assert resumed(output) == undisturbed
