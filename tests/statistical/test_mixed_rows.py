"""Rows that no part of a table tells apart by itself, and all of them do.

``pytest -rP`` shows what was measured.
"""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.engine.drive import InMemory, Step, drive, last_result
from disnplbm.engine.estimate import estimate
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.draws import Draw, Draws
from disnplbm.posterior.scores import partition_scores
from mixed_tables import problem_of

#: Rows in eight clusters; columns of each part, in two.
ROWS, COLUMNS = 300, 12
TRUTH = (np.arange(ROWS) % 8).astype(np.int32)


def tables(seed: int) -> tuple[Floats, Floats, Floats]:
    """Real numbers, counts and categories, each of which tells one half of the clusters from the other."""
    rng = np.random.default_rng(seed)
    halves = [(TRUTH[:, None] >> bit) + np.arange(COLUMNS) for bit in range(3)]
    sign = [np.cos(np.pi * half) for half in halves]
    counts = rng.poisson(3.0 * np.exp(0.5 * sign[1])).astype(np.float64)
    told = rng.random((ROWS, COLUMNS)) < 0.6
    codes = np.where(told, sign[2] > 0, rng.integers(3, size=told.shape)).astype(np.float64)
    return sign[0] + rng.normal(size=sign[0].shape), counts, codes


def agreement(problem: Problem, options: Options) -> float:
    """Adjusted Rand index of the consensus of the rows and the truth."""
    kept = list[Draw]()

    def see(step: Step) -> bool:
        kept.extend([] if step.draw is None else [step.draw])
        return False

    ended = drive(problem, options, problem.start("random"), InMemory(see), 1)
    draws = Draws.of(kept, problem.draws_meta(options, "none", None))
    rows: Labels = estimate(problem, draws, options, last_result(problem, ended))[0].row_labels
    return partition_scores(TRUTH, rows)[0]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_all_parts_together_tell_what_none_tells_alone(seed: int) -> None:
    options = Options(iterations=150, burn_in=100, draws=25, sampler="split-merge", seed=seed)
    problem = problem_of(tables(seed), 2, options)
    together, alone = agreement(problem, options), [agreement(problem.alone(part), options) for part in range(3)]
    print(f"row ARI {together:.3f}; of each part alone {', '.join(f'{each:.3f}' for each in alone)}")
    assert together >= 0.95
    assert max(alone) < 0.6
