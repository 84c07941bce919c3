"""Every state of a chain is a pair of partitions in canonical labels, with the statistics and log joint it claims."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from disnplbm.model.joint import log_joint
from disnplbm.model.partition import canonical_labels
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import aggregate, cells_by_cluster
from disnplbm.sampler.parameters import Parameters

from .runs import blocks_of, framed, run

#: The first example compiles kernels.
SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SETTINGS
@given(
    n=st.integers(1, 24),
    p=st.integers(1, 9),
    d=st.sampled_from([1, 2]),
    n_shards=st.integers(1, 4),
    start=st.sampled_from(["random", "one", "singletons"]),
    view=st.sampled_from(["global", "local"]),
    join=st.sampled_from(["blockwise", "averaged"]),
    pair_moves=st.booleans(),
    power=st.sampled_from([1.0, 0.5]),
    missing=st.sampled_from([0.0, 0.3]),
    seed=st.integers(0, 1000),
)
def test_states_are_canonical_and_consistent(
    n: int,
    p: int,
    d: int,
    n_shards: int,
    start: str,
    view: str,
    join: str,
    pair_moves: bool,
    power: float,
    missing: float,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p, d)) + 4.0 * rng.integers(0, 2, (n, 1, 1))
    values[rng.random((n, p)) < missing] = np.nan
    values[0, 0] = 1.0
    n_shards = min(n_shards, n)
    parameters = Parameters(
        alpha=2.5,
        beta=0.6,
        power=power,
        view=view,
        join=join,
        pair_moves=pair_moves,
        seed=seed,
        n_shards=n_shards,
    )
    given_prior = NIWPrior(np.full(d, 0.5), 0.4, np.eye(d), d + 1.5)
    chain = run(values, parameters, 5, start=start, prior=given_prior)
    cells, prior = framed(values, given_prior)
    for state in chain.states:
        rows, columns = state.row_labels(n), state.chain.broadcast.parts[0].column_labels
        np.testing.assert_array_equal(rows, canonical_labels(rows))
        np.testing.assert_array_equal(columns, canonical_labels(columns))
        n_rows, n_columns = int(rows.max()) + 1, int(columns.max()) + 1
        np.testing.assert_array_equal(state.chain.broadcast.sizes, np.bincount(rows))
        blocks = aggregate(cells_by_cluster(cells, rows, n_rows), columns, n_columns, axis=1)
        np.testing.assert_array_equal(state.chain.broadcast.parts[0].blocks.count, blocks.count)
        np.testing.assert_allclose(state.chain.broadcast.parts[0].blocks.mean, blocks.mean, rtol=0, atol=1e-12)
        np.testing.assert_allclose(state.chain.broadcast.parts[0].blocks.scatter, blocks.scatter, rtol=0, atol=1e-10)
        expected = log_joint(cells, rows, columns, prior, alpha=2.5, beta=0.6, power=power)
        assert state.chain.log_joint == pytest.approx(expected, rel=1e-10, abs=1e-8)


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 5), (5, 1), (3, 2)])
@pytest.mark.parametrize("start", ["random", "one", "singletons"])
def test_tables_of_one_row_or_column_have_at_least_one_cluster(shape: tuple[int, int], start: str) -> None:
    values = np.random.default_rng(0).normal(size=(*shape, 1))
    chain = run(values, Parameters(n_shards=min(2, shape[0])), 10, start=start)
    assert np.isfinite(chain.trace).all()
    assert 1 <= chain.rows.max() + 1 <= shape[0]
    assert 1 <= chain.columns.max() + 1 <= shape[1]


def test_one_cell_of_a_subnormal_order_of_magnitude_is_one_block() -> None:
    chain = run(np.full((1, 1, 1), -1.0010415476e-146), Parameters(), 5)
    assert np.isfinite(chain.trace).all()
    assert (chain.rows.tolist(), chain.columns.tolist()) == ([0], [0])


def test_clusters_that_died_leave_no_hole() -> None:
    values, z, _ = blocks_of(60, 20, 2, 2, seed=3)
    chain = run(values, Parameters(), 30, start="singletons")
    assert chain.states[0].chain.n_row_clusters == 60
    assert chain.states[-1].chain.n_row_clusters == 2
    np.testing.assert_array_equal(chain.rows, canonical_labels(z))
