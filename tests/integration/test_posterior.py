"""What a run says beyond its last state: draws, estimates, chains, prediction and imputation, from the command line."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm.posterior.draw_store import open_draws

from .console import Outcome, assert_refused, blocks, call, command, fit, quiet

WIDE = ("--burn-in", 20)


def ok(outcome: Outcome) -> dict[str, Any]:
    assert outcome.code == 0, outcome
    return outcome.record


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A 60-row table with a missing cell, its complete twin, and rows that are like none of it."""
    folder = tmp_path_factory.mktemp("data")
    x, _, _ = blocks()
    np.save(folder / "complete.npy", x)
    np.save(folder / "odd.npy", np.vstack([x[:3], np.full((2, x.shape[1]), 60.0) * (-1) ** np.arange(x.shape[1])]))
    x[4, 5] = np.nan
    np.save(folder / "x.npy", x)
    return folder


@pytest.fixture(scope="module")
def run(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "run"
    ok(fit(data / "x.npy", folder, *WIDE, "--sampler", "split-merge", iterations=60))
    return folder


def test_draws_are_kept_after_the_burn_in_and_the_consensus_is_reported(run: Path) -> None:
    record = json.loads((run / "run.json").read_text())
    assert record["estimate"] == "consensus"
    assert record["posterior"]["draws"] == 40
    assert sum(record["posterior"]["both"].values()) == pytest.approx(1.0)
    draws = open_draws(run / "draws.npz")
    assert draws.numbers().iteration.tolist() == list(range(21, 61))
    trace = table(run / "trace.csv")
    assert [float(trace[t - 1]["log_joint"]) for t in draws.numbers().iteration] == draws.numbers().log_joint.tolist()
    assert all(0 <= float(row["confidence"]) <= 1 for row in table(run / "rows.csv") + table(run / "columns.csv"))
    for block in table(run / "blocks.csv"):
        assert float(block["mean_low"]) < float(block["mean_posterior"]) < float(block["mean_high"])
        assert float(block["sd_low"]) < float(block["sd_posterior"]) < float(block["sd_high"])


def test_a_number_of_draws_is_kept_at_even_distances_up_to_the_last_iteration(data: Path, tmp_path: Path) -> None:
    assert ok(fit(data / "x.npy", tmp_path / "run", "--draws", 5, iterations=60))["posterior"]["draws"] == 5
    assert open_draws(tmp_path / "run" / "draws.npz").numbers().iteration.tolist() == [36, 42, 48, 54, 60]


def test_without_burn_in_and_draws_the_last_state_is_reported(data: Path, tmp_path: Path) -> None:
    record = ok(fit(data / "x.npy", tmp_path / "run", iterations=5))
    assert record["estimate"] == "last"
    assert "posterior" not in record
    assert not (tmp_path / "run" / "draws.npz").exists()


def test_the_estimate_is_the_one_asked_for(data: Path, tmp_path: Path) -> None:
    noise = tmp_path / "noise.npy"
    np.save(noise, np.random.default_rng(2).normal(size=(30, 12)))
    for estimate in ("map", "last"):
        folder = tmp_path / estimate
        assert ok(fit(noise, folder, *WIDE, "--estimate", estimate, iterations=60))["estimate"] == estimate
        draws = open_draws(folder / "draws.npz")
        wanted = int(np.argmax(draws.numbers().log_joint)) if estimate == "map" else len(draws) - 1
        assert [int(row["label"]) for row in table(folder / "rows.csv")] == draws.row_labels(wanted).tolist()


def test_an_estimate_that_needs_draws_is_refused_without(data: Path, tmp_path: Path) -> None:
    assert_refused(fit(data / "x.npy", tmp_path / "run", "--estimate", "map"), "needs draws", "burn-in")


@pytest.mark.parametrize("number", [-1, 101])
def test_a_number_of_draws_that_does_not_fit_is_refused(data: Path, tmp_path: Path, number: int) -> None:
    assert_refused(fit(data / "x.npy", tmp_path / "run", "--draws", number), f"draws = {number}")


def test_chains_are_independent_pooled_and_compared(data: Path, tmp_path: Path) -> None:
    one = ok(fit(data / "x.npy", tmp_path / "one", *WIDE, iterations=40))
    two = ok(fit(data / "x.npy", tmp_path / "two", *WIDE, "--chains", 2, iterations=40))
    assert (two["chains"], two["posterior"]["draws"]) == (2, 40)
    assert two["digest"] != one["digest"]
    first, second = (
        [row["log_joint"] for row in table(tmp_path / "two" / "trace.csv") if row["chain"] == chain] for chain in "01"
    )
    assert first == [row["log_joint"] for row in table(tmp_path / "one" / "trace.csv")]
    assert first != second
    assert np.shape(two["diagnosis"]["row_ari"]) == (2, 2)


def test_a_killed_run_of_several_chains_goes_on_to_the_same_result(data: Path, tmp_path: Path) -> None:
    options = (*WIDE, "--chains", 2, "--sampler", "split-merge", "--alpha", "learn")
    undisturbed = ok(fit(data / "x.npy", tmp_path / "undisturbed", *options, iterations=300))
    words = command("fit", data / "x.npy", "--output", tmp_path / "run", "--iterations", 300, "--json", *options)
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=quiet())
    while child.poll() is None and not (tmp_path / "run" / ".disnplbm" / "draws" / "1").exists():
        pass
    child.kill()
    child.wait()
    resumed = ok(call("resume", tmp_path / "run", "--json"))
    assert resumed["digest"] == undisturbed["digest"]
    files = [folder / "draws.npz" for folder in (tmp_path / "run", tmp_path / "undisturbed")]
    (left, right) = (open_draws(file) for file in files)
    np.testing.assert_array_equal(left.labels("rows"), right.labels("rows"))
    np.testing.assert_array_equal(left.numbers().alpha, right.numbers().alpha)


