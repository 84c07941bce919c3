"""The table of cases (cases/README.md in the shared folder): small inputs behind which a fault was seen elsewhere.

Each case is a test named after its id, here but for those that are about one part alone:

====  ==================================================================================================
A1    here; its documented halves too: one cluster as start, and `averaged`
A2    here
A3    here, through the command line
A4    here
A5    here, through the command line
A6    here
A7    tests/unit/data/test_csv.py
A8    here
A9    here
A10   here
A11   tests/unit/data/test_formats.py
A12   here, through the command line
A13   here
A14   here
A15   here
A16   here
A17   here
A18   here
A19   here
A20   here
A21   here
A22   here, through the command line
A23   here
A24   here
A25   here, with 300 of the 2,740 rows: the whole file would be 1.2 GB
A26   tests/unit/report/test_heatmap.py
A27   with several chains, which come later
A28   here as far as the join; messages and payloads come with the cluster
====  ==================================================================================================
"""

from __future__ import annotations

import csv
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from disnplbm import NPLBM
from disnplbm.data.preflight import preflight
from disnplbm.data.source import open_source
from disnplbm.engine.pilot import GUESS
from disnplbm.errors import InputError
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.joint import log_joint
from disnplbm.model.marginal import log_marginal
from disnplbm.model.partition import log_crp
from disnplbm.model.prior import NIWPrior, default_prior
from disnplbm.model.statistics import Statistics, merge, remove, summarise
from disnplbm.sampler.join import StreamingJoin
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard, ShardStatistics

from .case_data import (
    Layout,
    block_of_variance,
    checkerboard,
    collinear_cells,
    mirrored_profiles,
    overlapping_blocks,
    row_clusters,
    shifted_patterns,
    wide_csv,
    wide_sparse,
)
from .console import fit

ELSEWHERE = {
    "A7": ("unit/data/test_csv.py", "test_quotes_that_are_no_csv_quotes_are_text"),
    "A11": ("unit/data/test_formats.py", "test_infinite_cell_of_an_array_is_named_by_row_and_column"),
    "A26": (
        "unit/report/test_heatmap.py",
        "test_large_tables_become_pictures_of_bounded_size_with_thin_clusters_visible",
    ),
}
LATER = {"A27"}


def test_every_case_has_its_test(shared_dir: Path) -> None:
    listed = set(re.findall(r"^\| (A\d+) \|", (shared_dir / "cases" / "README.md").read_text(), re.MULTILINE))
    here = {found[1].upper() for name in globals() if (found := re.match(r"test_(a\d+)_", name))}
    assert here | set(ELSEWHERE) | LATER == listed
    assert not here & set(ELSEWHERE)
    tests = Path(__file__).parents[1]
    for file, name in ELSEWHERE.values():
        assert f"def {name}(" in (tests / file).read_text()


def clusters(model: NPLBM) -> tuple[int, int]:
    return model.n_row_clusters_, model.n_column_clusters_


def assert_without_holes(labels: NDArray[np.int32]) -> None:
    """Labels are 0..K-1, all in use, the largest cluster first."""
    sizes = np.bincount(labels)
    assert sizes.min() > 0
    assert (np.diff(sizes) <= 0).all()


@pytest.mark.parametrize("layout", ["mixed", "apart"])
@pytest.mark.parametrize("n_shards", [1, 2, 4])
def test_a1_mirrored_profiles_are_told_apart(layout: Layout, n_shards: int) -> None:
    x, profile = mirrored_profiles(layout)
    averaged = []
    for seed in range(5):
        model = NPLBM(60, n_shards, seed).fit(x)
        assert clusters(model) == (2, 2)
        assert adjusted_rand_score(profile, model.row_labels_) == 1
        assert adjusted_rand_score(np.repeat([0, 1], 5), model.column_labels_) == 1
        # From one cluster neither rows nor columns can part first, one at a time. (Pair moves, at one shard, split rows
        # as a whole, and sometimes find the profiles.)
        assert NPLBM(60, n_shards, seed, start="one", pair_moves=n_shards > 1).fit(x).n_row_clusters_ == 1
        averaged.append(adjusted_rand_score(profile, NPLBM(60, n_shards, seed, join="averaged").fit(x).row_labels_))
    if n_shards > 1:
        # The published join forgets the column profile, and both profiles have mean 0.
        assert np.median(averaged) == pytest.approx(0, abs=0.05)


