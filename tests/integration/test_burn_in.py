"""A burn-in changes what is kept of a collapsed chain, and not the chain."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from disnplbm.cli.main import cli
from disnplbm.engine.options import Options
from disnplbm.errors import InputError


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
    assert 'class="burn"' in (tmp_path / "burnt" / "report.html").read_text()
    assert 'class="burn"' not in (tmp_path / "plain" / "report.html").read_text()


@pytest.mark.parametrize("burn_in", [-1, 20])
def test_burn_in_must_leave_an_iteration(burn_in: int) -> None:
    with pytest.raises(InputError, match=r"burn-in = .* below iterations = 20"):
        Options(iterations=20, burn_in=burn_in)
