"""Negative controls: the comparison of test_exactness.py tells a wrong sampler from a right one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disnplbm.model.prior import NIWPrior
from disnplbm.sampler.parameters import Parameters
from marks import long

from .chains import Draws, sampled, twin
from .goodness import judge
from .problems import ALPHA, BETA, problem

TARGET = problem((3, 4), 1, missing=True)
PRIOR = TARGET.prior


@pytest.mark.parametrize("pair_moves", [False, long(True)], ids=["sweeps", "pairs"])
@pytest.mark.parametrize(
    ("alpha", "beta"), [(1.0, BETA), (ALPHA, 1.0), (BETA, ALPHA)], ids=["no alpha", "no beta", "swapped"]
)
def test_a_wrong_concentration_is_rejected(alpha: float, beta: float, pair_moves: bool) -> None:
    parameters = Parameters(alpha=alpha, beta=beta, pair_moves=pair_moves, seed=11)
    verdict = judge(sampled(TARGET, parameters, 1000, 2), TARGET)
    print(verdict)
    assert verdict.is_rejected_by_all, verdict


@pytest.fixture(scope="module")
def right_draws() -> Draws:
    return sampled(TARGET, Parameters(alpha=ALPHA, beta=BETA, pair_moves=False, seed=12), 3000, 3)


def test_the_right_draws_are_accepted(right_draws: Draws) -> None:
    verdict = judge(right_draws, TARGET)
    print(verdict)
    assert verdict.agrees, verdict


@pytest.mark.parametrize(
    "prior",
    [
        NIWPrior(np.zeros(1), PRIOR.kappa0, PRIOR.psi0, PRIOR.nu0),
        NIWPrior(PRIOR.mu0, 1.0, PRIOR.psi0, PRIOR.nu0),
        NIWPrior(PRIOR.mu0, PRIOR.kappa0, 0.4 * PRIOR.psi0, PRIOR.nu0),
        NIWPrior(PRIOR.mu0, PRIOR.kappa0, PRIOR.psi0, 2.0),
    ],
    ids=["mu0", "kappa0", "psi0", "nu0"],
)
def test_draws_are_rejected_under_another_prior(right_draws: Draws, prior: NIWPrior) -> None:
    verdict = judge(right_draws, replace(TARGET, prior=prior))
    print(verdict)
    assert not verdict.agrees, verdict


def test_draws_are_rejected_under_another_power(right_draws: Draws) -> None:
    verdict = judge(right_draws, replace(TARGET, power=0.5))
    print(verdict)
    assert not verdict.agrees, verdict


@pytest.mark.long
@pytest.mark.parametrize("take_out", [True, False], ids=["right", "without removal"])
def test_a_sweep_that_does_not_take_the_item_out_is_rejected_and_a_right_one_accepted(take_out: bool) -> None:
    target = problem((5, 3), 2, missing=False)
    verdict = judge(twin(target, 800, 2, seed=1, take_out=take_out), target)
    print(verdict)
    assert verdict.agrees if take_out else verdict.is_rejected_by_all, verdict
