"""The locked versions of one environment, in several files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def locked(name: str) -> dict[str, list[str]]:
    """The versions of each package in a lock, one for each marker."""
    found: dict[str, list[str]] = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==(\S+)", (REPOSITORY / name).read_text(), re.MULTILINE):
        found.setdefault(package, []).append(version)
    return found


@pytest.mark.parametrize("name", ["requirements-run.lock", "requirements-cluster.lock", "requirements-docs.lock"])
def test_a_package_has_one_version_in_all_locks(name: str) -> None:
    whole, part = locked("requirements.lock"), locked(name)
    shared = whole.keys() & part.keys()
    assert "numpy" in shared
    assert {package: part[package] for package in shared} == {package: whole[package] for package in shared}


def test_the_site_needs_nothing_of_the_tests() -> None:
    assert "mkdocs-material" in locked("requirements-docs.lock")
    assert "mkdocs-material" not in locked("requirements.lock")
