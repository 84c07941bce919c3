"""With one shard, the sampler visits every pair of partitions as often as its exact posterior probability says.

``pytest -rP`` shows what was measured.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disnplbm.engine.local import LocalEngine
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard
from disnplbm.sampler.starts import Start
from marks import long

from .chains import sampled
from .enumeration import Problem, partitions
from .goodness import judge
from .problems import ALPHA, BETA, blank_problem, diagonal_problem, of_full_covariance, problem

KINDS = [(1, False), (1, True), (2, False), (2, True)]
CHOICES = [(False, 1.0), (True, 1.0), (False, 0.5), (True, 0.5)]
TABLES = [(3, 3), (3, 4), (6, 3), (6, 3)]

#: Every kind of cell with every choice of the sampler once, and every table with every kind of cell.
CASES = [(TABLES[(kind + choice) % 4], *KINDS[kind], *CHOICES[choice]) for kind in range(4) for choice in range(4)]

#: Dimension, a missing cell, pair moves and power of the cases of `make test`: every choice once, for two kinds of
#: cell, since each kind has kernels to compile.
SHORT = [(1, False, False, 1.0), (1, False, True, 0.5), (2, True, True, 1.0), (2, True, False, 0.5)]

#: Draws, and iterations between two of them: the correlation of K, of L and of the most probable pair is then below
#: 0.1 and mostly below 0.03, measured. Without pair moves an iteration takes a third of the time and mixes more slowly.
DRAWS = {True: (1800, 2), False: (3000, 4)}


def name(case: tuple[tuple[int, int], int, bool, bool, float]) -> str:
    (n, p), d, missing, pair_moves, power = case
    holes, moves = "missing" if missing else "complete", "pairs" if pair_moves else "sweeps"
    return f"{n}x{p}-d{d}-{holes}-{moves}-power{power}"


@pytest.mark.parametrize("case", [case if case[1:] in SHORT else long(case) for case in CASES], ids=name)
def test_visits_agree_with_the_enumerated_posterior(case: tuple[tuple[int, int], int, bool, bool, float]) -> None:
    shape, dimension, missing, pair_moves, power = case
    target = problem(shape, dimension, missing=missing, power=power)
    parameters = Parameters(alpha=ALPHA, beta=BETA, power=power, pair_moves=pair_moves, seed=11)
    verdict = judge(sampled(target, parameters, *DRAWS[pair_moves]), target)
    print(verdict)
    assert verdict.agrees, verdict


@pytest.mark.parametrize(("missing", "pair_moves", "power"), [long(False, True, 0.5), (True, False, 1.0)])
def test_diagonal_covariances(missing: bool, pair_moves: bool, power: float) -> None:
    target = diagonal_problem((3, 4), 2, missing=missing, power=power)
    parameters = Parameters(alpha=ALPHA, beta=BETA, power=power, pair_moves=pair_moves, seed=11)
    draws = sampled(target, parameters, *DRAWS[pair_moves])
    verdict = judge(draws, target)
    print(verdict)
    assert verdict.agrees, verdict
    assert judge(draws, of_full_covariance(target)).is_rejected_by_all


@pytest.mark.parametrize("dimension", [1, long(2)])
def test_a_row_and_a_column_without_cells_are_placed_as_the_posterior_says(dimension: int) -> None:
    target = blank_problem(dimension)
    parameters = Parameters(alpha=ALPHA, beta=BETA, pair_moves=False, seed=11)
    verdict = judge(sampled(target, parameters, 3000, 3), target)
    print(verdict)
    assert verdict.agrees, verdict


def test_the_tables_have_as_many_pairs_of_partitions_as_the_bell_numbers_say() -> None:
    assert [len(list(partitions(n))) for n in range(1, 7)] == [1, 2, 5, 15, 52, 203]
    assert len(problem((6, 3), 1, missing=False).pairs) == 1015


def test_all_missing_cells_leave_the_restaurant_process_alone() -> None:
    blank = problem((3, 3), 1, missing=False)
    blank = Problem(np.full_like(blank.values, np.nan), blank.prior, ALPHA, BETA)
    values, parameters = blank.values, Parameters(alpha=ALPHA, beta=BETA, pair_moves=False)
    draws = []
    with LocalEngine(
        [Shard([DenseCells(values, complete=False)], 0, 1)], parameters, [Gaussian(blank.prior, 1.0)], 1
    ) as engine:
        state = engine.start(Start("one"))
        for _ in range(1500):
            state = engine.step(engine.step(state))
            draws.append(np.concatenate([state.row_labels(3), state.chain.broadcast.parts[0].column_labels]))
    assert judge(np.array(draws), blank).agrees
    assert not judge(np.array(draws), replace(blank, alpha=1.0)).agrees
