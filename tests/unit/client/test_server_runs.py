"""The client on a real server: what it does is done once, and survives connections that break."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from disnplbm.client import server, uploading
from disnplbm.client.address import Address
from disnplbm.client.connection import PATIENCE, Connection, Refused
from disnplbm.client.server import ServerRuns
from disnplbm.errors import Away, InputError, Interrupted, RunError
from services.dashboard import Application

from .conftest import READING, REQUEST, TABLE, Clock, Served, silent

#: Where no server is.
NOBODY = "http://127.0.0.1:1"


def _cut_after(served: Served, clock: Clock, request: str, times: int = 1) -> None:
    """Have the connection reset when a request was heard and before it is answered; mended while the client waits."""
    left = times

    def around(app: Application, environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        nonlocal left
        answer = app(environment, start_response)
        if left and served.asked[-1].startswith(request):
            left -= 1
            served.proxy.switch("reset")
        return answer

    served.around = around
    clock.then = lambda: served.proxy.switch("pass")


# --- uploads ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_parts")
def test_what_was_sent_before_is_not_sent_again(served: Served) -> None:
    path = served.folder / "table.csv"
    path.write_bytes(TABLE)
    parts = -(-len(TABLE) // 40)

    def killed(stage: str, done: int, total: int) -> None:
        if stage == "uploading" and done > 80:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="the same command continues"):
        served.runs.upload(path, READING, killed)
    seen: list[tuple[str, int, int]] = []
    dataset = served.client().upload(path, READING, lambda *progress: seen.append(progress))
    assert served.service.dataset(dataset).upload_bytes == len(TABLE)
    assert bytes(served.store.get(served.service.dataset(dataset).upload_key)) == TABLE
    # Two parts were answered; the third was sent, and has arrived by now or has not.
    assert seen[1] in [("uploading", done, len(TABLE)) for done in (80, 120)]
    assert seen[-1] == ("uploading", len(TABLE), len(TABLE))
    assert sum(asked.startswith("PUT") for asked in served.asked) <= parts + 1

    # Of a file that is there nothing is sent; what is read in another way is another dataset.
    served.asked.clear()
    assert served.client().upload(path, READING, silent) == dataset
    assert served.asked == ["POST /datasets"]
    assert served.client().upload(path, {**READING, "header": False}, silent) != dataset
    assert [asked for asked in served.asked if asked.startswith("PUT")] != []
    assert served.said == []


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("request_", ["POST /datasets", "GET /datasets", "PUT", "POST /datasets/"])
def test_an_upload_survives_a_connection_that_breaks(served: Served, clock: Clock, request_: str) -> None:
    path = served.folder / "table.csv"
    path.write_bytes(TABLE)
    served.runs.runs(None, 1)
    _cut_after(served, clock, request_)
    dataset = served.runs.upload(path, READING, silent)
    assert bytes(served.store.get(served.service.dataset(dataset).upload_key)) == TABLE
    assert len(served.service.datasets()) == 1
    (line,) = served.said
    assert f"{served.url} is away" in line
    assert "trying again" in line


@pytest.mark.usefixtures("small_parts")
def test_a_file_that_changes_meanwhile_is_no_dataset(served: Served) -> None:
    path = served.folder / "table.csv"
    path.write_bytes(TABLE)

    def change(stage: str, done: int, total: int) -> None:
        if stage == "checking" and done == total:
            path.write_bytes(TABLE.replace(b"5", b"6"))

    with pytest.raises(Refused, match="did not arrive as it was sent"):
        served.runs.upload(path, READING, change)
    assert served.store.list("uploads") == []

    def shorten(stage: str, done: int, total: int) -> None:
        if stage == "checking" and done == total:
            path.write_bytes(TABLE[:50])

    path.write_bytes(TABLE)
    with pytest.raises(InputError, match="became shorter"):
        served.client().upload(path, {**READING, "header": True}, shorten)
    assert served.service.datasets() == []


def test_a_dataset_that_failed_is_uploaded_anew(served: Served) -> None:
    path = served.folder / "table.csv"
    path.write_bytes(TABLE)
    first = served.runs.upload(path, READING, silent)
    served.backend.books.datasets.fail(first, "a disk was full")
    second = served.runs.upload(path, READING, silent)
    assert second != first
    assert served.service.dataset(second).state == "UPLOADED"


def test_a_creation_that_is_under_way_is_waited_for(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(uploading, "time", clock)
    path = served.folder / "table.csv"
    path.write_bytes(TABLE)
    claim = served.backend.keys.claim

    def under_way(actor: str, key: str, digest: str) -> Any:
        found = claim(actor, key, digest)
        return found if clock.now else found._replace(fresh=False)

    monkeypatch.setattr(type(served.backend.keys), "claim", lambda self, *given: under_way(*given))
    clock.then = lambda: served.backend.keys.release("local", _key(served))
    assert served.runs.upload(path, READING, silent)
    assert served.asked.count("POST /datasets") == 2


def _key(served: Served) -> str:
    with served.database.reading() as session:
        from disnplbm.runs.database.models import IdempotencyKey

        return str(session.query(IdempotencyKey.key).scalar())


def test_a_file_that_is_not_there_is_one_line(served: Served) -> None:
    with pytest.raises(InputError, match="file not found"):
        served.runs.upload(served.folder / "nothing.csv", READING, silent)


# --- runs ---------------------------------------------------------------------------------------------------------


def test_a_run_is_what_the_service_says_of_it(served: Served) -> None:
    run = served.submit(seed=7)
    found, record = served.runs.run(run[:5]), served.service.run(run)
    assert (found.id, found.name, found.dataset, found.state) == (run, "table.csv", record.dataset_id, "PENDING")
    assert (found.created_at, found.started_at, found.total) == (record.created_at, None, 3)
    assert (record.options["seed"], record.n_shards_wanted) == (7, 2)
    assert [happening.to_state for happening in served.runs.happenings(run)] == ["PENDING"]
    with pytest.raises(Refused, match="PENDING"):
        served.runs.pause(run, "")
    cancelled = served.runs.cancel(run, "enough")
    assert (cancelled.state, cancelled.finished_at) == ("CANCELLED", served.service.run(run).finished_at)
    assert served.runs.happenings(run)[-1].reason == "enough"
    for unknown in ("abcdef", "x", "../../session"):
        with pytest.raises(InputError, match="disnplbm status"):
            served.runs.run(unknown)


def test_runs_and_events_come_in_pages(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_RUNS", 2)
    monkeypatch.setattr(server, "_EVENTS", 1)
    ids = [served.submit(seed=seed) for seed in range(5)]
    served.runs.cancel(ids[0], "")
    assert [run.id for run in served.runs.runs(None, 100)] == ids[::-1]
    assert [run.id for run in served.runs.runs(None, 3)] == ids[:1:-1]
    assert [run.id for run in served.runs.runs("CANCELLED", 3)] == ids[:1]
    assert [happening.to_state for happening in served.runs.happenings(ids[0])] == ["PENDING", "CANCELLED"]


def test_a_run_is_submitted_once_though_nobody_heard_the_answer(served: Served, clock: Clock) -> None:
    served.runs.runs(None, 1)
    _cut_after(served, clock, "POST /runs")
    run = served.submit()
    assert served.asked.count("POST /runs") == 2
    assert [found.id for found in served.service.runs()] == [run]


def test_a_change_is_made_once_though_nobody_heard_the_answer(served: Served, clock: Clock) -> None:
    run = served.submit()
    _cut_after(served, clock, f"POST /runs/{run}/cancel")
    assert served.runs.cancel(run, "enough").state == "CANCELLED"
    assert len(served.said) == 1
    assert [event.to_state for event in served.service.events(run)] == ["PENDING", "CANCELLED"]


def test_a_change_that_was_not_heard_is_asked_for_again(served: Served, clock: Clock) -> None:
    run = served.submit()
    cut = iter([True])

    def around(app: Application, environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if served.asked[-1].endswith("/cancel") and next(cut, False):
            start_response("503 Service Unavailable", [("Content-Length", "0")])
            return []
        return app(environment, start_response)

    served.around = around
    assert served.runs.cancel(run, "").state == "CANCELLED"


# --- results ------------------------------------------------------------------------------------------------------


def test_the_files_of_a_run_come_whole_over_connections_that_break(
    served: Served, clock: Clock, tmp_path: Path
) -> None:
    run = served.submit()
    served.finish()
    assert served.runs.record(run)["iterations"] == 3
    asked_for: list[str] = []

    def around(app: Application, environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        answer = app(environment, start_response)
        if "/artifacts/" not in environment["PATH_INFO"]:
            return answer
        asked_for.append(environment["HTTP_RANGE"])
        return _half(answer) if len(asked_for) % 3 else answer

    served.around = around
    target, seen = tmp_path / "fetched", list[tuple[str, int, int]]()
    target.mkdir()
    served.runs.fetch(run, target, lambda *progress: seen.append(progress))
    names = served.backend.results.names(served.service.run(run))
    assert sorted(file.name for file in target.iterdir()) == names
    for name in names:
        assert (target / name).read_bytes() == bytes(served.service.read_result(run, name)), name
    assert seen[-1][1] == seen[-1][2] == sum(file.stat().st_size for file in target.iterdir())
    # It went on where it was: most ranges do not begin at the start.
    assert len([wanted for wanted in asked_for if wanted != "bytes=0-"]) > len(names)


def _half(answer: Iterable[bytes]) -> Iterable[bytes]:
    """Half of a body, and the end of the connection."""
    body = b"".join(answer)
    yield body[: len(body) // 2]
    raise ConnectionError("cut by the test")


def test_a_server_that_sends_something_else_leaves_no_file(served: Served, tmp_path: Path) -> None:
    run = served.submit()
    served.finish()

    def around(app: Application, environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environment.pop("HTTP_RANGE", None)
        return app(environment, start_response)

    served.around = around
    target = tmp_path / "fetched"
    target.mkdir()
    with pytest.raises(RunError, match="download the run again"):
        served.runs.fetch(run, target, silent)
    assert list(target.iterdir()) == []


def test_names_that_no_file_of_a_run_has_are_left_alone(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = served.submit()
    served.finish()
    ask = Connection.ask

    def odd(self: Connection, method: str, path: str, *more: Any) -> Any:
        found = ask(self, method, path, *more)
        if path.endswith("/artifacts"):
            found["items"].append({"name": "../evil.txt", "bytes": 0, "media_type": ""})
        return found

    monkeypatch.setattr(Connection, "ask", odd)
    target = tmp_path / "to" / "fetched"
    target.mkdir(parents=True)
    served.runs.fetch(run, target, silent)
    assert sorted(file.name for file in target.iterdir()) == served.backend.results.names(served.service.run(run))
    assert list(target.parent.iterdir()) == [target]


def test_a_run_that_is_not_over_has_no_results(served: Served, tmp_path: Path) -> None:
    run = served.submit()
    for attempt in (lambda: served.runs.record(run), lambda: served.runs.fetch(run, tmp_path, silent)):
        with pytest.raises(Refused, match="only a run that SUCCEEDED has results"):
            attempt()


# --- servers that are away, or are something else -----------------------------------------------------------------


def test_a_server_that_never_answered_is_not_waited_for(clock: Clock) -> None:
    said: list[str] = []
    runs = ServerRuns(Connection(Address.of(NOBODY, None), said.append))
    with pytest.raises(Away, match=r"cannot reach .* \(Connection refused\): check server"):
        runs.runs(None, 1)
    assert (said, clock.now) == ([], 0.0)


def test_a_server_is_asked_without_the_packages_of_a_cluster() -> None:
    names = ["sqlalchemy", "pydantic", "celery", "kombu", "flask", "redis", "numba", "scipy"]
    absent = f"import sys; sys.modules |= dict.fromkeys({names});"
    status = f"from disnplbm.cli.entry import main; sys.argv = ['disnplbm', 'status', '--server', '{NOBODY}']; main()"
    done = subprocess.run([sys.executable, "-c", absent + status], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"disnplbm: cannot reach {NOBODY}")


def test_one_that_did_is_waited_for_and_not_for_ever(served: Served, clock: Clock) -> None:
    run = served.submit()
    served.proxy.switch("reset")
    with pytest.raises(Away, match="try again when it is back"):
        served.runs.run(run)
    assert PATIENCE < clock.now < PATIENCE + 10
    assert len(served.said) == 1
    clock.then = lambda: served.proxy.switch("pass")
    assert served.runs.run(run).id == run


@pytest.mark.parametrize(
    ("status", "kind", "body", "words"),
    [
        ("200 OK", "text/html", b"<h1>Hello</h1>", "no server of disnplbm"),
        ("200 OK", "application/json", b"[]", "a way that is not known"),
        ("200 OK", "application/json", b'{"items": [{}], "next": null}', "a way that is not known"),
        ("200 OK", "application/json", b"null", "a way that is not known"),
        ("500 Oops", "text/html", b"<pre>Traceback</pre>", "500 Oops"),
        ("404 Not Found", "text/html", b"nothing", "404 Not Found"),
        ("418 Teapot", "application/problem+json", b'{"detail": "short\\nand stout"}', "short and stout"),
    ],
)
def test_other_servers_are_one_line(served: Served, status: str, kind: str, body: bytes, words: str) -> None:
    def around(app: Application, environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
        return [body]

    served.around = around
    with pytest.raises((InputError, RunError), match=words) as caught:
        served.runs.runs(None, 5)
    assert "\n" not in str(caught.value)


def test_nobody_is_sent_elsewhere_with_the_token(served: Served, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Served(tmp_path / "other")

    def around(app: Application, environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        start_response("302 Found", [("Location", f"{other.url}/api/v1/runs"), ("Content-Length", "0")])
        return []

    served.around = around
    with pytest.raises(InputError, match="sends on to"):
        served.client("hush").runs(None, 1)
    assert other.asked == []
    other.close()


def test_tokens_are_needed_told_of_and_never_shown(served: Served) -> None:
    tokens = served.backend.tokens
    reader, writer = tokens.create("ada", "read", None), tokens.create("bob", "run", None)
    late = tokens.create("late", "run", timedelta(seconds=-1))
    for token, words in ((None, "set DISNPLBM_TOKEN"), ("hush-hush", "check DISNPLBM_TOKEN"), (late, "expired")):
        with pytest.raises(Refused, match=words) as caught:
            served.client(token).runs(None, 1)
        assert token is None or token not in str(caught.value)
    assert served.client(reader).runs(None, 1) == []
    with pytest.raises(Refused, match="scope run") as caught:
        served.submit(served.client(reader))
    assert reader not in str(caught.value)
    run = served.submit(served.client(writer))
    assert [happening.actor for happening in served.client(reader).happenings(run)] == ["bob"]
    assert served.client(reader).run(run).name == REQUEST.name
