"""What sets clusters apart: the factors by their definition, columns held out, and the share of false ones."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from disnplbm.engine.explain import FALSE_SHARE, Profile, explain
from disnplbm.engine.options import Options
from disnplbm.engine.pilot import _problem, _typed_problem
from disnplbm.engine.problem import Problem
from disnplbm.families.counts import Counts
from disnplbm.families.exponential.sums import Sums
from disnplbm.posterior.explaining.contrasts import log_bayes_factors, rest_of
from disnplbm.posterior.explaining.discoveries import q_values, ranked
from disnplbm.posterior.explaining.held_out import FOLDS, _labels_without, cells_held_out, deal_folds
from disnplbm.posterior.explaining.typical import margins

N, P, K = 120, 100, 3

Table = NDArray[np.float64]


def table(cells: str, seed: int, clusters: int = K) -> tuple[Table, NDArray[np.int32], NDArray[np.bool_]]:
    """Cells of rows in clusters, each of which a tenth of the columns tells apart; the clusters; which columns do."""
    rng = np.random.default_rng(seed)
    rows = (np.arange(N) % clusters).astype(np.int32)
    planted = rng.random((clusters, P)) < (0.1 if clusters > 1 else 0.0)
    if cells == "counts":
        rates = 5.0 * np.where(planted, 2.5, 1.0)
        return rng.poisson(rates[rows] / rates.mean(axis=1)[rows, None]).astype(np.float64), rows, planted
    return rng.normal(size=(N, P)) + 1.5 * planted[rows], rows, planted


def problem_of(cells: str, values: Table) -> Problem:
    build = _problem if cells == "gaussian" else _typed_problem
    return build(values[..., None], "rows", Options(cells=cells))


def explained(cells: str, values: Table, rows: NDArray[np.int32], seed: int = 0) -> list[Profile]:
    return explain(problem_of(cells, values), rows, np.arange(P, dtype=np.int32), np.random.default_rng(seed))


def test_a_factor_weighs_a_cluster_against_all_others() -> None:
    rng = np.random.default_rng(0)
    family = Counts()
    sums = Sums(np.stack([rng.poisson(4, (4, 6)), rng.uniform(2, 5, (4, 6))], axis=-1).astype(np.float64))
    found, rest = log_bayes_factors(sums, family), rest_of(sums, family)
    for k, j in product(range(4), range(6)):
        own, others = sums.values[k, j], np.delete(sums.values[:, j], k, axis=0).sum(axis=0)
        assert np.allclose(rest.values[k, j], others)
        apart, together = (
            family.log_marginals(Sums(np.stack([own, others]))),
            family.log_marginals(Sums((own + others)[None])),
        )
        assert found[k, j] == pytest.approx(float(apart.sum() - together[0]))


def found_without(problem: Problem, rows: NDArray[np.int32], folds: NDArray[np.int64], out: NDArray[np.bool_]) -> Any:
    shard, family, columns = problem.shards[0], problem.only_part.family, np.arange(P, dtype=np.int32)
    cells = shard.only_part.cells.by_cluster((rows + K * folds).astype(np.int32), K * FOLDS)
    return _labels_without(shard, cells, rows, folds, columns, out, family)


def test_clusters_are_found_without_the_row_and_the_columns_that_are_held_out() -> None:
    values, rows, _ = table("gaussian", 0)
    folds, out = deal_folds(N, np.random.default_rng(0)), deal_folds(P, np.random.default_rng(1)) == 0
    before = found_without(problem_of("gaussian", values), rows, folds, out)
    assert np.mean(before == rows) > 0.9
    # Held-out cells of all rows, and the cluster that a row was in, tell nothing of where it goes.
    other, moved = values.copy(), rows.copy()
    other[:, out] = np.random.default_rng(2).permuted(values[:, out], axis=0)
    moved[folds == 0] = (rows[folds == 0] + 1) % K
    here = folds == 0
    after = found_without(problem_of("gaussian", other), moved, folds, out)
    assert np.array_equal(before[here], after[here])
    # The other cells do.
    other[:, ~out] = np.random.default_rng(2).permuted(values[:, ~out], axis=0)
    assert not np.array_equal(before[here], found_without(problem_of("gaussian", other), moved, folds, out)[here])


def test_cells_of_every_column_come_from_its_own_fold() -> None:
    values, rows, _ = table("gaussian", 0)
    problem, columns = problem_of("gaussian", values), np.arange(P, dtype=np.int32)
    family = problem.only_part.family
    held = cells_held_out(problem.shards[0], rows, columns, np.random.default_rng(3), family, family)
    generator = np.random.default_rng(3)
    of_rows, of_columns = deal_folds(N, generator), deal_folds(P, generator)
    assert np.bincount(of_columns).tolist() == [P // FOLDS] * FOLDS
    for fold in range(FOLDS):
        out = of_columns == fold
        cells = problem.shards[0].only_part.cells.by_cluster(found_without(problem, rows, of_rows, out), K)
        assert np.array_equal(held[:, out].mean, cells[:, out].mean)


@pytest.mark.parametrize("cells", ["counts", "gaussian"])
def test_planted_columns_are_found_and_few_others(cells: str) -> None:
    false = true = missed = 0
    for seed in range(4):
        values, rows, planted = table(cells, seed)
        differs = planted.any(axis=0)
        for profile in explained(cells, values, rows, seed):
            there = np.zeros(P, dtype=bool)
            there[profile.others] = True
            false += int((there & ~differs).sum())
            true += int((there & differs).sum())
            missed += int((planted[profile.label] & ~there).sum())
            assert (profile.q <= FALSE_SHARE).all()
            assert (np.diff(profile.factors) <= 0).all()
            high = planted[profile.label, profile.others] & (planted[:, profile.others].sum(axis=0) == 1)
            name = next(name for name in ("rate", "mean") if name in profile.own)
            assert (profile.own[name][high] > profile.rest[name][high]).all()
    assert missed <= 0.1 * true
    assert false <= 0.1 * (false + true)


def test_clusters_that_the_cells_themselves_made_of_noise_are_set_apart_by_nothing() -> None:
    found = 0
    for seed in range(10):
        values, _, _ = table("gaussian", seed, clusters=1)
        # Rows above and below the first principal direction: the cells are asked what they were split by.
        scores = np.linalg.svd(values - values.mean(axis=0), full_matrices=False)[0][:, 0]
        rows = (scores > 0).astype(np.int32)
        double = np.abs(values[rows == 0].mean(axis=0) - values[rows == 1].mean(axis=0)) > 3 * np.sqrt(4 / N)
        assert double.sum() >= 3  # what asking the same cells twice gives
        found += sum(len(profile.others) > 0 for profile in explained("gaussian", values, rows, seed)) > 0
    assert found <= 3


def test_the_shares_are_those_expected_by_chance() -> None:
    rng = np.random.default_rng(0)
    by_chance = rng.normal(size=(200, 2, 500))
    factors = rng.normal(size=(2, 500))
    factors[0, :50] += 8.0
    q = q_values(factors, by_chance, 0.05)
    assert (q[0, :50] <= 0.05).all()
    assert (q[1] > 0.05).sum() >= 497
    assert ranked(q[0], factors[0], 0.05)[0] == factors[0].argmax()
    assert q_values(np.full((1, 4), -1.0), np.full((5, 1, 4), -2.0), 0.05).max() == 0.0
    assert not len(ranked(np.zeros(4), np.full(4, -1.0), 0.05))


def test_a_row_fits_by_how_much_more_probable_it_is_in_its_cluster() -> None:
    values, rows, _ = table("counts", 1)
    problem = problem_of("counts", values)
    columns = (np.arange(P) % 7).astype(np.int32)
    shard, family = problem.shards[0], problem.only_part.family
    blocks = family.aggregate(shard.only_part.cells.by_cluster(rows, K), columns, 7, axis=1)
    labels = rows.copy()
    labels[5] = -1
    found = margins(shard, labels, columns, blocks, family)
    one = shard.only_part.cells.by_group(np.array([8]), columns, 7)
    gains = [
        float((family.log_marginals(family.merge(one, blocks[k])) - family.log_marginals(blocks[k])).sum())
        for k in range(K)
    ]
    own = int(rows[8])
    assert found[8] == pytest.approx(gains[own] - max(np.delete(gains, own)))
    assert np.isnan(found[5])
    assert np.isnan(margins(shard, np.zeros(N, dtype=np.int32), columns, blocks[:1], family)).all()


def test_one_cluster_is_set_apart_by_nothing() -> None:
    values, _, _ = table("counts", 0)
    (profile,) = explained("counts", values, np.zeros(N, dtype=np.int32))
    assert (profile.size, len(profile.others)) == (N, 0)


def test_what_is_set_aside_takes_no_part() -> None:
    values, rows, _ = table("gaussian", 2)
    values[:3] = 1e6
    rows[:3] = -1
    profiles = explained("gaussian", values, rows)
    assert sum(profile.size for profile in profiles) == N - 3
    assert all(np.abs(profile.own["mean"]).max(initial=0.0) < 100 for profile in profiles)
