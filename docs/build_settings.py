"""Write docs/settings.md from the settings' own descriptions: ``make generated``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from disnplbm.settings import PREFIX, Settings

TARGET = Path(__file__).with_name("settings.md")

INTRODUCTION = """# Settings

`make generated` writes this page from the settings' own descriptions.

Environment variables set up the master, the workers, the server and the commands that talk to a cluster
([command line](cli.md)). Each is checked when it is read. `disnplbm doctor` says whether what they name can be reached.
`disnplbm fit` needs none of them.

| variable | default | what it is |
|---|---|---|
"""


def text() -> str:
    """The page."""
    rows = [
        f"| `{PREFIX}{name.upper()}` | {_default(field.default)} | {_what(field)} |"
        for name, field in Settings.model_fields.items()
    ]
    return INTRODUCTION + "\n".join(rows) + "\n"


def _default(value: Any) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, Path) and value.is_relative_to(tempfile.gettempdir()):
        return f"`{value.relative_to(tempfile.gettempdir())}` in the folder for temporary files"
    return f"`{value}`"


def _what(field: FieldInfo) -> str:
    assert field.description is not None
    if get_origin(field.annotation) is Literal:
        choices = ", ".join(f"`{choice}`" for choice in get_args(field.annotation))
        return f"{field.description} One of {choices}."
    return field.description


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
