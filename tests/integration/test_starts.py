"""Crossed and annealed starts: on request, and always the same way."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm import NPLBM
from disnplbm.engine.options import Options
from marks import long

from .console import assert_refused, call, command, fit, ok, quiet

CROSSED = ("--start", "crossed", "--crossings", 1)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table on which chains from different starts end differently."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("data") / "x.npy"
    np.save(path, rng.normal(size=(60, 24)) + rng.normal(size=(12, 6)).repeat(4, axis=1)[rng.integers(0, 12, 60)])
    return path


def test_a_crossed_start_is_named_and_traced(data: Path, tmp_path: Path) -> None:
    outcome = call("fit", data, "--output", tmp_path / "run", "--iterations", 10, *CROSSED)
    assert outcome.code == 0
    assert "best of 14 short chains by log joint, 2 of them crossed, 20 iterations each" in outcome.out


@pytest.mark.parametrize(("sampler", "cells", "shards"), [("collapsed", "gaussian", 1), ("split-merge", "counts", 3)])
@pytest.mark.parametrize("how", [(*CROSSED, "--chains", 2), long(("--anneal", 7,))])  # fmt: skip
def test_any_number_of_threads_gives_the_same_bytes(
    data: Path, tmp_path: Path, sampler: str, cells: str, shards: int, how: tuple[Any, ...]
) -> None:
    if cells == "counts":
        np.save(tmp_path / "x.npy", np.random.default_rng(1).poisson(np.exp(np.load(data))))
        data = tmp_path / "x.npy"
    options = (*how, "--shards", shards, "--sampler", sampler, "--cells", cells)
    one, three = (
        ok(fit(data, tmp_path / str(threads), *options, "--threads", threads, iterations=16)) for threads in (1, 3)
    )
    assert one["digest"] == three["digest"]
    assert one.get("restarts") == three.get("restarts")
    if "--chains" in how:
        assert len(set(np.ravel(one["restarts"]["log_joint"]))) == 28


def test_the_estimator_does_the_same(data: Path, tmp_path: Path) -> None:
    crossed = ok(fit(data, tmp_path / "crossed", *CROSSED, "--shards", 1, iterations=10))
    assert NPLBM(10, start="crossed", crossings=1).fit(np.load(data)).digest_ == crossed["digest"]
    annealed = ok(fit(data, tmp_path / "annealed", "--anneal", 8, "--shards", 1, iterations=10))
    assert NPLBM(10, anneal=8).fit(np.load(data)).digest_ == annealed["digest"]
    plain = NPLBM(10).fit(np.load(data)).digest_
    assert len({plain, crossed["digest"], annealed["digest"]}) == 3


@pytest.mark.parametrize("awaited", ["start-0-12", long("start-1-5"), long("checkpoint")])
def test_a_run_that_is_killed_in_its_start_goes_on_to_the_same_result(data: Path, tmp_path: Path, awaited: str) -> None:
    options = (*CROSSED, "--chains", 2, "--draws", 3)
    undisturbed = ok(fit(data, tmp_path / "undisturbed", *options, iterations=40))
    words = command("fit", data, "--output", tmp_path / "run", "--iterations", 40, "--json", *options)
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=quiet())
    while child.poll() is None and not (tmp_path / "run" / ".disnplbm" / awaited).exists():
        pass
    child.kill()
    child.wait()
    resumed = ok(call("resume", tmp_path / "run", "--json"))
    assert resumed["digest"] == undisturbed["digest"]
    assert resumed["restarts"] == undisturbed["restarts"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((*CROSSED, "--restarts", 3), ("--start crossed tries short chains of its own", "leave out --restarts 3")),
        ((*CROSSED, "--anneal", 3), ("--start crossed and --anneal 3 are two ways to start",)),
        (("--restarts", 3, "--anneal", 3), ("--restarts 3 and --anneal 3 are two ways to start",)),
        (("--burn-in", 4, "--anneal", 5), ("--anneal 5 must be at most the burn-in of 4 iterations",)),
        (("--start", "crosed"), ("--start crosed: choose random, one, singletons, crossed, or name",)),
        ((*CROSSED[:2], "--crossings", 0), ("--crossings 0", "at least 1")),
    ],
)
def test_what_cannot_be_is_refused(data: Path, tmp_path: Path, options: tuple[Any, ...], said: tuple[str, ...]) -> None:
    assert_refused(fit(data, tmp_path / "run", *options, iterations=10), *said)


def test_a_run_of_a_version_without_crossings_has_what_it_asked_for() -> None:
    before = {name: value for name, value in Options().to_dict().items() if name not in ("crossings", "anneal")}
    assert Options.from_dict(before) == Options()
