"""What a run says beyond its last state: draws, estimates, chains, prediction and imputation, from the command line."""

from __future__ import annotations

import csv
import html
import io
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm.cli.flags import flag
from disnplbm.model.joint import log_joint
from disnplbm.model.prior import default_prior
from disnplbm.notes import from_plain, say
from disnplbm.posterior.consensus import expected_loss
from disnplbm.posterior.draw_store import open_draws
from disnplbm.posterior.similarity import similarity
from disnplbm.posterior.similarity_store import load_similarities

from .case_data import one_or_two_clusters
from .console import Outcome, assert_refused, blocks, call, command, fit, ok, quiet, report_of, save_csv

WIDE = ("--burn-in", 20)


def ok_record(folder: Path) -> dict[str, Any]:
    """What the run in a folder says of itself."""
    record: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return record


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
    assert record["verdict"]["kind"] == "no_draws"
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


def test_the_consensus_is_by_the_loss_asked_for(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", rng.normal(size=(80, 12)) + rng.normal(size=(9, 12))[rng.integers(0, 9, 80)])
    folders = {loss: tmp_path / str(loss) for loss in (None, "vi", "binder")}
    for loss, folder in folders.items():
        asked = () if loss is None else ("--loss", loss)
        record = ok(fit(tmp_path / "x.npy", folder, *WIDE, *asked, iterations=80))
        assert record["posterior"]["expected_loss"]["kind"] == (loss or "vi")
        assert record["parameters"]["loss"] == loss
    draws = open_draws(folders["vi"] / "draws.npz").labels("rows")
    labels = {loss: np.array([int(row["label"]) for row in table(path / "rows.csv")]) for loss, path in folders.items()}
    np.testing.assert_array_equal(labels[None], labels["vi"])
    assert expected_loss(draws, labels["vi"], "vi") < expected_loss(draws, labels["binder"], "vi")
    assert expected_loss(draws, labels["binder"], "binder") < expected_loss(draws, labels["vi"], "binder")


def test_a_loss_without_draws_and_an_unknown_one_are_refused(data: Path, tmp_path: Path) -> None:
    assert_refused(fit(data / "x.npy", tmp_path / "run", "--loss", "vi"), "loss", "needs draws", "burn-in")
    assert call("fit", data / "x.npy", "--output", tmp_path / "run", *WIDE, "--loss", "x").code == 2
    assert not (tmp_path / "run").exists()


def test_the_log_joint_is_that_of_what_is_reported(tmp_path: Path) -> None:
    np.save(tmp_path / "noise.npy", np.random.default_rng(2).normal(size=(30, 12)))
    records = {}
    for estimate in ("consensus", "map", "last"):
        folder = tmp_path / estimate
        options = (*WIDE, "--chains", 2, "--estimate", estimate)
        records[estimate] = ok(fit(tmp_path / "noise.npy", folder, *options, iterations=60))
    trace = table(tmp_path / "last" / "trace.csv")
    ends = [float(line["log_joint"]) for line in trace if line["iteration"] == "60"]
    assert all(record["last_log_joint"] == ends for record in records.values())
    assert records["last"]["log_joint"] == ends[0]
    draws = open_draws(tmp_path / "map" / "draws.npz")
    assert records["map"]["log_joint"] == draws.numbers().log_joint.max()
    rows, columns = (
        np.array([int(row["label"]) for row in table(tmp_path / "consensus" / f"{axis}.csv")])
        for axis in ("rows", "columns")
    )
    x = np.load(tmp_path / "noise.npy")[..., None]
    prior = default_prior([x.mean()], [[x.var()]])
    assert records["consensus"]["log_joint"] == pytest.approx(log_joint(x, rows, columns, prior, alpha=1.0, beta=1.0))
    report = report_of(tmp_path / "consensus")
    assert (report["shown"], report["run"]["log_joint"]) == ("consensus", records["consensus"]["log_joint"])


def test_how_often_rows_and_columns_are_together_is_kept(run: Path) -> None:
    found, draws = load_similarities(run / "similarity.npz"), open_draws(run / "draws.npz")
    assert found.draws == len(draws)
    assert (found.rows.items.shape, found.columns.items.shape) == ((60, 60), (12, 12))
    np.testing.assert_allclose(found.rows.items / found.draws, similarity(draws.labels("rows")), atol=1e-6)
    assert found.rows.clusters.shape == (3, 3)
    assert [axis["picture"]["items"]["count"] for axis in report_of(run)["certainty"]["axes"]] == [60, 12]


def test_every_block_is_checked_for_normality(data: Path, run: Path, tmp_path: Path) -> None:
    for block in table(run / "blocks.csv"):
        assert abs(float(block["skewness"])) < 1
        assert 1e-4 < float(block["ppc"]) <= 1
    x, _, _ = blocks()
    x[::3, ::2] = np.exp(x[::3, ::2])
    np.save(tmp_path / "x.npy", x)
    for axis in ("rows", "columns"):
        outcome = call("fit", tmp_path / "x.npy", "--output", tmp_path / axis, "--shard-axis", axis, "--shards", 2)
        assert outcome.code == 0
        record = json.loads((tmp_path / axis / "run.json").read_text())
        odd = [block for block in table(tmp_path / axis / "blocks.csv") if block["ppc"] and float(block["ppc"]) < 1e-6]
        assert 0 < len(odd) == record["ppc"]["not_normal"] < record["ppc"]["judged"]
        assert all(float(block["skewness"]) > 0.5 for block in odd)
        sentence = record["ppc"]["sentence"]
        assert f"{len(odd)} of the" in sentence
        assert sentence in outcome.out
        assert report_of(tmp_path / axis)["run"]["ppc"]["sentence"] == sentence


@pytest.mark.parametrize(("kind", "word"), [("votes", "votes?"), ("counts", "counts?"), ("floor", "detection limit?")])
def test_cells_that_are_not_measured_are_noted_in_the_output_and_in_the_report(
    tmp_path: Path, kind: str, word: str
) -> None:
    rng, x = np.random.default_rng(0), blocks(120)[0]
    cells = {"votes": (x > rng.normal(6, 4, x.shape)) * 1.0, "counts": rng.poisson(x.clip(0) / 4 + 1.0)}
    np.save(tmp_path / "x.npy", cells.get(kind, np.maximum(x, 1.0)))
    asked = "--iterations", 20, "--cells", "gaussian"
    outcome = call("fit", tmp_path / "x.npy", "--output", tmp_path / "run", *asked)
    assert outcome.code == 0
    (note,) = (line for line in outcome.err.splitlines() if word in line)
    shown = report_of(tmp_path / "run")["run"]["notes"]
    assert note.removeprefix("note: ") in [say(from_plain(each), flag) for each in shown]


def test_chains_that_disagree_are_told_once(tmp_path: Path) -> None:
    np.save(tmp_path / "noise.npy", np.random.default_rng(3).normal(size=(60, 20)).cumsum(axis=0))
    outcome = call(
        "fit", tmp_path / "noise.npy", "--output", tmp_path / "run", *WIDE, "--iterations", 40, "--chains", 2
    )
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["diagnosis"]["agree"] is False
    sentence = record["diagnosis"]["sentence"]
    assert sentence.startswith("Not settled: ")
    assert (outcome.out + outcome.err).count(sentence) == 1
    assert "(rows x columns), not settled: " in outcome.out
    assert not [line for line in record["warnings"] if "chains" in line]
    assert html.unescape((tmp_path / "run" / "report.html").read_text(encoding="utf-8")).count(sentence) == 1


def test_an_estimate_that_needs_draws_is_refused_without(data: Path, tmp_path: Path) -> None:
    assert_refused(fit(data / "x.npy", tmp_path / "run", "--estimate", "map"), "needs draws", "burn-in")


@pytest.mark.parametrize("number", [-1, 101])
def test_a_number_of_draws_that_does_not_fit_is_refused(data: Path, tmp_path: Path, number: int) -> None:
    assert_refused(fit(data / "x.npy", tmp_path / "run", "--draws", number), f"--draws {number}")


def test_draws_without_a_burn_in_are_of_the_second_half(data: Path, tmp_path: Path) -> None:
    assert_refused(fit(data / "x.npy", tmp_path / "run", "--draws", 11, iterations=20), "10 iterations", "second half")
    assert_refused(
        fit(data / "x.npy", tmp_path / "run", "--draws", 11, "--burn-in", 12, iterations=20), "8 iterations after the"
    )
    ok(fit(data / "x.npy", tmp_path / "run", "--draws", 10, iterations=20))
    assert [draw.iteration for draw in open_draws(tmp_path / "run" / "draws.npz")] == list(range(11, 21))


@pytest.mark.parametrize(
    ("estimate", "noun"), [("consensus", "consensus"), ("map", "MAP draw"), ("last", "last state")]
)
def test_people_are_told_what_the_draws_say(data: Path, tmp_path: Path, estimate: str, noun: str) -> None:
    options = ("--iterations", 6, "--draws", 1, "--estimate", estimate, "--output", tmp_path / "run")
    outcome = call("fit", data / "x.npy", *options)
    assert outcome.code == 0, outcome
    assert f"of 1 draw; row labels of the {noun} are 100% certain on average" in outcome.out


def test_chains_are_independent_pooled_and_compared(data: Path, tmp_path: Path) -> None:
    one = ok(fit(data / "x.npy", tmp_path / "one", *WIDE, iterations=40))
    two = ok(fit(data / "x.npy", tmp_path / "two", *WIDE, "--chains", 2, iterations=40))
    assert (two["chains"], two["posterior"]["draws"]) == (2, 20 * len(two["posterior"]["chains"]))
    assert len(open_draws(tmp_path / "two" / "draws.npz")) == 40
    assert two["digest"] != one["digest"]
    first, second = (
        [row["log_joint"] for row in table(tmp_path / "two" / "trace.csv") if row["chain"] == chain] for chain in "01"
    )
    assert first == [row["log_joint"] for row in table(tmp_path / "one" / "trace.csv")]
    assert first != second
    assert np.shape(two["diagnosis"]["row_ari"]) == (2, 2)


@pytest.mark.long
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
    assert call("impute", run, data / "x.npy", "--cells", "--output", tmp_path / "cells.csv").code == 0
    (cell,) = table(tmp_path / "cells.csv")
    truth = np.load(data / "complete.npy")[4, 5]
    assert (cell["row"], cell["column"]) == ("4", "5")
    assert abs(float(cell["mean"]) - truth) < 4 * float(cell["sd"])
    assert cell["value"] == cell["mean"]


def test_the_value_of_a_missing_cell_is_in_the_units_of_the_data(data: Path, tmp_path: Path) -> None:
    x = np.exp(np.load(data / "complete.npy") / 5)
    holed = x.copy()
    holed[4, 5] = np.nan
    np.save(tmp_path / "x.npy", holed)
    ok(fit(tmp_path / "x.npy", tmp_path / "run", "--transform", "log,center", "--burn-in", 20, iterations=40))
    outcome = call("impute", tmp_path / "run", tmp_path / "x.npy", "--cells", "--output", tmp_path / "cells.csv")
    assert outcome.code == 0
    (cell,) = table(tmp_path / "cells.csv")
    # Mean and sd are of logarithms.
    assert abs(float(cell["mean"]) - np.log(x[4, 5])) < 4 * float(cell["sd"])
    assert float(cell["value"]) == pytest.approx(np.exp(float(cell["mean"])), rel=1e-12)


def test_impute_writes_the_filled_table(data: Path, run: Path, tmp_path: Path) -> None:
    holed, truth = np.load(data / "x.npy"), np.load(data / "complete.npy")
    assert call("impute", run, data / "x.npy", "--output", tmp_path / "filled.csv").code == 0
    filled = np.loadtxt(tmp_path / "filled.csv", delimiter=",", skiprows=1)
    assert filled.shape == (len(holed), holed.shape[1] + 1)
    known = ~np.isnan(holed)
    np.testing.assert_array_equal(filled[:, 1:][known], holed[known])
    (cell,) = csv.DictReader(io.StringIO(call("impute", run, data / "x.npy", "--cells").out))
    assert filled[4, 1 + 5] == float(cell["value"])
    assert abs(filled[4, 1 + 5] - truth[4, 5]) < 4 * float(cell["sd"])


def test_predict_takes_known_classes_as_fit_does(data: Path, run: Path, tmp_path: Path) -> None:
    x, labels = np.load(data / "x.npy"), [row["label"] for row in table(run / "rows.csv")]
    columns = [f"c{j}" for j in range(x.shape[1])]
    with (tmp_path / "new.csv").open("w") as file:
        rows = csv.writer(file)
        rows.writerow([*columns, "kind"])
        rows.writerows([*map(repr, row.tolist()), f"k{label}"] for row, label in zip(x, labels, strict=True))
    (tmp_path / "classes.txt").write_text("\n".join(f"k{label}" for label in labels) + "\n")
    by_column = call("predict", run, tmp_path / "new.csv", "--row-classes", "kind")
    by_file = call("predict", run, data / "x.npy", "--row-classes", tmp_path / "classes.txt")
    for outcome in (by_column, by_file):
        assert outcome.code == 0, outcome
        assert "ARI 1.00" in outcome.err
    assert by_column.out.splitlines()[0].endswith(",class")
    assert_refused(call("predict", run, data / "x.npy", "--axis", "columns", "--row-classes", "kind"), "--axis rows")


@pytest.fixture(scope="module")
def turned(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of people in columns, with gaps, that needs options, and a run fitted to it."""
    x, folder = np.load(data / "x.npy"), tmp_path_factory.mktemp("turned")
    _write_turned(folder / "x.csv", x)
    options = (*WIDE, "--transpose", "--id-column", "measure", "--drop-column", "remark", "--missing", "?")
    ok(fit(folder / "x.csv", folder / "run", *options, iterations=40))
    return folder


def _write_turned(path: Path, x: np.ndarray, sign: str = ",", remark: str | None = "a word") -> None:
    lines = [["measure", *(["remark"] if remark else []), *(f"p{i}" for i in range(len(x)))]]
    for j, column in enumerate(x.T.tolist()):
        cells = ["?" if np.isnan(number) else repr(number) for number in column]
        lines.append([f"m{j}", *([remark] if remark else []), *cells])
    path.write_text("\n".join(sign.join(line) for line in lines) + "\n")


def test_a_new_table_is_read_as_that_of_the_run(data: Path, turned: Path) -> None:
    x, run = np.load(data / "x.npy"), turned / "run"
    assert ok_record(run)["data"]["reading"] == {
        **{"id_column": "measure", "class_column": None, "header": "auto"},
        **{"missing": ["?"], "drop_columns": ["remark"], "transpose": True},
    }
    same = call("predict", run, turned / "x.csv")
    assert labels_of(same) == [row["label"] for row in table(run / "rows.csv")]
    asked = "note: read as the table of the run was: --id-column measure --missing '?'"
    assert f"{asked} --drop-column remark --transpose" in same.err
    _write_turned(turned / "new.csv", x[:7], remark=None)
    bare = call("predict", run, turned / "new.csv")
    assert labels_of(bare) == labels_of(same)[:7]
    assert f"{asked} --transpose" in bare.err
    filled = call("impute", run, turned / "x.csv", "--output", turned / "filled.csv")
    assert filled.code == 0, filled
    assert filled.out.endswith("filled.csv: 1 missing cell of 1 column (m5) filled\n")
    assert not any(cell == "" for row in table(turned / "filled.csv") for cell in row.values())


def test_what_is_asked_for_comes_before_what_the_run_did(data: Path, turned: Path) -> None:
    x, run = np.load(data / "x.npy"), turned / "run"
    (turned / "straight.csv").write_text(
        "\n".join(
            [
                ";".join(["id", "sex", *(f"m{j}" for j in range(12))]),
                *(";".join([f"q{i}", "f", *("" if np.isnan(v) else repr(v) for v in x[i].tolist())]) for i in range(5)),
            ]
        )
    )
    found = call("predict", run, turned / "straight.csv", "--no-transpose", "--drop-column", "sex")
    assert labels_of(found) == [row["label"] for row in table(run / "rows.csv")][:5]
    np.save(turned / "x.npy", x.T)
    assert labels_of(call("predict", run, turned / "x.npy")) == [row["label"] for row in table(run / "rows.csv")]
    assert_refused(call("predict", run, turned / "straight.csv", "--drop-column", "gender"), "no column 'gender'")


def test_the_classes_of_a_new_table_are_in_the_column_that_the_run_had_them_in(data: Path, tmp_path: Path) -> None:
    x = np.load(data / "complete.npy")
    lines = [["sex", "diagnosis", *(f"c{j}" for j in range(12))]]
    lines += [["f" if i % 2 else "m", "ab"[i % 2], *map(repr, row)] for i, row in enumerate(x.tolist())]
    (tmp_path / "x.csv").write_text("\n".join(map(",".join, lines)) + "\n")
    options = (*WIDE, "--row-classes", "diagnosis", "--drop-column", "sex")
    ok(fit(tmp_path / "x.csv", tmp_path / "run", *options, iterations=40))
    found = call("predict", tmp_path / "run", tmp_path / "x.csv", "--output", tmp_path / "new.csv")
    assert found.code == 0, found
    assert "new.csv: 60 rows, 0 of them in none of the clusters" in found.out
    assert "--row-classes diagnosis" in found.err
    assert "against the known classes" in found.err
    # The same column may be asked for in another way.
    for asked in (("--drop-column", "diagnosis"), ("--row-classes", "sex", "--drop-column", "diagnosis")):
        other = call("predict", tmp_path / "run", tmp_path / "x.csv", *asked)
        assert labels_of(other) == [row["label"] for row in table(tmp_path / "new.csv")]
    assert "read as the table of the run" not in other.err
    assert [row["class"] for row in table(tmp_path / "new.csv")] == ["ab"[i % 2] for i in range(60)]


def test_what_predict_and_impute_cannot_do_is_said(data: Path, run: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "narrow.npy", np.zeros((3, 4)))
    np.save(tmp_path / "short.npy", np.load(data / "x.npy")[:9])
    ok(fit(data / "x.npy", tmp_path / "without", iterations=5))
    np.save(tmp_path / "flat.npy", np.zeros((3, 12, 2)))
    assert_refused(call("predict", run, tmp_path / "narrow.npy"), "4 columns", "same columns")
    assert_refused(call("predict", run, tmp_path / "flat.npy"), "cells of 2 numbers")
    np.save(tmp_path / "endless.npy", np.where(np.eye(3, 12), np.inf, 0.0))
    assert_refused(call("predict", run, tmp_path / "endless.npy"), "inf is not a finite number")
    assert_refused(call("predict", run, tmp_path / "narrow.npy", "--drop-column", "class"), "--drop-column class")
    (tmp_path / "words.csv").write_text(",".join(f"c{j}" for j in range(12)) + "\n" + ("a,1" + ",2" * 10 + "\n") * 3)
    assert_refused(call("predict", run, tmp_path / "words.csv"), "line 2, column c0", "--row-classes c0")
    assert_refused(call("impute", run, tmp_path / "short.npy"), "9 rows", "fitted")
    assert_refused(call("predict", tmp_path / "without", data / "x.npy"), "no draws", "--burn-in")
    assert_refused(call("predict", tmp_path, data / "x.npy"), "no finished run")


@pytest.fixture(scope="module")
def named(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table whose rows and columns have names, and a run fitted to it."""
    folder = tmp_path_factory.mktemp("named")
    save_csv(folder / "x.csv", np.load(data / "complete.npy"), [f"r{i}" for i in range(60)])
    options = (*WIDE, "--id-column", "id", "--transform", "standardize", "--shard-axis", "columns")
    ok(fit(folder / "x.csv", folder / "run", *options, iterations=40))
    return folder


def labels_of(outcome: Outcome) -> list[str]:
    assert outcome.code == 0, outcome
    return [row["label"] for row in csv.DictReader(io.StringIO(outcome.out))]


def test_new_columns_get_their_clusters_and_odd_ones_none(data: Path, named: Path) -> None:
    x, run = np.load(data / "complete.npy"), named / "run"
    odd = np.random.default_rng(3).permutation(x[:, 0])
    save_csv(named / "columns.csv", np.column_stack([x[:, :4] * 7.0 + 3.0, odd]), [f"r{i}" for i in range(60)])
    found = labels_of(call("predict", run, named / "columns.csv", "--axis", "columns", "--id-column", "id"))
    # Standardised each by itself, as those that were fitted.
    assert found == [*(row["label"] for row in table(run / "columns.csv")[:4]), "-1"]
    np.save(named / "columns.npy", x[:, :4])
    assert labels_of(call("predict", run, named / "columns.npy", "--axis", "columns")) == found[:4]


def test_new_columns_of_other_rows_are_refused(data: Path, named: Path) -> None:
    x, run = np.load(data / "complete.npy"), named / "run"
    save_csv(named / "others.csv", x[:, :4], [f"s{i}" for i in range(60)])
    np.save(named / "short.npy", x[:50, :4])
    np.save(named / "flat.npy", np.zeros((60, 4, 2)))
    asked = ("--axis", "columns")
    assert_refused(call("predict", run, named / "others.csv", *asked, "--id-column", "id"), "s0", "others.csv")
    assert_refused(call("predict", run, named / "short.npy", *asked), "50 rows", "fitted to 60")
    assert_refused(call("predict", run, named / "flat.npy", *asked), "cells of 2 numbers")


def test_rows_of_new_columns_are_matched_by_their_names(data: Path, named: Path) -> None:
    x, run, asked = np.load(data / "complete.npy"), named / "run", ("--axis", "columns", "--id-column", "id")
    save_csv(named / "straight.csv", x[:, :4], [f"r{i}" for i in range(60)])
    save_csv(named / "turned.csv", x[::-1, :4], [f"r{59 - i}" for i in range(60)])
    straight, turned = (call("predict", run, named / name, *asked) for name in ("straight.csv", "turned.csv"))
    assert labels_of(turned) == labels_of(straight)
    assert "turned.csv are in another order than those fitted: matched by their names" in turned.err
    assert "another order" not in straight.err


def test_columns_are_matched_by_name_or_by_position_where_they_have_none(data: Path, named: Path, run: Path) -> None:
    x = np.load(data / "complete.npy")[:3]
    fitted = [row["label"] for row in table(named / "run" / "rows.csv")[:3]]
    (named / "turned-columns.csv").write_text(
        "\n".join(
            [",".join(f"c{j}" for j in range(11, -1, -1)), *(",".join(map(repr, row[::-1].tolist())) for row in x)]
        )
    )
    np.save(named / "nameless.npy", x)
    save_csv(named / "new.csv", x)
    # The second run was fitted to an array.
    others = [row["label"] for row in table(run / "rows.csv")[:3]]
    for of, name, labels, said in (
        (named / "run", "turned-columns.csv", fitted, "are in another order than those fitted: matched by their names"),
        (
            named / "run",
            "nameless.npy",
            fitted,
            "has no column names: its columns are taken in the order of those that",
        ),
        (run, "nameless.npy", others, "has no column names: its columns are taken in the order of those that"),
        (run, "new.csv", others, "the run's table had no column names: its columns are taken in the order"),
        (named / "run", "new.csv", fitted, None),
    ):
        outcome = call("predict", of, named / name)
        assert labels_of(outcome) == labels
        assert said is None or said in outcome.err
        assert ("order" in outcome.err) == (said is not None)
    save_csv(named / "classes.csv", np.column_stack([x, [1, 2, 3]]))
    assert_refused(call("predict", named / "run", named / "classes.csv"), "13 columns", "without 'c12' (--drop-column")
    (named / "other.csv").write_text((named / "new.csv").read_text().replace("c3", "d3"))
    assert_refused(call("predict", named / "run", named / "other.csv"), "no column 'c3'")


@pytest.mark.parametrize("damage", ["short", "text", "negative"])
def test_labels_that_do_not_fit_the_draws_are_named(data: Path, run: Path, tmp_path: Path, damage: str) -> None:
    broken = tmp_path / "run"
    shutil.copytree(run, broken)
    lines = (run / "rows.csv").read_text().splitlines()
    changed = {"short": [], "text": ["1,abc,0.5", *lines[2:]], "negative": ["1,-7,0.5", *lines[2:]]}[damage]
    (broken / "rows.csv").write_text("\n".join([*lines[:2], *changed]) + "\n")
    assert_refused(call("predict", broken, data / "odd.npy"), "rows.csv is damaged", "--force")
    (broken / "run.json").write_text("{")
    for name in ("predict", "impute"):
        assert_refused(call(name, broken, data / "odd.npy"), "run.json is damaged", "--force", code=1)


def test_a_second_answer_is_written_beside_the_first(run: Path, tmp_path: Path) -> None:
    """One chain that goes to and fro between two row clusters and three."""
    np.save(tmp_path / "x.npy", one_or_two_clusters())
    options = ("--sampler", "split-merge", "--burn-in", 100, "--draws", 100, "--seed", 1)
    record = ok(fit(tmp_path / "x.npy", tmp_path / "run", *options, iterations=400))
    second = record["posterior"]["runner_up"]["rows"]
    assert record["posterior"]["runner_up"]["columns"] is None
    found = table(tmp_path / "run" / "rows.csv")
    labels, others = ([int(row[name]) for row in found] for name in ("label", "runner_up"))
    assert (len(set(others)), {len(set(labels)), len(set(others))}) == (second["clusters"], {2, 3})
    assert 0.1 <= second["share"] <= 0.9
    assert "the column runner_up of rows.csv" in (tmp_path / "run" / "report.html").read_text()
    assert "runner_up" not in table(run / "rows.csv")[0]


def test_of_chains_stuck_on_different_answers_one_is_shown_and_the_others_beside_it(data: Path, tmp_path: Path) -> None:
    """Two chains, of which one has fused what the other has found."""
    folder = tmp_path / "run"
    record = ok(fit(data / "complete.npy", folder, "--burn-in", 5, "--chains", 2, iterations=15))
    assert record["verdict"]["kind"] == "stuck"
    shown, other = sorted(record["posterior"]["answers"], key=lambda answer: -answer["mean_log_joint"])
    assert (shown["reported"], other["reported"], record["posterior"]["chains"]) == (True, False, [shown["chain"]])
    assert (record["row_clusters"], record["column_clusters"]) == (shown["row_clusters"], shown["column_clusters"])
    assert (shown["row_ari"], shown["column_ari"]) == (1.0, 1.0)
    assert min(other["row_ari"], other["column_ari"]) < 0.9
    draws = open_draws(folder / "draws.npz")
    of_chain = draws.select(np.flatnonzero(draws.numbers().chain == shown["chain"]))
    assert (len(draws), record["posterior"]["draws"], len(of_chain)) == (20, 10, 10)
    assert record["row_clusters"] in of_chain.numbers().row_clusters
    certainty = report_of(folder)["certainty"]
    assert certainty["doubtful"]
    assert certainty["shown"].startswith(f"The result comes from chain {shown['chain']} alone")
    assert [answer["shown"] for answer in certainty["answers"]] == [
        answer["reported"] for answer in (record["posterior"]["answers"])
    ]
    # New rows are judged by the chain that the clusters are of.
    judged = csv.DictReader(io.StringIO(call("predict", folder, data / "complete.npy").out))
    assert {row["label"] for row in judged} <= {str(k) for k in range(record["row_clusters"])} | {"-1"}


def test_draws_that_the_disk_has_no_room_for_are_refused(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9 - 10_000, 10_000))
    assert_refused(fit(data / "x.npy", tmp_path / "run", "--draws", 3, iterations=20), "draws take up to", "--draws")
    assert not (tmp_path / "run").exists()
    ok(fit(data / "x.npy", tmp_path / "run", iterations=5))
