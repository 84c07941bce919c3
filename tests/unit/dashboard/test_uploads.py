"""Uploads in parts: resumed, checked, and nothing left of what was wrong."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from disnplbm.errors import RunError
from disnplbm.objects.store import ObjectStore
from disnplbm.runs import partial

from .conftest import API, Dashboard

CONTENT = bytes(range(256)) * 10
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of 1,000 bytes."""
    monkeypatch.setattr(partial, "UPLOAD_PART_BYTES", 1000)


def _begin(dashboard: Dashboard, **more: object) -> str:
    made = dashboard.post("/datasets", {"name": "x.csv", "bytes": len(CONTENT), **more})
    assert made.status_code == 201
    return str(made.json["id"])


def _put(dashboard: Dashboard, upload: str, number: int, content: bytes | None = None) -> int:
    data = CONTENT[1000 * number : 1000 * (number + 1)] if content is None else content
    return dashboard.client.put(f"{API}/datasets/{upload}/parts/{number}", data=data).status_code


@pytest.mark.usefixtures("small_parts")
def test_an_upload_that_broke_off_goes_on_with_the_parts_that_are_missing(dashboard: Dashboard) -> None:
    upload = _begin(dashboard, sha256=SHA256)
    assert _put(dashboard, upload, 2) == 204
    assert _put(dashboard, upload, 0) == 204
    assert dashboard.get(f"/datasets/{upload}").json["state"] == "UPLOADING"
    assert dashboard.get(f"/datasets/{upload}/parts").json["present"] == [0, 2]
    refused = dashboard.post(f"/datasets/{upload}/complete")
    assert (refused.status_code, refused.json["detail"]) == (422, "1 of 3 parts are missing, the first is 1: send them")
    assert _put(dashboard, upload, 1) == 204
    done = dashboard.post(f"/datasets/{upload}/complete", {"sha256": SHA256})
    assert (done.status_code, done.json["state"], done.json["sha256"]) == (200, "UPLOADED", SHA256)
    assert dashboard.store.list(f"uploads/{upload}") == [f"uploads/{upload}/x.csv"]
    assert bytes(dashboard.store.get(f"uploads/{upload}/x.csv")) == CONTENT
    assert dashboard.post(f"/datasets/{upload}/complete").json["id"] == upload
    assert dashboard.post(f"/datasets/{upload}/complete", {"sha256": "0" * 64}).status_code == 422


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("announced", [True, False])
def test_a_file_that_is_not_what_was_announced_is_no_dataset_and_can_be_sent_again(
    dashboard: Dashboard, announced: bool
) -> None:
    upload = _begin(dashboard, **({"sha256": SHA256} if announced else {}))
    for number in (0, 2):
        _put(dashboard, upload, number)
    _put(dashboard, upload, 1, b"x" * 1000)
    given = {} if announced else {"sha256": SHA256}
    refused = dashboard.post(f"/datasets/{upload}/complete", given)
    assert refused.status_code == 422
    assert "did not arrive as it was sent" in refused.json["detail"]
    assert f"uploads/{upload}/x.csv" not in dashboard.store.list()
    _put(dashboard, upload, 1)
    assert dashboard.post(f"/datasets/{upload}/complete", given).status_code == 200


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    ("number", "content", "status"),
    [(0, b"", 411), (0, b"x" * 999, 422), (0, b"x" * 1001, 422), (3, b"x", 422), (999999, b"x", 422), (2, b"x", 422)],
)
def test_parts_of_another_length_are_refused(dashboard: Dashboard, number: int, content: bytes, status: int) -> None:
    upload = _begin(dashboard)
    assert _put(dashboard, upload, number, content) == status
    assert dashboard.get(f"/datasets/{upload}/parts").json["present"] == []


