"""What a suggested level says in words: the command line, run.json and the report say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from disnplbm.notes import plural
from disnplbm.posterior.trees.choosing import MOST_FINE

_NOUNS = {"rows": "row", "columns": "column"}


def level_sentence(axes: Mapping[str, Mapping[str, Any]], *, short_axes: bool = False) -> str:
    """Say which clusters are shown first, why, and how sure they are.

    Parameters
    ----------
    axes : mapping
        What :meth:`disnplbm.posterior.trees.choosing.Suggestion.to_dict` says of "rows" and of "columns"; of a level
        that draws were cut at, :meth:`disnplbm.posterior.trees.certainty.Certainty.to_dict` too, as "certainty".
    short_axes : bool
        Say of an axis that is shown as it is why, too.
    """
    merged = [axis for axis in axes if axes[axis]["reason"] != "fine"]
    shown = " and ".join(_shown(axis, axes[axis]) for axis in axes)
    told = [f"Shown first: {shown}.", *_reasons(axes, merged), *_certainties(axes, merged)]
    if short_axes and any(_is_short(found) for found in axes.values()):
        told.append(f"Up to {MOST_FINE} clusters are shown as they are.")
    return " ".join(told)


def certainty_text(certainty: Mapping[str, Any]) -> str:
    """How sure a level is: "93% certain on average, by 40 draws of 4 chains"."""
    of_chains = f"{certainty['chains']} chains" if certainty["chains"] > 1 else "one chain"
    return f"{certainty['mean_confidence']:.0%} certain on average, by {certainty['draws']:,} draws of {of_chains}"


def _certainties(axes: Mapping[str, Mapping[str, Any]], merged: Sequence[str]) -> list[str]:
    """How sure the level of each axis is, in one sentence where the same draws say it."""
    found = {axis: axes[axis]["certainty"] for axis in merged if axes[axis].get("certainty") is not None}
    if len(found) == 2 and len({(each["draws"], each["chains"]) for each in found.values()}) == 1:
        rows, columns = found["rows"], found["columns"]
        of_columns = certainty_text(columns).replace(" certain on average", "")
        return [f"The row labels are {rows['mean_confidence']:.0%} certain on average, the column labels {of_columns}."]
    return [f"The {_NOUNS[axis]} labels are {certainty_text(each)}." for axis, each in found.items()]


def _shown(axis: str, found: Mapping[str, Any]) -> str:
    number, fine, noun = found["clusters"], found["fine"], f"{_NOUNS[axis]} cluster"
    return f"all {plural(fine, noun)}" if found["reason"] == "fine" else f"{number:,} of {plural(fine, noun)}"


def _is_short(found: Mapping[str, Any]) -> bool:
    """Whether an axis is shown as it is because it has few clusters."""
    return bool(found["reason"] == "fine" and found["fine"] <= MOST_FINE)


def _reasons(axes: Mapping[str, Mapping[str, Any]], merged: Sequence[str]) -> list[str]:
    """Why, in one sentence where both axes have the same reason."""
    kinds = [(axes[axis]["reason"], axes[axis]["figure"] is None) for axis in merged]
    if len(merged) == 2 and kinds[0] == kinds[1]:
        return [_reason_of_both(axes)]
    return [_reason(axis, axes[axis]) for axis in merged]


def _reason_of_both(axes: Mapping[str, Mapping[str, Any]]) -> str:
    rows, columns = axes["rows"], axes["columns"]
    numbers = f"{rows['clusters']:,} row clusters", f"{columns['clusters']:,} column clusters"
    if rows["reason"] == "asked":
        return f"{numbers[0]} and {numbers[1]} were asked for."
    if rows["reason"] == "most":
        return "More clusters of either kind were asked for than the trees have branches of enough members."
    if rows["figure"] is None:
        return "All row clusters but one and all column clusters but one are too small to be shown by themselves."
    if rows["reason"] == "losses":
        return (
            f"Merging further costs more than the merge before: about {rows['figure']:.1f} times as much for"
            f" {numbers[0]}, and {columns['figure']:.1f} times for {numbers[1]}."
        )
    levels = f"{numbers[0]} (adjusted Rand index {rows['figure']:.2f}) and {numbers[1]} ({columns['figure']:.2f})"
    if rows["reason"] == "agreement":
        return f"The chains agree on up to {levels}."
    return f"The chains agree on no number of row clusters, nor of column clusters. They come closest with {levels}."


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
