"""Kernels that were kept on disk by another version."""

from __future__ import annotations

import importlib.util
import pickle
import resource
from pathlib import Path
from types import ModuleType

import numba
import pytest

from disnplbm.kernels import compiler

MODULE = """
from disnplbm.kernels.compiler import kernel


@kernel
def twice(x):
    return 2 * x
"""


@pytest.fixture(autouse=True)
def kept_beside_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever NUMBA_CACHE_DIR says."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")


def test_kernels_of_a_version_with_other_types_are_compiled_anew(tmp_path: Path) -> None:
    path = tmp_path / "toy.py"
    path.write_text(MODULE)
    assert _loaded(path).twice(3) == 6
    (index,) = tmp_path.rglob("*.nbi")
    # As Numba reads it: its version, and types that are named.
    index.write_bytes(pickle.dumps(numba.__version__) + b"cdisnplbm.kernels.blocks\nGone\n.")
    assert _loaded(path).twice(3) == 6


@pytest.mark.parametrize("named", [b"cnobodys.module\nPrior\n.", b"cdisnplbm.kernels.blocks\nGone\n."])
def test_kernels_of_a_family_that_is_not_there_are_compiled_anew(tmp_path: Path, named: bytes) -> None:
    path = tmp_path / "toy.py"
    path.write_text(MODULE)
    assert _loaded(path).twice(3) == 6
    (index,) = tmp_path.rglob("*.nbi")
    index.write_bytes(pickle.dumps((numba.__version__, compiler._SOURCES)) + named)
    assert _loaded(path).twice(3) == 6
    assert _loaded(path).twice(3) == 6
    (code,) = tmp_path.rglob("*.nbc")
    assert code.stat().st_size > 3000


@pytest.mark.parametrize("room", [100, 3000])
def test_kernels_that_cannot_be_kept_are_used_and_no_older_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """With more room the index could be written, the code could not."""
    path = tmp_path / "toy.py"
    path.write_text(MODULE)
    assert _loaded(path).twice(3) == 6
    (code,) = tmp_path.rglob("*.nbc")
    assert code.stat().st_size > 3000
    path.write_text(MODULE.replace("2 * x", "3 * x"))
    monkeypatch.setattr(compiler, "_SOURCES", "others")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        assert _loaded(path).twice(3) == 9
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert _loaded(path).twice(3) == 9
    assert _loaded(path).twice(3.0) == 9.0
    assert len(list(tmp_path.rglob("*.nbc"))) == 2
    assert code not in tmp_path.rglob("*.nbc")


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("toy", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
