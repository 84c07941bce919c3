"""What ``disnplbm doctor`` looks at: each service, from here, as the settings have it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import redis
from kombu import Connection

from disnplbm.errors import DisnplbmError, RunError, first_line
from disnplbm.messaging import queues
from disnplbm.messaging.inspection import QueueState, queue_states
from disnplbm.messaging.logs import without_passwords
from disnplbm.settings import Settings
from disnplbm.storage import open_store
from disnplbm.storage.database import Database

#: Seconds that a service may take to answer.
_PATIENCE = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one part.

    Parameters
    ----------
    name : str
    ok : bool
    text : str
        What it is, or what is wrong and how to mend it.
    """

    name: str
    ok: bool
    text: str


def examine(settings: Settings) -> list[Finding]:
    """Look at everything, whatever is found."""
    return [_database(settings), _store(settings), *_broker(settings), _redis(settings)]


def _database(settings: Settings) -> Finding:
    try:
        database = Database(settings.database_url)
        try:
            database.check_version()
        finally:
            database.close()
    except DisnplbmError as error:
        return Finding("database", False, str(error))
    return Finding("database", True, f"{database.url_for_people}, tables of this version")


def _store(settings: Settings) -> Finding:
    key, content = f"probes/{secrets.token_hex(6)}", secrets.token_bytes(64)
    try:
        store = open_store(settings.store_url)
        try:
            store.put(key, content)
            if bytes(store.get(key)) != content:
                return Finding("store", False, f"{store.url} gave back other bytes than were put; look at its disks")
        finally:
            store.delete([key])
    except DisnplbmError as error:
        return Finding("store", False, f"{error}; see DISNPLBM_STORE_URL and the AWS_ variables")
    return Finding("store", True, f"{store.url}: written, read and deleted")


def _broker(settings: Settings) -> Iterator[Finding]:
    """Broker, master and workers: who listens is known from the queues."""
    shown = Connection(settings.broker_url).as_uri()
    try:
        found = {state.name: state for state in queue_states(settings.broker_url, _PATIENCE)}
    except RunError as error:
        hint = "see that RabbitMQ runs, and check DISNPLBM_BROKER_URL"
        yield Finding("broker", False, f"{shown} cannot be used ({error}): {hint}")
        return
    missing = [name for name, state in found.items() if state.waiting is None]
    dead = found[queues.DEAD.name].waiting
    if missing:
        hint = "the master and the workers make them when they start"
        yield Finding("broker", False, f"{shown} has no queue {', '.join(missing)}: {hint}")
    else:
        aside = f"; {dead} messages set aside in {queues.DEAD.name}" if dead else ""
        yield Finding("broker", True, f"{shown}, {len(found)} queues{aside}")
    yield _listening("master", found[queues.RESULTS.name])
    yield _listening("workers", found[queues.SWEEP.name])


def _listening(name: str, queue: QueueState) -> Finding:
    command = "disnplbm master" if name == "master" else "disnplbm worker"
    wait = f"{queue.waiting or 0} messages wait"
    if not queue.consumers:
        return Finding(name, False, f"nobody listens on {queue.name} ({wait}): start one with `{command}`")
    return Finding(name, True, f"{queue.consumers} on {queue.name}, {wait}")


def _redis(settings: Settings) -> Finding:
    shown = without_passwords(settings.redis_url)
    try:
        client = redis.Redis.from_url(settings.redis_url, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE)
        with client:
            client.ping()
    except (redis.RedisError, ValueError, TypeError) as error:
        # TypeError: of parameters in the address that no client of Redis knows.
        reason = without_passwords(first_line(error))
        return Finding(
            "redis", False, f"{shown} does not answer ({reason}): see that Redis runs, and check DISNPLBM_REDIS_URL"
        )
    return Finding("redis", True, shown)
