"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import hypothesis
import pytest

import report_samples
from order import ordered
from services.fixtures import cluster, postgres, rabbitmq, redis_server, seaweedfs  # noqa: F401 - fixtures

REPOSITORY = Path(__file__).resolve().parents[1]

# Property tests try the same examples each time, so that an unchanged tree passes twice. `make test-all` tries new ones
# (--hypothesis-profile explore); what it finds becomes an @example.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile("explore", deadline=None, print_blob=True)
hypothesis.settings.load_profile("fixed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the files in an order that keeps all processes busy to the end."""
    place = {file: number for number, file in enumerate(ordered(list({item.path for item in items})))}
    items.sort(key=lambda item: place[item.path])


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
