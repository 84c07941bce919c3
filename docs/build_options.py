"""Write what the page's form asks for from :mod:`disnplbm.described`: ``make generated``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from disnplbm.bounds import Bound
from disnplbm.data.formats import FORMATS, PACKED, all_endings
from disnplbm.data.transform import KINDS
from disnplbm.described import BOUNDS, DESCRIBED, Described

TARGET = Path(__file__).parents[1] / "dashboard" / "web" / "src" / "api" / "options.ts"

_HEAD = """\
/** What a run can be asked for, and the files it can be made of. Written from the code by `make generated`. */
import type { Field } from "../pages/new/parameters";
import type { ReadBy } from "../pages/new/reading";

"""


def text() -> str:
    """The module."""
    options = "".join(f"  {_field(name, option)},\n" for name, option in DESCRIBED.items())
    return (
        f"{_HEAD}export const OPTIONS: readonly (Field & {{ group: string }})[] = [\n{options}];\n\n"
        f'export const SHARDS: Field["bounds"] = {json.dumps(_bounds(BOUNDS["shards"]))};\n\n'
        f"export const TRANSFORMS: readonly string[] = {json.dumps(KINDS)};\n\n"
        f"export const ENDINGS = {json.dumps(all_endings())};\n\n"
        "/** By the ending of a file's name: what a file of that kind is read by. */\n"
        "export const FORMATS: readonly { ending: string; by: ReadBy }[] = [\n"
        f"{''.join(f'  {json.dumps(one)},{chr(10)}' for one in _formats())}];\n"
    )


def _formats() -> list[dict[str, str]]:
    found = []
    for ending, kind in FORMATS.items():
        by = "text" if kind.delimiter is not None else "columns" if "id_column" in kind.fields else "numbers"
        by = "layers" if "layer" in kind.fields else by
        found += [{"ending": one, "by": by} for one in (ending, *[ending + PACKED] * kind.packable)]
    return found


def _field(name: str, option: Described) -> str:
    field: dict[str, Any] = {"name": name, "label": option.label, "hint": option.help, "group": option.group}
    field |= {"kind": _kind(option), "default": "" if option.absent is not None else _written(option.default)}
    if option.absent is not None:
        field["placeholder"] = option.absent
    if option.bound is not None:
        field["bounds"] = _bounds(option.bound)
    if option.cells is not None or option.several or option.samplers:
        field["of"] = {"cells": option.cells, "several": option.several, "samplers": option.samplers}
    if option.pattern is not None:
        field["form"] = [option.pattern, option.form]
    if option.choices:
        field["choices"] = [[choice, choice] for choice in option.choices if choice not in option.unserved]
        if option.absent is not None:
            field["choices"].insert(0, ["", f"{option.absent} (default)"])
    return json.dumps(field, ensure_ascii=False)


def _kind(option: Described) -> str:
    if option.pattern is not None:
        return "text"
    if option.word is not None:
        return "concentration"
    if option.bound is not None:
        return "whole" if option.bound.whole else "number"
    return "switch" if option.switch else "choice"


def _bounds(bound: Bound) -> list[str]:
    """As text: a seed may be larger than a number of JavaScript holds."""
    return [str(bound.least), str(bound.most)]


def _written(default: Any) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
