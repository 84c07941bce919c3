"""Run the tutorials as a reader would, and write what their commands print: ``python docs/run_tutorials.py``.

A page's blocks of ``sh`` and ``python`` are run in order, in an empty folder that has the project's ``.venv`` and
``examples``; a block of ``text`` behind one is what it prints. Times differ from run to run and are not compared.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGES = [DOCS / "tutorial.md", DOCS / "tutorial-certainty.md"]

_BLOCK = re.compile(r"```(sh|python)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.S)

#: What a run prints that depends on the machine.
_TIMES = re.compile(r"^(seconds +).*$", re.M)


@dataclass(frozen=True)
class Step:
    """A block to run: its language, its text, what the page says that it prints, and where that stands (if it does)."""

    language: str
    code: str
    printed: str
    span: tuple[int, int] | None


def steps(page: str) -> list[Step]:
    """The blocks of a page that are to be run, in order."""
    return [
        Step(found[1], found[2], found[3] or "", found.span(3) if found[3] is not None else None)
        for found in _BLOCK.finditer(page)
    ]


def prepared(folder: Path) -> Path:
    """An empty folder, with what a reader's checkout has in it."""
    (folder / ".venv").symlink_to(sys.prefix)
    (folder / "examples").symlink_to(DOCS.parent / "examples")
    return folder


def output_of(step: Step, folder: Path) -> str:
    """Run a block in a folder and return what it prints, errors among it."""
    words = ["bash", "-euo", "pipefail", "-c", step.code]
    if step.language == "python":
        words = [str(folder / ".venv" / "bin" / "python"), "-c", step.code]
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"this failed:\n{step.code}\n{done.stdout}")
    return done.stdout


def without_times(printed: str) -> str:
    """What is printed, but for times."""
    return _TIMES.sub(lambda found: found[1] or "", printed)


def main() -> None:
    """Write anew what has changed on each page."""
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as name:
            folder = prepared(Path(name))
            outputs = [(step, output_of(step, folder)) for step in steps(page)]
        for step, printed in reversed(outputs):
            if without_times(printed) == without_times(step.printed):
                continue
            if step.span is None:
                raise SystemExit(
                    f"{path.name}: this prints something, and the page has no text block for it:\n{step.code}"
                )
            page = page[: step.span[0]] + printed + page[step.span[1] :]
        path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
