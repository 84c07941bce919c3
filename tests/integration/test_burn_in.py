"""Burn-in is a matter of how the traces are read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from disnplbm.cli.main import cli
from disnplbm.engine.options import Options
from disnplbm.errors import InputError


def test_burn_in_is_recorded_and_shaded_and_changes_nothing_else(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(30, 6)))
    digests = []
    for name, extra in (("plain", []), ("burnt", ["--burn-in", "5"])):
        arguments = ["fit", str(tmp_path / "x.npy"), "--iterations", "20", "--output", str(tmp_path / name), "--json"]
        record = json.loads(CliRunner().invoke(cli, [*arguments, *extra], catch_exceptions=False).stdout)
        digests.append(record["digest"])
    assert digests[0] == digests[1]
    assert record["parameters"]["burn_in"] == 5
    assert 'class="burn"' in (tmp_path / "burnt" / "report.html").read_text()
    assert 'class="burn"' not in (tmp_path / "plain" / "report.html").read_text()


@pytest.mark.parametrize("burn_in", [-1, 20])
def test_burn_in_must_leave_an_iteration(burn_in: int) -> None:
    with pytest.raises(InputError, match=r"burn-in = .* below iterations = 20"):
        Options(iterations=20, burn_in=burn_in)
