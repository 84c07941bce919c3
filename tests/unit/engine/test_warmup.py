"""The kernels that an image is built with."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from disnplbm.cell_types import CELL_TYPES
from disnplbm.engine import warmup
from disnplbm.engine.options import Options

DOCKERFILE = Path(__file__).resolve().parents[3] / "Dockerfile"


def test_the_image_compiles_by_a_command_that_works() -> None:
    (module,) = re.findall(r"/opt/venv/bin/python -m (disnplbm\.\S+)", DOCKERFILE.read_text())
    subprocess.run([sys.executable, "-m", module], check=True)


def test_what_is_compiled_is_of_every_sampler_and_type_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[tuple[str, str]] = set()

    def note(_: int, asked: Options, *, complete: bool, sparse: bool = False) -> None:
        seen.add((asked.sampler, "sparse" if sparse else asked.cells))

    monkeypatch.setattr(warmup, "warm_up", note)
    warmup.warm_up_usual()
    assert {cells for _, cells in seen} >= {"sparse", *CELL_TYPES}
    assert {sampler for sampler, _ in seen} == {"collapsed", "split-merge"}
