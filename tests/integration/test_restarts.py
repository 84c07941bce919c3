"""Restarts: chains that start from the best of several short ones, on request, and always the same way."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from disnplbm import NPLBM
from marks import long

from .console import assert_refused, call, command, fit, ok, quiet

LIMITS = ("--fix-row-clusters", 5, "--fix-column-clusters", 2)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table on which chains from different starts end differently."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("data") / "x.npy"
    np.save(path, rng.normal(size=(80, 30)) + rng.normal(size=(12, 6)).repeat(5, axis=1)[rng.integers(0, 12, 80)])
    return path


def test_the_best_start_is_taken_and_named(data: Path, tmp_path: Path) -> None:
    record = ok(fit(data, tmp_path / "run", *LIMITS, "--restarts", 6, iterations=40))
    found = record["restarts"]
    assert found["kept"] == "best of 6 starts by log joint"
    assert found["iterations"] == 4
    ((*joints,),) = found["log_joint"]
    assert len(set(joints)) == 6
    best = int(np.argmax(joints))
    # The short chain alone, by its own streams, ends where the long one starts.
    trace = np.loadtxt(tmp_path / "run" / "trace.csv", delimiter=",", skiprows=1)
    plain = ok(fit(data, tmp_path / "plain", *LIMITS, iterations=40))
    first = np.loadtxt(tmp_path / "plain" / "trace.csv", delimiter=",", skiprows=1)[0, 1]
    assert abs(trace[0, 1] - joints[best]) < abs(first - joints[best]) / 4
    assert record["iterations"] == plain["iterations"] == len(trace) == 40
    assert record["digest"] != plain["digest"]
    assert "restarts" not in plain


@pytest.mark.parametrize("sampler", ["collapsed", "split-merge"])
def test_any_number_of_threads_gives_the_same_bytes(data: Path, tmp_path: Path, sampler: str) -> None:
    options = ("--restarts", 3, "--shards", 3, "--sampler", sampler, "--chains", 2, "--burn-in", 10)
    records = [
        ok(fit(data, tmp_path / str(threads), *options, "--threads", threads, iterations=30)) for threads in (1, 3)
    ]
    assert records[0]["digest"] == records[1]["digest"]
    assert records[0]["restarts"] == records[1]["restarts"]
    assert np.shape(records[0]["restarts"]["log_joint"]) == (2, 3)
    assert len(set(np.ravel(records[0]["restarts"]["log_joint"]))) == 6


def test_a_chain_is_the_same_whatever_other_chains_there_are(data: Path, tmp_path: Path) -> None:
    one, two = (
        ok(fit(data, tmp_path / str(chains), "--restarts", 3, "--chains", chains, iterations=30)) for chains in (1, 2)
    )
    assert one["restarts"]["log_joint"][0] == two["restarts"]["log_joint"][0]
    assert one["last_log_joint"][0] == two["last_log_joint"][0]


def test_the_estimator_does_the_same(data: Path, tmp_path: Path) -> None:
    record = ok(fit(data, tmp_path / "run", *LIMITS, "--restarts", 4, "--shards", 1, iterations=20))
    model = NPLBM(20, n_restarts=4, fix_row_clusters=5, fix_column_clusters=2).fit(np.load(data))
    assert model.digest_ == record["digest"]
    assert NPLBM(20, fix_row_clusters=5, fix_column_clusters=2).fit(np.load(data)).digest_ != record["digest"]


def test_a_start_of_columns_alone_is_kept_to_by_every_start(data: Path) -> None:
    model = NPLBM(1, n_restarts=3, start=(None, np.arange(30) // 5), shard_axis="columns", pair_moves=False)
    model.fit(np.load(data))
    np.testing.assert_array_equal(np.bincount(model.column_labels_), [5] * 6)


@pytest.mark.parametrize("awaited", [long("start-0-1"), "checkpoint", "start-1-2"])
def test_a_killed_run_goes_on_to_the_same_result(data: Path, tmp_path: Path, awaited: str) -> None:
    options = ("--restarts", 3, "--chains", 2, "--draws", 3)
    undisturbed = ok(fit(data, tmp_path / "undisturbed", *options, iterations=200))
    words = command("fit", data, "--output", tmp_path / "run", "--iterations", 200, "--json", *options)
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=quiet())
    while child.poll() is None and not (tmp_path / "run" / ".disnplbm" / awaited).exists():
        pass
    child.kill()
    child.wait()
    resumed = ok(call("resume", tmp_path / "run", "--json"))
    assert resumed["digest"] == undisturbed["digest"]
    assert resumed["restarts"] == undisturbed["restarts"]
    assert not (tmp_path / "run" / ".disnplbm").exists()


def test_no_starts_are_refused(data: Path, tmp_path: Path) -> None:
    assert_refused(fit(data, tmp_path / "run", "--restarts", 0), "--restarts 0", "at least 1")
