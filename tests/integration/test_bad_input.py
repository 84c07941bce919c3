"""Wrong input, wrong options, a full disk: one line says what, where and how to mend it, and nothing is lost."""

from __future__ import annotations

import gzip
import json
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from disnplbm.engine.folder import RunFolder

from .console import assert_refused, blocks, call, child, fit, save_csv, save_labels


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A matrix that nothing is wrong with."""
    path = tmp_path / "good.npy"
    np.save(path, blocks()[0])
    return path


def written(folder: Path, content: str | bytes, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused_data(data: Path, *words: str, options: tuple[object, ...] = ()) -> str:
    """``fit`` and ``check`` both refuse the data, and no run is left behind."""
    output = data.parent / "refused"
    line = assert_refused(fit(data, output, *options), *words)
    assert not (output / ".disnplbm").exists()
    if not options:
        assert_refused(call("check", data), *words)
    return line


# --- data ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.csv.gz", "x.npy", "x.npz", "x.parquet", "x.h5ad", "x.mtx"])
def test_an_empty_file(tmp_path: Path, name: str) -> None:
    refused_data(written(tmp_path, "", name), name, "empty", "at least one row")


@pytest.mark.parametrize("content", ["a,b,c\n", "a,b,c", "\n\n"])
def test_a_header_without_rows_or_blank_lines_only(tmp_path: Path, content: str) -> None:
    refused_data(written(tmp_path, content), "x.csv", "at least one row of numbers")


@pytest.mark.parametrize(("row", "cells"), [("5", 1), ("5,6,7", 3)])
def test_a_row_of_another_length(tmp_path: Path, row: str, cells: int) -> None:
    path = written(tmp_path, f"a,b\n1,2\n{row}\n3,4\n")
    refused_data(path, f"line 3 has {cells} cells", "the first line has 2", "separators")


def test_text_in_a_data_cell_names_line_and_column(tmp_path: Path) -> None:
    path = written(tmp_path, "a,weight\n1,2\n3,heavy\n5,6\n")
    refused_data(path, "line 3", "column weight", "'heavy' is not a number", "leave the cell blank")


def test_a_column_of_text_says_which_option_takes_it(tmp_path: Path) -> None:
    path = written(tmp_path, "gene,b\nTP53,2\nBRCA1,4\n")
    refused_data(path, "line 2", "column gene", "--id-column gene", "--row-classes gene")


@pytest.mark.parametrize("value", ["inf", "-Infinity", "1e999"])
def test_an_infinite_value_in_text(tmp_path: Path, value: str) -> None:
    refused_data(written(tmp_path, f"a,b\n1,2\n3,{value}\n"), "line 3", "column b", "finite", "blank")


def test_an_infinite_value_in_an_array(tmp_path: Path) -> None:
    x = blocks()[0]
    x[4, 2] = -np.inf
    np.save(tmp_path / "x.npy", x)
    refused_data(tmp_path / "x.npy", "row 5", "column 2", "finite", "NaN")


def test_an_unknown_id_column_suggests_the_near_one(tmp_path: Path) -> None:
    path = written(tmp_path, "sample,b\ns1,2\ns2,4\n")
    refused_data(path, "'smaple'", "--id-column", "did you mean sample", options=("--id-column", "smaple"))


def test_a_column_option_for_a_file_without_names(good: Path) -> None:
    refused_data(good, "--id-column", "no named columns", "leave it out", options=("--id-column", "id"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b\n1,2\n".encode("utf-16"), "UTF-16"),
        (b"a,b\n1,2\n\xe9,4\n", "line 3 is not UTF-8"),
        (b"a,b\r1,2\r3,4\r", "carriage return"),
        (b'a,b\n"1,2\n3,4\n', "line 2: a quoted cell is never closed"),
    ],
)
def test_text_in_another_encoding_or_with_other_line_ends(tmp_path: Path, content: bytes, words: str) -> None:
    refused_data(written(tmp_path, content), words)


def test_windows_files_are_no_bad_input(tmp_path: Path) -> None:
    for name, content in {
        "crlf.csv": b"a,b\r\n1,2\r\n3,4\r\n",
        "bom.csv": b"\xef\xbb\xbfa,b\n1,2\n3,4\n",
    }.items():
        fitted = fit(written(tmp_path, content, name), tmp_path / name[:-4])
        assert fitted.code == 0
        assert (tmp_path / name[:-4] / "columns.csv").read_text().split()[1].startswith("a,")


@pytest.mark.parametrize("suffix", ["npy", "npz", "parquet", "h5ad", "mtx", "csv", "csv.gz", "mtx.gz"])
def test_binary_garbage(tmp_path: Path, suffix: str) -> None:
    garbage = np.random.default_rng(0).bytes(3000)
    refused_data(written(tmp_path, garbage, f"x.{suffix}"), f"x.{suffix}")


def test_objects_that_only_pickle_could_load(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[1, "a"]], dtype=object), allow_pickle=True)
    refused_data(tmp_path / "x.npy", "object", "convert it to float64")
    assert_refused(call("score", tmp_path / "x.npy", tmp_path / "x.npy"), "plain labels")


def test_an_array_header_that_is_cut_or_garbled(tmp_path: Path, good: Path) -> None:
    whole = good.read_bytes()
    for bad in (whole[:9], whole[:40] + b"\n" * 88, whole.replace(b"'shape': (60,", b"'shape': ((6,")):
        refused_data(written(tmp_path, bad, "x.npy"), "x.npy", "numpy.save")


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((0, 3)), "shape (0, 3)"),
        (np.zeros((3, 0)), "shape (3, 0)"),
        (np.zeros(5), "shape (5,)"),
        (np.array([["a"]]), "not real numbers"),
        (np.ones((2, 2), complex), "not real numbers"),
    ],
)
def test_an_array_that_is_no_table_of_numbers(tmp_path: Path, array: np.ndarray, words: str) -> None:
    np.save(tmp_path / "x.npy", array)
    refused_data(tmp_path / "x.npy", words)


def test_a_file_that_is_cut_short(tmp_path: Path, good: Path) -> None:
    packed = gzip.compress(save_csv(tmp_path / "plain.csv", blocks()[0]).read_bytes())
    np.savez_compressed(tmp_path / "whole.npz", x=blocks()[0])
    whole = {"x.csv.gz": packed, "x.npy": good.read_bytes(), "x.npz": (tmp_path / "whole.npz").read_bytes()}
    for name, content in whole.items():
        refused_data(written(tmp_path, content[: len(content) // 2], name), name)
    refused_data(written(tmp_path, packed[:-8] + bytes(8), "sum.csv.gz"), "sum.csv.gz", "damaged", "again")


def test_a_compressed_array_with_flipped_bytes(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "whole.npz", x=blocks()[0])
    content = bytearray((tmp_path / "whole.npz").read_bytes())
    for start in (40, 60, len(content) // 2):
        damaged = content.copy()
        damaged[start : start + 20] = bytes(20)
        refused_data(written(tmp_path, bytes(damaged), "x.npz"), "x.npz")


def test_a_folder_or_no_file_or_an_unknown_kind(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    refused_data(tmp_path / "folder.csv", "is a folder", "give a file")
    refused_data(tmp_path / "nothing.csv", "file not found", "check the name")
    refused_data(written(tmp_path, "1,2\n", "x.doc"), "'.doc'", ".csv", ".npy", ".parquet")
    refused_data(tmp_path / ("x" * 300 + ".csv"), "too long")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    # Reading the memory of a process at address 0 fails for anyone, root too.
    (tmp_path / "x.csv").symlink_to("/proc/self/mem")
    refused_data(tmp_path / "x.csv", "x.csv cannot be read", "check")


def test_a_line_break_in_a_file_name_does_not_break_the_line(tmp_path: Path) -> None:
    assert_refused(call("check", tmp_path / "two\nlines.csv"), "file not found")


def test_boxcox_and_log1p_outside_of_their_domain(tmp_path: Path) -> None:
    path = written(tmp_path, "a,dose\n1,2\n3,0\n5,6\n")
    line = refused_data(path, "column dose, row 2 holds 0", "above 0", options=("--transform", "boxcox"))
    assert "add a constant" in line
    path = written(tmp_path, "a,dose\n1,2\n3,-1\n5,6\n")
    refused_data(path, "column dose, row 2 holds -1", "above -1", options=("--transform", "log1p"))


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_numbers_too_large_or_small_for_their_variance(tmp_path: Path, factor: float) -> None:
    np.save(tmp_path / "x.npy", blocks()[0] * factor)
    what = "too large" if factor > 1 else "too small"
    assert_refused(fit(tmp_path / "x.npy", tmp_path / "run"), what, "--transform standardize")
    # And what the line advises works.
    fitted = fit(tmp_path / "x.npy", tmp_path / "mended", "--transform", "standardize", iterations=20)
    assert fitted.code == 0
    assert fitted.err == ""
    assert (fitted.record["row_clusters"], fitted.record["column_clusters"]) == (3, 2)


# --- options ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("--iterations", ("0", "-1", "1.5", "many")),
        ("--alpha", ("0", "-1", "nan", "inf", "much")),
        ("--beta", ("0", "-1", "nan", "inf")),
        ("--seed", ("-1", "x")),
        ("--shards", ("0", "-1", "1.5", "²", "")),
        ("--threads", ("0", "-1", "x")),
        ("--power", ("0", "-1", "1.1", "nan")),
        ("--kappa0", ("0", "-1", "nan", "inf")),
        ("--psi0-factor", ("0", "-1", "nan", "inf")),
        ("--transform", ("sqrt", "")),
        ("--start", ("twos", "")),
        ("--view", ("sideways",)),
        ("--join", ("glue",)),
        ("--pair-moves", ("maybe",)),
        ("--prior-scale", ("big",)),
        ("--shard-axis", ("diagonal",)),
        ("--header", ("perhaps",)),
    ],
)
def test_a_value_that_an_option_does_not_take(good: Path, option: str, values: tuple[str, ...]) -> None:
    for value in values:
        outcome = fit(good, good.parent / "refused", option, value)
        line = assert_refused(outcome)
        noun = option.removeprefix("--").replace("psi0-factor", "psi0")
        assert noun in line, line
        assert not (good.parent / "refused" / "run.json").exists()


def test_an_unknown_transform_lists_those_there_are(good: Path) -> None:
    refused_data(
        good,
        "'sqrt'",
        "none, log, log1p, boxcox, center, standardize, standardize-rows",
        options=("--transform", "sqrt"),
    )


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--rows", "0", "rows = 0"),
        ("--columns", "-1", "columns = -1"),
        ("--row-clusters", "0", "row clusters = 0"),
        ("--column-clusters", "999", "column clusters = 999"),
        ("--dimension", "0", "dimension = 0"),
        ("--missing", "1", "missing = 1"),
        ("--missing", "nan", "missing = nan"),
        ("--seed", "-1", "seed = -1"),
    ],
)
def test_counts_that_generate_does_not_take(tmp_path: Path, option: str, value: str, words: str) -> None:
    assert_refused(call("generate", "--output", tmp_path / "demo", option, value), words)
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize(
    ("option", "noun", "length"),
    [("--row-classes", "row classes", 60), ("--column-classes", "column classes", 12), ("--start", "row labels", 60)],
)
def test_labels_of_the_wrong_length_state_both_lengths(good: Path, option: str, noun: str, length: int) -> None:
    labels = save_labels(good.parent / "labels.csv", ["a", "b", "c"])
    refused_data(good, f"3 {noun}", f"for {length} ", "one for each", options=(option, labels))


def test_label_files_that_hold_no_labels(good: Path) -> None:
    folder = good.parent
    for content, words in (
        ("\n\n", "blank lines"),
        ("label\n", "no labels"),
        ("id,colour\n1,a\n", "no column named label or class"),
        (b"\xff\xfe\x00", "UTF-8"),
    ):
        refused_data(good, "labels.csv", words, options=("--row-classes", written(folder, content, "labels.csv")))


def test_names_too_long_for_a_file(good: Path) -> None:
    for option in ("--row-classes", "--column-classes", "--start"):
        refused_data(good, "x" * 300, options=(option, "x" * 300))


def test_fit_needs_an_input_and_names_the_command_that_continues(good: Path) -> None:
    assert_refused(call("fit"), "INPUT")
    for words in ((), (good,), ("--alpha", 5)):
        assert_refused(call("fit", *words, "--resume", "my run"), "disnplbm resume 'my run'")


# --- output -------------------------------------------------------------------------------------------------------


def test_a_folder_that_is_not_empty_is_refused_without_force(good: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    written(tmp_path / "out", "mine", "notes.txt")
    assert_refused(fit(good, tmp_path / "out"), "not empty", "--output", "--force")
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert fit(good, tmp_path / "out", "--force").code == 0
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"


def test_force_removes_what_was_made_of_the_earlier_run(good: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert fit(good, run).code == 0
    assert call("cut", run, "--rows", 1).code == call("explain", run).code == 0
    assert {folder.name for folder in run.iterdir() if folder.is_dir()} == {"cut-1xall", "explain-rows"}
    written(run / "cut-1xall", "mine", "notes.txt")
    assert fit(good, run, "--force").code == 0
    assert [file.relative_to(run).as_posix() for file in run.glob("*/*")] == ["cut-1xall/notes.txt"]


def test_force_does_not_take_files_of_our_names_that_are_not_from_a_run(tmp_path: Path) -> None:
    size = ("--rows", 60, "--columns", 12, "--row-clusters", 3, "--column-clusters", 2)
    assert call("generate", *size, "--output", tmp_path / "demo").code == 0
    truth = (tmp_path / "demo" / "rows.csv").read_bytes()
    assert_refused(fit(tmp_path / "demo" / "x.npy", tmp_path / "demo", "--force"), "rows.csv", "--output")
    assert (tmp_path / "demo" / "rows.csv").read_bytes() == truth


def test_force_does_not_remove_its_own_input(tmp_path: Path) -> None:
    data = written(tmp_path, "a,b\n1,2\n3,4\n", "blocks.csv")
    assert_refused(fit(data, tmp_path, "--force"), "blocks.csv", "--output")
    assert data.read_text() == "a,b\n1,2\n3,4\n"


@pytest.mark.parametrize("option", ["--row-classes", "--start"])
def test_force_does_not_remove_the_earlier_run_it_reads_from(good: Path, tmp_path: Path, option: str) -> None:
    assert fit(good, tmp_path / "run").code == 0
    assert fit(good, tmp_path / "run", "--force", option, tmp_path / "run" / "rows.csv").code == 0
    assert (tmp_path / "run" / "rows.csv").is_file()


def test_an_earlier_run_survives_a_forced_one_that_is_refused(good: Path, tmp_path: Path) -> None:
    assert fit(good, tmp_path / "run").code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    bad = written(tmp_path, "a,b\n1,2\n3,x\n")
    assert_refused(fit(bad, tmp_path / "run", "--force"), "line 3")
    assert_refused(fit(good, tmp_path / "run", "--force", "--transform", "boxcox"), "above 0")
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_an_output_that_is_no_folder(good: Path, tmp_path: Path) -> None:
    mine = written(tmp_path, "mine", "file.txt")
    for output in (mine, mine / "below"):
        assert_refused(fit(good, output), "cannot make the folder", "choose another --output")
        assert_refused(fit(good, output, "--force"), "choose another --output")
    assert mine.read_text() == "mine"
    assert_refused(fit(good, Path("/proc/nowhere")), "cannot make the folder")


def test_a_refused_fit_leaves_no_folder_behind(tmp_path: Path) -> None:
    assert_refused(fit(written(tmp_path, "a,b\n1,x\n"), tmp_path / "run"), "line 2")
    assert not (tmp_path / "run").exists()


def test_a_folder_that_was_made_does_not_go_and_come_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has seen it may look into it."""
    monkeypatch.setattr(Path, "rmdir", lambda path: pytest.fail(f"{path} was removed"))
    with RunFolder.stage(tmp_path / "run", force=False) as folder:
        assert folder.staging.is_dir()
        (tmp_path / "run" / "run.json").touch()


