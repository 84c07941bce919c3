"""Sample runs for the tests in a browser."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    """The module tests/report_samples.py."""
    path = Path(__file__).resolve().parents[1] / "report_samples.py"
    spec = importlib.util.spec_from_file_location("report_samples", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
