"""A table of words that is uploaded: its preview, its report, its run, and what the pages call its categories."""

from __future__ import annotations

import csv
import io

from .conftest import Dashboard
from .test_preview import look

LINES = ["who,a,b,c", *(f"p{i},{'yes' if i % 2 else 'no'},{'no' if i % 3 else 'maybe'},yes" for i in range(30))]
WORDS = ("\n".join(LINES) + "\n").encode()


def test_a_table_of_words_becomes_a_run_of_categories(dashboard: Dashboard) -> None:
    seen = look(dashboard, WORDS, whole=True).json
    assert (seen["problem"], seen["id_column"]) == (None, "who")
    dataset = dashboard.upload(WORDS)
    report = dashboard.preflight(dataset).json
    assert (report["cells"], report["categories"], report["low"]) == ("categorical", ["maybe", "no", "yes"], None)
    assert any("taken as categories: they are words, maybe, no or yes" in note for note in report["notes"])
    run = dashboard.submit(dataset, options={"iterations": 3})
    dashboard.finish()
    assert dashboard.get(f"/runs/{run}").json["state"] == "SUCCEEDED"
    record = dashboard.get(f"/runs/{run}/artifacts/run.json").json
    assert record["data"]["categories"] == ["maybe", "no", "yes"]
    blocks = csv.reader(io.StringIO(dashboard.get(f"/runs/{run}/artifacts/blocks.csv").text))
    assert next(blocks)[5:] == ["share_maybe", "share_no", "share_yes"]
    assert dashboard.get(f"/runs/{run}/heatmap").json["categories"] == ["maybe", "no", "yes"]


def test_words_asked_for_as_numbers_are_refused_with_what_takes_them(dashboard: Dashboard) -> None:
    run = dashboard.submit(dashboard.upload(WORDS), options={"iterations": 3, "cells": "counts"})
    dashboard.finish()
    failed = dashboard.get(f"/runs/{run}").json
    assert failed["state"] == "FAILED"
    assert "the cells are words (maybe, no or yes), and these are categories: cells = 'categorical'" in failed["error"]


def test_words_can_be_taken_as_a_fault_and_a_few_of_them_as_categories(dashboard: Dashboard) -> None:
    assert "hold text, not numbers" in look(dashboard, WORDS, whole=True, words="no").json["problem"]
    few = b"a,b\n" + b"1,2\n2,1\n" * 20 + b"1,other\n"
    assert "'other' is not a number" in look(dashboard, few, whole=True).json["problem"]
    assert look(dashboard, few, whole=True, words="yes").json["problem"] is None
