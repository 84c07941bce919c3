"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import report_samples
from services.fixtures import cluster, postgres, rabbitmq, redis_server, seaweedfs  # noqa: F401 - fixtures

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Folder with the real data sets and the table of cases, beside the repository."""
    folder = REPOSITORY.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.fail(f"the real data sets are missing: expected them in {folder / 'data'}")
    return folder


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    """Sample runs for the tests of the report."""
    return report_samples
