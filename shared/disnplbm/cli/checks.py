"""What ``disnplbm doctor`` looks at: each service, from here, as the settings have it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import redis
from kombu import Connection

from disnplbm.errors import DisnplbmError, RunError, first_line
from disnplbm.messaging import queues
from disnplbm.messaging.addresses import shown
from disnplbm.messaging.inspection import QueueState, inspect_queues
from disnplbm.messaging.logs import mask_passwords
from disnplbm.objects import open_store
from disnplbm.runs.database import Database
from disnplbm.settings import Settings

#: Seconds that a service may take to answer; those that say why they do not are asked to do so a little earlier.
_PATIENCE = 5.0
_EXPLAINED = 4.0


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one part.

    Parameters
    ----------
    text : str
        What it is, or what is wrong and how to mend it.
    """

    name: str
    ok: bool
    text: str


def examine(settings: Settings, patience: float = _PATIENCE) -> list[Finding]:
    """Look at everything at once, whatever is found.

    Parameters
    ----------
    patience : float
        Seconds for all of it: what has not answered by then is found silent.
    """
    probes = [_Probe(name, partial(look, settings)) for name, look in _LOOKS.items()]
    deadline = time.monotonic() + patience
    return [finding for probe in probes for finding in probe.findings(deadline, patience)]


class _Probe:
    """Looks at one service, in a thread: not every library gives up in time."""

    def __init__(self, name: str, look: Callable[[], Iterable[Finding]]) -> None:
        self._name, self._look = name, look
        self._found: list[Finding] = []
        self._error: Exception | None = None
        # A daemon, so that the program does not wait for one that hangs.
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def findings(self, deadline: float, patience: float) -> list[Finding]:
        """What was found until a moment of the monotonic clock."""
        self._thread.join(max(0.0, deadline - time.monotonic()))
        if self._thread.is_alive():
            variable = f"DISNPLBM_{self._name.upper()}_URL"
            text = f"no answer within {patience:g} s: see that it runs and can be reached, and check {variable}"
            return [Finding(self._name, False, text)]
        if self._error is not None:
            raise self._error
        return self._found

    def _run(self) -> None:
        try:
            self._found = list(self._look())
        except Exception as error:
            self._error = error


def _database(settings: Settings) -> Iterator[Finding]:
    try:
        database = Database(settings.database_url)
        try:
            database.check_version()
        finally:
            database.close()
    except DisnplbmError as error:
        yield Finding("database", False, str(error))
    else:
        yield Finding("database", True, f"{database.url_for_people}, tables of this version")


def _store(settings: Settings) -> Iterator[Finding]:
    key, content = f"probes/{secrets.token_hex(6)}", secrets.token_bytes(64)
    try:
        store = open_store(settings.store_url, patience=_EXPLAINED)
        store.put(key, content)
        same = bytes(store.get(key)) == content
        store.delete([key])
    except DisnplbmError as error:
        yield Finding("store", False, f"{error}; see DISNPLBM_STORE_URL and the AWS_ variables")
    else:
        said = ": written, read and deleted" if same else " gave back other bytes than were put; look at its disks"
        yield Finding("store", same, f"{store.url}{said}")


def _broker(settings: Settings) -> Iterator[Finding]:
    """Broker, master and workers: who listens is known from the queues."""
    address = shown(Connection(settings.broker_url))
    try:
        found = {state.name: state for state in inspect_queues(settings.broker_url, _EXPLAINED)}
    except RunError as error:
        hint = "see that RabbitMQ runs, and check DISNPLBM_BROKER_URL"
        yield Finding("broker", False, f"{address} cannot be used ({error}): {hint}")
        return
    missing = [name for name, state in found.items() if state.waiting is None]
    dead = found[queues.DEAD.name].waiting
    if missing:
        hint = "the master and the workers make them when they start"
        yield Finding("broker", False, f"{address} has no queue {', '.join(missing)}: {hint}")
    else:
        aside = f"; {dead} messages set aside in {queues.DEAD.name}" if dead else ""
        yield Finding("broker", True, f"{address}, {len(found)} queues{aside}")
    yield _listening("master", found[queues.RESULTS.name])
    yield _listening("workers", found[queues.SWEEP.name])


def _listening(name: str, queue: QueueState) -> Finding:
    command = "disnplbm master" if name == "master" else "disnplbm worker"
    wait = f"{queue.waiting or 0} messages wait"
    if not queue.consumers:
        return Finding(name, False, f"nobody listens on {queue.name} ({wait}): start one with `{command}`")
    return Finding(name, True, f"{queue.consumers} on {queue.name}, {wait}")


def _redis(settings: Settings) -> Iterator[Finding]:
    address = mask_passwords(settings.redis_url)
    try:
        client = redis.Redis.from_url(settings.redis_url, socket_timeout=_EXPLAINED, socket_connect_timeout=_EXPLAINED)
        with client:
            client.ping()
    except (redis.RedisError, ValueError, TypeError) as error:
        # TypeError: of parameters in the address that no client of Redis knows.
        reason = mask_passwords(first_line(error))
        yield Finding(
            "redis", False, f"{address} does not answer ({reason}): see that Redis runs, and check DISNPLBM_REDIS_URL"
        )
    else:
        yield Finding("redis", True, address)


_LOOKS: dict[str, Callable[[Settings], Iterable[Finding]]] = {
    "database": _database,
    "store": _store,
    "broker": _broker,
    "redis": _redis,
}
