"""What the command line promises to people and to programs that call it."""

from __future__ import annotations

import csv
import importlib
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np
import pytest

from disnplbm.cli.flags import flag
from disnplbm.engine.residence import least_memory
from disnplbm.notes import from_plain, say
from disnplbm.report import page

from .console import SCRIPT, assert_refused, blocks, call, child, command, fit, ok, save_csv, save_labels

COMMANDS = (
    *("fit", "resume", "check", "generate", "score", "report"),
    *("submit", "status", "watch", "pause", "cancel", "download", "doctor", "migrate"),
)

RECORD_KEYS = {
    "rows",
    "columns",
    "dimension",
    "row_clusters",
    "column_clusters",
    "blocks",
    "log_joint",
    "iterations",
    "shards",
    "seconds",
    "seconds_total",
    "seconds_per_iteration",
    "peak_memory_mb",
    "digest",
}
SCORE_KEYS = {"ari", "nmi", "column_ari", "block_ari"}

FILES = {"rows.csv", "columns.csv", "blocks.csv", "trace.csv", "tree.npz", "run.json", "heatmap.npz", "report.html"}


OPTIONS_OF_FIT = {
    *("--output", "--force", "--json", "--threads", "--memory"),
    *("--iterations", "--burn-in", "--seed", "--start", "--crossings", "--anneal"),
    *("--alpha", "--beta", "--power", "--pair-moves"),
    *("--sampler", "--draws", "--estimate", "--loss", "--chains", "--restarts", "--clusters", "--tree-loss"),
    *("--fix-row-clusters", "--fix-column-clusters"),
    *("--covariance", "--prior-scale", "--kappa0", "--psi0-factor"),
    *("--shards", "--shard-axis", "--view", "--join"),
    *("--transform", "--id-column", "--header", "--row-classes", "--column-classes"),
    *("--drop-column", "--delimiter", "--decimal", "--thousands", "--missing", "--transpose", "--layout"),
    *("--absent", "--layer", "--cells", "--columns-as", "--exposure", "--column-exposure"),
    *("--row-covariates", "--column-covariates"),
}
"""Each has a test that it acts: a new option needs one too.

They are below, in test_{resume,burn_in,cells,factors,responses,diagonal,posterior,restarts,clusters}.py, and in
unit/data for those that say how a file is read.
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with x.npy, x.csv (with ids and column names) and their classes."""
    folder = tmp_path_factory.mktemp("data")
    x, rows, columns = blocks()
    np.save(folder / "x.npy", x)
    save_csv(folder / "x.csv", x, [f"r{i}" for i in range(len(x))])
    save_labels(folder / "row-classes.csv", rows)
    save_labels(folder / "column-classes.csv", columns)
    return folder


