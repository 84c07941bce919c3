"""What the ScaledObject's values come to, by the rules of KEDA and the horizontal autoscaler, on a clock of its own."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from services.autoscaler import ROUND, Autoscaler
from services.scaled_object import ScaledObject, read_scaled_object


@pytest.fixture(scope="module")
def rule() -> ScaledObject:
    return read_scaled_object()


def played(
    rule: ScaledObject, wanted: Callable[[float], float | None], seconds: float, replicas: int | None = None
) -> list[tuple[float, int]]:
    """The number of workers and when it changed, while so many are wanted at a time."""
    autoscaler = Autoscaler(rule)
    if replicas is not None:
        autoscaler.replicas = replicas
    found = [(0.0, autoscaler.replicas)]
    for second in range(int(seconds)):
        if second % rule.polling == 0:
            autoscaler.poll(second, wanted(second))
        # Between two questions of KEDA's.
        if second % ROUND == 7:
            autoscaler.round(second, wanted(second))
        if autoscaler.replicas != found[-1][1]:
            found.append((float(second), autoscaler.replicas))
    return found


def test_all_come_within_one_question_and_one_round(rule: ScaledObject) -> None:
    changes = played(rule, lambda second: 64.0 if second >= 61 else 0.0, 600)
    assert [count for _, count in changes] == [0, 1, 64]
    assert changes[1][0] - 61 <= rule.polling
    assert changes[2][0] - changes[1][0] <= ROUND


def test_no_more_than_is_paid_for(rule: ScaledObject) -> None:
    assert played(rule, lambda second: 1000.0, 600)[-1][1] == rule.maximum


def test_nothing_changes_while_nothing_does(rule: ScaledObject) -> None:
    assert len(played(rule, lambda second: 17.0, 7200)) == 3


def test_a_pause_between_two_runs_ends_no_worker(rule: ScaledObject) -> None:
    pause = rule.down.window - ROUND
    changes = played(rule, lambda second: 0.0 if 600 <= second < 600 + pause else 32.0, 3600)
    assert [count for _, count in changes] == [0, 1, 32]


def test_half_of_what_is_too_much_goes_each_minute(rule: ScaledObject) -> None:
    changes = played(rule, lambda second: 64.0 if second < 600 else 0.0, 2400)
    fewer = changes[changes.index(max(changes, key=lambda change: change[1])) :]
    # The rest at once, when the cool-down is over.
    assert [count for _, count in fewer] == [64, 32, 16, 8, 4, 0]
    assert fewer[1][0] - 600 >= rule.down.window - ROUND
    (policy,) = rule.down.policies
    assert all(later - earlier >= policy.seconds for (earlier, _), (later, _) in pairwise(fewer[1:-1]))


def test_the_last_worker_goes_when_the_cool_down_is_over(rule: ScaledObject) -> None:
    changes = played(rule, lambda second: 1.0 if second < 600 else 0.0, 2400)
    gone, count = changes[-1]
    assert count == 0
    assert rule.cooldown - rule.polling <= gone - 600 <= rule.cooldown + 2 * rule.polling


def test_an_answer_that_does_not_come_changes_nothing(rule: ScaledObject) -> None:
    assert played(rule, lambda second: None, 3600, replicas=9) == [(0.0, 9)]


def test_a_tenth_more_or_less_is_near_enough(rule: ScaledObject) -> None:
    """By the horizontal autoscaler's tolerance: it is not worth a pod, though a shard may wait for it."""
    assert played(rule, lambda second: 20.0 if second < 600 else 21.0, 1800)[-1][1] == 20
    assert played(rule, lambda second: 20.0 if second < 600 else 23.0, 1800)[-1][1] == 23
