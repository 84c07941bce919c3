"""A run's request has the same bytes as ever, and what earlier versions wrote can be read."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from disnplbm.algorithm import ALGORITHM_VERSION
from disnplbm.errors import RunError
from disnplbm.runs.request import Request, RunRequest

ASKED = Request("t", "/d/t.csv", n_shards=3, axis="rows", transform="log", row_classes=["ä", "b"])
REQUEST = RunRequest(asked=ASKED, options={"seed": 1}, created="2026-01-02T03:04:05+00:00", algorithm=5)

STORED = (
    '{"name": "t", "path": "/d/t.csv", "n_shards": 3, "axis": "rows", "row_classes": ["ä", "b"],'
    ' "column_classes": null, "start_rows": null, "start_columns": null, "warnings": [], "seconds": 0.0,'
    ' "created": "2026-01-02T03:04:05+00:00", "options": {"seed": 1}, "algorithm": 5}'
)
IN_FOLDER = (
    '{"name": "t", "path": "/d/t.csv", "created": "2026-01-02T03:04:05+00:00", "options": {"seed": 1},'
    ' "algorithm": 5, "row_classes": ["\\u00e4", "b"], "column_classes": null, "start_rows": null,'
    ' "start_columns": null, "warnings": ["odd"], "seconds": 1.5, "stages": {"reading": 1.5}}'
)


def test_a_request_has_the_bytes_that_its_seal_is_of() -> None:
    assert REQUEST.in_store().decode() == STORED
    read = replace(REQUEST, warnings=["odd"], seconds=1.5, stages={"reading": 1.5})
    assert json.dumps(read.in_folder()) == IN_FOLDER


def test_what_was_written_is_read() -> None:
    stored, folder = RunRequest.read(STORED.encode()), RunRequest.read(IN_FOLDER.encode())
    assert stored == replace(REQUEST, asked=replace(ASKED, transform="none"), warnings=[])
    assert stored.in_store().decode() == STORED
    assert json.dumps(folder.in_folder()) == IN_FOLDER
    # Of a version that timed no stages.
    early = {name: value for name, value in json.loads(IN_FOLDER).items() if name != "stages"}
    assert RunRequest.read(json.dumps(early).encode()) == replace(folder, stages=None)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"name": "t"}', STORED[:-1].encode(), b"\xff"])
def test_what_is_no_request_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):
        RunRequest.read(body)


def test_a_run_of_another_version_of_the_algorithm_is_refused() -> None:
    replace(REQUEST, algorithm=ALGORITHM_VERSION).check_algorithm("run 1", "submit it anew")
    with pytest.raises(
        RunError, match=rf"^run 1 was begun by version 1 of the algorithm and this is {ALGORITHM_VERSION}:"
    ):
        replace(REQUEST, algorithm=1).check_algorithm("run 1", "submit it anew")
