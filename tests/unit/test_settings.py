"""Settings come from the environment; a wrong one is one line without its value."""

from __future__ import annotations

import pytest

from disnplbm.errors import InputError
from disnplbm.settings import read_settings


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
