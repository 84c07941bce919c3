"""The study of what is shown of draws, in small: K and L within the draws', rows no further from their classes."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studies.consensus import Outcome, Study, outcomes
from benchmarks.studies.data import log_normal, paper, wine

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def found() -> list[Outcome]:
    small = (Study(log_normal(150), (16, 40)), Study(wine(), (16, 60)), Study(paper(200, 30), (16, 40)))
    return [outcome for study in small for outcome in outcomes(study)]


def test_numbers_of_clusters_shown_are_numbers_that_were_drawn(found: list[Outcome]) -> None:
    assert len(found) == 18
    assert [outcome for outcome in found if not outcome.is_inside] == []


def test_rows_are_no_further_from_their_classes_than_by_the_consensus_of_all_draws(found: list[Outcome]) -> None:
    assert np.mean([outcome.ari - outcome.ari_before for outcome in found]) > -0.02


def test_stuck_chains_are_shown_alone_and_others_together(found: list[Outcome]) -> None:
    assert {outcome.verdict for outcome in found} >= {"stuck", "short"}
    assert all((outcome.source != "all") == (outcome.verdict == "stuck") for outcome in found)
