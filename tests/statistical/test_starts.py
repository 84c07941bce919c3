"""However a chain starts, what it says after its burn-in is the posterior: annealed and crossed starts are starts.

``pytest -rP`` shows what was measured.
"""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.engine.drive import InMemory, Step, drive
from disnplbm.engine.options import Options
from disnplbm.engine.problem import build_problem
from disnplbm.sampler.parameters import Parameters
from marks import long

from .chains import BURN_IN, Draws, sampled
from .goodness import judge
from .problems import ALPHA, BETA, problem

SAMPLERS = [("collapsed", 1, 3), long("split-merge", 2, 8)]


@pytest.mark.parametrize(("sampler", "n_shards", "thin"), SAMPLERS)
def test_a_chain_is_exact_once_it_is_annealed(sampler: str, n_shards: int, thin: int) -> None:
    target = problem((3, 3), 1, missing=True)
    parameters = Parameters(
        sampler=sampler, alpha=ALPHA, beta=BETA, anneal=BURN_IN - 3, n_shards=n_shards, seed=11, approach=10
    )
    verdict = judge(sampled(target, parameters, 1200, thin), target)
    print(verdict)
    assert verdict.agrees, verdict


@pytest.mark.long
@pytest.mark.parametrize(("sampler", "n_shards", "thin"), SAMPLERS)
def test_meanwhile_it_has_the_posterior_of_a_lower_power(sampler: str, n_shards: int, thin: int) -> None:
    """So slow a rise that the power is a half all the time."""
    target, half = (problem((3, 3), 1, missing=True, power=power) for power in (1.0, 0.5))
    parameters = Parameters(sampler=sampler, alpha=ALPHA, beta=BETA, anneal=10**8, n_shards=n_shards, seed=11)
    draws = sampled(target, parameters, 1500, thin)
    verdict = judge(draws, half)
    print(verdict)
    assert verdict.agrees, verdict
    assert judge(draws, target).is_rejected_by_all


@pytest.mark.long
@pytest.mark.parametrize(("sampler", "n_shards"), [("collapsed", 1), ("split-merge", 2)])
def test_chains_are_exact_after_a_crossed_start(sampler: str, n_shards: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disnplbm.sampler.short_chains.POPULATION", 3)
    monkeypatch.setattr("disnplbm.sampler.short_chains.CROSSED_ITERATIONS", 2)
    target = problem((3, 3), 1, missing=False)
    options = Options(
        iterations=58, burn_in=18, draws=10, chains=120, start="crossed", crossings=2, alpha=ALPHA, beta=BETA, seed=3,
        sampler=sampler,
    )  # fmt: skip
    here = build_problem(
        [target.values[e::n_shards].copy() for e in range(n_shards)],
        n_shards,
        options,
        "rows",
        np.zeros(1),
        np.ones((1, 1)),
        9,
        complete=True,
        prior=target.prior,
    )
    kept: list[Draws] = []
    starts: list[Draws] = []

    def pair(step: Step) -> Draws:
        return np.concatenate([step.state.row_labels(3), step.state.chain.broadcast.parts[0].column_labels])

    class Looking(InMemory):
        def commit(self, step: Step) -> bool:
            if step.stream.short is None and step.iteration == 0:
                starts.append(pair(step))
            if step.draw is not None:
                kept.append(pair(step))
            return False

    drive(here, options, here.start(options.first_start), Looking(), 1)
    verdict = judge(np.array(kept), target)
    print(verdict)
    assert verdict.agrees, verdict
    # Where they start is not drawn from the posterior: the best is chosen.
    assert judge(np.array(starts), target).is_rejected_by_all
