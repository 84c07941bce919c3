"""Pages of studies in docs/results."""

from __future__ import annotations

from pathlib import Path

from benchmarks.studies.__main__ import STUDIES, with_title

RESULTS = Path(__file__).resolve().parents[3] / "docs" / "results"


def test_a_page_has_a_title_then_its_head_then_the_rest() -> None:
    page = with_title("## Mixing\n\nText with a # in it.\n\n### wine\n\n| a |", "*Written by hand.*\n\n")
    assert page == "# Mixing\n\n*Written by hand.*\n\nText with a # in it.\n\n## wine\n\n| a |"


def test_every_study_has_a_page_with_one_title() -> None:
    assert {path.stem for path in RESULTS.glob("*.md")} == set(STUDIES)
    for path in RESULTS.glob("*.md"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if line.startswith("# ")] == [lines[0]], path.name
        assert lines[2].startswith("*Written by"), path.name