def test_a_folder_whose_making_is_interrupted_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no moment in which a signal leaves half of it."""
    mkdir = Path.mkdir

    def interrupted(path: Path, **options: bool) -> None:
        mkdir(path, **options)
        if path.name == ".disnplbm.new":
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt), RunFolder.stage(tmp_path / "run", force=False):
        pytest.fail("it was made")
    assert not (tmp_path / "run").exists()


def test_generate_does_not_write_over_files(tmp_path: Path) -> None:
    size = ("--rows", 20, "--columns", 5, "--row-clusters", 2, "--column-clusters", 2)
    assert call("generate", *size, "--output", tmp_path).code == 0
    before = (tmp_path / "x.npy").read_bytes()
    assert_refused(call("generate", *size, "--output", tmp_path, "--seed", 1), "there already", "--output")
    assert (tmp_path / "x.npy").read_bytes() == before


# --- a full disk --------------------------------------------------------------------------------------------------


def files_up_to(size: int) -> Callable[[], None]:
    """For a child: files cannot grow above this size, as on a disk that is full from there."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_disk_that_fills_while_reading(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((3000, 30)))
    arguments = ("fit", tmp_path / "x.npy", "--output", tmp_path / "run", "--json")
    outcome = child(*arguments, limit=files_up_to(100_000))
    assert_refused(outcome, "no space", "free", code=1)
    assert (tmp_path / "x.npy").stat().st_size == 720_128
    assert not (tmp_path / "run").exists()


