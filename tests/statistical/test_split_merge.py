"""``split-merge`` visits every pair of partitions as often as its exact posterior probability says, at any shard count.

``pytest -rP`` shows what was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.stats import gamma

from disnplbm.families.gaussian import Gaussian
from disnplbm.kernels.partition_prior import PartitionPrior, log_partition
from disnplbm.model.joint import log_joint
from disnplbm.model.partition import log_crp
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler import split_merge
from disnplbm.sampler.concentrations import RATE, SHAPE
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.split_merge import measure, splits
from disnplbm.sampler.split_merge.schedule import INSTANTIATED_UP_TO
from disnplbm.sampler.state import Broadcast
from marks import long

from .chains import sampled
from .enumeration import Problem
from .goodness import judge
from .problems import ALPHA, BETA, diagonal_problem, of_full_covariance, problem

#: Log probability of a partition with the given cluster sizes.
LogPrior = Callable[[ArrayLike], float]

#: Iterations between two draws: almost three rounds, in each of which the rows move twice and the columns once.
THIN = 8

#: Table, dimension, a missing cell, likelihood power, shards.
CASES = [
    long(((3, 3), 1, False, 1.0, 1)),
    long(((3, 3), 2, True, 0.5, 2)),
    ((3, 4), 1, True, 1.0, 3),
    long(((3, 4), 2, False, 1.0, 2)),
    long(((6, 3), 1, False, 0.5, 1)),
    long(((6, 3), 1, True, 1.0, 4)),
    long(((6, 3), 2, True, 1.0, 3)),
]


def name(case: tuple[tuple[int, int], int, bool, float, int]) -> str:
    (n, p), d, missing, power, n_shards = case
    return f"{n}x{p}-d{d}-{'missing' if missing else 'complete'}-power{power}-shards{n_shards}"


@dataclass(frozen=True, eq=False)
class OtherPartitions(Problem):
    """A problem whose partitions have other priors than the Chinese restaurant process."""

    of_rows: LogPrior = lambda sizes: log_crp(sizes, ALPHA)
    of_columns: LogPrior = lambda sizes: log_crp(sizes, BETA)

    @classmethod
    def of(cls, table: Problem, of_rows: LogPrior, of_columns: LogPrior) -> OtherPartitions:
        """The same table under these priors."""
        return cls(table.values, table.prior, table.alpha, table.beta, table.power, of_rows, of_columns)

    @cached_property
    def posterior(self) -> Floats:
        """Posterior probability of each of :attr:`pairs`, shape (M,)."""
        n = len(self.values)
        logs = np.empty(len(self.pairs))
        for m, pair in enumerate(self.pairs):
            z, w = pair[:n], pair[n:]
            rows, columns = np.bincount(z), np.bincount(w)
            joint = log_joint(self.values, z, w, self.prior, alpha=1.0, beta=1.0, power=self.power)
            logs[m] = joint - log_crp(rows, 1.0) - log_crp(columns, 1.0) + self.of_rows(rows) + self.of_columns(columns)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())


def log_crp_of_unknown_concentration(sizes: ArrayLike) -> float:
    """The Chinese restaurant process averaged over the Gamma prior of its concentration, by quadrature."""
    return _averaged(tuple(sorted(int(size) for size in np.asarray(sizes))))


@lru_cache
def _averaged(sizes: tuple[int, ...]) -> float:
    def density(concentration: float) -> float:
        return float(gamma.pdf(concentration, SHAPE, scale=1.0 / RATE) * np.exp(log_crp(sizes, concentration)))

    return float(np.log(quad(density, 0.0, np.inf, epsabs=0.0, epsrel=1e-9)[0]))


@pytest.mark.parametrize("case", CASES, ids=name)
def test_visits_agree_with_the_enumerated_posterior(case: tuple[tuple[int, int], int, bool, float, int]) -> None:
    shape, dimension, missing, power, n_shards = case
    target = problem(shape, dimension, missing=missing, power=power)
    parameters = Parameters(sampler="split-merge", alpha=ALPHA, beta=BETA, power=power, n_shards=n_shards, seed=11)
    verdict = judge(sampled(target, parameters, 1200, THIN), target)
    print(verdict)
    assert verdict.agrees, verdict


@pytest.mark.long
@pytest.mark.parametrize(
    ("n_shards", "missing", "power"),
    [(1, False, 1.0), (2, True, 0.5), (4, False, 1.0)],
)
def test_diagonal_covariances(n_shards: int, missing: bool, power: float) -> None:
    target = diagonal_problem((6, 3), 2, missing=missing, power=power)
    parameters = Parameters(sampler="split-merge", alpha=ALPHA, beta=BETA, power=power, n_shards=n_shards, seed=11)
    draws = sampled(target, parameters, 1200, THIN)
    verdict = judge(draws, target)
    print(verdict)
    assert verdict.agrees, verdict
    assert judge(draws, of_full_covariance(target)).is_rejected_by_all


@pytest.mark.long
@pytest.mark.parametrize("n_shards", [1, 2])
def test_learned_concentrations_are_averaged_over(n_shards: int) -> None:
    table = problem((3, 4), 1, missing=False)
    unknown = log_crp_of_unknown_concentration
    target = OtherPartitions.of(table, unknown, unknown)
    parameters = Parameters(
        sampler="split-merge", alpha=ALPHA, beta=BETA, learn_alpha=True, learn_beta=True, n_shards=n_shards, seed=11
    )
    draws = sampled(table, parameters, 1000, 2 * THIN)
    verdict = judge(draws, target)
    print(verdict)
    assert verdict.agrees, verdict
    assert judge(draws, table).is_rejected_by_all


@pytest.mark.long
def test_no_more_clusters_than_there_may_be() -> None:
    table = problem((3, 4), 1, missing=False)
    target = OtherPartitions.of(table, limited(ALPHA), limited(BETA))
    parameters = Parameters(
        sampler="split-merge", alpha=ALPHA, beta=BETA, row_limit=2, column_limit=2, n_shards=2, seed=11
    )
    draws = sampled(table, parameters, 1500, THIN)
    verdict = judge(draws, target)
    print(verdict)
    assert verdict.agrees, verdict
    assert not judge(draws, OtherPartitions.of(table, limited(BETA), limited(ALPHA))).agrees


@pytest.mark.long
@pytest.mark.parametrize("n_shards", [1, 2])
def test_more_clusters_than_can_be_instantiated(n_shards: int) -> None:
    table, limit = problem((3, 4), 1, missing=False), 2 * INSTANTIATED_UP_TO
    prior = PartitionPrior.of(ALPHA / limit, limit)
    target = OtherPartitions.of(table, lambda sizes: log_partition(sizes, prior), lambda sizes: log_crp(sizes, BETA))
    parameters = Parameters(
        sampler="split-merge", alpha=ALPHA / limit, beta=BETA, row_limit=limit, n_shards=n_shards, seed=11
    )
    verdict = judge(sampled(table, parameters, 1200, 2 * THIN), target)
    print(verdict)
    assert verdict.agrees, verdict


def limited(concentration: float) -> LogPrior:
    """The symmetric Dirichlet over two clusters."""
    of_items: PartitionPrior = PartitionPrior.of(concentration, 2)
    # More clusters than two have no probability; exp(-700) stands for it, since only differences are taken.
    return lambda sizes: log_partition(sizes, of_items) if np.size(sizes) <= 2 else -700.0


@pytest.fixture
def rows_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row labels are no longer drawn: splits and merges alone, and now and then a collapsed sweep, move them."""

    def rest(shard: Shard, labels: Labels, broadcast: Broadcast, *_: object) -> Labelled:
        return Labelled(labels, np.arange(len(broadcast.sizes), dtype=np.int32))

    monkeypatch.setattr(split_merge, "draw_rows", rest)


