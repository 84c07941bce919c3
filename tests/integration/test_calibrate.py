"""``disnplbm calibrate``: the curve, the chosen power, what is written and what is refused."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path

import numpy as np
import pytest

from disnplbm.engine.calibrate import POWERS, batch_error, expected_log_likelihood
from disnplbm.families.gaussian.niw import block_posterior, draw_parameters
from disnplbm.model.prior import default_prior
from disnplbm.model.statistics import Statistics, summarise

from .console import assert_refused, blocks, call, ok

QUICK = ("--powers", "0.2,0.5,1", "--iterations", 40)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """3 x 2 blocks, with one missing cell."""
    path = tmp_path_factory.mktemp("data") / "x.npy"
    x, _, _ = blocks()
    x[4, 5] = np.nan
    np.save(path, x)
    return path


def test_blocks_that_the_model_fits_give_power_1_and_their_own_fit(data: Path, tmp_path: Path) -> None:
    record = ok(call("calibrate", data, "--output", tmp_path / "out", *QUICK, "--json"))
    assert (record["power"], record["reason"]) in {(1.0, "flat"), (1.0, "level")}
    last = record["curve"][-1]
    assert (last["row_clusters"], last["column_clusters"]) == (pytest.approx(3, abs=0.5), pytest.approx(2, abs=0.5))
    # Cells have standard deviation 1 within their block.
    assert last["fit"] == pytest.approx(-0.5 * np.log(2 * np.pi) - 0.5, abs=0.08)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["calibration.csv", "calibration.html"]
    with (tmp_path / "out" / "calibration.csv").open(newline="") as file:
        written = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    assert written == record["curve"]
    page = (tmp_path / "out" / "calibration.html").read_text()
    assert record["sentence"] in page
    assert record["ends"] in page
    # The walk begins with the chain at power 1.
    assert all(last[name] == last[f"{name}_walked"] for name in ("fit", "row_clusters", "column_clusters"))


def test_cells_that_a_fit_takes_as_counts_are_taken_as_real_numbers_and_said_so(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.random.default_rng(0).poisson(0.5, (40, 8)))
    outcome = call("calibrate", path, "--output", tmp_path / "out", *QUICK)
    said = "calibrate is for real numbers, and the cells look like counts: the power is for a fit with --cells gaussian"
    assert f"note: {said}" in outcome.err.splitlines()
    with (tmp_path / "out" / "calibration.csv").open(newline="") as file:
        other = [row["fit"] != row["fit_walked"] for row in csv.DictReader(file)]
    assert other == [True, True, False]
    assert " --cells gaussian " in next(line for line in outcome.out.splitlines() if line.startswith("next "))


def test_fit_is_in_the_units_of_the_data(data: Path, tmp_path: Path) -> None:
    larger = tmp_path / "larger.npy"
    np.save(larger, np.load(data) * 1024)
    small = ok(call("calibrate", data, "--output", tmp_path / "a", *QUICK, "--json"))["curve"]
    large = ok(call("calibrate", larger, "--output", tmp_path / "b", *QUICK, "--json"))["curve"]
    assert [a["fit"] - b["fit"] for a, b in zip(small, large, strict=True)] == pytest.approx([np.log(1024)] * 3)


def test_a_power_runs_the_same_whatever_others_run_before_it_and_with_any_threads(data: Path, tmp_path: Path) -> None:
    one, many = (
        ok(call("calibrate", data, "--output", tmp_path / name, "--iterations", 20, "--shards", 2, *options, "--json"))
        for name, options in (("a", ("--powers", "1", "--threads", 1)), ("b", ("--powers", "0.1,1", "--threads", 2)))
    )
    assert one["curve"][-1] == many["curve"][-1]


def test_the_line_to_go_on_with_fits(data: Path, tmp_path: Path) -> None:
    options = ("--alpha", "learn", "--seed", 3)
    outcome = call("calibrate", data, "--output", tmp_path / "out", *QUICK, *options)
    assert outcome.code == 0, outcome
    words = shlex.split(outcome.out.splitlines()[-1].removeprefix("next "))
    assert words[3:7] == ["--alpha", "learn", "--seed", "3"]
    assert words[-6:-1] == ["--chains", "4", "--power", "1", "--output"]
    assert words[-1].endswith("-power-1")
    assert call(*words[1:-1], tmp_path / words[-1]).code == 0


def test_a_filled_folder_is_spared_without_force(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    assert_refused(call("calibrate", data, "--output", out, *QUICK), "not empty", "--force")
    assert call("calibrate", data, "--output", out, *QUICK, "--force").code == 0
    assert (out / "mine.txt").read_text() == "mine"


def test_the_input_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "calibration.csv"
    path.write_text("a,b\n1,2\n3,5\n")
    assert_refused(call("calibrate", path, "--output", tmp_path, "--force"), "is the input")
    assert path.read_text() == "a,b\n1,2\n3,5\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--powers", "0.5,x"), ("--powers", "0.5,x")),
        (("--powers", "1,0.5"), ("the powers 1,0.5 must rise", "use 0.5,1")),
        (("--powers", "0.1,0.5"), ("the powers 0.1,0.5 must rise", "use 0.1,0.5,1")),
        (("--powers", "0,1"), ("powers",)),
        (("--powers", "nan,1"), ("powers",)),
        (("--iterations", 7), ("iterations = 7",)),
        (("--iterations", -3), ("--iterations -3",)),
        (("--alpha", "much"), ("--alpha",)),
        (("--shards", 0), ("--shards",)),
        (("--threads", 0), ("--threads",)),
        (("--row-classes", "nothing"), ("nothing",)),
    ],
)
def test_bad_options_are_one_clear_line_and_leave_nothing(
    data: Path, tmp_path: Path, options: tuple[object, ...], words: tuple[str, ...]
) -> None:
    assert_refused(call("calibrate", data, "--output", tmp_path / "out", *options), *words)
    assert not (tmp_path / "out").exists()


def test_the_default_powers_of_command_and_engine_agree() -> None:
    from disnplbm.cli.calibrate import command

    (option,) = (parameter for parameter in command.params if parameter.name == "powers")
    assert [float(word) for word in option.default.split(",")] == list(POWERS)


def test_expected_log_likelihood_is_the_mean_over_drawn_parameters() -> None:
    rng = np.random.default_rng(5)
    cells = [rng.normal(shift, 2.0, size=(size, 1)) for shift, size in ((0.0, 4), (3.0, 9))]
    block = Statistics.empty((3,), 1)
    for index, values in enumerate(cells):
        block[index] = summarise(values)
    prior = default_prior([0.5], [[3.0]])
    posterior = block_posterior(block, prior, 0.4)
    sums = []
    for _ in range(4000):
        mean, variance = (values[:, 0] for values in draw_parameters(posterior, rng))
        sums.append(
            sum(
                (-0.5 * np.log(2 * np.pi * v) - (x - m) ** 2 / (2 * v)).sum()
                for x, m, v in zip(cells, mean, variance, strict=False)
            )
        )
    error = np.std(sums) / np.sqrt(len(sums))
    assert expected_log_likelihood(block, prior, 0.4) == pytest.approx(np.mean(sums), abs=4 * error)


def test_expected_log_likelihood_of_vectors_is_the_mean_over_wishart_draws() -> None:
    from scipy.stats import invwishart, multivariate_normal

    rng = np.random.default_rng(6)
    cells = rng.normal(size=(12, 2)) @ np.array([[2.0, 1.0], [0.0, 0.5]])
    block = Statistics.empty((1,), 2)
    block[0] = summarise(cells)
    prior = default_prior([0.0, 1.0], [[2.0, 0.3], [0.3, 1.0]])
    posterior = block_posterior(block, prior, 0.7)
    psi = posterior.root[0, 0] @ posterior.root[0, 0].T
    sums = []
    for sigma in invwishart(posterior.nu[0, 0], psi).rvs(3000, random_state=rng):
        mean = rng.multivariate_normal(posterior.mu[0, 0], sigma / posterior.kappa[0, 0])
        sums.append(multivariate_normal(mean, sigma).logpdf(cells).sum())
    error = np.std(sums) / np.sqrt(len(sums))
    assert expected_log_likelihood(block, prior, 0.7) == pytest.approx(np.mean(sums), abs=4 * error)


def test_batch_means_see_that_neighbours_are_alike() -> None:
    steps = np.repeat(np.array([0.0, 1.0, 0.0, 1.0]), 4)
    # Four batches of four: their means are 0, 1, 0, 1.
    assert batch_error(steps) == pytest.approx(np.sqrt(1 / 3) / 2)
    assert batch_error(np.append(100.0, steps)) == pytest.approx(np.sqrt(1 / 3) / 2)