@pytest.fixture(scope="module")
def plain(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A run on x.npy with all defaults, to compare others with."""
    return ok(fit(data / "x.npy", tmp_path_factory.mktemp("plain") / "run"))


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def options_of(name: str) -> set[str]:
    command: click.Command = importlib.import_module(f"disnplbm.cli.{name}").command
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    return {option.opts[0] for option in options if not option.hidden}


# --- help ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command_shows_examples(name: str) -> None:
    outcome = call(name, "--help")
    assert outcome.code == 0
    assert outcome.err == ""
    assert "Example" in outcome.out
    examples = outcome.out[outcome.out.index("Example") :]
    assert re.search(rf"disnplbm {name}\b", examples)


def test_help_lists_every_command() -> None:
    outcome = call("--help")
    assert outcome.code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in outcome.out


def test_every_option_has_a_line_of_help() -> None:
    for name in COMMANDS:
        text = call(name, "--help").out
        for option in options_of(name):
            assert option in text


@pytest.mark.parametrize(
    "arguments", [(), *((name,) for name in COMMANDS)], ids=lambda words: " ".join(words) or "none"
)
def test_help_imports_neither_numpy_nor_numba(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", str(SCRIPT), *arguments, "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    imported = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert "click" in imported
    assert not imported & {"numpy", "numba", "pyarrow", "scipy", "rich", "obstore", "sklearn"}


def test_version_is_that_of_the_package() -> None:
    import disnplbm

    assert call("--version").out == f"disnplbm, version {disnplbm.__version__}\n"


# --- json, folder, exit codes -------------------------------------------------------------------------------------


def test_json_prints_one_object_and_nothing_else(data: Path, tmp_path: Path) -> None:
    classes = ("--row-classes", data / "row-classes.csv", "--column-classes", data / "column-classes.csv")
    arguments = ("fit", data / "x.npy", "--output", tmp_path / "run", "--iterations", 5, "--json", *classes)
    outcome = child(*arguments)
    assert outcome.code == 0
    assert [line for line in outcome.err.splitlines() if "compiling" not in line] == []
    assert outcome.out.count("\n") == 1
    record = json.loads(outcome.out)
    assert set(record) >= RECORD_KEYS | SCORE_KEYS
    assert (record["rows"], record["columns"], record["dimension"]) == (60, 12, 1)
    assert record["blocks"] == record["row_clusters"] * record["column_clusters"]
    assert record["iterations"] == 5
    assert 0 < record["seconds"] <= record["seconds_total"]
    stages = ["reading", "sharding", "compiling", "sampling", "trees", "profiles", "blocks", "report"]
    assert list(record["seconds_by_stage"]) == stages
    assert record["seconds_by_stage"]["sampling"] == record["seconds"]


def test_json_without_classes_has_no_scores(plain: dict[str, Any]) -> None:
    assert set(plain) >= RECORD_KEYS
    assert not set(plain) & SCORE_KEYS


def test_the_run_folder_holds_the_promised_files_and_nothing_else(data: Path, tmp_path: Path) -> None:
    record = ok(fit(data / "x.csv", tmp_path / "run", "--id-column", "id"))
    folder = tmp_path / "run"
    assert {path.name for path in folder.iterdir()} == FILES
    rows, columns, cells, trace = (table(folder / f"{name}.csv") for name in ("rows", "columns", "blocks", "trace"))
    assert [list(part[0]) for part in (rows, columns)] == [["id", "label"]] * 2
    assert list(cells[0]) == ["k", "l", "rows", "columns", "cells", "mean", "sd", "skewness", "kurtosis", "ppc"]
    assert list(trace[0]) == [
        *("iteration", "log_joint", "row_clusters", "column_clusters", "seconds"),
        *("alpha", "beta", "chain"),
    ]
    assert [row["id"] for row in rows] == [f"r{i}" for i in range(60)]
    assert [column["id"] for column in columns] == [f"c{j}" for j in range(12)]
    assert {int(row["label"]) for row in rows} == set(range(record["row_clusters"]))
    assert len(cells) == record["blocks"]
    assert sum(int(block["cells"]) for block in cells) == 60 * 12
    assert [int(line["iteration"]) for line in trace] == [1, 2, 3, 4, 5]
    assert float(trace[-1]["log_joint"]) == record["log_joint"]
    saved = json.loads((folder / "run.json").read_text())
    assert set(saved) >= {"parameters", "versions", "data", "digest", "seconds", "warnings"}
    assert saved["parameters"]["seed"] == 0
    assert len(saved["data"]["sha256"]) == 64


def test_blocks_of_vectors_have_a_mean_and_sd_for_each_component(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(20, 5, 2)))
    record = ok(fit(tmp_path / "x.npy", tmp_path / "run"))
    assert (record["dimension"], record["parameters"]["sampler"]) == (2, "split-merge")
    assert ["split-merge" in note for note in record["warnings"]] == [True]
    header = (tmp_path / "run" / "blocks.csv").read_text().splitlines()[0]
    numbers = (f"{name}_{c}" for name in ("mean", "sd", "skewness", "kurtosis", "ppc") for c in range(2))
    assert header == ",".join(["k,l,rows,columns,cells", *numbers])


def test_people_are_told_shape_clusters_scores_and_report(data: Path, tmp_path: Path) -> None:
    arguments = ("fit", data / "x.npy", "--iterations", 5, "--row-classes", data / "row-classes.csv")
    outcome = call(*arguments, "--output", tmp_path / "run")
    assert outcome.code == 0
    for words in ("60 x 12", "ARI", "NMI", "seconds", str(tmp_path / "run" / "report.html")):
        assert words in outcome.out


def test_warnings_go_to_stderr_and_into_the_record_once_each(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(",a,a,flat,none\nr0,1,2,5,\nr1,3,4,5,\nr2,3,1,5,\n")
    outcome = call("fit", tmp_path / "x.csv", "--output", tmp_path / "run", "--iterations", 2)
    assert outcome.code == 0
    notes = outcome.err.splitlines()
    assert all(note.startswith("note: ") for note in notes)
    assert len(set(notes)) == len(notes), "a note is given twice"
    for name in ("flat", "none", "a"):
        assert any(name in note for note in notes)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert [say(from_plain(note), flag) for note in record["notes"]] == [note[6:] for note in notes]
    assert record["warnings"] == [str(from_plain(note)) for note in record["notes"]]


def test_bars_are_shown_on_a_terminal_only(data: Path, tmp_path: Path) -> None:
    assert child("fit", data / "x.npy", "--output", tmp_path / "a", "--iterations", 5).err.strip() == ""
    assert child("fit", data / "x.npy", "--output", tmp_path / "c", "--iterations", 5, "--draws", 2).err.strip() == ""
    ours, theirs = pty.openpty()
    with (tmp_path / "out").open("wb") as out:
        running = subprocess.Popen(
            command("fit", data / "x.npy", "--output", tmp_path / "b", "--iterations", 5, "--draws", 2),
            stdout=out,
            stderr=theirs,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "120"},
        )
        os.close(theirs)
        shown = _shown_until_the_end(ours)
    assert running.wait() == 0
    assert b"sampling" in shown
    assert b"the draws will take up to 0." in shown
    assert b"sampling" not in (tmp_path / "out").read_bytes()


def _shown_until_the_end(terminal: int) -> bytes:
    """What a terminal is sent. It is read all the while: a full one makes the sender wait."""
    shown = b""
    try:
        while part := os.read(terminal, 1 << 16):
            shown += part
    except OSError:
        # Linux: the other side is closed.
        pass
    os.close(terminal)
    return shown


def test_exit_code_is_2_for_wrong_usage_and_the_error_is_one_line(data: Path) -> None:
    for arguments in (
        ("fit",),
        ("frobnicate",),
        ("fit", "--frobnicate"),
        ("fit", data / "x.npy", data / "x.npy"),
        ("fit", data / "x.npy", "--iterations", "many"),
        ("fit", data / "x.npy", "--view", "sideways"),
        ("resume",),
        ("generate",),
    ):
        outcome = call(*arguments)
        assert outcome.code == 2, arguments
        assert outcome.out == ""
        assert len(outcome.err.splitlines()) == 1, outcome.err
        assert outcome.err.startswith("disnplbm: ")


def test_a_closed_pipe_is_no_accident_worth_a_traceback(data: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command("check", data / "x.npy", "--json"), stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.returncode == 1
    assert done.stderr == ""


def test_a_full_disk_behind_stdout_is_said_in_one_line(data: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command("check", data / "x.npy"), stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("disnplbm: ")
    assert "space" in line


# --- each option of fit acts --------------------------------------------------------------------------------------


def test_fit_has_the_options_that_are_tested_here() -> None:
    assert options_of("fit") == OPTIONS_OF_FIT


def test_output_is_named_after_the_input_by_default(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ok(call("fit", data / "x.npy", "--iterations", 2, "--json"))
    assert (tmp_path / "x-run" / "run.json").is_file()


def test_iterations_is_the_length_of_the_chain(data: Path, tmp_path: Path) -> None:
    assert ok(fit(data / "x.npy", tmp_path / "run", iterations=7))["iterations"] == 7
    assert len(table(tmp_path / "run" / "trace.csv")) == 7


def test_alpha_governs_rows_and_beta_columns(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(40, 30)))
    little = ok(fit(tmp_path / "x.npy", tmp_path / "little"))
    rows = ok(fit(tmp_path / "x.npy", tmp_path / "rows", "--alpha", 1e9))
    columns = ok(fit(tmp_path / "x.npy", tmp_path / "columns", "--beta", 1e9))
    assert rows["row_clusters"] > 2 * little["row_clusters"]
    assert columns["column_clusters"] > 2 * little["column_clusters"]


def test_seed_start_and_moves_give_another_chain(data: Path, tmp_path: Path, plain: dict[str, Any]) -> None:
    labels = save_labels(tmp_path / "start.csv", [i % 5 for i in range(60)])
    digests = {plain["digest"]}
    cases = (
        ("--seed", 1),
        ("--start", "one"),
        ("--start", "singletons"),
        ("--start", labels),
        ("--pair-moves", "off"),
    )
    for number, options in enumerate(cases):
        digests.add(ok(fit(data / "x.npy", tmp_path / str(number), *options))["digest"])
    assert len(digests) == 1 + len(cases)


def test_a_run_folder_is_a_start(data: Path, tmp_path: Path) -> None:
    first = ok(fit(data / "x.npy", tmp_path / "first", iterations=30))
    second = ok(fit(data / "x.npy", tmp_path / "second", "--start", tmp_path / "first", iterations=1))
    assert second["log_joint"] == pytest.approx(first["log_joint"], rel=0.01)
    assert second["row_clusters"] == first["row_clusters"] == 3


def test_shards_and_their_axis_are_as_asked_for(data: Path, tmp_path: Path, plain: dict[str, Any]) -> None:
    assert (plain["shards"], plain["data"]["axis"]) == (1, "rows")
    record = ok(fit(data / "x.npy", tmp_path / "run", "--shards", 3, "--shard-axis", "columns"))
    assert (record["shards"], record["data"]["axis"]) == (3, "columns")
    assert (record["rows"], record["columns"]) == (60, 12)


def test_more_shards_than_rows_are_clamped_and_it_says_so(data: Path, tmp_path: Path) -> None:
    record = ok(fit(data / "x.npy", tmp_path / "run", "--shards", 1000))
    assert record["shards"] == 60
    assert any("1000" in warning and "60" in warning for warning in record["warnings"])


def test_view_and_join_matter_between_shards(data: Path, tmp_path: Path) -> None:
    cases: tuple[tuple[str, ...], ...] = ((), ("--view", "local"), ("--join", "averaged"))
    digests = {ok(fit(data / "x.npy", tmp_path / str(i), "--shards", 4, *o))["digest"] for i, o in enumerate(cases)}
    assert len(digests) == 3


def test_cells_that_stay_on_disk_change_nothing(data: Path, tmp_path: Path, plain: dict[str, Any]) -> None:
    least = least_memory(plain["rows"], plain["columns"])
    assert ok(fit(data / "x.npy", tmp_path / "run", "--memory", least))["digest"] == plain["digest"]
    assert ok(fit(data / "x.npy", tmp_path / "more", "--memory", "2.5 GiB"))["digest"] == plain["digest"]


def test_less_memory_than_a_fit_needs_is_refused_before_anything_is_read(data: Path, tmp_path: Path) -> None:
    assert_refused(
        fit(data / "x.npy", tmp_path / "run", "--memory", "100M"),
        "need 301 MiB of memory",
        "there are 100 MiB",
        "--memory SIZE",
    )
    assert_refused(fit(data / "x.npy", tmp_path / "run", "--memory", "much"), "'much' is no size")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("options", [("x.npy",), ("x.csv", "--id-column", "id")])
def test_a_table_that_the_disk_cannot_take_is_refused(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=60 * 12 * 8 - 1))
    refused = fit(data / options[0], tmp_path / "run", *options[1:])
    assert_refused(refused, "60 x 12 cells take", "on disk while they are fitted", "--output")
    assert not (tmp_path / "run").exists()


def test_threads_change_nothing(data: Path, tmp_path: Path, plain: dict[str, Any]) -> None:
    assert ok(fit(data / "x.npy", tmp_path / "run", "--threads", 3))["digest"] == plain["digest"]


def test_prior_options_are_used_and_recorded(data: Path, tmp_path: Path, plain: dict[str, Any]) -> None:
    joints = {plain["log_joint"]}
    cases = (("--prior-scale", "precision"), ("--kappa0", 0.1), ("--psi0-factor", 0.1), ("--power", 0.5))
    for number, (option, value) in enumerate(cases):
        record = ok(fit(data / "x.npy", tmp_path / str(number), option, value))
        assert record["parameters"][option.lstrip("-").replace("-", "_")] == value
        joints.add(record["log_joint"])
    assert len(joints) == 1 + len(cases)


@pytest.mark.parametrize("name", ["none", "standardize", "boxcox", "log1p", "log", "log,center", "standardize-rows"])
def test_each_transform_is_applied(tmp_path: Path, name: str) -> None:
    x = np.exp(np.random.default_rng(0).normal(3.0, 0.5, size=(50, 4)))
    np.save(tmp_path / "x.npy", x)
    record = ok(fit(tmp_path / "x.npy", tmp_path / "run", "--transform", name))
    assert record["data"]["transform"] == name
    cells = table(tmp_path / "run" / "blocks.csv")
    mean = sum(float(b["mean"]) * int(b["cells"]) for b in cells) / x.size
    expected = {"none": x.mean(), "standardize": 0.0, "log1p": np.log1p(x).mean(), "log": np.log(x).mean()}
    expected |= {"log,center": 0.0, "standardize-rows": 0.0}
    if name in expected:
        assert mean == pytest.approx(expected[name], abs=1e-9)
    else:
        assert abs(mean - x.mean()) > 1


def test_an_id_column_names_the_rows(data: Path, tmp_path: Path) -> None:
    ok(fit(data / "x.csv", tmp_path / "run", "--id-column", "id"))
    assert table(tmp_path / "run" / "rows.csv")[7]["id"] == "r7"


def test_the_header_can_be_told(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("1,2\n3,4\n5,6\n")
    for header, rows, first in (("auto", 3, "0"), ("no", 3, "0"), ("yes", 2, "1")):
        record = ok(fit(tmp_path / "x.csv", tmp_path / header, "--header", header))
        assert record["rows"] == rows
        assert table(tmp_path / header / "columns.csv")[0]["id"] == first


def test_classes_are_scored_from_files_and_from_a_column(data: Path, tmp_path: Path) -> None:
    files = ("--row-classes", data / "row-classes.csv", "--column-classes", data / "column-classes.csv")
    record = ok(fit(data / "x.npy", tmp_path / "a", *files, iterations=30))
    assert (record["ari"], record["column_ari"], record["block_ari"]) == (1.0, 1.0, 1.0)
    x, rows, _ = blocks()
    save_csv(tmp_path / "x.csv", x, [f"class{k}" for k in rows])
    record = ok(fit(tmp_path / "x.csv", tmp_path / "b", "--row-classes", "id", iterations=30))
    assert record["ari"] == 1.0
    assert record["columns"] == 12


def test_force_replaces_an_earlier_run(data: Path, tmp_path: Path) -> None:
    ok(fit(data / "x.npy", tmp_path / "run"))
    (tmp_path / "run" / "notes.txt").write_text("mine")
    record = ok(fit(data / "x.npy", tmp_path / "run", "--force", "--seed", 1))
    assert json.loads((tmp_path / "run" / "run.json").read_text())["digest"] == record["digest"]
    assert (tmp_path / "run" / "notes.txt").read_text() == "mine"


# --- other commands -----------------------------------------------------------------------------------------------


def test_generate_writes_what_fit_and_score_read(tmp_path: Path) -> None:
    size = ("--rows", 300, "--columns", 20, "--row-clusters", 3, "--column-clusters", 2, "--missing", 0.1)
    assert call("generate", *size, "--output", tmp_path / "demo").code == 0
    demo = tmp_path / "demo"
    assert {path.name for path in demo.iterdir()} == {"x.npy", "rows.csv", "columns.csv"}
    record = ok(fit(demo / "x.npy", demo / "run", "--row-classes", demo / "rows.csv", iterations=20))
    assert (record["rows"], record["columns"]) == (300, 20)
    assert record["ari"] > 0.9
    scores = ok(call("score", demo / "rows.csv", demo / "run" / "rows.csv", "--json"))
    assert scores["ari"] == pytest.approx(record["ari"])
    assert scores["nmi"] == pytest.approx(record["nmi"])


def test_check_prints_text_for_people_and_one_object_for_programs(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,a,flat,none\n1,2,5,\n3,4,5,\n3,4,5,\n")
    record = ok(call("check", tmp_path / "x.csv", "--json"))
    assert (record["rows"], record["columns"], record["missing"]) == (3, 4, 3)
    assert record["constant_columns"]["names"] == ["flat"]
    assert record["empty_columns"]["names"] == ["none"]
    assert record["duplicate_names"]["names"] == ["a"]
    text = call("check", tmp_path / "x.csv").out
    for word in ("3 rows", "4 columns", "flat", "none", "memory"):
        assert word in text
    assert {path.name for path in tmp_path.iterdir()} == {"x.csv"}


def test_without_the_built_page_a_fit_succeeds_and_says_how_to_get_its_report(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, built = tmp_path / "run", page.PAGE
    monkeypatch.setattr(page, "PAGE", tmp_path / "nowhere.html")
    outcome = call("fit", data / "x.npy", "--output", run, "--iterations", 3)
    assert outcome.code == 0
    (line,) = (line for line in outcome.out.splitlines() if line.startswith("report "))
    assert "`make pages` builds it" in line
    assert f"`disnplbm report {run}` writes the report" in line
    assert {path.name for path in run.iterdir()} >= FILES - {"report.html"}
    assert not (run / "report.html").exists()
    assert_refused(call("report", run), "not built", "`make pages`", code=1)
    outcome = call("calibrate", data / "x.npy", "--output", tmp_path / "curve", "--powers", "0.5,1", "--iterations", 8)
    assert outcome.code == 0
    assert "calibration.csv; the page of the report is not built" in outcome.out
    monkeypatch.setattr(page, "PAGE", built)
    assert call("report", run).out.strip() == str(run / "report.html")


def test_report_is_written_anew_from_the_folder(data: Path, tmp_path: Path) -> None:
    ok(fit(data / "x.npy", tmp_path / "run"))
    report = tmp_path / "run" / "report.html"
    before = report.read_text()
    report.unlink()
    assert call("report", tmp_path / "run").out.strip() == str(report)
    assert report.read_text() == before


def test_a_mistyped_command_is_answered_with_the_nearest_one() -> None:
    assert_refused(call("imputte"), "No such command 'imputte' (did you mean impute?); see ")
    assert "did you mean" not in call("xyzzy").err
