"""Which of a block's figures stands for it."""

from __future__ import annotations

from collections.abc import Iterable

#: Of real numbers, of counts, and of 0/1 and categories.
_MAIN = ("mean", "rate", "share")


def main_figure(figures: Iterable[str]) -> str:
    """Choose the figure that stands for a block.

    >>> main_figure(["mean", "sd"]), main_figure(["total", "rate"])
    ('mean', 'rate')
    """
    there = list(figures)
    return next((name for name in _MAIN if name in there), there[0])
