"""What is said of the level that is shown first."""

from __future__ import annotations

from typing import Any

import pytest

from disnplbm.posterior.trees.choosing import Suggestion
from disnplbm.report.levels import certainty_text, level_sentence

FINE = Suggestion(7, 7, "fine")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            Suggestion(3, 62, "losses", 3.71),
            "Shown first: 3 of 62 row clusters and all 7 column clusters."
            " To merge 3 row clusters into 2 costs about 3.7 times as much as to merge 4 into 3.",
        ),
        (
            Suggestion(6, 1069, "agreement", 0.853),
            "Shown first: 6 of 1,069 row clusters and all 7 column clusters."
            " The chains agree on up to 6 row clusters (adjusted Rand index 0.85).",
        ),
        (
            Suggestion(2, 62, "most stable", 0.4),
            "Shown first: 2 of 62 row clusters and all 7 column clusters."
            " The chains agree on no number of row clusters. They come closest with 2 (adjusted Rand index 0.40).",
        ),
        (
            Suggestion(5, 62, "asked"),
            "Shown first: 5 of 62 row clusters and all 7 column clusters. 5 row clusters were asked for.",
        ),
        (
            Suggestion(9, 62, "most"),
            "Shown first: 9 of 62 row clusters and all 7 column clusters."
            " More row clusters were asked for than the tree has branches of enough rows.",
        ),
        (
            Suggestion(1, 62, "losses"),
            "Shown first: 1 of 62 row clusters and all 7 column clusters."
            " All row clusters but one are too small to be shown by themselves.",
        ),
    ],
)
def test_it_says_how_many_and_why(rows: Suggestion, words: str) -> None:
    axes: dict[str, Any] = {"rows": rows.to_dict(), "columns": FINE.to_dict()}
    assert level_sentence(axes) == words


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        (
            Suggestion(5, 178, "losses", 1.64),
            Suggestion(2, 208, "losses", 2.1),
            "Merging further costs more than the merge before: about 1.6 times as much for 5 row clusters, and 2.1"
            " times for 2 column clusters.",
        ),
        (
            Suggestion(6, 70, "agreement", 0.853),
            Suggestion(3, 90, "agreement", 0.81),
            "The chains agree on up to 6 row clusters (adjusted Rand index 0.85) and 3 column clusters (0.81).",
        ),
        (
            Suggestion(6, 70, "most stable", 0.5),
            Suggestion(3, 90, "most stable", 0.4),
            "The chains agree on no number of row clusters, nor of column clusters. They come closest with 6 row"
            " clusters (adjusted Rand index 0.50) and 3 column clusters (0.40).",
        ),
        (
            Suggestion(5, 62, "asked"),
            Suggestion(4, 70, "asked"),
            "5 row clusters and 4 column clusters were asked for.",
        ),
        (
            Suggestion(5, 62, "most"),
            Suggestion(4, 70, "most"),
            "More clusters of either kind were asked for than the trees have branches of enough members.",
        ),
        (
            Suggestion(1, 62, "losses"),
            Suggestion(1, 70, "losses"),
            "All row clusters but one and all column clusters but one are too small to be shown by themselves.",
        ),
        (
            Suggestion(6, 70, "agreement", 0.853),
            Suggestion(3, 90, "most stable", 0.4),
            "The chains agree on up to 6 row clusters (adjusted Rand index 0.85). The chains agree on no number of"
            " column clusters. They come closest with 3 (adjusted Rand index 0.40).",
        ),
    ],
)
def test_one_reason_of_both_axes_is_said_once(rows: Suggestion, columns: Suggestion, words: str) -> None:
    axes: dict[str, Any] = {"rows": rows.to_dict(), "columns": columns.to_dict()}
    assert level_sentence(axes).partition("column clusters. ")[2] == words


def test_the_page_is_told_why_an_axis_is_shown_as_it_is() -> None:
    axes: dict[str, Any] = {"rows": FINE.to_dict(), "columns": Suggestion(3, 90, "agreement", 0.81).to_dict()}
    assert level_sentence(axes, short_axes=True).endswith(
        "(adjusted Rand index 0.81). Up to 24 clusters are shown as they are."
    )
    # All of many clusters are shown where somebody asked for them.
    many: dict[str, Any] = dict.fromkeys(axes, Suggestion(70, 70, "fine").to_dict())
    assert level_sentence(many, short_axes=True) == "Shown first: all 70 row clusters and all 70 column clusters."


def test_it_says_how_sure_and_by_what() -> None:
    told = {"draws": 40, "chains": 4, "mean_confidence": 0.931}
    axes: dict[str, Any] = {
        "rows": Suggestion(3, 62, "agreement", 0.9).to_dict() | {"certainty": told},
        "columns": FINE.to_dict(),
    }
    assert level_sentence(axes).endswith("The row labels are 93% certain on average, by 40 draws of 4 chains.")
    axes["columns"] = Suggestion(3, 62, "agreement", 0.9).to_dict() | {"certainty": told | {"mean_confidence": 0.72}}
    both = "The row labels are 93% certain on average, the column labels 72%, by 40 draws of 4 chains."
    assert level_sentence(axes).endswith(both)
    axes["columns"]["certainty"] = told | {"draws": 30}
    assert level_sentence(axes).endswith(
        "4 chains. The column labels are 93% certain on average, by 30 draws of 4 chains."
    )
    assert certainty_text(told | {"chains": 1}) == "93% certain on average, by 40 draws of one chain"
