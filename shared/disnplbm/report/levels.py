"""What a suggested level says in words: the command line, run.json and the report say the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disnplbm.notes import plural

_NOUNS = {"rows": "row", "columns": "column"}


def level_sentence(axes: Mapping[str, Mapping[str, Any]]) -> str:
    """Say which clusters are shown first, why, and how sure they are.

    Parameters
    ----------
    axes : mapping
        What :meth:`disnplbm.posterior.trees.choosing.Suggestion.to_dict` says of "rows" and of "columns"; of a level
        that draws were cut at, :meth:`disnplbm.posterior.trees.certainty.Certainty.to_dict` too, as "certainty".
    """
    merged = [axis for axis, found in axes.items() if found["reason"] != "fine"]
    shown = " and ".join(_shown(axis, axes[axis]) for axis in axes)
    reasons = (_reason(axis, axes[axis]) for axis in merged)
    sure = (_certainty(axis, axes[axis].get("certainty")) for axis in merged)
    return " ".join(filter(None, [f"Shown first: {shown}.", *reasons, *sure]))


def certainty_text(certainty: Mapping[str, Any]) -> str:
    """How sure a level is: "93% certain on average, by 40 draws of 4 chains"."""
    of_chains = f"{certainty['chains']} chains" if certainty["chains"] > 1 else "one chain"
    return f"{certainty['mean_confidence']:.0%} certain on average, by {certainty['draws']:,} draws of {of_chains}"


def _certainty(axis: str, certainty: Mapping[str, Any] | None) -> str:
    return "" if certainty is None else f"The {_NOUNS[axis]} labels are {certainty_text(certainty)}."


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
    if found["reason"] == "asked":
        return f"{number:,} {noun} clusters were asked for."
    if found["reason"] == "most":
        return f"More {noun} clusters were asked for than the tree has branches of enough {axis}."
    if figure is None:
        return f"All {noun} clusters but one are too small to be shown by themselves."
    return (
        f"To merge {number:,} {noun} clusters into {number - 1:,} costs about {figure:.1f} times as much as"
        f" to merge {number + 1:,} into {number:,}."
    )
