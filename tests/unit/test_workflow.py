"""The public CI runs what the Makefile has, from the oldest Python that is supported on."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]


def jobs() -> dict[str, Any]:
    """The jobs of the workflow."""
    found: dict[str, Any] = yaml.safe_load((REPOSITORY / ".github/workflows/test.yml").read_text())["jobs"]
    return found


def test_every_step_is_a_target_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    commands = [step["run"] for job in jobs().values() for step in job["steps"] if "run" in step]
    assert {f"make {target}" for target in targets} >= set(commands)
    assert "make test" in commands


def test_the_oldest_python_is_the_one_of_the_package() -> None:
    versions = jobs()["test"]["strategy"]["matrix"]["python"]
    package = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert package["requires-python"] == f">={versions[0]}"


def test_the_forms_for_issues_are_complete() -> None:
    forms = sorted((REPOSITORY / ".github/ISSUE_TEMPLATE").glob("*.yml"))
    for path in forms:
        form = yaml.safe_load(path.read_text())
        if path.stem == "config":
            continue
        assert {"name", "description", "body"} <= form.keys(), path.name
        for part in form["body"]:
            assert part["type"] in ("markdown", "textarea", "input")
            assert part["type"] == "markdown" or {"id", "attributes"} <= part.keys(), path.name
            assert "label" in part["attributes"] or "value" in part["attributes"]
    assert len(forms) >= 3
