"""Downloads as RFC 9110 has them: parts, parts of another version, and files that the client has."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import pytest
from werkzeug.test import TestResponse

from disnplbm_dashboard.spreadsheets import for_spreadsheet

from .conftest import Dashboard


class Download:
    """A file of a finished run, and the headers that ask for it."""

    def __init__(self, dashboard: Dashboard) -> None:
        self.run = dashboard.submit()
        dashboard.finish()
        self._dashboard = dashboard
        self.whole = self.ask()
        self.size = len(self.whole.data)
        self.etag = self.whole.headers["ETag"]

    def ask(self, method: str = "GET", name: str = "artifacts/rows.csv", **headers: str) -> TestResponse:
        """The answer; headers are written with _ for -."""
        given = {key.replace("_", "-"): value for key, value in headers.items()}
        return self._dashboard.client.open(f"/api/v1/runs/{self.run}/{name}", method=method, headers=given)


@pytest.fixture
def file(dashboard: Dashboard) -> Download:
    """The rows of a finished run."""
    return Download(dashboard)


def test_one_range_gives_that_part(file: Download) -> None:
    assert (file.whole.status_code, file.whole.headers["Accept-Ranges"]) == (200, "bytes")
    parts = [
        ("bytes=2-5", 2, 6),
        ("bytes=2-", 2, file.size),
        ("bytes=2-99999", 2, file.size),
        ("bytes=-7", file.size - 7, file.size),
        ("bytes=-99999", 0, file.size),
    ]
    for asked, first, stop in parts:
        part = file.ask(Range=asked)
        assert (part.status_code, part.data) == (206, file.whole.data[first:stop]), asked
        assert part.headers["Content-Range"] == f"bytes {first}-{stop - 1}/{file.size}"
        assert part.headers["Content-Length"] == str(stop - first)


@pytest.mark.parametrize("asked", ["items=0-5", "bytes=0-1,4-5", "bytes=0-1,-1", "bytes", "bytes=x-y", "bytes=5-2", ""])
def test_a_range_that_is_not_understood_gives_the_whole_file(file: Download, asked: str) -> None:
    answer = file.ask(Range=asked)
    assert (answer.status_code, answer.data) == (200, file.whole.data)
    assert "Content-Range" not in answer.headers


@pytest.mark.parametrize("asked", ["bytes=99999-", "bytes=99999-99999"])
def test_a_range_beyond_the_end_is_refused_with_the_length(file: Download, asked: str) -> None:
    refused = file.ask(Range=asked)
    assert (refused.status_code, refused.json["type"]) == (416, "urn:disnplbm:problem:range")
    assert refused.headers["Content-Range"] == f"bytes */{file.size}"


def test_a_part_is_given_of_the_version_that_the_client_has_only(file: Download) -> None:
    assert file.ask(Range="bytes=2-5", If_Range=file.etag).status_code == 206
    for other in ('"another"', f"W/{file.etag}", "Sun, 06 Nov 1994 08:49:37 GMT"):
        answer = file.ask(Range="bytes=2-5", If_Range=other)
        assert (answer.status_code, answer.data) == (200, file.whole.data), other
    assert file.ask(If_Range=file.etag).status_code == 200


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("name", ["artifacts/rows.csv", "artifacts/report.html", "artifacts/run.json", "artifacts.zip"])
def test_a_file_that_the_client_has_is_not_sent_again(file: Download, method: str, name: str) -> None:
    whole = file.ask(method, name)
    assert whole.status_code == 200
    etag = whole.headers["ETag"]
    for tags in (etag, f"W/{etag}", f'"another", {etag}', "*"):
        unchanged = file.ask(method, name, If_None_Match=tags)
        assert (unchanged.status_code, unchanged.data) == (304, b""), tags
        assert unchanged.headers["ETag"] == etag
        assert "Content-Length" not in unchanged.headers
    # It comes before any range.
    assert file.ask(method, name, If_None_Match=etag, Range="bytes=2-5").status_code == 304
    assert file.ask(method, name, If_None_Match='"another"').status_code == 200


def test_head_says_what_get_would_send_and_knows_no_ranges(file: Download) -> None:
    for headers in ({}, {"Range": "bytes=2-5"}):
        head = file.ask("HEAD", **headers)
        assert (head.status_code, head.data) == (200, b"")
        assert head.headers["Content-Length"] == str(file.size)
        assert head.headers["ETag"] == file.etag


FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", " =1", '=HYPERLINK("http://x","y")']


def test_names_that_a_spreadsheet_would_run_are_text_in_it_and_exact_otherwise(dashboard: Dashboard) -> None:
    names = [*FORMULAS, "-0.5", "+1e3", "plain", "ü", "a,b", 'say "x"', "two\nlines", "x=1"]
    content = io.StringIO()
    csv.writer(content, lineterminator="\n").writerows(
        [["id", "a", "b"], *([n, i % 3, i % 2] for i, n in enumerate(names))]
    )
    run = dashboard.submit(dashboard.upload(content.getvalue().encode(), id_column="id"))
    dashboard.finish()
    exact = dashboard.get(f"/runs/{run}/artifacts/rows.csv")
    assert exact.status_code == 200, dashboard.get(f"/runs/{run}").json["error"]
    rows = list(csv.reader(io.StringIO(exact.text, newline="")))
    assert [row[0] for row in rows] == ["id", *names]
    safe = dashboard.get(f"/runs/{run}/artifacts/rows.csv?spreadsheet=1")
    assert safe.headers["Content-Disposition"] == f'attachment; filename="{run}-rows-spreadsheet.csv"'
    assert safe.headers["ETag"] != exact.headers["ETag"]
    found = list(csv.reader(io.StringIO(safe.text, newline="")))
    assert [row[0] for row in found] == ["id", *(f"'{name}" for name in FORMULAS), *names[len(FORMULAS) :]]
    assert [row[1:] for row in found] == [row[1:] for row in rows]
    for name, text in (("", exact.data), ("?spreadsheet=1", safe.data)):
        with zipfile.ZipFile(io.BytesIO(dashboard.get(f"/runs/{run}/artifacts.zip{name}").data)) as archive:
            assert archive.read(f"{run}/rows.csv") == text
            assert json.loads(archive.read(f"{run}/run.json"))["rows"] == len(names)
    refused = dashboard.get(f"/runs/{run}/artifacts/run.json?spreadsheet=1")
    assert (refused.status_code, refused.json["detail"].partition(":")[0]) == (422, "run.json is no table")


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_table_for_a_spreadsheet_is_the_same_however_it_is_cut(size: int) -> None:
    text = 'id,label\n=ü,0\n"a\n-b",-1\nx\r=1,3\n\r=1,4\nplain,2'.encode()
    parts = (text[at : at + size] for at in range(0, len(text), size))
    expected = "id,label\n'=ü,0\n\"a\n-b\",-1\nx =1,3\n' =1,4\nplain,2\n"
    assert b"".join(for_spreadsheet(parts)).decode() == expected
