"""Settings come from the environment; a wrong one is one line without its value."""

from __future__ import annotations

from pathlib import Path

import pytest

from disnplbm.errors import InputError
from disnplbm.objects import open_store
from disnplbm.runs.database import Database
from disnplbm.settings import Settings, read_settings
from disnplbm.variables import refuse_misspelt


def test_the_environment_sets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISNPLBM_BROKER_URL", "amqp://ada:secret@broker//")
    monkeypatch.setenv("DISNPLBM_TASK_SECONDS", "77")
    found = read_settings()
    assert found.task_seconds == 77
    assert found.broker_url.endswith("broker//")
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("TASK_SECONDS", "soon", "DISNPLBM_TASK_SECONDS"),
        ("TASK_SECONDS", "1800", "below"),
        ("BROKER_URL", "http://ada:secret@broker", "DISNPLBM_BROKER_URL"),
        ("REDIS_URL", "localhost", "DISNPLBM_REDIS_URL"),
        ("BROKER_URL", "amqp://ada:sec/ret@broker//", "%2F"),
        ("BROKER_URL", "amqp://ada:12/secret@broker//", "%40"),
        ("BROKER_URL", "amqp://ada:pw@broker:secret//", "a port as a number"),
        ("REDIS_URL", "redis://:se?cret@redis/0", "%3F"),
        ("REDIS_URL", "redis://:[secret]@redis/0", "%5B"),
        ("BROKER_URL", "amqp://ada:se[cret@broker//", "%5B"),
        ("MESSAGE_KEY", "too short", "32 characters or more"),
        ("MESSAGE_KEY", f"{'k' * 40},short", "32 characters or more"),
        ("HEARTBEAT_FILE", "  ", "DISNPLBM_HEARTBEAT_FILE: names no file"),
        ("READY_FILE", "/", "DISNPLBM_READY_FILE: names no file"),
        ("CACHE_FOLDER", "~nobody-of-that-name/cache", "names no user's home"),
        ("ATTEMPTS", "0", "DISNPLBM_ATTEMPTS"),
        ("LOG_FORMAT", "xml", "DISNPLBM_LOG_FORMAT"),
    ],
)
def test_a_wrong_one_is_named_and_not_shown(name: str, value: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"DISNPLBM_{name}", value)
    with pytest.raises(InputError, match=says) as found:
        read_settings()
    assert "secret" not in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"TASK_SECONDS": "90", "CONSUMER_TIMEOUT": "90"}, "DISNPLBM_CONSUMER_TIMEOUT = 90"),
        ({"READY_FILE": "/tmp/a/f", "HEARTBEAT_FILE": "/tmp/a/f"}, "the same file /tmp/a/f"),
        ({"UPLOAD_LIMIT_BYTES": "20", "UPLOAD_TOTAL_BYTES": "10"}, "DISNPLBM_UPLOAD_TOTAL_BYTES = 10"),
    ],
)
def test_two_that_contradict_each_other_are_named(
    given: dict[str, str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(f"DISNPLBM_{name}", value)
    with pytest.raises(InputError, match=says) as found:
        read_settings()
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("read", "task", "refused"), [("1200", "1200", True), ("1300", "1200", True), ("1199", "1200", False)]
)
def test_a_worker_reads_no_longer_than_its_task_lasts(
    read: str, task: str, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISNPLBM_READ_SECONDS", read)
    monkeypatch.setenv("DISNPLBM_TASK_SECONDS", task)
    found = read_settings()
    if refused:
        with pytest.raises(InputError, match=f"DISNPLBM_READ_SECONDS = {read} must lie below DISNPLBM_TASK_SECONDS"):
            found.check_worker()
    else:
        found.check_worker()


@pytest.mark.parametrize(("task", "reading"), [(1500, 1200), (5, 4), (1, 0.8)])
def test_by_default_reading_ends_before_the_task(task: int, reading: float) -> None:
    found = Settings(task_seconds=task)
    assert found.reading_seconds == pytest.approx(reading)
    found.check_worker()


def test_a_blank_one_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    unset = read_settings()
    for name in Settings.model_fields:
        monkeypatch.setenv(f"DISNPLBM_{name.upper()}", "")
    found = read_settings()
    assert found == unset
    assert found.model_fields_set == set()


@pytest.mark.parametrize("name", ["heartbeat_file", "ready_file", "cache_folder"])
def test_a_tilde_is_the_home_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(f"DISNPLBM_{name.upper()}", "~/here")
    assert getattr(read_settings(), name) == tmp_path / "here"


def test_a_tilde_is_the_home_folder_of_a_database_and_of_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    Database("sqlite:///~/runs.sqlite3").migrate()
    assert (tmp_path / "runs.sqlite3").is_file()
    open_store("~/store").put("a", b"")
    assert (tmp_path / "store" / "a").is_file()
    with pytest.raises(InputError, match="names no user's home"):
        open_store("~nobody-of-that-name/store")
    with pytest.raises(InputError, match="names no user's home"):
        Database("sqlite:///~nobody-of-that-name/runs.sqlite3")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("DISNPLBM_HEARTBEAT_FIEL", "did you mean DISNPLBM_HEARTBEAT_FILE"),
        ("DISNPLBM_BROKERURL", "did you mean DISNPLBM_BROKER_URL"),
        ("DISNPLBM_TOKENS", "did you mean DISNPLBM_TOKEN"),
        ("disnplbm_task_second", "did you mean DISNPLBM_TASK_SECONDS"),
        ("DISNPLBM_XYZZY", "docs/settings.md"),
    ],
)
def test_a_name_that_nothing_reads_is_refused(name: str, meant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "secret")
    with pytest.raises(InputError, match=meant) as found:
        read_settings()
    assert name.upper() in str(found.value)
    assert "secret" not in str(found.value)


def test_names_that_others_set_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    unset = read_settings()
    for name in (
        "TOKEN",
        "SERVER",
        "DEBUG",
        "PORT",
        "PORT_8000_TCP_ADDR",
        "SERVICE_HOST",
        "DASHBOARD_SERVICE_PORT_HTTP",
    ):
        monkeypatch.setenv(f"DISNPLBM_{name}", "tcp://10.0.0.1:8000")
    assert read_settings() == unset


def test_a_misspelt_token_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISNPLBM_TOKNE", "secret")
    with pytest.raises(InputError, match="did you mean DISNPLBM_TOKEN"):
        refuse_misspelt()
