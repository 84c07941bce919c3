"""``disnplbm doctor`` on a real broker and a real Redis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection, Consumer

from disnplbm.messaging import queues
from disnplbm.settings import settings
from services.rabbitmq import RabbitMQ
from services.redis import RedisServer

from .console import Outcome, call

HOST = "doctor"


@pytest.fixture
def services(
    rabbitmq: RabbitMQ, redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The address of a virtual host of the broker that nobody else uses; the settings name it."""
    rabbitmq.control("add_vhost", HOST)
    rabbitmq.control("set_permissions", "--vhost", HOST, "guest", ".*", ".*", ".*")
    url = rabbitmq.url.removesuffix("/") + HOST
    monkeypatch.setenv("DISNPLBM_DATABASE_URL", f"sqlite:///{tmp_path}/runs.sqlite3")
    monkeypatch.setenv("DISNPLBM_STORE_URL", str(tmp_path / "store"))
    monkeypatch.setenv("DISNPLBM_BROKER_URL", url)
    monkeypatch.setenv("DISNPLBM_REDIS_URL", redis_server.url)
    settings.cache_clear()
    assert call("migrate").code == 0
    yield url
    rabbitmq.control("delete_vhost", HOST)
    settings.cache_clear()


def found(outcome: Outcome) -> dict[str, Any]:
    return {check["name"]: (check["ok"], check["text"]) for check in outcome.record["checks"]}


def test_doctor_sees_queues_and_who_listens_on_them(services: str) -> None:
    with Connection(services) as connection:
        outcome = call("doctor", "--json")
        assert outcome.code == 1
        checks = found(outcome)
        assert [name for name, (ok, _) in checks.items() if ok] == ["database", "store", "redis"]
        assert queues.SWEEP.name in checks["broker"][1]
        assert "disnplbm worker" in checks["workers"][1]
        assert "disnplbm master" in checks["master"][1]

        for queue in queues.ALL:
            queue(connection.channel()).declare()
        checks = found(call("doctor", "--json"))
        assert [name for name, (ok, _) in checks.items() if not ok] == ["master", "workers"]

        with Consumer(connection.channel(), [queues.SWEEP, queues.RESULTS], callbacks=[lambda *_: None]):
            outcome = call("doctor", "--json")
        assert outcome.code == 0
        assert outcome.record["ok"]
        assert found(outcome)["workers"][1].startswith("1 on ")


def test_doctor_says_that_the_broker_refuses_a_password(services: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISNPLBM_BROKER_URL", services.replace("guest:guest", "guest:s3cret"))
    settings.cache_clear()
    outcome = call("doctor", "--json")
    assert outcome.code == 1
    ok, text = found(outcome)["broker"]
    assert not ok
    assert "refused" in text
    assert "DISNPLBM_BROKER_URL" in text
    assert "s3cret" not in outcome.out
