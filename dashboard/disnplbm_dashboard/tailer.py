"""Live events: one thread looks at the database for all clients, which hold no connection to it."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from disnplbm.runs.database import Database
from disnplbm.runs.progress import datasets_of, progress_of
from disnplbm.runs.records import EventRecord, RunRecord
from disnplbm_dashboard.lists.listing import Listing
from disnplbm_dashboard.schemas.events import event_answer
from disnplbm_dashboard.schemas.runs import Progress
from disnplbm_dashboard.schemas.stream import ProgressMessage

_log = structlog.get_logger(__name__)

#: Seconds between two looks.
INTERVAL = 0.5

#: A silent connection is heard from this often, in seconds.
HEARTBEAT = 15.0

#: Clients at a time.
MOST_CLIENTS = 220

#: Messages that a client may be behind before it has to come again.
_BEHIND = 1000

#: On Postgres an event may appear after one of a higher number: so far back is looked again.
_LATE = 100

_END = None


@dataclass(frozen=True, slots=True)
class Message:
    """What a client is sent.

    Parameters
    ----------
    kind : {"event", "progress"}
    run : str or None
        That it is about.
    data : str
        JSON.
    id : int or None
        Of an event.
    """

    kind: str
    run: str | None
    data: str
    id: int | None = None

    def text(self) -> str:
        """As server-sent events have it."""
        number = "" if self.id is None else f"id: {self.id}\n"
        return f"{number}event: {self.kind}\ndata: {self.data}\n\n"


@dataclass(eq=False)
class Client:
    """Somebody who listens: to one run, or to all."""

    run: str | None
    waiting: queue.Queue[Message | None] = field(default_factory=lambda: queue.Queue(_BEHIND))


class TooMany(Exception):
    """There are as many clients as there may be."""


class Tailer:
    """Looks for events and progress while somebody listens."""

    def __init__(self, listing: Listing, database: Database) -> None:
        self._listing, self._database = listing, database
        self._clients: set[Client] = set()
        self._lock = threading.Lock()
        self._stop, self._listened = threading.Event(), threading.Event()
        self._last = 0
        self._seen: set[int] = set()
        self._progress: dict[str, tuple[str, int]] = {}
        self._thread = threading.Thread(target=self._run, name="tailer", daemon=True)

    @property
    def clients(self) -> int:
        """How many listen."""
        return len(self._clients)

    def start(self) -> None:
        """Look, from a thread."""
        self._thread.start()

    def stop(self) -> None:
        """End all streams."""
        self._stop.set()
        self._listened.set()
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            _give(client, _END)

    @contextmanager
    def listen(self, run: str | None) -> Iterator[Client]:
        """Add a client for as long as the block runs; TooMany if there are too many."""
        client = Client(run)
        with self._lock:
            if len(self._clients) >= MOST_CLIENTS or self._stop.is_set():
                raise TooMany
            self._clients.add(client)
        self._listened.set()
        try:
            yield client
        finally:
            with self._lock:
                self._clients.discard(client)

    def stream(
        self, client: Client, after: int | None, still_allowed: Callable[[], bool] = lambda: True
    ) -> Iterator[str]:
        """What a client is sent: what it missed since event ``after``, then what happens.

        Parameters
        ----------
        client : Client
            That listens already, so that nothing falls between the two.
        after : int or None
            None to miss nothing.
        still_allowed : callable
            Asked at each heartbeat whether the client may still listen.
        """
        yield "retry: 2000\n\n"
        due = time.monotonic() + HEARTBEAT
        known = after or 0
        if after is not None:
            while missed := self._listing.events(after=known, run=client.run):
                for record in missed:
                    known = record.id
                    yield _of_event(record).text()
        while not self._stop.is_set():
            if time.monotonic() >= due:
                due = time.monotonic() + HEARTBEAT
                if not still_allowed():
                    return
                yield ": still here\n\n"
            try:
                message = client.waiting.get(timeout=max(0.0, due - time.monotonic()))
            except queue.Empty:
                continue
            if message is _END:
                return
            if message.id is None or message.id > known:
                yield message.text()

    def poll(self) -> None:
        """Ask the database once, and tell the clients what is new."""
        messages = []
        for record in self._listing.events(after=max(0, self._last - _LATE), limit=1000):
            if record.id not in self._seen:
                self._seen.add(record.id)
                self._last = max(self._last, record.id)
                messages.append(_of_event(record))
        self._seen = {number for number in self._seen if number > self._last - 2 * _LATE}
        messages.extend(self._list_progress())
        with self._lock:
            clients = list(self._clients)
        for message in messages:
            for client in clients:
                if client.run in (None, message.run):
                    _give(client, message)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._listened.wait()
            try:
                self._begin()
                while self._clients and not self._stop.wait(INTERVAL):
                    self.poll()
            except Exception as error:
                _log.warning("live events wait", reason=str(error))
                self._stop.wait(INTERVAL)
            with self._lock:
                if not self._clients and not self._stop.is_set():
                    self._listened.clear()

    def _begin(self) -> None:
        """Begin with what is now: whoever wants to know of before asks for it."""
        self._last = self._listing.last_event()
        self._seen = {record.id for record in self._listing.events(after=max(0, self._last - _LATE))}
        self._progress = {}

    def _list_progress(self) -> Iterator[Message]:
        now = self._listing.active()
        changed = [run for run, found in now.items() if self._progress.get(run) != found]
        over = [run for run in self._progress if run not in now]
        self._progress = now
        runs: list[RunRecord] = self._listing.of_ids([*changed, *over])
        if not runs:
            return
        progress = progress_of(self._database, runs, datasets_of(self._database, runs))
        for run in runs:
            come = progress[run.id]
            message = ProgressMessage(
                run=run.id,
                state=run.state,
                stage=come.stage,
                progress=Progress(done=come.done, total=come.total),
                row_clusters=come.row_clusters,
                column_clusters=come.column_clusters,
                log_joint=come.log_joint,
            )
            yield Message("progress", run.id, message.model_dump_json())


def _give(client: Client, message: Message | None) -> None:
    try:
        client.waiting.put_nowait(message)
    except queue.Full:
        # It is told to come again, and says then what it has.
        while True:
            try:
                client.waiting.get_nowait()
            except queue.Empty:
                break
        client.waiting.put_nowait(_END)


def _of_event(record: EventRecord) -> Message:
    data = json.dumps(event_answer(record).model_dump(mode="json"))
    return Message("event", record.run_id, data, record.id)
