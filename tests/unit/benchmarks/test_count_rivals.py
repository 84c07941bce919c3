"""Programs of others in the study of counts: a line for each, whatever comes of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.clock import Clock, Taken
from benchmarks.studies import count_rivals
from benchmarks.studies.count_methods import Found, save
from benchmarks.studies.count_rivals import RIVALS, Rival, run_rival
from benchmarks.studies.count_tables import CountTable
from benchmarks.studies.counts import LONG, SEEDS, Line, _repeated, _rows
from benchmarks.studies.limited import UnansweredError
from scipy.sparse import csr_array

#: A program that answers with the known classes, after some work.
HONEST = """
import numpy as np
from benchmarks.rivals.answering import answer
answer(lambda question: {"": np.arange(question.counts.shape[0]) % question.n_classes})
"""
ENDLESS = "while True: pass"
BROKEN = "raise SystemExit('no licence')"


def asked(tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> Found:
    """What the study makes of a program."""
    table = CountTable("t", csr_array(np.eye(6)), (np.arange(6) % 2).astype(np.int32))
    save(table, tmp_path / "t.npz")
    (tmp_path / "program.py").write_text(f"import sys; sys.argv[0:] = [sys.argv[0], *sys.argv[-2:]]\n{program}")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nfor last; do :; done\nexec {sys.executable} {tmp_path}/program.py "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(count_rivals, "python_of", lambda _: str(python))
    return run_rival(tmp_path / "t.npz", Rival("any", "any", {"": "yes"}), table, 0, limit=2)


def test_an_answer_is_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked(tmp_path, HONEST, monkeypatch)
    assert (found.scores[""], found.clusters[""]) == ((1.0, 1.0), 2)
    assert found.peak > 10


def test_a_program_is_stopped_at_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnansweredError, match=r"^stopped after 2 s of processor time$"):
        asked(tmp_path, ENDLESS, monkeypatch)


def test_a_program_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnansweredError, match=r"^failed: no licence$"):
        asked(tmp_path, BROKEN, monkeypatch)


def test_a_program_that_is_not_installed_is_a_line(tmp_path: Path) -> None:
    table = CountTable("t", csr_array(np.eye(2)), np.array([0, 1], np.int32))
    rival = Rival("any", "no_such_package_anywhere", {"": "yes"})
    with pytest.raises(UnansweredError, match=r"^not installed \(`no_such_package_anywhere`\)$"):
        run_rival(tmp_path / "t.npz", rival, table, 0)


def test_every_rival_has_its_program() -> None:
    folder = Path(count_rivals.__file__).parents[1] / "rivals"
    assert {f"{rival.module}.py" for rival in RIVALS.values()} <= {path.name for path in folder.iterdir()}


def test_a_long_method_runs_once_and_a_failing_one_too() -> None:
    def after(seconds: float) -> Found:
        return Found({"": (0.5, 0.5)}, {"": 2}, Taken(seconds, 2 * seconds), 1.0)

    def fail(_: int) -> Found:
        raise UnansweredError("not installed")

    assert len(_repeated(lambda _: after(LONG + 1), LONG)) == 1
    assert len(_repeated(lambda _: after(LONG - 1), LONG)) == len(SEEDS)
    assert _repeated(fail, LONG) == "not installed"


def test_a_clock_counts_the_programs_that_a_method_starts() -> None:
    clock = Clock()
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.4: pass"], check=True)
    taken = clock.taken()
    assert taken.processor >= 0.4
    assert taken.wall >= 0.3


def test_lines_are_medians_and_the_best_is_bold() -> None:
    found = [Found({"": (score, score)}, {"": 3}, Taken(1.0, 2.0), 10.0) for score in (0.1, 0.2, 0.9)]
    lines = [Line("a", {"": "yes"}, found), Line("b", {"": "no"}, found[:1]), Line("c", {"": "no"}, "not installed")]
    assert _rows(lines) == [
        ["a", "yes", "3", "**0.200**", "**0.200**", "1.0 s", "2.0 s", "10 MiB"],
        ["b", "no", "3", "0.100", "0.100", "1.0 s", "2.0 s", "10 MiB"],
        ["c", "no", "not installed", "", "", "", "", ""],
    ]
