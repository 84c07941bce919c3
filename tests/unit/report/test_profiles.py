"""What makes a cluster, in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.engine.explain import Profile
from disnplbm.report.profiles import sentence_of, told_of, told_of_all

NAMES = ["CD3D", "IL7R", "LTB", "MS4A1", "NKG7"]


def profile(name: str, own: list[list[float]], rest: list[list[float]]) -> Profile:
    number = len(own)
    values = {"total": np.ones((number, 1)), name: np.array(own).reshape(number, -1)}
    others = {"total": np.ones((number, 1)), name: np.array(rest).reshape(number, -1)}
    nothing = np.zeros(number)
    return Profile(3, 214, np.arange(number), nothing, nothing, values, others, np.arange(214), np.zeros(214))


@pytest.mark.parametrize(
    ("name", "own", "rest", "words", "said"),
    [
        (
            "rate",
            [[5.0], [9.0], [1.4], [0.04]],
            [[1.0], [1.0], [0.2], [0.5]],
            (),
            "high in CD3D, IL7R and LTB (5 to 9 times the others); low in MS4A1 (0.08 times the others)",
        ),
        ("rate", [[5.0], [9.0]], [[0.0], [1.0]], (), "high in CD3D and IL7R (at least 9 times the others)"),
        ("rate", [[5.0], [9.0]], [[0.0], [0.0]], (), "high in CD3D and IL7R (the others have none)"),
        ("rate", [[0.0], [0.1]], [[2.0], [1.0]], (), "low in CD3D and IL7R (at most 0.1 times the others)"),
        ("rate", [[0.0]], [[2.0]], (), "low in CD3D (none, and the others have some)"),
        (
            "mean",
            [[1200.0], [-1.5]],
            [[11.2], [0.25]],
            (),
            "high in CD3D (mean 1,200 against 11); low in IL7R (mean -1.5 against 0.25)",
        ),
        ("share", [[0.98], [1.0]], [[0.1], [0.22]], (), "high in CD3D and IL7R (98 to 100% against 10 to 22%)"),
        (
            "share",
            [[0.98], [0.0]],
            [[0.1], [0.5]],
            ("no", "yes"),
            "often yes in CD3D (98% against 10%); seldom yes in IL7R (0% against 50%)",
        ),
        ("share", [[0.1, 0.8, 0.1]], [[0.5, 0.3, 0.2]], ("blue", "red", "white"), "red in CD3D (80% against 30%)"),
        ("share", [[0.1, 0.8, 0.1]], [[0.5, 0.3, 0.2]], (), "share 1 in CD3D (80% against 30%)"),
        ("wait", [[0.5]], [[2.5]], (), "low in CD3D (wait 0.5 against 2.5)"),
    ],
)
def test_it_says_what_a_cluster_is_high_and_low_in(
    name: str, own: list[list[float]], rest: list[list[float]], words: tuple[str, ...], said: str
) -> None:
    one = profile(name, own, rest)
    told = told_of(one, NAMES, "rows", words)
    assert sentence_of(one, told, "rows") == f"Cluster 3: 214 rows; {said}."
    assert told_of_all([one, one], NAMES, "rows", words) == [told, told]
    assert told_of_all([one], NAMES, "rows", words) == ["it is the only cluster, so nothing sets it apart"]


def test_a_mean_like_that_of_the_others_is_not_called_high_or_low() -> None:
    """Where the spread is what differs, it is told."""
    one = profile("mean", [[0.1], [2.0], [-0.2], [0.3]], [[0.0], [0.0], [0.0], [0.0]])
    one.own["sd"] = np.array([[0.2], [0.2], [3.0], [1.0]])
    one.rest["sd"] = np.ones((4, 1))
    said = (
        "high in IL7R and MS4A1 (mean 0.3 to 2 against 0); varies little in CD3D (sd 0.2 against 1);"
        " varies much in LTB (sd 3 against 1)"
    )
    assert told_of(one, NAMES, "rows") == said


def test_a_cluster_of_one_row_has_no_spread() -> None:
    one = profile("mean", [[0.1]], [[0.0]])
    one.own["sd"], one.rest["sd"] = np.array([[np.nan]]), np.ones((1, 1))
    assert told_of(one, NAMES, "rows") == "high in CD3D (mean 0.1 against 0)"


def test_no_more_names_are_told_than_asked_for() -> None:
    told = told_of(profile("rate", [[2.0]] * 5, [[1.0]] * 5), NAMES, "rows", told=2)
    assert told == "high in CD3D and IL7R (2 times the others)"


def test_a_cluster_that_nothing_sets_apart_says_so() -> None:
    nobody = profile("rate", [[2.0]], [[1.0]])
    empty = {"rate": np.zeros((0, 1))}
    nobody = Profile(
        0, 1, np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0), empty, empty, nobody.typical, nobody.margins
    )
    assert (
        sentence_of(nobody, told_of(nobody, NAMES, "columns"), "columns")
        == "Cluster 0: 1 column; no row is sure to set it apart."
    )
