"""What a suggested level says in words: the command line, run.json and the report say the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disnplbm.notes import plural

_NOUNS = {"rows": "row", "columns": "column"}


def level_sentence(axes: Mapping[str, Mapping[str, Any]]) -> str:
    """Say which clusters are shown first, and why.

    Parameters
    ----------
    axes : mapping
        What :meth:`disnplbm.posterior.trees.choosing.Suggestion.to_dict` says of "rows" and of "columns".
    """
    merged = [axis for axis, found in axes.items() if found["reason"] != "fine"]
    shown = " and ".join(_shown(axis, axes[axis]) for axis in axes)
    return " ".join([f"Shown first: {shown}.", *(_reason(axis, axes[axis]) for axis in merged)])


def _shown(axis: str, found: Mapping[str, Any]) -> str:
    number, fine, noun = found["clusters"], found["fine"], f"{_NOUNS[axis]} cluster"
    return f"all {plural(fine, noun)}" if found["reason"] == "fine" else f"{number:,} of {plural(fine, noun)}"


def _reason(axis: str, found: Mapping[str, Any]) -> str:
    number, noun, figure = found["clusters"], _NOUNS[axis], found["figure"]
    if found["reason"] == "agreement":
        return f"The chains agree on up to {number:,} {noun} clusters (adjusted Rand index {figure:.2f})."
    if found["reason"] == "most stable":
        return (
            f"The chains agree on no number of {noun} clusters. They come closest with {number:,}"
            f" (adjusted Rand index {figure:.2f})."
        )
    if figure is None:
        return f"All {noun} clusters but one are too small to be shown by themselves."
    return (
        f"To merge {number:,} {noun} clusters into {number - 1:,} costs about {figure:.1f} times as much as"
        f" to merge {number + 1:,} into {number:,}."
    )
