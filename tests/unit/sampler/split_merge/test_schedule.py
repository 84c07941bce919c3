"""What an iteration does depends on its number alone, and nothing moves between a launch and its decision."""

from __future__ import annotations

import pytest

from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.split_merge.acceptance import FAIR
from disnplbm.sampler.split_merge.schedule import (
    BOLD,
    REFINE_EVERY,
    Step,
    coins_of,
    launches,
    moves_columns,
    refining_turn,
    step_of,
)

ITERATIONS = range(1, 200)


@pytest.mark.parametrize("approach", [0, 1, 50, 51, 52, 53])
def test_nothing_moves_between_a_launch_and_its_decision(approach: int) -> None:
    parameters = Parameters(sampler="split-merge", approach=approach)
    proposals = [t for t in ITERATIONS if step_of(parameters, t) is Step.PROPOSE]
    assert proposals == [t + 1 for t in ITERATIONS if launches(parameters, t)][: len(proposals)]
    assert not any(moves_columns(parameters, t) or moves_columns(parameters, t - 1) for t in proposals)
    # What is exact for one shard only is kept to the approach.
    assert {step_of(parameters, t) for t in ITERATIONS if t > approach} == {Step.DRAW, Step.REFINE, Step.PROPOSE}
    assert all(step_of(parameters, t) in (Step.SWEEP, Step.PROPOSE) for t in range(1, approach + 1))


def test_a_round_is_a_column_step_a_launch_and_a_decision() -> None:
    parameters = Parameters(sampler="split-merge")
    for first in range(1, 90, 3):
        assert [moves_columns(parameters, t) for t in range(first, first + 3)] == [True, False, False]
        assert [launches(parameters, t) for t in range(first, first + 3)] == [False, True, False]


def test_refining_turns_follow_one_another_on_both_kinds_of_label_step() -> None:
    parameters = Parameters(sampler="split-merge")
    refining = [t for t in ITERATIONS if step_of(parameters, t) is Step.REFINE]
    assert [refining_turn(parameters, t) for t in refining] == list(range(len(refining)))
    assert len(refining) == len([t for t in ITERATIONS if step_of(parameters, t) is not Step.PROPOSE]) // REFINE_EVERY
    assert {moves_columns(parameters, t) for t in refining} == {True, False}


@pytest.mark.parametrize("more", [{"alpha": 1e6}, {"row_limit": 10_000_000}])
def test_more_clusters_than_can_be_instantiated_are_never_drawn_from(more: dict[str, float]) -> None:
    parameters = Parameters(sampler="split-merge", **more)
    steps = [step_of(parameters, t) for t in ITERATIONS]
    assert set(steps) == {Step.REFINE, Step.PROPOSE}
    refining = [t for t, step in zip(ITERATIONS, steps, strict=True) if step is Step.REFINE]
    assert [refining_turn(parameters, t) for t in refining] == list(range(len(refining)))


@pytest.mark.parametrize("approach", [0, 1, 50, 51])
def test_a_family_that_prefers_draws_is_never_swept(approach: int) -> None:
    parameters = Parameters(sampler="split-merge", approach=approach)
    for t in ITERATIONS:
        step = step_of(parameters, t, draws=True)
        assert step is (Step.PROPOSE if launches(parameters, t - 1) else Step.DRAW)


def test_a_family_that_prefers_draws_is_swept_where_too_many_clusters_would_be_instantiated() -> None:
    parameters = Parameters(sampler="split-merge", alpha=1e6, approach=20)
    assert {step_of(parameters, t, draws=True) for t in range(1, 21)} == {Step.SWEEP, Step.PROPOSE}


def test_coins_are_fair_after_the_approach() -> None:
    parameters = Parameters(sampler="split-merge", approach=20)
    assert {coins_of(parameters, t) for t in ITERATIONS} == {FAIR}
    assert [coins_of(parameters, t, draws=True) for t in (1, 20, 21, 100)] == [BOLD, BOLD, FAIR, FAIR]
