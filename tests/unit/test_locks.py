"""The locked versions of one environment, in several files."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

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


def test_the_lowest_versions_are_those_that_the_package_allows() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = [given for name, given in project["optional-dependencies"].items() if name != "docs"]
    asked = [Requirement(text) for given in [project["dependencies"], *extras] for text in given]
    lowest, whole = locked("requirements-lowest.lock"), locked("requirements.lock")
    for each in asked:
        if each.name != "disnplbm":
            (version,) = lowest[each.name]
            assert version in each.specifier, each
            assert each.name not in whole or Version(version) <= Version(whole[each.name][0]), each
