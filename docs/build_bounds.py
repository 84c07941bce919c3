"""Write the ranges of the options for the page's form, from :mod:`disnplbm.bounds`: ``make generated``."""

from __future__ import annotations

from pathlib import Path

from disnplbm.bounds import BOUNDS

TARGET = Path(__file__).parents[1] / "dashboard" / "web" / "src" / "api" / "bounds.ts"

_HEAD = """\
/** The least and the most that each numeric option may be. Written from the code by `make generated`. */

// As text: a seed may be larger than a number of JavaScript holds.
export const BOUNDS: Readonly<Record<string, readonly [least: string, most: string]>> = {
"""


def text() -> str:
    """The module."""
    rows = (f'  {name}: ["{bound.least}", "{bound.most}"],\n' for name, bound in BOUNDS.items())
    return f"{_HEAD}{''.join(rows)}}};\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
