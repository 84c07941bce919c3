"""The scikit-learn style estimator."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from click.testing import CliRunner
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from disnplbm import NPLBM, DataWarning
from disnplbm.cli.main import cli
from disnplbm.data.memory import GIB, available_bytes, check_memory, needed_bytes
from disnplbm.engine.options import Options
from disnplbm.errors import InputError
from disnplbm.estimator import nplbm
from disnplbm.model.joint import log_joint
from disnplbm.model.prior import NIWPrior, default_prior
from integration.case_data import one_or_two_clusters
from marks import long


def blocks(n: int = 40, p: int = 12, d: int | None = None, seed: int = 0) -> NDArray[np.float64]:
    """Two row clusters by two column clusters, 6 sd apart."""
    means = np.array([[0.0, 6.0], [6.0, 0.0]])[np.ix_(np.arange(n) % 2, np.arange(p) * 2 // p)]
    return np.random.default_rng(seed).normal(
        means if d is None else means[..., None], size=(n, p) if d is None else (n, p, d)
    )


def checks() -> list[Any]:
    """Every check of scikit-learn, at one shard and at three; `parametrize_with_checks`, but a list, as pytest asks."""
    pairs = [pair for n_shards in (1, 3) for pair in estimator_checks_generator(NPLBM(10, n_shards))]
    return [
        pytest.param(model, check, id=f"{getattr(check, 'func', check).__name__}-{model.n_shards}-{number}")
        for number, (model, check) in enumerate(pairs)
    ]


@pytest.mark.parametrize(("model", "check"), checks())
def test_it_keeps_the_conventions_of_scikit_learn(model: NPLBM, check: Callable[[Any], None]) -> None:
    check(model)


def test_the_example_runs() -> None:
    assert doctest.testmod(nplbm).failed == 0


def test_importing_the_package_loads_neither_scikit_learn_nor_numba() -> None:
    code = "import sys, disnplbm; print('sklearn' in sys.modules or 'numba' in sys.modules); from disnplbm import NPLBM"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    ("dimension", "parameters", "options"),
    [
        (None, {}, ["--shards", "1"]),
        (None, {"n_shards": 3, "alpha": 4, "beta": 0.5, "random_state": 7, "column_transform": "standardize"},
         ["--shards", "3", "--alpha", "4", "--beta", "0.5", "--seed", "7", "--transform", "standardize"]),
        long(2, {"shard_axis": "columns", "n_shards": 2, "start": "one", "view": "local", "join": "averaged"},
             ["--shard-axis", "columns", "--shards", "2", "--start", "one", "--view", "local", "--join", "averaged"]),
        (None, {"pair_moves": False, "power": 0.5, "kappa0": 0.1, "psi0_factor": 2.0, "prior_scale": "precision"},
         ["--shards", "1", "--pair-moves", "off", "--power", "0.5", "--kappa0", "0.1", "--psi0-factor", "2",
          "--prior-scale", "precision"]),
        (None, {"n_shards": "auto", "start": "singletons"}, ["--start", "singletons"]),
        (None, {"column_transform": ["center", "standardize-rows"]},
         ["--shards", "1", "--transform", "center,standardize-rows"]),
        long(None,
             {"n_chains": 2, "n_restarts": 2, "n_shards": 2, "shard_axis": "columns", "column_transform": "center"},
             ["--chains", "2", "--restarts", "2", "--shards", "2", "--shard-axis", "columns", "--transform", "center"]),
        (3, {"burn_in": 5, "n_shards": 3, "covariance": "diagonal"},
         ["--burn-in", "5", "--shards", "3", "--covariance", "diagonal"]),
    ],
)  # fmt: skip
def test_same_numbers_and_options_give_the_digest_of_the_command_line(
    tmp_path: Path, dimension: int | None, parameters: dict[str, Any], options: list[str]
) -> None:
    x = blocks(d=dimension)
    x[3, 4] = np.nan
    np.save(tmp_path / "x.npy", x)
    words = [
        "fit",
        str(tmp_path / "x.npy"),
        "--output",
        str(tmp_path / "run"),
        "--iterations",
        "15",
        "--json",
        *options,
    ]
    outcome = CliRunner().invoke(cli, words, standalone_mode=False, catch_exceptions=False)
    record = json.loads(outcome.stdout)
    model = NPLBM(15, **parameters).fit(x)
    assert model.digest_ == record["digest"]
    assert model.log_joint_ == record["log_joint"]
    assert clusters(model) == (record["row_clusters"], record["column_clusters"])


def clusters(model: NPLBM) -> tuple[int, int]:
    return model.n_row_clusters_, model.n_column_clusters_


def test_refit_equals_a_fresh_fit_whatever_was_fitted_before() -> None:
    model = NPLBM(15).fit(pd.DataFrame(blocks(d=None, seed=1), columns=[f"c{j}" for j in range(12)]))
    x = blocks(30, 5, 2)
    refitted, fresh = vars(model.fit(x)), vars(NPLBM(15).fit(x))
    assert refitted.keys() == fresh.keys()
    assert refitted["digest_"] == fresh["digest_"]
    for name in ("row_labels_", "column_labels_", "block_means_", "block_sds_"):
        np.testing.assert_array_equal(refitted[name], fresh[name])
    assert clone(model).fit(x).digest_ == model.digest_


def test_every_row_and_column_is_in_the_biclusters_of_its_cluster() -> None:
    x = blocks()
    model = NPLBM(30).fit(x)
    assert clusters(model) == (2, 2)
    assert model.rows_.shape == (4, 40)
    assert model.columns_.shape == (4, 12)
    for k, c in np.ndindex(2, 2):
        rows, columns = model.get_indices(k * 2 + c)
        np.testing.assert_array_equal(rows, np.flatnonzero(model.row_labels_ == k))
        np.testing.assert_array_equal(columns, np.flatnonzero(model.column_labels_ == c))
        cells = model.get_submatrix(k * 2 + c, x)
        assert model.block_means_[k, c] == pytest.approx(cells.mean())
        assert model.block_sds_[k, c] == pytest.approx(cells.std())
        np.testing.assert_array_equal(np.flatnonzero(model.rows_[k * 2 + c]), rows)
        np.testing.assert_array_equal(np.flatnonzero(model.columns_[k * 2 + c]), columns)
    np.testing.assert_array_equal(model.biclusters_[0], model.rows_)
    np.testing.assert_array_equal(model.get_indices(-1)[0], model.get_indices(3)[0])
    with pytest.raises(IndexError):
        model.get_indices(4)
    assert not hasattr(NPLBM(), "rows_")


def test_trace_has_a_value_for_every_iteration() -> None:
    model = NPLBM(12).fit(blocks())
    assert model.n_iter_ == 12
    frame = pd.DataFrame(model.trace_)
    assert list(frame.columns) == ["log_joint", "row_clusters", "column_clusters", "seconds", "alpha", "beta"]
    assert len(frame) == 12
    assert frame["log_joint"].iloc[-1] == model.log_joint_
    assert (frame["row_clusters"].iloc[-1], frame["column_clusters"].iloc[-1]) == clusters(model)


@pytest.mark.long
def test_vectors_have_a_mean_and_sd_for_each_component() -> None:
    x = blocks(d=3)
    x[..., 2] *= 10
    model = NPLBM(20).fit(x)
    assert model.block_means_.shape == model.block_sds_.shape == (2, 2, 3)
    cells = x[model.row_labels_ == 0][:, model.column_labels_ == 1].reshape(-1, 3)
    np.testing.assert_allclose(model.block_means_[0, 1], cells.mean(axis=0))
    np.testing.assert_allclose(model.block_sds_[0, 1], cells.std(axis=0))


def test_blocks_without_an_observed_cell_have_neither_mean_nor_sd() -> None:
    x = blocks()
    x[:, 5] = np.nan
    unseen = 0
    for seed in range(10):
        model = NPLBM(3, random_state=seed).fit(x)
        for k, c in np.ndindex(model.block_means_.shape):
            empty = np.isnan(x[model.row_labels_ == k][:, model.column_labels_ == c]).all()
            assert np.isnan(model.block_means_[k, c]) == np.isnan(model.block_sds_[k, c]) == empty
            unseen += empty
        assert model.warnings_ == ["1 column with all cells missing: 5"]
    assert unseen > 0


def test_the_data_are_left_alone() -> None:
    x = blocks()
    x[0, 0] = np.nan
    x[1, 1] = -0.0
    before = x.tobytes()
    NPLBM(3, column_transform="standardize").fit(x)
    NPLBM(3).fit(pd.DataFrame(x))
    assert x.tobytes() == before


def test_random_state_may_be_a_number_a_generator_or_none() -> None:
    x = np.random.default_rng(0).normal(size=(40, 12))

    def digest(seed: Any) -> str:
        return str(NPLBM(5, random_state=seed).fit(x).digest_)

    assert digest(3) == digest(np.int64(3)) != digest(4)
    assert digest(np.random.RandomState(3)) == digest(np.random.RandomState(3))
    generator = np.random.RandomState(3)
    assert digest(generator) != digest(generator)
    assert digest(None) != digest(None)


def test_threads_change_nothing() -> None:
    x = blocks(60)
    assert len({NPLBM(10, 4, n_jobs=n_jobs).fit(x).digest_ for n_jobs in (None, 1, 2, -1)}) == 1


def test_a_start_is_kept_to() -> None:
    x = np.random.default_rng(0).normal(size=(30, 8))
    truth = np.repeat(["b", "a"], [20, 10])
    first = NPLBM(1, start=(truth, np.zeros(8))).fit(x)
    assert first.trace_["row_clusters"][0] < 8
    assert NPLBM(1, start=(None, np.zeros(8))).fit(x).digest_ != first.digest_
    wide = NPLBM(1, start=(np.zeros(8), truth)).fit(x.T)
    np.testing.assert_array_equal(wide.column_labels_, first.row_labels_)


def test_a_prior_is_in_the_units_of_the_data() -> None:
    x = blocks()
    prior = NIWPrior([3.0], 1.0, [[10.0]], 2.0)
    scaled = NIWPrior([3.0 * 16 + 64], 1.0, [[10.0 * 16**2]], 2.0)
    one, other = NPLBM(15, prior=prior).fit(x), NPLBM(15, prior=scaled).fit(x * 16 + 64)
    np.testing.assert_array_equal(one.row_labels_, other.row_labels_)
    assert one.log_joint_ - other.log_joint_ == pytest.approx(x.size * np.log(16))
    assert one.log_joint_ != NPLBM(15).fit(x).log_joint_


@pytest.mark.parametrize(
    ("parameters", "allowed"),
    [
        ({"n_iterations": 0}, r"an int in the range \[1, 10000000\] or None"),
        ({"n_iterations": 2.5}, r"an int"),
        ({"n_restarts": 0}, r"an int in the range"),
        ({"loss": "squared", "burn_in": 5}, r"a str among {'(vi|binder)', '(vi|binder)'} or None"),
        ({"n_shards": 0}, r"an int in the range"),
        ({"n_shards": "many"}, r"an int .* or a str among {'auto'}"),
        ({"random_state": -1}, r"an int in the range \[0, "),
        ({"random_state": "x"}, r"an int .* an instance of 'numpy.random.mtrand.RandomState' or None"),
        ({"alpha": 0}, r"a float in the range \[1e-09, 1000000000.0\] or a str among {'learn'}"),
        ({"beta": "1"}, r"a float"),
        ({"power": 1.5}, r"a float in the range \[1e-06, 1.0\]"),
        ({"kappa0": -1}, r"a float"),
        ({"psi0_factor": 0}, r"a float"),
        ({"view": "some"}, r"a str among"),
        ({"join": "some"}, r"a str among"),
        ({"prior_scale": "some"}, r"a str among"),
        ({"pair_moves": "on"}, r"an instance of 'bool'"),
        ({"prior": 1.0}, r"an instance of 'disnplbm.model.prior.NIWPrior' or None"),
        ({"start": "file"}, r"a str among .* or an instance of 'tuple'"),
        ({"shard_axis": "both"}, r"a str among"),
        ({"start": np.zeros(40)}, r"a str among"),
        ({"column_transform": 5}, r"an instance of 'str'"),
    ],
)
def test_parameters_have_the_constraints_of_the_options(parameters: dict[str, Any], allowed: str) -> None:
    ((name, value),) = [(name, value) for name, value in parameters.items() if name != "burn_in"]
    with pytest.raises(InputError, match=f"(?s)^The '{name}' parameter of NPLBM must be .*{allowed}.* Got ") as raised:
        NPLBM(**parameters).fit(blocks())
    assert str(raised.value).endswith(f" Got {value!r} instead.")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_iterations": True}, "n_iterations=True must be a whole number"),
        ({"prior": NIWPrior([0, 0], 1, np.eye(2), 3)}, "prior is for cells of 2 numbers, and cells of X have 1"),
        ({"start": (np.zeros(3), None)}, r"row labels of shape \(3,\) for 40 rows"),
        ({"start": (None, np.zeros(3))}, r"column labels of shape \(3,\) for 12 columns"),
        ({"start": (None,)}, "start has 1 parts"),
        ({"column_transform": "sqrt"}, "sqrt"),
        ({"n_jobs": 0}, "n_jobs=0 must be at least 1, or -1"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"(?s){message}"):
        NPLBM(**parameters).fit(blocks())


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1.0, 2.0], [3.0, -np.inf]], "row 2, column 1: -inf is not a finite number"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": [np.inf, 1.0]}), "row 1, column b: inf is not a finite number"),
        (sp.csr_array([[1.0, 0.0], [0.0, np.inf]]), "row 2, column 1: inf is not a finite number"),
        (np.full((2, 2, 2), np.inf), "row 1, column 0: inf is not a finite number"),
        (pd.DataFrame({"a": [1.0], "kind": ["x"]}), "column kind is of type .*, not numeric"),
        ([["x", "y"]], "X holds text, not real numbers"),
        (np.ones((2, 2), dtype=complex), "Complex data not supported"),
        (np.ones((2, 2, 2, 2)), r"shape \(2, 2, 2, 2\)"),
        (pd.DataFrame({"a": np.zeros(0)}), r"X has shape \(0, 1\): at least one row"),
        (np.ones((0, 3)), "0 sample"),
    ],
)
def test_bad_tables_are_refused_and_the_cell_named(table: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NPLBM(2).fit(table)


def test_memory_is_known_before_the_work() -> None:
    # The table itself, of 0.9 GiB, is copied once.
    assert 6000 * 20_000 * 8 < needed_bytes(6000, 20_000, 1) < 1.3 * GIB
    assert needed_bytes(4000, 500, 2) - needed_bytes(4000, 500, 1) == pytest.approx(4000 * 500 * 8, rel=0.1)
    assert needed_bytes(6000, 20_000, 1, start_clusters=20_000) > 3 * GIB
    check_memory(GIB, GIB, "X (2 x 2)")
    with pytest.raises(
        InputError, match=r"^X \(2 x 2\) needs about 3\.0 GiB of memory as a dense table and 1\.5 GiB are"
    ):
        check_memory(3 * GIB, GIB * 3 // 2, "X (2 x 2)")


def test_available_memory_is_that_of_the_machine_or_of_the_container(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:       24684136 kB\nMemFree:  1000 kB\nMemAvailable:   2097152 kB\n")
    assert available_bytes(meminfo, tmp_path / "none") == 2 * GIB
    (tmp_path / "memory.current").write_text(f"{GIB // 2}\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert available_bytes(meminfo, tmp_path) == 2 * GIB
    (tmp_path / "memory.max").write_text(f"{GIB}\n")
    assert available_bytes(meminfo, tmp_path) == GIB // 2
    assert available_bytes(tmp_path / "none", tmp_path / "none") > 2**20
    assert available_bytes() > 2**20


@pytest.fixture(scope="module")
def judge() -> tuple[NPLBM, np.ndarray]:
    means = np.array([[5.0, -5.0, 1.0], [-5.0, 5.0, 1.0]])
    table = np.random.default_rng(0).normal(means.repeat([30, 20], axis=0).repeat(4, axis=1))
    table[3, 2] = np.nan
    model = NPLBM(60, 2, burn_in=20, n_chains=2, sampler="split-merge", alpha="learn", column_transform="standardize")
    return model.fit(table), table


def test_draws_of_all_chains_are_kept_and_summarised(judge: tuple[NPLBM, np.ndarray]) -> None:
    model, _ = judge
    assert len(model.draws_) == 80
    assert model.diagnosis_.chains == 2
    assert model.row_confidence_.shape == (50,)
    assert model.column_confidence_.min() > 0.9
    assert (model.n_row_clusters_, model.n_column_clusters_) == (2, 3)


@pytest.mark.parametrize(("d", "sampler"), [(1, "collapsed"), (2, "split-merge")])
def test_auto_takes_the_sampler_that_suits_the_cells_and_says_which(d: int, sampler: str) -> None:
    x = np.random.default_rng(4).normal(size=(30, 6, d))
    auto, named = NPLBM(12).fit(x), NPLBM(12, sampler=sampler).fit(x)
    assert auto.digest_ == named.digest_
    assert auto.sampler_ == named.sampler_ == sampler


def test_auto_leaves_the_local_view_to_the_collapsed_sampler() -> None:
    x = np.random.default_rng(4).normal(size=(30, 6, 2))
    auto, named = NPLBM(5, 2, view="local").fit(x), NPLBM(5, 2, view="local", sampler="collapsed").fit(x)
    assert auto.digest_ == named.digest_


@pytest.mark.parametrize("d", [9, 20, 64])
def test_cells_of_many_numbers_are_fitted_by_one_kernel(d: int) -> None:
    """A kernel for every dimension would take minutes to compile: report 19."""
    x = np.random.default_rng(d).normal(size=(30, 3, d))
    model = NPLBM(4).fit(x)
    cells = x.reshape(-1, d)
    prior = default_prior(cells.mean(axis=0), np.cov(cells.T, bias=True))
    expected = log_joint(x, model.row_labels_, model.column_labels_, prior, alpha=1.0, beta=1.0)
    assert np.isclose(model.log_joint_, expected, rtol=1e-9)


@pytest.mark.parametrize(
    "parameters",
    [
        {"alpha": "learn", "beta": "learn"},
        {"alpha": 3.0, "beta": 0.4, "fix_row_clusters": 4, "fix_column_clusters": 3, "shard_axis": "columns"},
        {"power": 0.5, "n_shards": 3, "column_transform": "standardize"},
        {"alpha": "learn", "shard_axis": "columns", "sampler": "split-merge"},
    ],
)
@pytest.mark.parametrize("scale", [1.0, 1e-140])
def test_the_log_joint_of_a_consensus_is_that_of_its_partitions(parameters: dict[str, Any], scale: float) -> None:
    x = np.random.default_rng(3).normal(size=(30, 12, 2)) * scale + 5 * scale
    x[2, 3] = np.nan
    # The consensus of one draw is that draw, whose log joint was traced.
    model = NPLBM(15, n_draws=1, estimate="consensus", **parameters).fit(x)
    assert model.log_joint_ == pytest.approx(model.trace_["log_joint"][-1], rel=1e-12)


def test_a_loss_is_used_by_the_consensus() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 12)) + rng.normal(size=(9, 12))[rng.integers(0, 9, 80)]
    labels = [NPLBM(60, burn_in=20, loss=loss).fit(x).row_labels_.tolist() for loss in (None, "vi", "binder")]
    assert labels[0] == labels[1] != labels[2]
    with pytest.raises(InputError, match="'binder' needs draws"):
        NPLBM(5, loss="binder").fit(x)


def test_blocks_are_checked_for_normality(judge: tuple[NPLBM, np.ndarray]) -> None:
    model, _ = judge
    assert model.normality_.p.shape == (2, 3, 1)
    assert not model.normality_.plainly_not_normal.any()
    x = np.random.default_rng(0).exponential(size=(40, 12))
    for shard_axis in ("rows", "columns"):
        model = NPLBM(10, 2, start="one", shard_axis=shard_axis, fix_row_clusters=1, fix_column_clusters=1).fit(x)
        assert model.normality_.skewness[0, 0, 0] == pytest.approx(float(((x - x.mean()) ** 3).mean() / x.std() ** 3))
        assert model.normality_.plainly_not_normal.all()


def test_new_rows_are_judged(judge: tuple[NPLBM, np.ndarray]) -> None:
    model, table = judge
    new = np.vstack([table[[0, 40]], np.tile([40.0, -40.0], 6)[None]])
    shares = model.predict_proba(new)
    assert shares.shape == (3, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(new), [model.row_labels_[0], model.row_labels_[40], -1])
    assert model.score_samples(new)[2] < model.score_samples(new)[:2].min() - 20


def test_new_columns_are_judged(judge: tuple[NPLBM, np.ndarray]) -> None:
    model, table = judge
    # Standardised each by itself, as those that were fitted.
    new = np.column_stack([7.0 * table[:, [0, 5, 9]] - 2.0, np.full(50, np.nan)])
    shares = model.predict_proba(new, axis="columns")
    assert shares.shape == (4, 4)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(new, axis="columns")[:3], model.column_labels_[[0, 5, 9]])
    density = model.score_samples(new, axis="columns")
    # A column of which nothing is known goes by the sizes of the clusters alone.
    assert shares[3, 3] == pytest.approx(1 / 13)
    assert density[3] == pytest.approx(0.0)
    assert density[:2].min() > density[2] + 10
    with pytest.raises(InputError, match="has 49 rows, and the run was fitted to 50"):
        model.predict(new[1:], axis="columns")
    with pytest.raises(InputError, match="axis='sides' is unknown"):
        model.predict(new, axis="sides")


def test_draws_go_to_arviz(judge: tuple[NPLBM, np.ndarray]) -> None:
    model, _ = judge
    tree = model.to_arviz()
    assert set(tree["posterior"].data_vars) == {"row_clusters", "column_clusters", "alpha"}
    assert dict(tree["sample_stats"].sizes) == {"chain": 2, "draw": 40}


def test_numbers_of_clusters_are_whole_numbers_for_arviz(judge: tuple[NPLBM, np.ndarray]) -> None:
    posterior = judge[0].to_arviz()["posterior"]
    assert posterior["row_clusters"].dtype == posterior["column_clusters"].dtype == np.int64
    assert posterior["alpha"].dtype == np.float64


def test_notes_are_warnings_of_a_class_of_their_own() -> None:
    x = blocks()
    x[:, 5] = 1.0
    with pytest.warns(DataWarning, match="1 column constant: 5") as caught:
        model = NPLBM(3).fit(x)
    assert [str(warning.message) for warning in caught] == model.warnings_


def test_errors_name_parameters_and_not_options_of_the_command_line() -> None:
    with pytest.raises(InputError, match=r"^n_draws=90 "):
        NPLBM(60, n_draws=90).fit(blocks())


def test_it_has_what_clusterers_of_scikit_learn_have() -> None:
    x = blocks()
    model = NPLBM(20)
    labels = model.fit_predict(x)
    np.testing.assert_array_equal(labels, NPLBM(20).fit(x).row_labels_)
    np.testing.assert_array_equal(labels, model.labels_)


def test_a_verbose_fit_names_its_stages(capfd: pytest.CaptureFixture[str]) -> None:
    model = NPLBM(20, n_chains=2, verbose=True).fit(blocks())
    lines = [line.split() for line in capfd.readouterr().err.splitlines()]
    assert [line[0] for line in lines] == list(model.seconds_)
    assert [line[0] for line in lines] == ["reading", "compiling", "sampling", "consensus", "trees", "blocks"]
    assert model.digest_ == NPLBM(20, n_chains=2).fit(blocks()).digest_
    assert capfd.readouterr().err == ""


def test_a_second_answer_is_kept(judge: tuple[NPLBM, np.ndarray]) -> None:
    assert judge[0].row_runner_up_ is None
    x = one_or_two_clusters()
    model = NPLBM(400, random_state=1, burn_in=100, n_draws=100, sampler="split-merge").fit(x)
    assert 0.1 <= model.row_runner_up_.share <= 0.9
    assert model.row_runner_up_.labels.shape == (60,)
    assert {model.n_row_clusters_, len(np.unique(model.row_runner_up_.labels))} == {2, 3}
    assert NPLBM(5).fit(x).row_runner_up_ is None


def test_of_chains_stuck_on_different_answers_the_best_is_kept_and_new_rows_are_judged_by_it() -> None:
    # 3 x 2 blocks, of which the second chain fuses two.
    means = np.array([[0.0, 6.0], [6.0, 0.0], [12.0, 12.0]])
    x = means[np.ix_(np.arange(60) % 3, np.arange(12) % 2)] + np.random.default_rng(0).normal(size=(60, 12))
    model = NPLBM(15, burn_in=5, n_chains=2).fit(x)
    assert model.diagnosis_.verdict.kind == "stuck"
    numbers = model.draws_.numbers()
    best = int(np.argmax([numbers.log_joint[numbers.chain == chain].mean() for chain in (0, 1)]))
    assert model.n_row_clusters_ in numbers.row_clusters[numbers.chain == best]
    assert len(model.draws_) == 20
    assert (model.predict_proba(x).argmax(axis=1) == model.row_labels_).all()


def test_room_for_draws_is_counted_before_the_work() -> None:
    draws = Options(burn_in=100, iterations=300, chains=2)
    assert 400 * 100_000 < draws.bytes_of_draws(100_000, 50, 1) < 1.5 * 400 * 100_000
    assert Options().bytes_of_draws(100_000, 50, 1) < 2**14


def test_new_rows_are_transformed_as_the_fitted_ones_and_new_columns_cannot_be_after_standardize_rows() -> None:
    means = np.array([[1.0, 3.0, 2.0], [3.0, 1.0, 2.0]]).repeat([20, 20], axis=0).repeat(4, axis=1)
    table = np.exp(np.random.default_rng(0).normal(means, 0.1))
    model = NPLBM(40, burn_in=20, column_transform="log,standardize-rows").fit(table)
    # A row's own scale is taken away: on the log scale a power and a factor.
    np.testing.assert_array_equal(model.predict(7.0 * table[::5] ** 3), model.row_labels_[::5])
    with pytest.raises(InputError, match="new columns cannot be judged after log,standardize-rows"):
        model.predict(table[:, :2], axis="columns")


def test_missing_cells_are_imputed(judge: tuple[NPLBM, np.ndarray]) -> None:
    model, table = judge
    mean, sd = model.impute(table)
    assert np.isfinite(mean).all()
    assert (sd > 0).sum() == 1
    block = model.block_means_[model.row_labels_[3], model.column_labels_[2]]
    assert abs(mean[3, 2] - block) < sd[3, 2]


def test_a_fit_without_draws_says_so_when_it_is_to_predict() -> None:
    table = np.random.default_rng(0).normal(size=(10, 4))
    with pytest.raises(AttributeError) as raised:
        NPLBM(5).fit(table).predict(table)
    assert "burn_in" in str(raised.value.__cause__)


@pytest.mark.parametrize("changes", [{"alpha": "much"}, {"n_draws": 1.5}, {"fix_row_clusters": 0}, {"sampler": "x"}])
def test_posterior_parameters_out_of_range_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InputError):
        NPLBM(**changes).fit(np.zeros((4, 3)))


def test_a_burn_in_alone_adds_to_the_default_iterations() -> None:
    model = NPLBM(burn_in=3).fit(np.random.default_rng(0).normal(size=(12, 5)))
    assert (model.n_iter_, len(model.draws_)) == (103, 100)


def test_several_chains_alone_keep_draws() -> None:
    model = NPLBM(10, n_chains=2).fit(np.random.default_rng(0).normal(size=(12, 5)))
    assert (len(model.draws_), model.diagnosis_.chains) == (10, 2)
    assert model.predict_proba(np.zeros((1, 5))).shape == (1, model.n_row_clusters_ + 1)


def test_one_cluster_is_noted_and_is_no_warning() -> None:
    x = np.random.default_rng(0).normal(size=(60, 5))
    model = NPLBM(5, start="one", pair_moves=False, alpha=1e-6).fit(x)
    assert model.n_row_clusters_ == 1
    assert (model.warnings_, len(model.notes_)) == ([], 1)
    assert model.notes_[0].startswith("all 60 rows are in one cluster")
