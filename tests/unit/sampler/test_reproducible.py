"""Same data, seed and shards: the same bytes, whatever the threads, the memory or the order of arrival."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.engine.local import LocalEngine
from disnplbm.families.gaussian import Gaussian
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.starts import Start

from .runs import blocks_of, framed, run, shards_of


def table(d: int, missing: bool) -> np.ndarray:
    values, _, _ = blocks_of(150, 14, 5, 3, seed=1, d=d, sd=3.0)
    if missing:
        values[np.random.default_rng(0).random(values.shape[:2]) < 0.1] = np.nan
    return values


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
@pytest.mark.parametrize("d", [1, 2])
def test_the_same_seed_twice_in_one_process_gives_the_same_bytes(d: int, missing: bool) -> None:
    values, parameters = table(d, missing), Parameters(n_shards=3, seed=5)
    assert run(values, parameters, 8).bytes() == run(values, parameters, 8).bytes()


@pytest.mark.parametrize("join", ["blockwise", "averaged"])
@pytest.mark.parametrize("view", ["global", "local"])
def test_the_number_of_threads_does_not_change_a_bit(view: str, join: str) -> None:
    values, parameters = table(1, missing=False), Parameters(n_shards=7, seed=5, view=view, join=join)
    outcomes = {run(values, parameters, 8, threads=threads).bytes() for threads in (1, 2, 4)}
    assert len(outcomes) == 1


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
@pytest.mark.parametrize("d", [1, 2])
def test_keeping_row_statistics_between_sweeps_does_not_change_a_bit(d: int, missing: bool) -> None:
    values, parameters = table(d, missing), Parameters(n_shards=2, seed=5)
    assert run(values, parameters, 8, cache_bytes=0).bytes() == run(values, parameters, 8).bytes()


def test_nor_does_it_when_rows_are_handled_in_parts() -> None:
    values, _, _ = blocks_of(20_000, 4, 4, 2, seed=2, sd=2.0)
    parameters = Parameters(seed=5)
    assert run(values, parameters, 3, cache_bytes=0).bytes() == run(values, parameters, 3).bytes()


def test_a_state_is_not_changed_by_going_on_from_it() -> None:
    cells, prior = framed(table(1, missing=False))
    parameters = Parameters(n_shards=3, seed=2)
    with LocalEngine(shards_of(cells, 3), parameters, [Gaussian(prior, 1.0)], 2) as engine:
        state = engine.step(engine.start(Start()))
        rows, columns = state.row_labels(150), state.chain.broadcast.parts[0].column_labels.copy()
        blocks = state.chain.broadcast.parts[0].blocks.copy()
        first, second = engine.step(state), engine.step(state)
    np.testing.assert_array_equal(state.row_labels(150), rows)
    np.testing.assert_array_equal(state.chain.broadcast.parts[0].column_labels, columns)
    np.testing.assert_array_equal(state.chain.broadcast.parts[0].blocks.scatter, blocks.scatter)
    np.testing.assert_array_equal(first.row_labels(150), second.row_labels(150))
    assert first.chain.log_joint == second.chain.log_joint
