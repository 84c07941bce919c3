"""The kernels that an image is built with."""

from __future__ import annotations

import queue
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from disnplbm.cell_types import CELL_TYPES
from disnplbm.data.reading import Reading
from disnplbm.data.source import open_source
from disnplbm.engine import warmup
from disnplbm.engine.options import Options
from disnplbm.errors import InputError

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


def test_kernels_are_loaded_beside_the_reading_and_what_is_at_fault_is_not_said_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: queue.Queue[Options] = queue.Queue()

    def note(_: int, asked: Options, *, complete: bool, sparse: bool = False) -> None:
        seen.put(asked)
        raise InputError("said in the foreground")

    monkeypatch.setattr(warmup, "warm_up", note)
    np.save(tmp_path / "x.npy", np.zeros((4, 3, 2)))
    source = open_source(tmp_path / "x.npy", Reading())
    warmup.warm_up_beside(source, Options(cells="counts"))
    warmup.warm_up_beside(source, Options())
    assert seen.get(timeout=60).cells == "gaussian"
    assert seen.empty()
