"""Docstrings as the site shows them: what Sphinx would link (``:class:`Draws```) is a link, or code, in Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe

_ROLE = re.compile(r":(?:class|meth|func|data|mod|attr):`~?([\w.]+)`")

#: What the page of the Python reference shows.
SHOWN = set(re.findall(r"^::: ([\w.]+)$", Path(__file__).with_name("api.md").read_text(encoding="utf-8"), re.MULTILINE))


class Roles(griffe.Extension):
    """Rewrites every docstring once it is read."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(_in_markdown, obj.docstring.value)


def _in_markdown(role: re.Match[str]) -> str:
    target = role[1]
    name = target.rpartition(".")[2]
    public = {
        "disnplbm.DataWarning": "disnplbm.errors.DataWarning",
        "disnplbm.InputError": "disnplbm.errors.InputError",
    }
    target = public.get(target, target)
    return f"[`{name}`][{target}]" if target in SHOWN else f"`{name}`"
