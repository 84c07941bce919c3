"""Write docs/http-api.md from docs/openapi.json: ``make generated``, after docs/build_openapi.py."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

TARGET = Path(__file__).with_name("http-api.md")
DOCUMENT = Path(__file__).with_name("openapi.json")
GUIDE = Path(__file__).parent / "guides" / "api-with-curl.md"

INTRODUCTION = """# HTTP API

`make generated` writes this page from the API's own description, [openapi.json](openapi.json). That file has the fields
of every request and answer; tools for OpenAPI 3 read it.

`disnplbm serve` answers at `/api/v1`. As long as there is no token, it answers requests from its own machine only:

    curl http://127.0.0.1:8000/api/v1/runs

With tokens, each request names one:

    disnplbm token create --name ada --scope run
    curl --header "Authorization: Bearer $DISNPLBM_TOKEN" http://127.0.0.1:8000/api/v1/runs

A token has one of three scopes: `read` sees everything, `run` also submits, cancels and deletes, and `admin` also sees
the tokens. [Security](../SECURITY.md) says what each may do.

An error is a problem document (RFC 9457): `title` says what happened, and `detail` says where and what to do.

[Use the API with curl](guides/api-with-curl.md) has a request to every endpoint, and what it answers: how to upload a table,
start a run, watch it and fetch its results.

The commands `submit`, `status`, `watch`, `pause`, `resume`, `cancel` and `download` do all of this with `--server`:
[command line](cli.md).
"""


def text() -> str:
    """The page; RuntimeError if the guide has no example for a request."""
    paths = json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"]
    shown = list(requests(GUIDE.read_text(encoding="utf-8")))
    routes: dict[str, list[str]] = {}
    for path, methods in paths.items():
        asked = re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)))
        for method, operation in methods.items():
            if "summary" not in operation:
                continue
            headings = [
                heading for heading, sent, to in shown if sent == method and asked.fullmatch(f"/api/v1{to}") is not None
            ]
            if not headings:
                raise RuntimeError(f"{GUIDE.name} has no example for {method.upper()} {path}")
            anchor = re.sub(r"\W+", "-", re.sub(r"[^\w\s-]", "", headings[0]).lower())
            summary = operation["summary"].replace("|", "&#124;")
            row = f"| `{method.upper()} {path}` | {summary} | [example](guides/{GUIDE.name}#{anchor}) |"
            routes.setdefault(operation["tags"][0], []).append(row)
    parts = [
        f"## {tag}\n\n| request | what it does | |\n|---|---|---|\n" + "\n".join(rows) for tag, rows in routes.items()
    ]
    return INTRODUCTION + "\n" + "\n\n".join(parts) + "\n"


def requests(guide: str) -> Iterator[tuple[str, str, str]]:
    """The heading, the method and the path behind ``$api`` of each curl command in the guide."""
    for section in guide.split("\n## ")[1:]:
        for block in re.findall(r"```sh\n(.*?)```", section, re.S):
            for command in re.findall(r"curl (?:(?!curl ).)*?\$api[^\s\"?)]*", block, re.S):
                named = re.search(r"--request (\w+)", command)
                method = "put" if "--upload-file" in command else "post" if "--json" in command else "get"
                yield section.partition("\n")[0], named[1].lower() if named else method, command.partition("$api")[2]


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