def test_a2_shifted_patterns_over_two_shards() -> None:
    x, pattern = shifted_patterns()
    published = []
    for seed in range(5):
        assert adjusted_rand_score(pattern, NPLBM(100, 2, seed).fit(x).row_labels_) == 1
        model = NPLBM(100, 2, seed, join="averaged", view="local").fit(x)
        published.append(adjusted_rand_score(pattern, model.row_labels_))
    assert np.mean(published) < 0.5


@pytest.mark.parametrize("shape", [(3, 2), (1, 5), (5, 1), (2, 1), (1, 1)])
def test_a3_more_shards_than_rows_and_the_smallest_tables(tmp_path: Path, shape: tuple[int, int]) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=shape))
    outcome = fit(tmp_path / "x.npy", tmp_path / "run", "--shards", 8)
    assert outcome.code == 0, outcome
    record = outcome.record
    assert record["shards"] == max(shape)
    assert any("8 shards asked for" in warning for warning in record["warnings"])
    assert 1 <= record["row_clusters"] <= shape[0]
    assert 1 <= record["column_clusters"] <= shape[1]
    assert np.isfinite(record["log_joint"])
    assert (tmp_path / "run" / "report.html").stat().st_size > 0


def test_a4_constant_column_is_labelled_and_named() -> None:
    x = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 5)), columns=list("abcde"))
    x["c"] = 7.0
    model = NPLBM().fit(x)
    assert model.column_labels_.shape == (5,)
    assert np.isfinite(model.trace_["log_joint"]).all()
    assert model.warnings_ == ["1 column constant: c"]