def test_concentrations_are_learned_and_traced(data: Path, tmp_path: Path) -> None:
    ok(fit(data / "x.npy", tmp_path / "run", "--alpha", "learn", iterations=20))
    trace = table(tmp_path / "run" / "trace.csv")
    assert len({row["alpha"] for row in trace}) == 20
    assert {row["beta"] for row in trace} == {"1.0"}
    assert_refused(fit(data / "x.npy", tmp_path / "other", "--alpha", "much"), "--alpha", "learn")


@pytest.mark.parametrize("sampler", ["collapsed", "split-merge"])
@pytest.mark.parametrize("shards", [1, 3])
def test_fixed_numbers_of_clusters_are_never_exceeded(tmp_path: Path, sampler: str, shards: int) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(40, 30)).cumsum(axis=0))
    limits = ("--fix-row-clusters", 4, "--fix-column-clusters", 2, "--sampler", sampler, "--shards", shards)
    ok(fit(tmp_path / "x.npy", tmp_path / "run", *limits, iterations=40))
    trace = table(tmp_path / "run" / "trace.csv")
    assert max(int(row["row_clusters"]) for row in trace) == 4
    assert max(int(row["column_clusters"]) for row in trace) == 2


def test_split_merge_gives_the_same_bytes_for_any_number_of_threads(data: Path, tmp_path: Path) -> None:
    options = ("--sampler", "split-merge", "--shards", 4, *WIDE)
    digests = {
        ok(fit(data / "x.npy", tmp_path / str(threads), *options, "--threads", threads, iterations=60))["digest"]
        for threads in (1, 3)
    }
    assert len(digests) == 1


def test_new_rows_get_their_clusters_and_odd_ones_none(data: Path, run: Path) -> None:
    outcome = call("predict", run, data / "odd.npy")
    assert outcome.code == 0, outcome
    found = list(csv.DictReader(io.StringIO(outcome.out)))
    fitted = [row["label"] for row in table(run / "rows.csv")[:3]]
    assert [row["label"] for row in found] == [*fitted, "-1", "-1"]
    assert float(found[0]["log_density"]) > float(found[3]["log_density"]) + 20


def test_missing_cells_are_imputed_near_their_block(data: Path, run: Path, tmp_path: Path) -> None:
    assert call("impute", run, data / "x.npy", "--output", tmp_path / "filled.csv").code == 0
    (cell,) = table(tmp_path / "filled.csv")
    truth = np.load(data / "complete.npy")[4, 5]
    assert (cell["row"], cell["column"]) == ("4", "5")
    assert abs(float(cell["mean"]) - truth) < 4 * float(cell["sd"])


def test_what_predict_and_impute_cannot_do_is_said(data: Path, run: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "narrow.npy", np.zeros((3, 4)))
    np.save(tmp_path / "short.npy", np.load(data / "x.npy")[:9])
    ok(fit(data / "x.npy", tmp_path / "without", iterations=5))
    assert_refused(call("predict", run, tmp_path / "narrow.npy"), "4 columns", "same columns")
    assert_refused(call("impute", run, tmp_path / "short.npy"), "9 rows", "fitted")
    assert_refused(call("predict", tmp_path / "without", data / "x.npy"), "no draws", "--burn-in")
    assert_refused(call("predict", tmp_path, data / "x.npy"), "no finished run")
