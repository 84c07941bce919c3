"""Folders of any name, hosts of any kind: what is at an address, and how it is shown."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
from kombu import Connection

from disnplbm.cli.checks import examine
from disnplbm.errors import InputError
from disnplbm.hosts import host_and_port
from disnplbm.messaging.addresses import shown
from disnplbm.objects import open_store
from disnplbm.runs.database import Database, sqlite_url
from disnplbm.settings import read_settings

from .console import assert_refused, call
from .serving import no_settings, served

__all__ = ["no_settings"]

pytestmark = pytest.mark.usefixtures("no_settings")

NAMES = ["runs?a", "runs#a", "x%20y", "50 %", "ünï 名", "a:b@c", "q'uote\"s", "a&b=c;d", "back\\slash", "[::1]"]


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_of_any_name_holds_what_is_put_there(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    assert call("token", "create", "--name", "ada", "--folder", folder).code == 0
    assert call("token", "list", "--folder", folder).out.startswith("ada")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (folder / "disnplbm.sqlite3").is_file()
    store = open_store(folder / "store")
    store.put("a/b", b"here")
    assert (folder / "store" / "a" / "b").read_bytes() == b"here"
    assert bytes(open_store((folder / "store").as_uri()).get("a/b")) == b"here"


def test_folders_that_differ_after_a_question_mark_share_nothing(tmp_path: Path) -> None:
    call("token", "create", "--name", "ada", "--folder", tmp_path / "runs?a")
    assert call("token", "list", "--folder", tmp_path / "runs?b").out.strip() == ""


def test_a_database_of_any_name_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        url = sqlite_url(tmp_path / f"{name}.sqlite3")
        database = Database(url)
        database.migrate()
        database.check_version()
        database.close()
        # As a setting it is written as it is shown.
        again = Database(database.url_for_people)
        again.check_version()
        again.close()
    monkeypatch.setenv("DISNPLBM_DATABASE_URL", f"sqlite:///{tmp_path}/runs?a")
    assert_refused(call("token", "list", "--cluster"), "write ? in it as %3F")


@pytest.mark.parametrize("url", ["file://elsewhere/folder", "file://", "file:///folder?a", "file:///folder#a"])
def test_a_file_address_that_names_no_folder_here_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="names no folder of this machine"):
        open_store(url)


def test_serve_works_in_a_folder_of_any_name(tmp_path: Path) -> None:
    with served(tmp_path / "served?a #%20") as server:
        assert server.ask("GET", "/runs")[0] == 200


def test_serve_starts_where_the_system_counts_no_usable_cores(tmp_path: Path) -> None:
    # As on macOS, which is played by taking the function away.
    program = "import os; del os.sched_getaffinity; from disnplbm.cli import main; main()"
    with served(tmp_path / "served", program=[sys.executable, "-c", program]) as server:
        assert server.ask("GET", "/system")[1]["processors"] >= 1


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", "127.0.0.1:8000"), ("::1", "[::1]:8000"), ("2001:db8::1", "[2001:db8::1]:8000")],
)
def test_an_ipv6_address_stands_in_brackets(host: str, expected: str) -> None:
    assert host_and_port(host, 8000) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("amqp://ada:secret@[::1]:5672//", "amqp://ada:**@[::1]:5672//"),
        ("amqp://ada:se%5Bcr%5Det@broker:5672//", "amqp://ada:**@broker:5672//"),
        ("amqps://ada:secret@[2001:db8::1]:5671/there", "amqps://ada:**@[2001:db8::1]:5671/there"),
    ],
)
def test_the_broker_is_shown_as_it_was_written_but_for_the_password(url: str, expected: str) -> None:
    assert shown(Connection(url)) == expected


def test_a_password_with_brackets_reaches_the_database() -> None:
    database = Database("postgresql://ada:se[cr]et@[::1]:5432/runs")
    assert database.url_for_people == "postgresql://ada@[::1]:5432/runs"
    assert database._url.password == "se[cr]et"


def test_doctor_says_in_seconds_that_a_dead_store_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "DISNPLBM_STORE_URL": "s3://nowhere/p",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
    }.items():
        monkeypatch.setenv(name, value)
    found = {finding.name: finding for finding in examine(read_settings(), 60.0)}
    assert not found["store"].ok
    assert found["store"].text.startswith("cannot write probes/")
    assert "retry_timeout: 4s" in found["store"].text


def test_doctor_does_not_wait_for_services_that_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        monkeypatch.setenv("DISNPLBM_DATABASE_URL", f"postgresql://ada@127.0.0.1:{port}/runs")
        monkeypatch.setenv("DISNPLBM_STORE_URL", "s3://nowhere/p")
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
        monkeypatch.setenv("DISNPLBM_BROKER_URL", f"amqp://127.0.0.1:{port}//")
        monkeypatch.setenv("DISNPLBM_REDIS_URL", f"redis://127.0.0.1:{port}/0")
        findings = examine(read_settings(), 0.5)
    assert [finding.name for finding in findings] == ["database", "store", "broker", "redis"]
    for finding in findings:
        assert not finding.ok
        assert finding.text.startswith("no answer within 0.5 s")
        assert finding.text.endswith(f"check DISNPLBM_{finding.name.upper()}_URL")
