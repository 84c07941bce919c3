"""Tables of words from the file to the result: the clusters of their numbers, under their own names."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from disnplbm import NPLBM
from disnplbm.errors import DataWarning, InputError

from .console import Outcome, assert_refused, call, fit

WORDS = np.array(["amber", "jade, light", "ruby"])


def codes(n: int = 60, seed: int = 0) -> NDArray[np.intp]:
    """Rows of two kinds over columns of two kinds; some cells are of a third value."""
    rng = np.random.default_rng(seed)
    kinds = (np.arange(n)[:, None] + np.arange(12)) % 2
    return np.where(rng.random(kinds.shape) < 0.8, kinds, 2)


def frame(values: NDArray[np.generic]) -> pd.DataFrame:
    names = [f"s{i}" for i in range(len(values))], [f"q{j}" for j in range(values.shape[1])]
    return pd.DataFrame(values.astype(object), pd.Index(names[0], name="id"), names[1])


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def record(folder: Path) -> dict[str, object]:
    return json.loads((folder / "run.json").read_text())  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs on a table of words and on that of its numbers; two cells are missing."""
    folder = tmp_path_factory.mktemp("words")
    for name, values in (("words", WORDS[codes()]), ("numbers", codes().astype(float))):
        table = frame(values)
        table.iloc[4, 5] = table.iloc[7, 2] = None
        table.to_csv(folder / f"{name}.csv")
        more = ("--cells", "categorical") if name == "numbers" else ()
        outcome = fit(folder / f"{name}.csv", folder / name, "--burn-in", 20, *more, iterations=60)
        assert outcome.code == 0, outcome
    return folder


def test_the_bits_are_those_of_the_table_of_numbers(folder: Path) -> None:
    words, numbers = record(folder / "words"), record(folder / "numbers")
    assert words["digest"] == numbers["digest"]
    assert words["data"]["categories"] == WORDS.tolist()  # type: ignore[index]
    assert words["data"]["sha256"] != numbers["data"]["sha256"]  # type: ignore[index]
    model = NPLBM(60, burn_in=20, random_state=0)
    with pytest.warns(DataWarning, match="taken as categories: they are words, amber, jade, light or ruby"):
        model.fit(pd.read_csv(folder / "words.csv", index_col=0))
    assert model.digest_ == words["digest"]


def test_blocks_are_told_by_words(folder: Path) -> None:
    found = records((folder / "words" / "blocks.csv").read_text())
    numbered = records((folder / "numbers" / "blocks.csv").read_text())
    for c, word in enumerate(WORDS):
        for part in ("share", "share_posterior", "share_low", "share_high"):
            assert [line[f"{part}_{word}"] for line in found] == [line[f"{part}_{c}"] for line in numbered]
    outcome = call("report", folder / "words")
    assert outcome.code == 0, outcome


def test_a_note_says_what_the_words_are_taken_for_and_what_overrules_it(folder: Path) -> None:
    outcome = call("fit", folder / "words.csv", "--output", folder / "auto", "--iterations", 2)
    assert (
        "note: the cells are taken as categories: they are words, amber, jade, light or ruby (for real numbers: --cells"
        " gaussian)" in outcome.err
    )
    assert "categories: 3 (amber, jade, light, ruby)" in call("check", folder / "words.csv").out
    assert_refused(fit(folder / "words.csv", folder / "none", "--cells", "gaussian"), "12 columns hold text")


def test_new_rows_of_words_are_those_of_numbers(folder: Path) -> None:
    frame(WORDS[codes(30, 1)]).to_csv(folder / "new.csv")
    frame(codes(30, 1)).to_csv(folder / "new-numbers.csv")
    found = call("predict", folder / "words", folder / "new.csv")
    assert found.code == 0, found
    assert found.out == call("predict", folder / "numbers", folder / "new-numbers.csv").out
    turned = call("predict", folder / "words", folder / "words.csv", "--axis", "columns")
    assert turned.out == call("predict", folder / "numbers", folder / "numbers.csv", "--axis", "columns").out


def test_a_new_word_is_refused_by_its_cell(folder: Path) -> None:
    new = frame(WORDS[codes(30, 1)])
    new.iloc[6, 3] = "pearl"
    new.to_csv(folder / "pearl.csv")
    refused = call("predict", folder / "words", folder / "pearl.csv")
    assert_refused(refused, "row 7, column q3: 'pearl' is not one of the run's categories")
    assert_refused(call("predict", folder / "numbers", folder / "new.csv"), "is not a number")


def test_missing_cells_are_filled_with_words(folder: Path) -> None:
    filled = pd.read_csv(io.StringIO(call("impute", folder / "words", folder / "words.csv").out), index_col=0)
    given = frame(WORDS[codes()])
    right = np.ones(given.shape, dtype=bool)
    right[4, 5] = right[7, 2] = False
    assert (filled.to_numpy() == given.to_numpy())[right].all()
    assert set(filled.to_numpy()[~right]) <= set(WORDS)
    listed = records(call("impute", folder / "words", folder / "words.csv", "--cells").out)
    assert [line["value"] for line in listed] == filled.to_numpy()[~right].tolist()


def test_a_cut_of_words_can_be_refined(folder: Path) -> None:
    outcome: Outcome = call("cut", folder / "words", "--rows", 2, "--refine")
    assert outcome.code == 0, outcome
    assert "share_ruby" in (folder / "words" / "cut-2xall-refined" / "blocks.csv").read_text()


def test_the_estimator_judges_words() -> None:
    values = WORDS[codes()].astype(object)
    values[4, 5] = None
    numbers = codes().astype(float)
    numbers[4, 5] = np.nan
    by_words = NPLBM(60, burn_in=20, cells="categorical").fit(values)
    by_numbers = NPLBM(60, burn_in=20, cells="categorical").fit(numbers)
    assert by_words.digest_ == by_numbers.digest_
    new = codes(30, 1)
    for axis, words, coded in (("rows", WORDS[new], new), ("columns", WORDS[codes()], codes())):
        np.testing.assert_array_equal(
            by_words.predict_proba(words, axis=axis), by_numbers.predict_proba(coded, axis=axis)
        )
    filled, sure = by_words.impute(values)
    assert filled[4, 5] in WORDS
    assert filled[0].tolist() == values[0].tolist()
    assert (sure > 0).sum() == 1
    with pytest.raises(InputError, match="row 1, column 0: 'pearl' is not one of the run's categories"):
        by_words.predict([["pearl", *WORDS[new[0, 1:]]]])
    with pytest.raises(InputError, match="X holds text, not real numbers"):
        NPLBM(cells="counts").fit(WORDS[new])


def test_two_words_have_one_share(tmp_path: Path) -> None:
    frame(np.array(["no", "yes"])[codes() % 2]).to_csv(tmp_path / "x.csv")
    assert fit(tmp_path / "x.csv", tmp_path / "run", "--burn-in", 10, iterations=20).code == 0
    header = (tmp_path / "run" / "blocks.csv").read_text().splitlines()[0]
    assert header.split(",")[5:] == ["share_yes", "share_posterior_yes", "share_low_yes", "share_high_yes"]
    assert call("report", tmp_path / "run").code == 0