def test_a5_one_tiny_number(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("-1.0010415476e-146\n")
    record = fit(tmp_path / "x.csv", tmp_path / "run").record
    assert (record["row_clusters"], record["column_clusters"]) == (1, 1)
    assert np.isfinite(record["log_joint"])


@pytest.mark.parametrize("n_shards", [1, 3])
def test_a6_missing_row_and_column_are_placed_by_the_partition_prior_alone(n_shards: int) -> None:
    x = np.random.default_rng(0).normal(size=(50, 4))
    x[:, 2] = np.nan
    x[7] = np.nan
    seen = np.ix_(np.arange(50) != 7, np.arange(4) != 2)
    prior = default_prior([x[seen].mean()], [[x[seen].var()]])
    labels_of_missing = set()
    for seed in range(10):
        model = NPLBM(20, n_shards, seed).fit(x)
        assert model.warnings_ == ["1 column with all cells missing: 2", "1 row with all cells missing: 7"]
        z, w = model.row_labels_, model.column_labels_
        likelihood = sum(
            float(log_marginal(summarise(cells[~np.isnan(cells)][:, None]), prior))
            for k in range(model.n_row_clusters_)
            for c in range(model.n_column_clusters_)
            for cells in [x[z == k][:, w == c]]
        )
        expected = likelihood + log_crp(np.bincount(z), 1.0) + log_crp(np.bincount(w), 1.0)
        assert model.log_joint_ == pytest.approx(expected, rel=1e-9)
        labels_of_missing.add((z[7] == z[6], w[2] == w[1]))
    assert len(labels_of_missing) > 1


def test_a8_blocks_that_differ_in_variance_alone() -> None:
    half = np.repeat([0, 1], 15)
    found = []
    for data in range(3):
        x = block_of_variance(data)
        assert x[:15, :15].mean() == 0
        for seed in range(3):
            model = NPLBM(100, random_state=seed).fit(x)
            assert np.isfinite(model.trace_["log_joint"]).all()
            scores = [adjusted_rand_score(half, labels) for labels in (model.row_labels_, model.column_labels_)]
            found.append((*clusters(model), *scores))
    # One chain of nine still has strays of a few rows after its 100 iterations.
    assert found.count((2, 2, 1.0, 1.0)) >= 8, found


def test_a9_zero_is_an_ordinary_value() -> None:
    x = np.random.default_rng(0).gamma(2, size=(20, 10))
    x[4], x[:, 6] = 0, 0
    model = NPLBM().fit(x)
    assert np.isfinite(model.trace_["log_joint"]).all()
    assert not np.isnan(model.block_means_).any()
    shifted = NPLBM().fit(x + 8)
    assert np.array_equal(shifted.row_labels_, model.row_labels_)
    assert np.array_equal(shifted.column_labels_, model.column_labels_)


@pytest.mark.parametrize("n_shards", [1, 3])
def test_a10_dense_sparse_frame_and_single_precision_give_the_same_bits(n_shards: int) -> None:
    x = checkerboard()
    tables: list[Any] = [
        x,
        x.tolist(),
        np.asfortranarray(x),
        x.astype(np.float32),
        sp.csr_array(x),
        sp.csr_matrix(x.astype(np.float32)),
        sp.coo_array(x),
        pd.DataFrame(x),
        pd.DataFrame(x.astype(np.float32), columns=[f"c{j}" for j in range(50)]),
        pd.DataFrame(x).astype("Float64"),
    ]
    models = [NPLBM(30, n_shards).fit(table) for table in tables]
    assert clusters(models[0]) == (2, 2)
    assert len({model.digest_ for model in models}) == 1
    for model in models:
        assert model.row_labels_.tobytes() == models[0].row_labels_.tobytes()
        assert model.column_labels_.tobytes() == models[0].column_labels_.tobytes()
        assert model.trace_["log_joint"].tobytes() == models[0].trace_["log_joint"].tobytes()


def test_a12_one_missing_cell_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b,c,d\n1,2,3,4\n5,6,7,8\n9,10,11,12\n13,14,15,\n")
    outcome = fit(tmp_path / "x.csv", tmp_path / "run")
    assert outcome.code == 0
    with (tmp_path / "run" / "blocks.csv").open(newline="") as file:
        blocks = list(csv.DictReader(file))
    assert sum(int(block["cells"]) for block in blocks) == 15
    assert sum(int(block["cells"]) * float(block["mean"]) for block in blocks) == pytest.approx(120)


def test_a13_small_spread_far_from_zero_keeps_its_digits() -> None:
    rng = np.random.default_rng(0)
    small = rng.integers(0, 3, size=(100, 10)).astype(np.float64)
    model = NPLBM(50).fit(1e8 + small)
    for k, c in np.ndindex(model.block_means_.shape):
        block = small[model.row_labels_ == k][:, model.column_labels_ == c]
        assert model.block_sds_[k, c] ** 2 == pytest.approx(block.var(), rel=1e-6)
    state = summarise((1e8 + small).reshape(-1, 1))
    for _ in range(1000):
        rows = rng.choice(100, rng.integers(1, 60), replace=False)
        part = summarise((1e8 + small[rows]).reshape(-1, 1))
        state = merge(remove(state, part), part)
    assert state.count == 1000
    assert state.scatter[0, 0] / 1000 == pytest.approx(small.var(), rel=1e-6)


@pytest.mark.parametrize("d", [1, 2])
def test_a14_what_is_added_and_taken_out_again_leaves_the_prior(d: int) -> None:
    rng = np.random.default_rng(0)
    points = [summarise(point[None]) for point in rng.normal(3, 2, size=(1000, d))]
    prior = NIWPrior(np.ones(d), 2.0, np.eye(d) * 3, d + 2.0)
    state = Statistics.empty((), d)
    for i in rng.permutation(1000):
        state = merge(state, points[i])
    assert state.count == 1000
    for i in rng.permutation(1000):
        state = remove(state, points[i])
        assert np.linalg.eigvalsh(state.scatter)[0] >= -1e-9
        assert np.diagonal(state.scatter).min() >= 0
    assert state.count == 0
    np.testing.assert_allclose(state.mean, 0, atol=1e-9)
    np.testing.assert_allclose(state.scatter, 0, atol=1e-9)
    assert log_marginal(state, prior) == 0
    again = merge(state, points[0])
    assert log_marginal(again, prior) == pytest.approx(float(log_marginal(points[0], prior)), abs=1e-9)


@pytest.mark.parametrize("n_shards", [1, 3])
def test_a15_units_do_not_matter(n_shards: int) -> None:
    x = load_iris().data
    for seed in range(3):
        plain = NPLBM(100, n_shards, seed).fit(x)
        scaled = NPLBM(100, n_shards, seed).fit(x * 1000 + 5)
        assert np.array_equal(plain.row_labels_, scaled.row_labels_)
        assert np.array_equal(plain.column_labels_, scaled.column_labels_)
        assert plain.log_joint_ - scaled.log_joint_ == pytest.approx(x.size * np.log(1000))


def test_a16_start_from_singletons_and_from_one_cluster() -> None:
    x, truth = row_clusters()
    singletons = [NPLBM(100, 4, seed, start="singletons").fit(x) for seed in range(5)]
    assert all(19 <= model.n_row_clusters_ <= 21 for model in singletons)
    assert min(adjusted_rand_score(truth, model.row_labels_) for model in singletons) > 0.9
    # From one cluster rows leave one at a time, and none gains by being first: most clusters stay fused.
    assert max(NPLBM(100, 4, seed, start="one").fit(x).n_row_clusters_ for seed in range(5)) < 19


def test_a16_start_from_random_labels() -> None:
    x, _ = row_clusters()
    found = [NPLBM(100, 4, seed).fit(x).n_row_clusters_ for seed in range(5)]
    assert all(19 <= number <= 21 for number in found), found


def test_a17_noise_is_one_cluster_but_for_strays() -> None:
    x = np.random.default_rng(0).normal(size=(100, 30))
    models = [NPLBM(60, random_state=seed).fit(x) for seed in range(12)]
    assert np.mean([np.bincount(model.row_labels_)[0] for model in models]) >= 90
    assert np.mean([np.bincount(model.column_labels_)[0] for model in models]) >= 28


def test_a18_seeds_share_nothing_and_the_same_seed_gives_the_same_bytes() -> None:
    draws = [
        random_generator(seed, 0, iteration, role, shard).random(200)
        for seed in (0, 1)
        for iteration in (0, 1)
        for role in Role
        for shard in (0, 1)
    ]
    assert len(np.unique(np.concatenate(draws))) == len(draws) * 200
    x = overlapping_blocks(0)
    first, other, again = (NPLBM(30, 2, seed).fit(x) for seed in (0, 1, 0))
    assert first.digest_ == again.digest_ != other.digest_
    assert first.row_labels_.tobytes() == again.row_labels_.tobytes()
    assert not np.isin(first.trace_["log_joint"][:10], other.trace_["log_joint"]).any()


def test_a19_labels_follow_permuted_rows_and_columns() -> None:
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(100), rng.permutation(10)
    x, _ = mirrored_profiles("mixed")
    plain, permuted = NPLBM(60).fit(x), NPLBM(60).fit(x[np.ix_(rows, columns)])
    assert adjusted_rand_score(plain.row_labels_[rows], permuted.row_labels_) == 1
    assert adjusted_rand_score(plain.column_labels_[columns], permuted.column_labels_) == 1
    # Where the posterior is wide, the chains' last states are draws from one and the same distribution.
    x = overlapping_blocks(0)
    rows, columns = rng.permutation(40), rng.permutation(12)
    draws = [
        [(model.log_joint_, *clusters(model)) for model in (NPLBM(40, random_state=s).fit(table) for s in range(24))]
        for table in (x, x[np.ix_(rows, columns)])
    ]
    a, b = np.array(draws)
    error = np.sqrt((a.var(axis=0) + b.var(axis=0)) / 24)
    assert a[:, 1].std() > 0, "the number of clusters never varies: nothing is compared"
    assert (np.abs(a.mean(axis=0) - b.mean(axis=0)) <= 4 * error).all()


@pytest.mark.parametrize("d", [1, 2, 3])
def test_a20_degrees_of_freedom_have_a_bound(d: int) -> None:
    with pytest.raises(InputError, match=rf"nu0 = {d - 1} must be above d - 1 = {d - 1}"):
        NIWPrior(np.zeros(d), 1.0, np.eye(d), d - 1)
    assert NIWPrior(np.zeros(d), 1.0, np.eye(d), d - 1 + 1e-6).dimension == d


@pytest.mark.parametrize("n_shards", [1, 3])
def test_a21_collinear_components_stay_positive_definite(n_shards: int) -> None:
    x = collinear_cells()
    model = NPLBM(50, n_shards).fit(x)
    assert np.isfinite(model.trace_["log_joint"]).all()
    assert np.isfinite(model.block_sds_).all()
    cells = x.reshape(-1, 3)
    prior = default_prior(cells.mean(axis=0), np.cov(cells.T, bias=True))
    expected = log_joint(x, model.row_labels_, model.column_labels_, prior, alpha=1.0, beta=1.0)
    assert model.log_joint_ == pytest.approx(expected, rel=1e-4)


def test_a21_collinear_components_are_noted() -> None:
    (warning,) = NPLBM(1).fit(collinear_cells()).warnings_
    assert "collinear" in warning


def test_a22_duplicate_column_names_are_kept_by_position(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("gene-0,gene-0,gene-1\n" + "".join(f"{i},{i % 3},{i * i}\n" for i in range(12)))
    outcome = fit(tmp_path / "x.csv", tmp_path / "run")
    assert outcome.code == 0
    assert any("gene-0" in warning for warning in outcome.record["warnings"])
    with (tmp_path / "run" / "columns.csv").open(newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == ["gene-0", "gene-0", "gene-1"]


@pytest.mark.parametrize("n_shards", [1, 4])
@pytest.mark.parametrize("join", ["blockwise", "averaged"])
def test_a23_labels_have_no_holes_after_clusters_died(n_shards: int, join: str) -> None:
    x, _ = mirrored_profiles("mixed")
    died = 0
    for start in ("random", "singletons"):
        for n_iterations in range(1, 8):
            model = NPLBM(n_iterations, n_shards, join=join, start=start).fit(x)
            assert_without_holes(model.row_labels_)
            assert_without_holes(model.column_labels_)
            assert clusters(model) == (model.row_labels_.max() + 1, model.column_labels_.max() + 1)
            died += (np.diff(model.trace_["row_clusters"]) < 0).sum()
    assert died > 0


@pytest.mark.long
def test_a24_wide_sparse_matrix_is_fitted_without_its_zeros() -> None:
    x, kind = wide_sparse()
    model = NPLBM(2, 16, start="one").fit(x)
    assert model.row_labels_.shape == kind.shape
    assert model.n_features_in_ == 20_000
    assert np.isfinite(model.log_joint_)
    assert model.block_means_.min() < 0.1


def test_a24_wide_sparse_matrix_that_does_not_fit_is_refused() -> None:
    """Stored in a few bytes, and 7 TiB where its zeros become other numbers: refused before any work."""
    began = time.monotonic()
    x = sp.csr_array(([1.0], ([0], [0])), shape=(1_000_000, 1_000_000))
    said = r"standardize leaves no zeros, and X \(1,000,000 x 1,000,000\) needs about \d+\.\d GiB .* \d+\.\d GiB are"
    with pytest.raises(InputError, match=said):
        NPLBM(cells="gaussian", column_transform="standardize").fit(x)
    assert time.monotonic() - began < 5


def test_a25_wide_csv_is_read_at_several_megabytes_a_second_with_progress(tmp_path: Path) -> None:
    size = wide_csv(tmp_path / "x.csv", rows=300, columns=50_000)
    reports: list[tuple[int, int]] = []
    began = time.process_time()
    found = preflight(
        open_source(tmp_path / "x.csv"), lambda *_: GUESS, lambda done, total: reports.append((done, total))
    )
    seconds = time.process_time() - began
    assert (found.rows, found.columns, found.missing) == (300, 50_000, 0)
    assert size / seconds > 5e6, f"{size / seconds / 1e6:.1f} MB a second of one core"
    assert len(reports) > 10
    assert reports == sorted(reports)
    assert reports[-1] == (size, size)


@pytest.mark.parametrize("join", ["blockwise", "averaged"])
def test_a28_a_shard_that_comes_twice_is_applied_once(join: Any) -> None:
    x, _ = mirrored_profiles("mixed")
    parameters = Parameters(n_shards=3, join=join)
    column_labels = np.repeat(np.array([0, 1], dtype=np.int32), 5)
    prior = Gaussian(default_prior([x.mean()], [[x.var()]]), 1.0)
    shards = [Shard([DenseCells(x[e::3, :, None], complete=True)], e, 3) for e in range(3)]
    statistics = [
        shard.summarise(Labelled((np.arange(shard.n_rows) // 10).astype(np.int32), np.full(4, -1, dtype=np.int32)))
        for shard in shards
    ]

    def joined(arrivals: list[ShardStatistics], applied: list[bool]) -> Joined:
        join = StreamingJoin(
            parameters,
            [(prior, column_labels)],
            0,
            PartitionPrior.of(parameters.alpha),
            random_generator(0, 0, 1, Role.JOIN),
        )
        assert [join.add(arrival) for arrival in arrivals] == applied
        return join.finish()

    a, b, c = statistics
    once = joined([a, b, c], [True] * 3)
    twice = joined([c, a, a, c, b, b, a], [True, True, False, False, True, False, False])
    assert once.sizes.sum() == 100
    for first, second in zip(once.to_global, twice.to_global, strict=True):
        np.testing.assert_array_equal(first, second)
    for field in ("count", "mean", "scatter"):
        assert getattr(once.parts[0].cells, field).tobytes() == getattr(twice.parts[0].cells, field).tobytes()
