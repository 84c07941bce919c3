"""Write docs/http-api.md from docs/openapi.json: ``make generated``, after docs/build_openapi.py."""

from __future__ import annotations

import json
from pathlib import Path

TARGET = Path(__file__).with_name("http-api.md")
DOCUMENT = Path(__file__).with_name("openapi.json")

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

## Upload a table and start a run

Announce the file with its name and its length in bytes. The answer has the `id` of the dataset, and in `part_bytes` and
`parts` the size and the number of the parts. Send part 0, 1 and so on; a table below 16 MiB is one part. Then complete
the upload, and start a run:

    api=http://127.0.0.1:8000/api/v1
    json="Content-Type: application/json"
    curl --header "$json" --data '{"name": "wine.csv", "bytes": '$(wc -c < wine.csv)'}' $api/datasets
    dataset=...                                         # the id in the answer
    curl --upload-file wine.csv $api/datasets/$dataset/parts/0
    curl --header "$json" --data "{}" $api/datasets/$dataset/complete
    curl $api/datasets/$dataset/preflight               # what `disnplbm check` says; ask again until it is done
    curl --header "$json" --data '{"dataset": "'$dataset'", "transform": "standardize"}' $api/runs
    run=...                                             # the id in the answer
    curl $api/runs/$run                                 # its state and progress; the next command needs SUCCEEDED
    curl --output run.zip $api/runs/$run/artifacts.zip

The commands `submit`, `status`, `watch`, `pause`, `resume`, `cancel` and `download` do all of this with `--server`:
[command line](cli.md).
"""


def text() -> str:
    """The page."""
    paths = json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"]
    routes: dict[str, list[str]] = {}
    for path, methods in paths.items():
        for method, operation in methods.items():
            if "summary" in operation:
                row = f"| `{method.upper()} {path}` | {operation['summary'].replace('|', '&#124;')} |"
                routes.setdefault(operation["tags"][0], []).append(row)
    parts = [f"## {tag}\n\n| request | what it does |\n|---|---|\n" + "\n".join(rows) for tag, rows in routes.items()]
    return INTRODUCTION + "\n" + "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
