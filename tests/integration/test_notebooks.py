"""The notebooks of the docs run, and print what they say that they print."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def load() -> Any:
    """docs/run_notebooks.py, which runs notebooks and writes what is printed."""
    spec = importlib.util.spec_from_file_location("run_notebooks", REPOSITORY / "docs" / "run_notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NOTEBOOKS = load()


@pytest.mark.parametrize("path", NOTEBOOKS.NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_says_and_draws_what_the_gallery_shows(path: Path) -> None:
    notebook = NOTEBOOKS.read(path)
    cells = NOTEBOOKS.code_cells(notebook)
    with warnings.catch_warnings():
        # SciPy's own, of functions that it is about to drop.
        warnings.simplefilter("ignore", DeprecationWarning)
        found = NOTEBOOKS.run(notebook)
    stale = f"{path.name} is stale; run `python docs/run_notebooks.py` and read what changed"
    assert [NOTEBOOKS.told(outputs) for outputs in found] == [NOTEBOOKS.told(cell["outputs"]) for cell in cells], stale
    drawn = sum(len(NOTEBOOKS.pictures(outputs)) for outputs in found)
    kept = [picture for cell in cells for picture in NOTEBOOKS.pictures(cell["outputs"])]
    shown = [(NOTEBOOKS.GALLERY / f"{path.stem}-{number}.png").read_bytes() for number in range(1, drawn + 1)]
    assert kept == shown, stale
    page = (REPOSITORY / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert all(f"images/gallery/{path.stem}-{number}.png" in page for number in range(1, drawn + 1))
