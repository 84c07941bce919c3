"""Ask a real server what the guide to the API asks, and write what it answers: ``python docs/run_api_examples.py``.

The blocks of ``sh`` of the guide run in order in one shell, in a folder that has the repository's examples alone, beside a
``disnplbm serve`` on a free port. A block of ``json`` or ``text`` behind one is what it prints. JSON is shortened and laid
out; ids, times and what depends on the machine differ from run to run and are not compared.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "guides" / "api-with-curl.md"

_BLOCK = re.compile(r"```sh\n(.*?)```\n(?:\n```(?:json|text)\n(.*?)```\n)?", re.S)

_WIDTH = 116
_LONGEST_TEXT = 100

#: What differs from run to run, and what is compared in its place.
_CHANGING = (
    (re.compile(r'(?<=")[0-9a-f]{12}(?=")|(?<=run )[0-9a-f]{12}'), "ID"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "TIME"),
    (
        re.compile(r'"(\w*seconds\w*|free_bytes|memory_mb|numpy|processors|python)": (\[[^\]]*\]|[^,\n}]*)'),
        r'"\1"',
    ),
    # What a forecast is made of: it knows this machine.
    (re.compile(r'"(start|iteration|consensus|uncertainty)": \d+\.\d+'), r'"\1"'),
)

#: Stands between what two blocks print.
_MARK = "\x01"


@dataclass(frozen=True)
class Example:
    """A block to run: its commands, what the page says that they print, and where that stands (if it does)."""

    code: str
    printed: str
    span: tuple[int, int] | None


def examples(page: str) -> list[Example]:
    """The blocks of the guide, in order."""
    return [
        Example(found[1], found[2] or "", found.span(2) if found[2] is not None else None)
        for found in _BLOCK.finditer(page)
    ]


def answers_to(asked: list[Example], folder: Path) -> list[str]:
    """Run the blocks in a folder beside a server, and return what each prints."""
    (folder / "examples").symlink_to(DOCS.parent / "examples")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DISNPLBM_")}
    # What `source .venv/bin/activate` does.
    environment = kept | {"PATH": f"{sys.prefix}/bin{os.pathsep}{os.environ['PATH']}"}
    with _serve(folder, environment) as address:
        (folder / ".curlrc").write_text("no-progress-meter\n", encoding="utf-8")
        script = folder / "examples.sh"
        script.write_text(f"\nprintf '{_MARK}'\n".join(example.code for example in asked), encoding="utf-8")
        done = subprocess.run(
            ["bash", "-eu", str(script)],
            cwd=folder,
            env=environment | {"api": f"{address}/api/v1", "CURL_HOME": str(folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    printed = done.stdout.split(_MARK)
    if done.returncode != 0:
        raise RuntimeError(f"this failed:\n{asked[len(printed) - 1].code}\n{printed[-1]}\n{done.stderr}")
    return [lay_out(text) for text in printed]


def without_changing(printed: str) -> str:
    """What is printed, but for what differs from run to run."""
    for pattern, instead in _CHANGING:
        printed = pattern.sub(instead, printed)
    return printed


def shorten(value: Any) -> Any:
    """An answer with the beginning of each long list and text."""
    if isinstance(value, dict):
        return {name: shorten(one) for name, one in value.items()}
    if isinstance(value, list):
        few = 1 if any(isinstance(one, dict | list) for one in value) else 3
        rest = [f"... {len(value) - few} more"] if len(value) > few + 1 else value[few:]
        return [shorten(one) for one in [*value[:few], *rest]]
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[: _LONGEST_TEXT - 4]} ..."
    return value


def lay_out(printed: str) -> str:
    """JSON short and readable, any other text as it is."""
    try:
        value = json.loads(printed)
    except ValueError:
        return printed
    return f"{_lines(shorten(value), '', _WIDTH)}\n"


def _lines(value: Any, indent: str, room: int) -> str:
    """JSON on one line if it fits, else each entry on a line of its own."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) <= room or not isinstance(value, dict | list) or not value:
        return flat
    deeper = f"{indent}  "
    if isinstance(value, dict):
        names = [f"{json.dumps(name)}: " for name in value]
        entries = [
            f"{deeper}{name}{_lines(one, deeper, _WIDTH - len(deeper) - len(name) - 1)}"
            for name, one in zip(names, value.values(), strict=True)
        ]
    else:
        entries = [f"{deeper}{_lines(one, deeper, _WIDTH - len(deeper) - 1)}" for one in value]
    begin, end = ("{", "}") if isinstance(value, dict) else ("[", "]")
    return f"{begin}\n" + ",\n".join(entries) + f"\n{indent}{end}"


@contextmanager
def _serve(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """The address of a server that keeps its data in a folder; it ends with the block."""
    with subprocess.Popen(
        ["disnplbm", "serve", "--port", "0"], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            said = server.stdout.readline()
            if not said.startswith("disnplbm is at "):
                raise RuntimeError(f"the server did not start: {said}")
            yield said.split()[-1]
        finally:
            server.terminate()


def main() -> None:
    """Write all answers anew if one of them has changed."""
    page = PAGE.read_text(encoding="utf-8")
    asked = examples(page)
    with tempfile.TemporaryDirectory() as name:
        answers = answers_to(asked, Path(name))
    pairs = list(zip(asked, answers, strict=True))
    if all(without_changing(example.printed) == without_changing(answer) for example, answer in pairs):
        return
    for example, answer in reversed(pairs):
        if example.span is not None:
            page = page[: example.span[0]] + answer + page[example.span[1] :]
        elif answer:
            raise SystemExit(
                f"{PAGE.name}: this prints something, and the page has no block for it:\n{example.code}\n{answer}"
            )
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
