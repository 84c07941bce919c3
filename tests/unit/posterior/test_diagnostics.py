"""Chains that agree, that do not, and that tell nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from arviz_stats.base import array_stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.posterior.diagnostics import Diagnosis, convergence, diagnose, to_arviz, traces_of
from disnplbm.posterior.draws import DrawNumbers
from disnplbm.posterior.verdict import STUCK_R_HAT, Verdict

ROWS = np.repeat([0, 1, 2], 10).astype(np.int32)
COLUMNS = np.repeat([0, 1], 4).astype(np.int32)

Chains = list[NDArray[np.float64]]


def normal_chains(chains: int = 4, draws: int = 500, shift: float = 0.0) -> Chains:
    """Independent draws; the last chain is shifted."""
    values = np.random.default_rng(1).normal(size=(chains, draws))
    values[-1] += shift
    return list(values)


def cluster_chains(chains: int = 4, draws: int = 500) -> Chains:
    """Numbers of clusters 3, 4, 5, the same distribution in every chain."""
    return list(np.random.default_rng(2).choice([3.0, 4.0, 5.0], p=[0.2, 0.6, 0.2], size=(chains, draws)))


def constant_chains(*values: float, draws: int = 500) -> Chains:
    return [np.full(draws, value) for value in values]


def diagnosed(
    log_joint: Chains,
    row_clusters: Chains | None = None,
    rows: list[NDArray[np.int32]] | None = None,
    separation: float = 1.0,
) -> Diagnosis:
    chains = len(log_joint)
    traces = {
        "log_joint": log_joint,
        "row_clusters": row_clusters or constant_chains(*[3.0] * chains, draws=len(log_joint[0])),
        "column_clusters": constant_chains(*[2.0] * chains, draws=len(log_joint[0])),
    }
    return diagnose(traces, rows or [ROWS] * chains, [COLUMNS] * chains, lambda _: separation)


def test_chains_of_one_distribution_agree() -> None:
    found = diagnosed(normal_chains(), cluster_chains())
    assert found.agree is True
    assert found.verdict == Verdict("settled", 4, rows="settled", columns="settled", log_joint="settled")
    log_joint, row_clusters, _ = found.traces
    assert log_joint.ess_bulk == pytest.approx(2000, rel=0.15)
    assert row_clusters.ess_tail == pytest.approx(2000, rel=0.2)


def test_figures_are_those_of_arviz() -> None:
    values = np.array(normal_chains(shift=0.3))
    found = convergence("log_joint", values)
    assert found.r_hat == float(array_stats.rhat(values))
    assert found.ess_bulk == float(array_stats.ess(values, method="bulk"))
    assert found.ess_tail == float(array_stats.ess(values, method="tail", prob=0.05))


def test_a_shifted_chain_disagrees() -> None:
    found = diagnosed(normal_chains(shift=1.0))
    assert found.agree is False
    assert (found.verdict.kind, found.verdict.axes_in("short")) == ("short", ["log_joint"])
    assert found.verdict.r_hat == found.traces[0].r_hat == pytest.approx(1.1, abs=0.1)
    assert found.verdict.ari is None


def test_chains_that_do_not_overlap_are_stuck() -> None:
    found = diagnosed(normal_chains(2, shift=10.0)).verdict
    assert (found.kind, found.axes_in("stuck")) == ("stuck", ["log_joint"])
    assert found.r_hat == pytest.approx(STUCK_R_HAT, abs=0.05)


def test_chains_of_one_mean_but_another_spread_disagree() -> None:
    chains = normal_chains()
    chains[-1] *= 3.0
    assert diagnosed(chains).agree is False


def test_a_constant_trace_is_not_defined_and_does_not_count() -> None:
    found = diagnosed(normal_chains())
    assert [trace.agree for trace in found.traces] == [True, None, None]
    assert found.traces[1].r_hat is found.traces[1].ess_bulk is found.traces[1].ess_tail is None
    assert found.agree is True


def test_constant_traces_alone_are_neither_success_nor_failure() -> None:
    found = diagnosed(constant_chains(-5.0, -5.0))
    assert found.agree is None
    assert (found.verdict.kind, found.verdict.rows) == ("undefined", "settled")


def test_a_trace_that_differs_in_its_last_digits_is_constant() -> None:
    chains = constant_chains(-141484.681251, -141484.681251)
    chains[1] += 1e-10
    assert diagnosed(chains).verdict.kind == "undefined"


def test_chains_that_each_keep_to_a_number_of_their_own_disagree() -> None:
    found = diagnosed(normal_chains(2), constant_chains(3.0, 4.0))
    assert found.traces[1].r_hat is None
    assert found.traces[1].agree is False
    assert (found.verdict.rows, found.verdict.kind) == ("short", "short")


def test_two_values_at_equal_distance_from_the_median_are_no_fault() -> None:
    values = np.tile([3.0, 4.0], (4, 100))
    values[:2] = values[:2, ::-1]
    found = convergence("row_clusters", values)
    assert found.r_hat is not None
    assert found.agree is True


@given(
    st.tuples(st.integers(1, 4), st.integers(1, 12)).flatmap(
        lambda shape: st.lists(st.integers(3, 5), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
            lambda values: np.reshape(np.array(values, dtype=np.float64), shape)
        )
    )
)
def test_figures_of_any_trace_are_numbers_or_not_defined(values: NDArray[np.float64]) -> None:
    found = convergence("row_clusters", values)
    figures = [found.ess_bulk, found.ess_tail] + ([found.r_hat] if found.agree else [])
    assert all((figure is None) == (found.agree is None) for figure in figures)
    assert all(figure is None or (np.isfinite(figure) and figure > 0) for figure in figures)


def test_different_partitions_disagree_though_traces_agree() -> None:
    other = ROWS.copy()
    other[:6] = 1
    found = diagnosed(normal_chains(3), rows=[ROWS, ROWS, other])
    assert found.agree is False
    assert (found.verdict.rows, found.verdict.columns, found.verdict.log_joint) == ("stuck", "settled", "settled")
    assert found.verdict.ari == found.row_ari[0][2]
    # As far apart as draws of one chain: the posterior is wide, and the chains say the same of it.
    assert diagnosed(normal_chains(3), rows=[ROWS, ROWS, other], separation=0.1).verdict.kind == "short"
    assert found.row_ari[0][1] == 1.0
    assert found.row_ari[0][2] == found.row_ari[2][1] < 0.9


def test_a_relabelled_partition_is_the_same() -> None:
    assert diagnosed(normal_chains(2), rows=[ROWS, (2 - ROWS).astype(np.int32)]).row_ari[0][1] == 1.0


def test_one_chain_is_compared_with_itself() -> None:
    steady = diagnosed(normal_chains(1))
    assert steady.agree is True
    assert steady.verdict.kind == "one_chain"
    moving = diagnosed([normal_chains(1)[0] + np.linspace(0.0, 3.0, 500)])
    assert moving.agree is False
    assert (moving.verdict.kind, moving.verdict.log_joint) == ("short", "short")
    assert moving.verdict.ari is None


def test_too_few_draws_are_not_defined() -> None:
    found = diagnosed(normal_chains(2, 3))
    assert found.agree is None
    assert found.verdict.kind == "undefined"
    assert diagnosed(normal_chains(1, 7)).agree is None


def test_the_record_is_json() -> None:
    record = json.loads(json.dumps(diagnosed(normal_chains(2), constant_chains(3.0, 4.0)).to_dict(), allow_nan=False))
    assert record["traces"][1]["r_hat"] is None
    assert record["chains"] == 2
    assert record["draws"] == 500


def test_numbers_of_draws_are_sorted_by_chain() -> None:
    numbers = DrawNumbers(
        chain=np.array([1, 0, 1, 0]),
        iteration=np.array([1, 1, 2, 2]),
        log_joint=np.array([10.0, 0.0, 11.0, 1.0]),
        row_clusters=np.array([3, 2, 3, 2]),
        column_clusters=np.array([1, 1, 1, 1]),
        alpha=np.array([1.0, 2.0, 3.0, 4.0]),
        beta=np.ones(4),
    )
    traces = traces_of(numbers)
    assert list(traces) == ["log_joint", "row_clusters", "column_clusters", "alpha"]
    np.testing.assert_array_equal(traces["log_joint"], [[0.0, 1.0], [10.0, 11.0]])


@pytest.mark.parametrize(
    ("log_joint", "rows"),
    [(normal_chains(2, 10), [ROWS]), ([np.zeros(5), np.zeros(6)], [ROWS] * 2), ([], []), ([np.zeros(0)], [ROWS])],
)
def test_chains_that_do_not_match_are_refused(log_joint: Chains, rows: list[NDArray[np.int32]]) -> None:
    with pytest.raises(InputError, match="give"):
        diagnose({"log_joint": log_joint}, rows, rows)


def test_arviz_reads_the_traces() -> None:
    tree = to_arviz({"log_joint": normal_chains(2, 10), "row_clusters": cluster_chains(2, 10)})
    assert dict(tree["posterior"].sizes) == {"chain": 2, "draw": 10}
    np.testing.assert_array_equal(tree["posterior"]["row_clusters"], cluster_chains(2, 10))
    np.testing.assert_array_equal(tree["sample_stats"]["lp"], normal_chains(2, 10))


def test_without_arviz_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arviz_base", None)
    with pytest.raises(InputError, match=r"pip install 'disnplbm\[arviz\]'"):
        to_arviz({"log_joint": normal_chains(2, 10)})


def test_arviz_is_not_loaded_before_it_is_needed() -> None:
    program = (
        "import sys, disnplbm.posterior.diagnostics as _;"
        "sys.exit(any(name.split('.')[0] in ('arviz_stats', 'arviz_base', 'xarray') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
