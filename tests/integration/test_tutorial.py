"""Quick start, tutorials and guides: every command runs, and prints what the page says that it prints."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from marks import long

REPOSITORY = Path(__file__).resolve().parents[2]


def load() -> Any:
    """docs/run_tutorials.py, which runs the pages and writes what is printed."""
    spec = importlib.util.spec_from_file_location("run_tutorials", REPOSITORY / "docs" / "run_tutorials.py")
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    # Data classes look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TUTORIALS = load()


#: The pages whose commands `make test` runs: what the README shows is on them.
SHORT = ("quickstart", "tutorial-documents")


@pytest.mark.parametrize(
    "page",
    [page if page.stem in SHORT else long(page) for page in TUTORIALS.PAGES],
    ids=lambda page: page.stem,
)
def test_what_a_tutorial_prints_is_what_it_says(page: Path, tmp_path: Path) -> None:
    steps = TUTORIALS.steps(page.read_text(encoding="utf-8"))
    for step in steps:
        printed = TUTORIALS.without_times(TUTORIALS.output_of(step, tmp_path))
        assert printed == TUTORIALS.without_times(step.printed), (
            f"{page.name} is stale; run `python docs/run_tutorials.py` and read what changed. The step:\n{step.code}"
        )
    assert len(steps) >= 3


@pytest.mark.parametrize("page", TUTORIALS.PAGES, ids=lambda page: page.stem)
def test_every_block_of_a_tutorial_is_run_or_is_what_one_prints(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    run = TUTORIALS.steps(text)
    assert text.count("```") == 2 * (len(run) + sum(step.span is not None for step in run))


def test_times_are_not_compared_and_all_else_is() -> None:
    printed = "clusters   3 x 2\nseconds    {} for 5 iterations, {} ms an iteration\n"
    quick, slow = printed.format("0.01", "2.0"), printed.format(9, 1)
    assert TUTORIALS.without_times(quick) == TUTORIALS.without_times(slow)
    assert TUTORIALS.without_times(quick) != TUTORIALS.without_times(slow.replace("3 x", "4 x"))
