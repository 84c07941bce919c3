"""Run the pages of commands as a reader would, and write what they print: ``python docs/run_tutorials.py [PAGE...]``.

The blocks of ``sh`` and ``python`` of a page are run in order, in a folder that has the repository's examples alone, with
the commands of this environment; a block of ``text`` behind one is what it prints. Times differ from run to run and are
not compared.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGES = [
    DOCS / name
    for name in (
        "quickstart.md",
        "tutorial.md",
        "tutorial-certainty.md",
        "tutorial-cells.md",
        "tutorial-documents.md",
        "guides/cells.md",
        "guides/too-many-clusters.md",
        "guides/hand-back.md",
        "faq.md",
    )
]

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


def output_of(step: Step, folder: Path) -> str:
    """Run a block in a folder and return what it prints, errors among it."""
    examples = folder / "examples"
    if not examples.exists():
        examples.symlink_to(DOCS.parent / "examples")
    words = ["bash", "-euo", "pipefail", "-c", step.code]
    if step.language == "python":
        words = [sys.executable, "-c", step.code]
    # What `source .venv/bin/activate` does.
    environment = os.environ | {"PATH": f"{sys.prefix}/bin{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"this failed:\n{step.code}\n{done.stdout}")
    return done.stdout


def without_times(printed: str) -> str:
    """What is printed, but for times."""
    return _TIMES.sub(lambda found: found[1] or "", printed)


def main() -> None:
    """Write what has changed on each page, or on those that are named."""
    for path in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as name:
            outputs = [(step, output_of(step, Path(name))) for step in steps(page)]
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
