"""The guide to the API: a real server answers every request as the page says."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def load(name: str) -> Any:
    """A program of docs/."""
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Data classes look their module up.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


RUN = load("run_api_examples")
BUILD = load("build_http_api")
GUIDE = RUN.PAGE.read_text(encoding="utf-8")


@pytest.mark.long
def test_a_server_answers_as_the_guide_says(tmp_path: Path) -> None:
    examples = RUN.examples(GUIDE)
    assert len(examples) >= 40
    for example, answer in zip(examples, RUN.answers_to(examples, tmp_path), strict=True):
        assert RUN.without_changing(answer) == RUN.without_changing(example.printed), (
            f"the guide is stale; run `python docs/run_api_examples.py` and read what changed:\n{example.code}"
        )


def test_every_block_of_the_guide_is_run_or_is_an_answer() -> None:
    run = RUN.examples(GUIDE)
    assert GUIDE.count("```") == 2 * (len(run) + sum(example.span is not None for example in run))


def test_an_endpoint_without_an_example_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "guide.md"
    page.write_text(GUIDE.replace("/pause", "/resume"), encoding="utf-8")
    monkeypatch.setattr(BUILD, "GUIDE", page)
    with pytest.raises(RuntimeError, match=r"no example for POST /api/v1/runs/\{run_id\}/pause"):
        BUILD.text()


def test_ids_times_and_free_space_are_not_compared_and_all_else_is() -> None:
    answer = '{"id": "%s", "at": "2026-0%d-01T10:00:00.1Z", "free_bytes": %d, "seconds": [0.%d, 1], "rows": %d}'
    first = RUN.without_changing(answer % ("0123456789ab", 1, 5, 3, 178))
    assert first == RUN.without_changing(answer % ("ba9876543210", 2, 6, 4, 178))
    assert first != RUN.without_changing(answer % ("0123456789ab", 1, 5, 3, 179))


def test_a_long_answer_shows_its_beginning_and_how_much_there_is_more() -> None:
    answer = {"names": list("abcdef"), "items": [{"a": 1}] * 4, "text": "x" * 200, "pair": [1, 2, 3, 4]}
    assert RUN.shorten(answer) == {
        "names": ["a", "b", "c", "... 3 more"],
        "items": [{"a": 1}, "... 3 more"],
        "text": f"{'x' * 96} ...",
        "pair": [1, 2, 3, 4],
    }


def test_an_answer_is_laid_out_as_json_that_fits_the_page() -> None:
    answer = {"name": "a" * 60, "parts": [{"number": 0, "bytes": 7}] * 2, "rest": {"words": ["b" * 50, "c" * 50]}}
    laid_out = RUN.lay_out(json.dumps(answer))
    assert json.loads(laid_out) == answer
    assert max(map(len, laid_out.splitlines())) <= 116
    assert '  "parts": [{"number": 0, "bytes": 7}, {"number": 0, "bytes": 7}],' in laid_out.splitlines()
