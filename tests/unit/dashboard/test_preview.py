"""The server says how a file would be read, by its first bytes: the same as it says once the file is uploaded."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm.data.preview import MOST_BYTES
from disnplbm_dashboard.turns import Turns

from .conftest import Dashboard
from .test_reading import SEMICOLONS, TEXTS


def look(dashboard: Dashboard, content: bytes, name: str = "x.csv", **more: Any) -> Any:
    """The answer about a beginning."""
    return dashboard.post("/previews", {"name": name, "head": base64.b64encode(content).decode(), **more})


def test_what_is_said_of_the_beginning_is_said_of_the_upload(dashboard: Dashboard) -> None:
    seen = look(dashboard, TEXTS, whole=True).json
    report = dashboard.preflight(dashboard.upload(TEXTS)).json
    assert (seen["problem"], seen["proposed"]) == (report["detail"].replace("table.csv", "x.csv"), report["reading"])
    seen = look(dashboard, SEMICOLONS, whole=True).json
    report = dashboard.preflight(dashboard.upload(SEMICOLONS)).json
    assert seen["notes"] == report["notes"][: len(seen["notes"])] != []
    assert (seen["delimiter"], seen["decimal"], seen["header"], seen["id_column"]) == ("semicolon", ",", True, "id")
    assert (seen["names"], seen["rows"][1], seen["next_bytes"]) == (["id", "a", "b"], ["r1", "1,5", "1,25"], 0)


@pytest.mark.parametrize("name", ["two\nlines", "a\ttab", "n" * 1000, " ", "\x7f", "none"])
def test_what_the_server_proposes_it_takes(dashboard: Dashboard, name: str) -> None:
    """Whatever a file calls its columns."""
    content = f'"{name}",b,c\nw,1,2\nv,3,4\nu,4,3\n'.encode()
    proposed = look(dashboard, content, whole=True, header=True, id_column="none").json["proposed"]
    seen = look(dashboard, content, whole=True, **proposed)
    assert (seen.status_code, seen.json["problem"]) == (200, None)
    assert dashboard.preflight(dashboard.upload(content, **proposed)).status_code == 200
    said = b'1,"n\ta",2\n3,4,5\n' * 10
    hints = [part for part in look(dashboard, said, whole=True).json["fault"]["parts"] if isinstance(part, dict)]
    assert [hint["option"] for hint in hints] == ["missing", "words"]
    for hint in hints:
        assert look(dashboard, said, whole=True, **{hint["option"]: hint["value"]}).json["problem"] is None


def test_what_is_asked_for_overrules_what_is_found(dashboard: Dashboard) -> None:
    seen = look(dashboard, SEMICOLONS, whole=True, header=False, delimiter="comma").json
    assert (seen["header"], seen["delimiter"]) == (False, "comma")
    assert seen["problem"] is not None
    assert look(dashboard, SEMICOLONS, drop_columns=["c"]).json["problem"] is not None


def test_a_longer_beginning_is_asked_for_until_it_is_certain(dashboard: Dashboard) -> None:
    assert look(dashboard, SEMICOLONS[:100]).json["next_bytes"] == 400
    assert look(dashboard, b"a,b\n" + b"1,2\n" * 500).json["next_bytes"] == 0
    assert look(dashboard, b"1" * MOST_BYTES).json["next_bytes"] == 0


@pytest.mark.parametrize(
    ("name", "head", "says"),
    [
        ("x.npy", "YQ==", "once it is uploaded"),
        ("x.doc", "YQ==", "unknown kind of file"),
        ("../x.csv", "YQ==", "no /"),
        ("x.csv", "a", "base64"),
    ],
)
def test_what_cannot_be_looked_at_is_refused(dashboard: Dashboard, name: str, head: str, says: str) -> None:
    refused = dashboard.post("/previews", {"name": name, "head": head})
    assert (refused.status_code, says in refused.json["detail"]) == (422, True), refused.text


def read_factors(dashboard: Dashboard, content: bytes, name: str = "sizes.csv") -> Any:
    return dashboard.post("/previews/factors", {"name": name, "content": base64.b64encode(content).decode()})


def test_a_file_of_factors_is_read_as_a_new_run_takes_them(dashboard: Dashboard) -> None:
    assert read_factors(dashboard, b"id,size\nr1,1.5\nr2,3\n").json == {"ids": ["r1", "r2"], "labels": [1.5, 3.0]}
    body = io.BytesIO()
    np.save(body, [2.0, 0.25])
    assert read_factors(dashboard, body.getvalue(), "f.npy").json == {"ids": None, "labels": [2.0, 0.25]}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"id,size\nr1,1.5\nr2,0\n", "sizes.csv: the factor in row 2 (r2) is 0; factors are finite numbers above 0"),
        (b"id,a,b\nr1,1,2\nr2,3,4\n", "sizes.csv has 2 columns of numbers (a, b)"),
        (b"\xff\xfe\x00", "sizes.csv"),
    ],
)
def test_what_is_no_file_of_factors_is_refused_in_a_line(dashboard: Dashboard, content: bytes, says: str) -> None:
    refused = read_factors(dashboard, content)
    assert (refused.status_code, says in refused.json["detail"]) == (422, True), refused.text
    assert "\n" not in refused.json["detail"]


def test_nothing_of_a_beginning_is_left_or_told_of_the_server(
    dashboard: Dashboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    seen = look(dashboard, b"a,b\n\xff\xfe,2\n", whole=True).json
    assert seen["problem"].startswith("x.csv line 2 is not UTF-8 text")
    assert str(scratch) not in str(seen)
    assert list(scratch.iterdir()) == []


def test_a_few_are_looked_at_at_a_time(dashboard: Dashboard) -> None:
    turns = Turns(1, 0.01, "files")
    object.__setattr__(dashboard.backend, "previews", turns)
    with turns.take_turn():
        busy = look(dashboard, SEMICOLONS)
    assert (busy.status_code, busy.json["type"]) == (429, "urn:disnplbm:problem:limit")
    assert look(dashboard, SEMICOLONS).status_code == 200