def test_a_body_larger_than_a_part_is_not_read(dashboard: Dashboard) -> None:
    upload = dashboard.post("/datasets", {"name": "x.csv", "bytes": 2**40 // 16}).json["id"]
    headers = {"Content-Length": str(partial.UPLOAD_PART_BYTES + 1)}
    refused = dashboard.client.put(f"{API}/datasets/{upload}/parts/0", data=b"x", headers=headers)
    assert refused.status_code in (413, 422)
    assert dashboard.client.post(f"{API}/runs", data=b" " * (partial.UPLOAD_PART_BYTES + 2048)).status_code == 413


@pytest.mark.parametrize(
    "name", ["../x.csv", "a/b.csv", "a\\b.csv", "x.exe", "", "x.csv\n", "a\0.csv", "x" * 300 + ".csv", 7, None]
)
def test_names_that_no_file_has_are_refused(dashboard: Dashboard, name: object) -> None:
    refused = dashboard.post("/datasets", {"name": name, "bytes": 10})
    assert refused.status_code == 422
    assert refused.content_type == "application/problem+json"


@pytest.mark.parametrize("name", ["..csv", "ü ß.csv", "-rf.csv", "%2e%2e.csv", "<script>.csv", "NUL.csv"])
def test_odd_names_are_kept_and_harm_nothing(dashboard: Dashboard, name: str) -> None:
    dataset = dashboard.upload(name=name)
    assert dashboard.get(f"/datasets/{dataset}").json["name"] == name
    (key,) = dashboard.store.list(f"uploads/{dataset}")
    assert key.count("/") == 2
    assert dashboard.preflight(dataset).json["name"] == name


def test_limits_on_bytes_hold(tmp_path: Path) -> None:
    dashboard = Dashboard(tmp_path, upload_limit_bytes=100, upload_total_bytes=150)
    assert dashboard.post("/datasets", {"name": "x.csv", "bytes": 101}).status_code == 413
    assert dashboard.post("/datasets", {"name": "x.csv", "bytes": 100}).status_code == 201
    assert dashboard.post("/datasets", {"name": "x.csv", "bytes": 51}).status_code == 429
    assert dashboard.post("/datasets", {"name": "x.csv", "bytes": 50}).status_code == 201
    dashboard.database.close()


def test_an_upload_that_was_announced_before_takes_no_more_room(tmp_path: Path) -> None:
    dashboard = Dashboard(tmp_path, upload_total_bytes=150)
    announced, headers = {"name": "x.csv", "bytes": 100}, {"Idempotency-Key": "k"}
    first = dashboard.post("/datasets", announced, headers=headers)
    again = dashboard.post("/datasets", announced, headers=headers)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json["id"] == again.json["id"]
    assert dashboard.post("/datasets", announced, headers={"Idempotency-Key": "l"}).status_code == 429
    dashboard.database.close()


@pytest.mark.parametrize(("name", "status"), [("x.mtx.gz", 201), ("X.CSV.GZ", 201), ("x.npy.gz", 422), ("x.gz", 422)])
def test_what_fit_reads_can_be_uploaded(dashboard: Dashboard, name: str, status: int) -> None:
    assert dashboard.post("/datasets", {"name": name, "bytes": 10}).status_code == status


def test_an_upload_can_be_given_up(dashboard: Dashboard) -> None:
    upload = dashboard.post("/datasets", {"name": "x.csv", "bytes": 3}).json["id"]
    assert _put(dashboard, upload, 0, b"abc") == 204
    assert dashboard.client.delete(f"{API}/datasets/{upload}").status_code == 204
    assert dashboard.store.list("uploads") == []
    assert dashboard.get(f"/datasets/{upload}").status_code == 404
    assert _put(dashboard, upload, 0, b"abc") == 404


def test_abandoned_uploads_are_swept_away(dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = dashboard.post("/datasets", {"name": "x.csv", "bytes": 3}).json["id"]
    _put(dashboard, upload, 0, b"abc")
    assert dashboard.backend.uploads.sweep() == []
    monkeypatch.setattr(partial, "ABANDONED", timedelta(0))
    assert dashboard.backend.uploads.sweep() == [upload]
    assert dashboard.store.list("uploads") == []


def test_no_part_comes_in_while_the_file_is_put_together(dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = dashboard.post("/datasets", {"name": "x.csv", "bytes": 3}).json["id"]
    _put(dashboard, upload, 0, b"abc")
    begun, go_on = threading.Event(), threading.Event()
    parts = ObjectStore.parts

    def slow(self: ObjectStore, key: str, *rest: int, **more: int) -> Iterator[memoryview]:
        begun.set()
        assert go_on.wait(30)
        yield from parts(self, key, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(ObjectStore, "parts", slow)
        thread = threading.Thread(target=lambda: dashboard.backend.uploads.complete(upload, None, "ada"))
        thread.start()
        assert begun.wait(30)
        assert _put(dashboard, upload, 0, b"xyz") == 409
        assert dashboard.post(f"/datasets/{upload}/complete").status_code == 409
        assert dashboard.client.delete(f"{API}/datasets/{upload}").status_code == 409
        go_on.set()
        thread.join()
    assert bytes(dashboard.store.get(f"uploads/{upload}/x.csv")) == b"abc"


@pytest.mark.parametrize("stands", ["before the first part", "after the last part"])
def test_who_stood_still_while_another_completed_the_upload_changes_nothing(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch, stands: str
) -> None:
    """As a process that is frozen for more than a minute."""
    upload = dashboard.post("/datasets", {"name": "x.csv", "bytes": 3}).json["id"]
    _put(dashboard, upload, 0, b"abc")
    begun, go_on = threading.Event(), threading.Event()
    parts, errors = ObjectStore.parts, list[Exception]()

    def slow(self: ObjectStore, key: str, *rest: int, **more: int) -> Iterator[memoryview]:
        if stands == "after the last part":
            yield from parts(self, key, *rest, **more)
        begun.set()
        assert go_on.wait(30)
        if stands == "before the first part":
            yield from parts(self, key, *rest, **more)

    def complete() -> None:
        try:
            dashboard.backend.uploads.complete(upload, None, "ada")
        except Exception as error:
            errors.append(error)

    with monkeypatch.context() as patch:
        patch.setattr(ObjectStore, "parts", slow)
        frozen = threading.Thread(target=complete)
        frozen.start()
        assert begun.wait(30)
    monkeypatch.setattr(partial, "_SILENCE", timedelta(0))
    assert dashboard.post(f"/datasets/{upload}/complete").json["state"] == "UPLOADED"
    go_on.set()
    frozen.join()
    assert len(errors) == 1
    assert bytes(dashboard.store.get(f"uploads/{upload}/x.csv")) == b"abc"
    assert dashboard.get(f"/datasets/{upload}").json["state"] == "UPLOADED"


def test_a_full_store_leaves_the_upload_as_it_was(dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = dashboard.post("/datasets", {"name": "x.csv", "bytes": 3}).json["id"]
    _put(dashboard, upload, 0, b"abc")

    def full(self: ObjectStore, key: str) -> None:
        raise RunError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(ObjectStore, "writer", full)
        failed = dashboard.post(f"/datasets/{upload}/complete")
        assert (failed.status_code, failed.json["detail"]) == (500, "no space left")
    assert dashboard.post(f"/datasets/{upload}/complete").status_code == 200


def test_the_preflight_report_is_that_of_check(dashboard: Dashboard, table: bytes, tmp_path: Path) -> None:
    from disnplbm.data.preflight import preflight
    from disnplbm.data.source import open_source
    from disnplbm.engine.pilot import pilot

    dataset = dashboard.upload(table, id_column="id")
    report = dashboard.preflight(dataset).json
    (tmp_path / "table.csv").write_bytes(table)
    expected = preflight(open_source(tmp_path / "table.csv", id_column="id"), pilot).to_dict() | {"name": "table.csv"}
    assert report == json.loads(json.dumps(expected))
    assert dashboard.preflight(dataset).json == report


def test_a_report_that_takes_long_says_how_far_it_is(
    dashboard: Dashboard, table: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    from disnplbm_dashboard import preflights

    dataset, go_on, made = dashboard.upload(table, id_column="id"), threading.Event(), preflights.survey_upload

    def slow(*given: Any, **more: Any) -> object:
        assert go_on.wait(30)
        return made(*given, **more)

    monkeypatch.setattr(preflights, "survey_upload", slow)
    monkeypatch.setattr(preflights.Preflights.of, "__defaults__", (0.01,))
    waiting = dashboard.get(f"/datasets/{dataset}/preflight")
    assert (waiting.status_code, waiting.json) == (202, {"done": 0, "total": len(table)})
    go_on.set()
    while (found := dashboard.get(f"/datasets/{dataset}/preflight")).status_code == 202:
        time.sleep(0.01)
    assert found.json["rows"] == 60


def test_a_table_at_fault_is_told_of_by_its_name(dashboard: Dashboard) -> None:
    dataset = dashboard.upload(b"a,b\n1,zebra\n")
    for _ in range(2):
        refused = dashboard.preflight(dataset)
        assert refused.status_code == 422
        assert "zebra" in refused.json["detail"]
        assert "table.csv" in refused.json["detail"]
        assert "/tmp" not in refused.json["detail"]


@pytest.mark.long
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(min_size=1, max_size=300)
    | st.text(alphabet="0123456789.,;\n\"'ae-N \t\0é", min_size=1, max_size=300).map(str.encode),
    kind=st.sampled_from([".csv", ".tsv", ".txt", ".csv.gz", ".npy", ".npz", ".parquet", ".mtx", ".h5ad"]),
)
def test_whatever_is_uploaded_is_read_or_refused_in_one_line(dashboard: Dashboard, content: bytes, kind: str) -> None:
    dataset = dashboard.upload(content, f"x{kind}")
    answer = dashboard.preflight(dataset)
    assert answer.status_code in (200, 422), answer.text
    if answer.status_code == 422:
        assert answer.json["detail"]
        assert str(dashboard.folder) not in answer.json["detail"]
    assert dashboard.client.delete(f"{API}/datasets/{dataset}").status_code == 204


def test_ten_thousand_columns_are_fine(dashboard: Dashboard) -> None:
    line = ",".join(map(str, np.arange(10_000))).encode()
    dataset = dashboard.upload(line + b"\n" + line + b"\n", header=False)
    assert dashboard.preflight(dataset).json["columns"] == 10_000


def test_a_table_is_read_as_the_dataset_says(dashboard: Dashboard) -> None:
    content = b"Ort;Typ;x;y\nA;u;1,5;?\nB;v;1.002,5;4\n"
    dataset = dashboard.upload(
        content,
        id_column="Ort",
        delimiter="semicolon",
        decimal=",",
        thousands=".",
        missing=["?"],
        drop_columns=["Typ"],
        transpose=True,
    )
    report = dashboard.preflight(dataset).json
    assert (report["rows"], report["columns"], report["missing"]) == (2, 2, 1)
    assert (report["first_rows"], report["first_columns"]) == (["x", "y"], ["A", "B"])
    assert (report["low"], report["high"]) == (1.5, 1002.5)
    reading = dashboard.get(f"/datasets/{dataset}").json["reading"]
    assert reading == {
        "id_column": "Ort",
        "class_column": None,
        "header": "auto",
        "delimiter": "semicolon",
        "decimal": ",",
        "thousands": ".",
        "missing": ["?"],
        "drop_columns": ["Typ"],
        "transpose": True,
    }


@pytest.mark.parametrize(
    "reading",
    [
        {"delimiter": ";;"},
        {"decimal": ",", "thousands": ","},
        {"id_column": "a", "drop_columns": ["a"]},
        {"class_column": "a", "transpose": True},
        {"layout": "wide"},
        {"missing": "-"},
    ],
)
def test_a_way_of_reading_that_makes_no_sense_is_refused_before_the_upload(
    dashboard: Dashboard, reading: dict[str, object]
) -> None:
    refused = dashboard.post("/datasets", {"name": "x.csv", "bytes": 10, **reading})
    assert refused.status_code == 422
    assert refused.json["detail"]


def test_the_same_file_read_in_the_same_way_is_one_dataset(dashboard: Dashboard) -> None:
    content = b"a,b\n1,2\n3,4\n"
    announced = {"name": "x.csv", "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    dataset = dashboard.upload(content, **announced)
    again = dashboard.post("/datasets", announced)
    assert (again.status_code, again.json["id"], again.json["state"]) == (200, dataset, "UPLOADED")
    assert again.headers["Location"] == f"{API}/datasets/{dataset}"
    for other in ({"transpose": True}, {"name": "y.csv"}, {"sha256": SHA256}):
        assert dashboard.post("/datasets", announced | other).status_code == 201, other
    assert dashboard.client.delete(f"{API}/datasets/{dataset}").status_code == 204
    assert dashboard.post("/datasets", announced).status_code == 201


def test_a_dataset_gets_another_name_with_the_ending_of_its_file(dashboard: Dashboard) -> None:
    dataset = dashboard.upload()
    run = dashboard.submit(dataset)
    put = f"{API}/datasets/{dataset}/name"
    named = dashboard.client.put(put, json={"name": "Votes of 2005.CSV"})
    assert (named.status_code, named.json["name"]) == (200, "Votes of 2005.CSV")
    assert [each["id"] for each in dashboard.get("/datasets?search=votes").json["items"]] == [dataset]
    assert dashboard.get(f"/runs/{run}").json["name"] == "table.csv"
    assert dashboard.get("/events").json["items"][-1]["data"] == {"before": "table.csv", "now": "Votes of 2005.CSV"}
    for name in ("votes", "votes.npy", "a/votes.csv", " "):
        refused = dashboard.client.put(put, json={"name": name})
        assert refused.status_code == 422, name
    assert dashboard.client.put(f"{API}/datasets/0000/name", json={"name": "x.csv"}).status_code == 404
