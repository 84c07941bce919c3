"""Kernels that were kept on disk by another version."""

from __future__ import annotations

import importlib.util
import pickle
from pathlib import Path
from types import ModuleType

import numba

MODULE = """
from disnplbm.kernels.compiler import kernel


@kernel
def twice(x):
    return 2 * x
"""


def test_kernels_of_a_version_with_other_types_are_compiled_anew(tmp_path: Path) -> None:
    path = tmp_path / "toy.py"
    path.write_text(MODULE)
    assert _loaded(path).twice(3) == 6
    (index,) = tmp_path.rglob("*.nbi")
    # As Numba reads it: its version, and types that are named.
    index.write_bytes(pickle.dumps(numba.__version__) + b"cdisnplbm.kernels.blocks\nGone\n.")
    assert _loaded(path).twice(3) == 6


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("toy", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
