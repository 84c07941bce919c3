"""Workers that an autoscaler starts and ends, by the values of the ScaledObject; KEDA itself is not here."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.drills.autoscaling import BESIDE, CHAINS, SHARDS, Outcome, play

from faults.aftermath import no_surprise, nothing_left
from services.autoscaler import ROUND
from services.cluster import Cluster
from services.scaled_object import ScaledObject, read_scaled_object
from services.scaler import Decision

#: Workers that are wanted while both runs go on.
MOST = CHAINS * SHARDS + BESIDE


@pytest.mark.long
@pytest.mark.parametrize(("speed", "iterations"), [(30.0, 300), (3.0, 500)])
def test_autoscaling_played(cluster: Cluster, tmp_path: Path, speed: float, iterations: int) -> None:
    """From 0 to N and back to 0, steady in between, and workers that are taken away in mid-sweep lose nothing."""
    rule = read_scaled_object()
    outcome = play(cluster, tmp_path, rule, speed=speed, iterations=iterations, grace=10.0, say=print)
    comes_with_the_next_question(outcome)
    stays_while_nothing_changes(outcome)
    goes_by_the_rule(outcome, rule, speed)
    assert outcome.digest == outcome.expected
    # The one had to be killed in its sweep; all others ended by themselves.
    codes = {worker: future.result() for worker, future in outcome.scaler.leaving.items()}
    assert codes.pop(outcome.frozen) is None
    assert outcome.resumed in codes
    assert set(codes.values()) == {0}
    no_surprise(cluster)
    nothing_left(cluster)


def comes_with_the_next_question(outcome: Outcome) -> None:
    """KEDA's first question after the submit starts a worker; the first round that hears of all brings all."""
    begin, end = outcome.submitted
    before = [one for one in outcome.scaler.decisions if one.at < begin]
    assert {(one.wanted, one.after) for one in before} == {(0.0, 0)}
    later = after(outcome, end)
    first = next(one for one in later if one.who == "KEDA" and one.asked > end)
    assert first.after >= 1
    full = next(one for one in later if one.who == "HPA" and one.wanted == MOST)
    assert full.after == MOST


def stays_while_nothing_changes(outcome: Outcome) -> None:
    """While iterations go by, every question has the same answer, and no worker comes or goes."""
    begin, end = outcome.steady
    steady = [one for one in after(outcome, begin) if one.at <= end]
    assert steady
    assert {(one.wanted, one.before, one.after) for one in steady} == {(MOST, MOST, MOST)}


def goes_by_the_rule(outcome: Outcome, rule: ScaledObject, speed: float) -> None:
    """Fewer only when the window is over, by no more than the policy allows, and none when the cool-down is."""
    counts = [one for one in outcome.scaler.decisions if one.after < one.before]
    assert counts[0].after == MOST - BESIDE
    assert counts[-1].after == 0
    for one in counts:
        wanted = [each.at for each in outcome.scaler.decisions if each.at < one.at and (each.wanted or 0) > one.after]
        window = rule.cooldown if one.after == 0 else rule.down.window
        # A decision is made a little before it is written down.
        assert (one.at - max(wanted)) * speed > window - ROUND


def after(outcome: Outcome, seconds: float) -> list[Decision]:
    """What was decided since."""
    return [one for one in outcome.scaler.decisions if one.at > seconds]
