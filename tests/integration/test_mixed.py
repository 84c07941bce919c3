"""Tables of columns of several kinds, and several files over the same rows, on the command line."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from birds import birds, save

from .console import assert_refused, call, fit, ok

NUMBERS, WORDS = ["bill", "flipper", "mass"], ["island", "origin"]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of real numbers and of categories."""
    return save(birds()[[*NUMBERS, *WORDS]], tmp_path_factory.mktemp("data") / "birds.csv")


@pytest.fixture(scope="module")
def run(table: Path) -> tuple[Path, dict[str, Any]]:
    """A run on it, with draws."""
    folder = table.parent / "run"
    return folder, ok(fit(table, folder, "--cells", "mixed", "--burn-in", 3))


def test_a_file_of_several_kinds_is_fitted_by_part(run: tuple[Path, dict[str, Any]]) -> None:
    folder, record = run
    assert (record["rows"], record["columns"], record["data"]["cells"]) == (60, 5, "mixed")
    with (folder / "columns.csv").open(newline="") as file:
        columns = list(csv.DictReader(file))
    assert [(line["id"], line["part"]) for line in columns] == [
        *((x, "0") for x in NUMBERS),
        *((x, "1") for x in WORDS),
    ]
    said = "\n".join(record["warnings"])
    assert "3 columns of real numbers: bill, flipper, mass; standardised by column" in said
    assert "2 columns of categories (east, north or south): island, origin" in said


def test_auto_takes_a_refused_file_of_several_columns_of_words_so(
    table: Path, run: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    record = ok(fit(table, tmp_path / "run", "--burn-in", 3))
    assert record["digest"] == run[1]["digest"]
    assert any(
        "some columns hold words, others do not: each is taken as what it holds" in w for w in record["warnings"]
    )


def test_auto_refuses_words_that_may_be_the_classes(tmp_path: Path) -> None:
    frame = birds()[[*NUMBERS, *WORDS]]
    for names in ({"island": "species"}, {}):
        one = save(frame.rename(columns=names)[[*NUMBERS, *(names.values() or ["island"])]], tmp_path / "x.csv")
        assert_refused(fit(one, tmp_path / "run"), "--row-classes", "as what it holds: --cells mixed")
        assert not (tmp_path / "run").exists()


def test_auto_names_what_a_table_of_several_kinds_leaves_out(tmp_path: Path) -> None:
    remark = [f"seen at {i}" for i in range(60)]
    remarks = save(birds()[[*NUMBERS, *WORDS]].assign(remark=remark), tmp_path / "remarks.csv")
    assert_refused(fit(remarks, tmp_path / "run"), "as what it holds: --cells mixed --drop-column remark;")
    ok(fit(remarks, tmp_path / "run", "--cells", "mixed", "--drop-column", "remark"))
    # Of words, there is nothing else.
    remarks = save(birds()[NUMBERS].assign(remark=remark), tmp_path / "remarks.csv")
    assert "mixed" not in assert_refused(fit(remarks, tmp_path / "other"), "--drop-column remark")
    assert_refused(fit(remarks, tmp_path / "other", "--cells", "mixed"), "free text", "run:", "--drop-column remark")


def test_columns_are_taken_as_asked_for(table: Path, tmp_path: Path) -> None:
    record = ok(fit(table, tmp_path / "run", "--columns-as", "flipper=categorical", "--columns-as", "mass=categorical"))
    assert any("1 column of real numbers: bill;" in note for note in record["warnings"])
    assert_refused(fit(table, tmp_path / "no", "--columns-as", "bill=words"), "--columns-as bill=words", "KIND")
    assert_refused(fit(table, tmp_path / "no", "--columns-as", "bill=counts", "--cells", "counts"), "add --cells mixed")


def test_several_files_give_what_one_gives(run: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    first = save(birds()[NUMBERS], tmp_path / "measures.csv")
    second = save(birds()[WORDS].iloc[::-1], tmp_path / "places.parquet")
    how = ("--cells", "mixed", "--id-column", "bird", "--burn-in", 3, "--iterations", 5, "--json")
    folder = tmp_path / "run"
    record = ok(call("fit", first, second, "--output", folder, *how))
    assert record["digest"] == run[1]["digest"]
    assert record["name"] == "measures.csv and places.parquet"
    assert any("places.parquet is matched by the names of rows: 60 rows" in note for note in record["warnings"])


def test_an_input_among_the_results_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    first, second = save(birds()[NUMBERS], tmp_path / "x.csv"), save(birds()[WORDS], folder / "rows.csv")
    (folder / "run.json").write_text("{}")
    done = call("fit", first, second, "--output", folder, "--force", "--id-column", "bird")
    assert_refused(done, "rows.csv is the input")
    assert second.is_file()


def test_what_takes_one_part_only_says_so_in_one_line(
    table: Path, run: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    folder, _ = run
    assert_refused(call("submit", table, "--cells", "mixed"), "`submit` does not take tables of several kinds")
    for words in (
        ("predict", folder, table, "--output", tmp_path / "p.csv"),
        ("impute", folder, table, "--output", tmp_path / "i.csv"),
        ("cut", folder, "--rows", 2, "--refine"),
        ("explain", folder),
    ):
        outcome = call(*words)
        assert outcome.code == 2, outcome
        assert_refused(outcome, "one kind of columns")


def test_shards_of_columns_and_factors_are_refused(table: Path, tmp_path: Path) -> None:
    assert_refused(fit(table, tmp_path / "run", "--cells", "mixed", "--shard-axis", "columns"), "--shard-axis columns")
    factors = tmp_path / "factors.csv"
    factors.write_text("bird,factor\n" + "".join(f"bird {i},1\n" for i in range(60)))
    assert_refused(fit(table, tmp_path / "run", "--cells", "mixed", "--exposure", factors), "--exposure")
    assert not (tmp_path / "run").exists()
