"""Cells of many numbers under a diagonal covariance, from the file to what is said of the result."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.metrics import adjusted_rand_score

from disnplbm import NPLBM
from disnplbm.errors import InputError
from disnplbm.model.joint import log_joint
from disnplbm.model.partition import log_crp
from disnplbm.model.prior import NIWPrior, default_prior

from .console import call, fit

N, P, K, L = 90, 12, 3, 2


def table(d: int, *, missing: bool = False, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """K x L blocks whose means differ in a tenth of the numbers, these in units far apart; and the row classes."""
    rng = np.random.default_rng(seed)
    rows, columns = np.arange(N) % K, np.arange(P) % L
    means = 2.0 * rng.normal(size=(K, L, d)) * (np.arange(d) % 10 == 0)
    values = means[rows][:, columns] + rng.normal(size=(N, P, d))
    if missing:
        values[rng.random((N, P)) < 0.1] = np.nan
    return values * np.geomspace(1e-3, 1e5, d) + 7.0, rows


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
@pytest.mark.parametrize(("d", "sampler"), [(2, "collapsed"), (100, "auto"), (1024, "auto")])
def test_clusters_of_cells_of_many_numbers_are_found(d: int, sampler: str, missing: bool) -> None:
    values, rows = table(d, missing=missing)
    if d == 2:
        values[..., 1] = values[..., 0] * 2.0
    model = NPLBM(30, covariance="diagonal", sampler=sampler).fit(values)
    if d > 2:
        assert adjusted_rand_score(rows, model.row_labels_) == 1.0
        assert model.n_column_clusters_ == L
    assert np.isfinite(model.log_joint_)


def test_more_than_64_numbers_need_a_diagonal_covariance_and_the_refusal_says_so(tmp_path: Path) -> None:
    values, _ = table(65)
    with pytest.raises(InputError, match=r"a cell is 65 numbers, .* at most 64: use covariance='diagonal'"):
        NPLBM(2).fit(values)
    np.save(tmp_path / "x.npy", values)
    refused = fit(tmp_path / "x.npy", tmp_path / "run")
    assert refused.code == 2
    assert "use --covariance diagonal" in refused.err
    assert not (tmp_path / "run" / "report.html").exists()
    np.save(tmp_path / "wide.npy", np.zeros((3, 2, 1025)))
    refused = fit(tmp_path / "wide.npy", tmp_path / "run", "--covariance", "diagonal")
    assert refused.code == 2
    assert "at most 1,024" in refused.err


def test_a_prior_given_as_a_whole_is_refused() -> None:
    values, _ = table(2)
    with pytest.raises(InputError, match="needs covariance = full"):
        NPLBM(2, covariance="diagonal", prior=NIWPrior(np.zeros(2), 1.0, np.eye(2), 3.0)).fit(values)
    with pytest.raises(InputError, match="needs covariance='full'"):
        NPLBM(2, covariance="diagonal", prior_scale="precision").fit(values)


@pytest.mark.parametrize("n_shards", [1, 4])
@pytest.mark.parametrize("sampler", ["collapsed", "split-merge"])
def test_bits_depend_on_neither_threads_nor_other_units(sampler: str, n_shards: int) -> None:
    values, _ = table(5)
    first = NPLBM(25, covariance="diagonal", sampler=sampler, n_shards=n_shards, n_jobs=1).fit(values)
    again = NPLBM(25, covariance="diagonal", sampler=sampler, n_shards=n_shards, n_jobs=3).fit(values)
    assert first.digest_ == again.digest_
    other = NPLBM(25, covariance="diagonal", sampler=sampler, n_shards=n_shards).fit(values * 2.0**7)
    np.testing.assert_array_equal(first.row_labels_, other.row_labels_)
    np.testing.assert_array_equal(first.column_labels_, other.column_labels_)


def test_a_cell_of_one_number_has_one_variance() -> None:
    values, _ = table(1)
    assert NPLBM(10, covariance="diagonal").fit(values).digest_ == NPLBM(10).fit(values).digest_


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
def test_the_log_joint_is_that_of_one_table_for_each_number(missing: bool) -> None:
    values, _ = table(3, missing=missing)
    model = NPLBM(5, covariance="diagonal", alpha=2.0).fit(values)
    z, w = model.row_labels_, model.column_labels_
    expected = log_crp(np.bincount(z), 2.0) + log_crp(np.bincount(w), 1.0)
    for a in range(3):
        cells = values[..., [a]]
        mean, variance = np.nanmean(cells), np.nanvar(cells)
        prior = default_prior([mean], [[variance]])
        of_number = log_joint(cells, z, w, prior, alpha=1.0, beta=1.0)
        expected += of_number - log_crp(np.bincount(z), 1.0) - log_crp(np.bincount(w), 1.0)
    assert model.log_joint_ == pytest.approx(expected, rel=1e-9)


def test_what_is_said_of_the_result() -> None:
    """Draws, certainty, new rows and missing cells, against normal cells with the known means and variances."""
    d = 80
    values, rows = table(d, missing=True)
    clean, _ = table(d)
    model = NPLBM(40, burn_in=20, covariance="diagonal").fit(values)
    assert adjusted_rand_score(rows, model.row_labels_) == 1.0
    assert model.block_means_.shape == (K, L, d)
    scale = np.geomspace(1e-3, 1e5, d)
    np.testing.assert_allclose(model.block_sds_ / scale, 1.0, atol=0.25)
    mean, sd = model.impute(values)
    holes = np.isnan(values)
    error = (mean[holes] - clean[holes]) / np.broadcast_to(scale, values.shape)[holes]
    assert 0.9 < np.sqrt((error**2).mean()) < 1.15
    np.testing.assert_allclose(sd[holes] / np.broadcast_to(scale, values.shape)[holes], 1.0, atol=0.3)
    new = clean[:K]
    proba = model.predict_proba(new)
    assert (proba.max(axis=1) > 0.999).all()
    # A row is about as dense as its cells are under the blocks that made them.
    centre = model.block_means_[model.row_labels_[:K]][:, model.column_labels_]
    truth = norm.logpdf(new, centre, scale).sum(axis=(1, 2))
    np.testing.assert_allclose(model.score_samples(new), truth, rtol=0.02)


def test_a_run_from_a_file_with_its_report_new_rows_and_filled_cells(tmp_path: Path) -> None:
    values, _ = table(70, missing=True)
    data, run = tmp_path / "x.npy", tmp_path / "run"
    np.save(data, values)
    np.save(tmp_path / "new.npy", values[:5])
    options = ("--covariance", "diagonal", "--chains", "2")
    ran = fit(data, run, *options, iterations=20)
    assert ran.code == 0, ran.err
    assert ran.record["row_clusters"] == K
    assert (run / "report.html").stat().st_size > 10_000
    assert json.loads((run / "run.json").read_text())["parameters"]["covariance"] == "diagonal"
    for command in (("predict", run, tmp_path / "new.npy"), ("impute", run, data, "--cells")):
        done = call(*command)
        assert done.code == 0, done.err
    four = fit(data, tmp_path / "four", *options, "--shards", "4", iterations=20)
    assert four.code == 0, four.err
    curve = ("--powers", "0.1,0.5,1", "--iterations", "16", "--output", tmp_path / "curve")
    calibrated = call("calibrate", data, "--covariance", "diagonal", *curve)
    assert calibrated.code == 0, calibrated.err
    assert "--covariance diagonal" in calibrated.out


def test_the_check_says_what_a_fit_needs(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", table(65)[0])
    checked = call("check", tmp_path / "x.npy")
    assert checked.code == 0, checked.err
    assert "note: a cell is 65 numbers, more than a full covariance takes: fit with --covariance" in checked.out
