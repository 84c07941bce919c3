"""The servers of the tests keep their data over kill -9, can be frozen, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psycopg
import pytest
from kombu import Connection, Queue
from redis import Redis
from redis.exceptions import TimeoutError as RedisTimeoutError

from services.postgres import Postgres
from services.process import Server, ServerError
from services.rabbitmq import RabbitMQ
from services.redis import RedisServer


def test_a_row_survives(postgres: Postgres) -> None:
    address = postgres.create_database().replace("+psycopg", "")
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE kept (value integer)")
        connection.execute("INSERT INTO kept VALUES (7)")
    postgres.kill()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(address)
    postgres.start()
    with psycopg.connect(address) as connection:
        assert connection.execute("SELECT value FROM kept").fetchall() == [(7,)]


@pytest.mark.long
def test_a_message_of_a_quorum_queue_survives(rabbitmq: RabbitMQ) -> None:
    queue = Queue("kept", durable=True, queue_arguments={"x-queue-type": "quorum"})
    with Connection(rabbitmq.url, transport_options={"confirm_publish": True}) as connection:
        bound = queue(connection.default_channel)
        bound.declare()
        # RabbitMQ writes down what a new quorum queue is called half a second later; killed before, it comes back with
        # the queue, and without what it had confirmed.
        time.sleep(2)
        connection.Producer().publish("seven", routing_key="kept", delivery_mode=2)
    rabbitmq.kill()
    rabbitmq.start()
    assert rabbitmq.queues()["kept"] == 1
    with Connection(rabbitmq.url) as connection:
        bound = queue(connection.default_channel)
        message = bound.get()
        assert message is not None
        assert message.payload == "seven"
        message.ack()
        bound.delete()
    with pytest.raises(ServerError, match="no queue kept"):
        rabbitmq.waiting("kept")


def test_a_key_survives(redis_server: RedisServer) -> None:
    with Redis.from_url(redis_server.url) as client:
        client.set("kept", "7")
    redis_server.kill()
    redis_server.start()
    with Redis.from_url(redis_server.url) as client:
        assert client.get("kept") == b"7"
        client.delete("kept")


def test_a_restart_keeps_data_and_address(redis_server: RedisServer) -> None:
    url = redis_server.url
    with Redis.from_url(url) as client:
        client.set("kept", "8")
    redis_server.restart()
    assert redis_server.url == url
    with Redis.from_url(url) as client:
        assert client.get("kept") == b"8"
        client.delete("kept")


def test_a_frozen_server_is_silent_and_then_answers(redis_server: RedisServer) -> None:
    with Redis.from_url(redis_server.url, socket_timeout=0.3, retry=None) as client:
        redis_server.suspend()
        try:
            with pytest.raises(RedisTimeoutError):
                client.ping()
        finally:
            redis_server.resume()
    redis_server.check()


class _Missing(RedisServer):
    install = "make it"

    def command(self) -> list[str]:
        from services.process import find_program

        return [find_program("no-such-server", [], self.name, self.install)]


class _Broken(Server):
    name = "broken"
    install = ""

    def command(self) -> list[str]:
        return ["sh", "-c", "echo line one; echo the reason; exit 3"]

    def check(self) -> None:
        raise ConnectionError


def test_a_missing_server_says_what_installs_it() -> None:
    with _Missing() as server, pytest.raises(ServerError, match=r"Redis is not installed .*: run `make it`"):
        server.start()


def test_a_failed_start_shows_the_end_of_the_log() -> None:
    with _Broken() as server:
        with pytest.raises(ServerError, match=r"broken ended by itself; the end of its log:\nline one\nthe reason"):
            server.start()
        assert not server.running


@pytest.mark.parametrize("end", ["raise RuntimeError", "os.kill(os.getpid(), signal.SIGKILL)"], ids=["error", "kill"])
def test_nothing_outlives_the_tests(end: str) -> None:
    code = f"""
        import os, signal
        from services.redis import RedisServer
        server = RedisServer().start()
        print(server._process.pid, server.folder, flush=True)
        {end}
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    assert done.returncode in (1, -signal.SIGKILL)
    process, folder = int(done.stdout.split()[0]), Path(done.stdout.split()[1])
    deadline = time.monotonic() + 60
    while (_lives(process) or folder.exists()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(process)
    assert not folder.exists()


def _lives(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