@pytest.mark.long
@pytest.mark.usefixtures("rows_at_rest")
@pytest.mark.parametrize(("rows", "n_shards"), [(3, 1), (6, 1), (6, 2)])
def test_splits_and_merges_agree_without_label_draws(rows: int, n_shards: int) -> None:
    """A fault that label draws would cover up shows here: what comes of a try may not depend on the other tries."""
    target = problem((rows, 3), 1, missing=False)
    parameters = Parameters(sampler="split-merge", alpha=ALPHA, beta=BETA, n_shards=n_shards, seed=11)
    verdict = judge(sampled(target, parameters, 800, 3 * THIN), target)
    print(verdict)
    assert verdict.agrees, verdict


def without_log_q(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(*arguments: object, offsets: None = None) -> None:
        draw_sides(*arguments, offsets=offsets)  # type: ignore[arg-type]
        arguments[-1][:] = 0.0  # type: ignore[index]

    draw_sides = Gaussian.draw_sides
    monkeypatch.setattr(Gaussian, "draw_sides", drawn)


def without_the_choice_of_anchors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splits, "log_selection", lambda *_: 0.0)


@pytest.mark.long
@pytest.mark.usefixtures("rows_at_rest")
@pytest.mark.parametrize("fault", [without_log_q, without_the_choice_of_anchors])
def test_a_wrong_acceptance_ratio_is_rejected(
    monkeypatch: pytest.MonkeyPatch, fault: Callable[[pytest.MonkeyPatch], None]
) -> None:
    fault(monkeypatch)
    target = problem((6, 3), 1, missing=False)
    parameters = Parameters(sampler="split-merge", alpha=ALPHA, beta=BETA, seed=11)
    verdict = judge(sampled(target, parameters, 1600, THIN), target)
    print(verdict)
    assert verdict.is_rejected_by_all, verdict


@pytest.mark.long
@pytest.mark.parametrize("n_shards", [1, 2])
def test_labels_drawn_over_the_occupied_clusters_alone_are_rejected(
    monkeypatch: pytest.MonkeyPatch, n_shards: int
) -> None:
    """Without the rest of the measure a cluster that no row draws is dropped, and a draw cannot open it again."""
    monkeypatch.setattr(measure, "_add_clusters", lambda measure, *_: measure)
    target = problem((3, 3), 1, missing=False)
    parameters = Parameters(sampler="split-merge", alpha=ALPHA, beta=BETA, n_shards=n_shards, seed=11)
    verdict = judge(sampled(target, parameters, 400, THIN), target)
    print(verdict)
    assert verdict.is_rejected_by_all, verdict


@pytest.mark.long
def test_swapped_concentrations_are_rejected() -> None:
    target = problem((3, 4), 1, missing=False)
    parameters = Parameters(sampler="split-merge", alpha=BETA, beta=ALPHA, n_shards=2, seed=11)
    verdict = judge(sampled(target, parameters, 800, 4), target)
    print(verdict)
    assert verdict.is_rejected_by_all, verdict
