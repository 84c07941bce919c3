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


def test_it_says_how_sure_and_by_what() -> None:
    told = {"draws": 40, "chains": 4, "mean_confidence": 0.931}
    axes: dict[str, Any] = {
        "rows": Suggestion(3, 62, "agreement", 0.9).to_dict() | {"certainty": told},
        "columns": FINE.to_dict(),
    }
    assert level_sentence(axes).endswith("The row labels are 93% certain on average, by 40 draws of 4 chains.")
    assert certainty_text(told | {"chains": 1}) == "93% certain on average, by 40 draws of one chain"