def test_a_disk_that_fills_while_results_are_written_costs_no_iteration(tmp_path: Path, good: Path) -> None:
    undisturbed = fit(good, tmp_path / "undisturbed").record
    arguments = ("fit", good, "--output", tmp_path / "run", "--iterations", 5, "--json")
    outcome = child(*arguments, limit=files_up_to(20_000))
    assert_refused(outcome, "cannot write", "free space", f"disnplbm resume {tmp_path / 'run'}", code=1)
    assert not (tmp_path / "run" / "run.json").exists() or not (tmp_path / "run" / "report.html").exists()
    resumed = call("resume", tmp_path / "run", "--json")
    assert resumed.code == 0
    assert resumed.record["digest"] == undisturbed["digest"]
    assert (tmp_path / "run" / "report.html").is_file()


def test_a_disk_that_fills_under_a_synthetic_matrix(tmp_path: Path) -> None:
    arguments = ("generate", "--rows", 3000, "--output", tmp_path / "demo")
    outcome = child(*arguments, limit=files_up_to(100_000))
    assert_refused(outcome, "x.npy", "free space", code=1)
    assert not list((tmp_path / "demo").iterdir())


# --- resume -------------------------------------------------------------------------------------------------------


def test_nothing_to_resume(good: Path, tmp_path: Path) -> None:
    assert fit(good, tmp_path / "done").code == 0
    (tmp_path / "empty").mkdir()
    assert_refused(call("resume", tmp_path / "done"), "finished", "nothing to resume")
    assert_refused(call("resume", tmp_path / "empty"), "is not the folder of an interrupted run", "--output folder")
    assert_refused(call("resume", tmp_path / "nowhere"), "is not the folder of an interrupted run")
    assert_refused(call("resume", good), "is not the folder of an interrupted run")


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders ``run`` and ``other`` of runs whose results could not be written: all to go on from is there."""
    folder = tmp_path_factory.mktemp("halves")
    for name, x in {"run": blocks()[0], "other": blocks(30, 7)[0]}.items():
        np.save(folder / f"{name}.npy", x)
        arguments = ("fit", folder / f"{name}.npy", "--output", folder / name, "--iterations", 5)
        # Kernels are compiled, and kept, where files may be larger.
        assert child(*arguments, "--force").code == 0
        shutil.rmtree(folder / name)
        assert child(*arguments, limit=files_up_to(20_000)).code == 1
    return folder


@pytest.fixture
def half(halves: Path, tmp_path: Path) -> Path:
    """The folder of such a run, to tamper with."""
    shutil.copytree(halves / "run", tmp_path / "half")
    return tmp_path / "half"


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda whole: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "garbage": lambda whole: np.random.default_rng(0).bytes(500),
    "overwritten": lambda whole: whole[:200] + bytes(100) + whole[300:],
    "another object": lambda whole: b"{}",
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(
    "name",
    ["checkpoint", "request.json", "shards/manifest.json", "shards/shards/00000.npy", "dataset/dataset.json"],
)
def test_a_damaged_file_of_a_run_is_named(half: Path, name: str, damage: str) -> None:
    path = half / ".disnplbm" / name
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert_refused(call("resume", half), "damaged", code=1)


@pytest.mark.parametrize("name", ["shards/manifest.json", "shards/shards/00000.npy", "dataset/dataset.json"])
def test_a_missing_object_of_a_run_is_named(half: Path, name: str) -> None:
    (half / ".disnplbm" / name).unlink()
    assert_refused(call("resume", half), name, "missing", code=1)


def test_a_run_without_checkpoint_starts_from_its_beginning(half: Path, good: Path, tmp_path: Path) -> None:
    (half / ".disnplbm" / "checkpoint").unlink()
    resumed = call("resume", half, "--json").record
    assert resumed["digest"] == fit(good, tmp_path / "undisturbed").record["digest"]


def test_a_checkpoint_of_another_run(half: Path, halves: Path) -> None:
    foreign = (halves / "other" / ".disnplbm" / "checkpoint").read_bytes()
    (half / ".disnplbm" / "checkpoint").write_bytes(foreign)
    assert_refused(call("resume", half), "checkpoint", "another run", "--force", code=1)


def test_a_run_begun_by_another_version_of_the_algorithm(half: Path) -> None:
    path = half / ".disnplbm" / "request.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"algorithm": -1}))
    # It kept no seals yet.
    (half / ".disnplbm" / "seals.json").unlink()
    assert_refused(call("resume", half), "version -1", "--force", code=1)


def test_report_of_a_folder_that_holds_no_run(tmp_path: Path) -> None:
    assert_refused(call("report", tmp_path), "run.json")
    assert_refused(call("report", tmp_path / "nowhere"), "no such folder")
    (tmp_path / "run.json").write_text(json.dumps({}))
    assert_refused(call("report", tmp_path), "run.json")


def test_score_of_files_of_different_lengths(tmp_path: Path) -> None:
    a, b = save_labels(tmp_path / "a.csv", [1, 2, 3]), save_labels(tmp_path / "b.csv", [1, 2])
    assert_refused(call("score", a, b), "a.csv has 3 labels and", "b.csv has 2: give files of the same items")
