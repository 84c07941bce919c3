"""A burn-in changes what is kept of a collapsed chain, and not the chain."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from disnplbm import NPLBM
from disnplbm.cli.main import cli
from disnplbm.engine.options import Options, lengths
from disnplbm.errors import InputError

from .console import report_of


def test_burn_in_is_recorded_and_shaded_and_leaves_the_chain_as_it_is(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(30, 6)))
    traces = []
    for name, extra in (("plain", []), ("burnt", ["--burn-in", "5"])):
        arguments = ["fit", str(tmp_path / "x.npy"), "--iterations", "20", "--output", str(tmp_path / name), "--json"]
        record = json.loads(CliRunner().invoke(cli, [*arguments, *extra], catch_exceptions=False).stdout)
        with (tmp_path / name / "trace.csv").open(newline="") as file:
            traces.append([row["log_joint"] for row in csv.DictReader(file)])
    assert traces[0] == traces[1]
    assert record["parameters"]["burn_in"] == 5
    assert report_of(tmp_path / "burnt")["traces"]["burn_in"] == 5
    assert report_of(tmp_path / "plain")["traces"]["burn_in"] == 0


@pytest.mark.parametrize("burn_in", [-1, 20])
def test_burn_in_must_leave_an_iteration(burn_in: int) -> None:
    with pytest.raises(InputError, match=r"burn_in = .* must be (at least 0|below iterations = 20)"):
        Options(iterations=20, burn_in=burn_in)


def test_what_to_do_about_a_burn_in_as_long_as_the_run_is_said() -> None:
    with pytest.raises(InputError, match=r"use iterations = 300 or a smaller burn_in$"):
        Options(iterations=20, burn_in=200)
    assert Options(iterations=300, burn_in=200).n_draws == 100
    with pytest.raises(InputError, match=r"which include it: use n_iterations=300 or a smaller burn_in$"):
        NPLBM(20, burn_in=200).fit(np.zeros((3, 2)))
    with pytest.raises(InputError, match="at most the 10 iterations after the burn-in: use more iterations or fewer"):
        Options(iterations=20, burn_in=10, draws=11)


@pytest.mark.parametrize(
    ("iterations", "burn_in", "chains", "expected"),
    [
        (None, None, 1, (100, 0)),
        (None, None, 4, (100, 50)),
        (31, None, 2, (31, 15)),
        (None, 100, 1, (200, 100)),
        (None, 100, 3, (200, 100)),
        (None, 0, 4, (100, 0)),
        (20, 5, 4, (20, 5)),
    ],
)
def test_lengths_that_are_not_given(
    iterations: int | None, burn_in: int | None, chains: int, expected: tuple[int, int]
) -> None:
    assert lengths(iterations, burn_in, chains) == expected


def test_several_chains_alone_are_compared(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(30, 6)))
    arguments = ["fit", str(tmp_path / "x.npy"), "--output", str(tmp_path / "run"), "--iterations", "20"]
    done = CliRunner().invoke(cli, [*arguments, "--chains", "2"], catch_exceptions=False)
    assert "note: the burn-in is 10, half of the iterations, so that the 2 chains can be compared" in done.stderr
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (record["parameters"]["burn_in"], record["posterior"]["draws"], record["diagnosis"]["chains"]) == (10, 20, 2)


def test_draws_that_were_asked_for_are_the_same_with_the_default_burn_in(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(30, 6)))
    digests = []
    for name, extra in (("default", []), ("none", ["--burn-in", "0"])):
        arguments = ["fit", str(tmp_path / "x.npy"), "--output", str(tmp_path / name), "--iterations", "20", "--json"]
        done = CliRunner().invoke(cli, [*arguments, "--chains", "2", "--draws", "5", *extra], catch_exceptions=False)
        digests.append(json.loads(done.stdout)["digest"])
    assert digests[0] == digests[1]
