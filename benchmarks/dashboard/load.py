"""Many who watch and do nothing, while others read: 200 live streams, 50 questions a second."""

from __future__ import annotations

import random
import selectors
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from benchmarks.cluster.processor import processor_seconds, resident
from benchmarks.dashboard.asking import Asking
from benchmarks.dashboard.figures import latency, quantile
from benchmarks.dashboard.ground import LARGE, Ground
from benchmarks.dashboard.history import DATASETS, RUNS
from benchmarks.dashboard.listing import PAGE, address
from benchmarks.dashboard.observed import Others, open_files, threads
from benchmarks.tables import Figure, figure_table, seconds, table
from disnplbm_dashboard.place import DATABASE
from integration.serving import Server

CLIENTS, RATE, SECONDS, BAR = 200, 50, 60, 0.2

#: Seconds after so many clients came at once, which is work.
_SETTLING = 5

#: Seconds in which nobody reads.
_IDLE = 10

#: Connections to the database that a server has at most, however many clients it has.
_POOL = 15

#: Connections that the readers have: more than are ever in use.
_READERS = 64


class Listeners:
    """Clients of live streams, each a bare socket.

    Parameters
    ----------
    port : int
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._text: dict[socket.socket, bytearray] = {}
        self._selector = selectors.DefaultSelector()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._listen)
        self.came: list[float] = []
        self.lost = 0

    @contextmanager
    def listening(self, count: int) -> Iterator[None]:
        """So many of them listen to everything that happens."""
        try:
            for _ in range(count):
                client = socket.create_connection(("127.0.0.1", self._port))
                client.sendall(b"GET /api/v1/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                self._text[client] = bytearray()
                self._selector.register(client, selectors.EVENT_READ)
            self._thread.start()
            while sum(b"retry:" in text for text in self._text.values()) < count:
                time.sleep(0.01)
            yield
        finally:
            self._over.set()
            if self._thread.is_alive():
                self._thread.join()
            for client in self._text:
                client.close()
            self._selector.close()

    def _listen(self) -> None:
        while not self._over.is_set():
            for key, _ in self._selector.select(timeout=0.2):
                client = key.fileobj
                assert isinstance(client, socket.socket)
                piece = client.recv(2**16)
                if not piece:
                    self.lost += 1
                    self._selector.unregister(client)
                elif b"event: event" in piece:
                    self.came.append(time.perf_counter())
                self._text[client] += piece


def section(ground: Ground) -> str:
    """Before, while they only listen, while others read, and one event to all."""
    made, run = ground.history, ground.run(LARGE)
    with ground.serving() as server, ExitStack() as stack:
        pid = server.process.pid
        _settled(server)
        rows = [("before", *_state(pid))]
        listeners = Listeners(server.port)
        stack.enter_context(listeners.listening(CLIENTS))
        time.sleep(_SETTLING)
        held = open_files(pid, DATABASE)
        began = processor_seconds({"server": pid})["server"]
        time.sleep(_IDLE)
        idle = (processor_seconds({"server": pid})["server"] - began) / _IDLE
        held = max(held, open_files(pid, DATABASE))
        rows.append((f"{CLIENTS} listen", *_state(pid)))
        began = processor_seconds({"server": pid})["server"]
        cursor = server.ask("GET", f"/runs?limit={PAGE}")[1]["next"]
        others = Others()
        times, late, most = _read(server, _questions(made.runs, run, cursor), pid)
        busy = (processor_seconds({"server": pid})["server"] - began) / SECONDS
        besides = others.figure()
        rows.append((f"and {RATE} questions a second", *_state(pid)))
        told = _one_event(server, listeners, made.paused[0])
        lost = listeners.lost
    everything = [each for found in times.values() for each in found]
    figures = [
        latency("all questions", everything, BAR),
        *(latency(kind, found, BAR) for kind, found in times.items()),
        Figure("how late the readers themselves were", f"p95 {seconds(quantile(late, 0.95))}"),
        Figure("streams that broke off", str(lost), "0", lost == 0),
        Figure("connections to the database while nobody reads", str(held), f"at most {_POOL}", held <= _POOL),
        Figure("the same, most while others read", str(most), f"at most {_POOL}", most <= _POOL),
        Figure(f"an event is with all {CLIENTS}, after it was caused", seconds(told)),
        Figure("processor time of the server, nobody reading", f"{1000 * idle:.0f} ms a second"),
        Figure("the same, while others read", f"{1000 * busy:.0f} ms a second"),
        besides,
    ]
    header = ("server", "resident memory", "threads", "files and sockets open", "of them connections to the database")
    return f"""## Load

{CLIENTS} clients listen to everything that happens, over live streams, and {RATE} questions a second come for
{SECONDS} s, a fifth of each kind: the list (the newest {PAGE} of {RUNS:,} runs, the next, of one state, by a text), a
run, its trace, its events, a picture of a part of the {LARGE[0]:,} x {LARGE[1]} matrix (another part each time, or the
whole). Questions come at their times whether or not others are answered, and each is timed from when it was due until
its answer was read. Server, clients and readers share the processors.

{figure_table(figures)}

{table(header, rows)}"""


def _settled(server: Server) -> None:
    """Ask for one of each, so that what is made once is made."""
    for path in ("/runs", "/events"):
        assert server.ask("GET", path)[0] == 200
    time.sleep(1.0)


def _state(pid: int) -> tuple[str, str, str, str]:
    return (
        f"{resident(pid) / 2**20:.0f} MiB",
        str(threads(pid)),
        str(open_files(pid)),
        str(open_files(pid, DATABASE)),
    )


def _questions(runs: list[str], large: str, cursor: str) -> Iterator[tuple[str, str]]:
    """Kind and address, without end."""
    chance = random.Random(1)
    rows, columns = LARGE

    def lists() -> str:
        text = f"cohort-{chance.randrange(DATASETS):02d}"
        return address(**chance.choice([{}, {"cursor": cursor}, {"state": "FAILED"}, {"search": text}]))

    def part() -> str:
        size = round(rows * chance.choice([1.0, 0.3, 0.1, 0.03, 0.001]))
        first = chance.randrange(rows - size + 1)
        asked = f"row_from={first}&row_to={first + size}&column_to={columns}&height=640&width=1164"
        return f"/api/v1/runs/{large}/heatmap?{asked}"

    def of_run(what: str) -> Callable[[], str]:
        return lambda: f"/api/v1/runs/{chance.choice(runs)}{what}"

    kinds = {
        "list": lists,
        "run": of_run(""),
        "trace": of_run("/trace"),
        "events": of_run("/events"),
        "picture": part,
    }
    while True:
        order = list(kinds)
        chance.shuffle(order)
        for kind in order:
            yield kind, kinds[kind]()


def _read(
    server: Server, questions: Iterator[tuple[str, str]], pid: int
) -> tuple[dict[str, list[float]], list[float], int]:
    """Seconds by kind; by how much the readers were late; most connections to the database that were seen."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    late: list[float] = []
    most = 0
    mine = threading.local()
    with ExitStack() as stack:
        lock = threading.Lock()

        def ask(kind: str, path: str, due: float) -> None:
            if not hasattr(mine, "asking"):
                with lock:
                    mine.asking = stack.enter_context(Asking(server.port))
            late.append(time.perf_counter() - due)
            mine.asking.get(path)
            times[kind].append(time.perf_counter() - due)

        with ThreadPoolExecutor(_READERS) as pool:
            began = time.perf_counter()
            asked = []
            for number in range(RATE * SECONDS):
                kind, path = next(questions)
                due = began + number / RATE
                time.sleep(max(0.0, due - time.perf_counter()))
                asked.append(pool.submit(ask, kind, path, due))
                if number % RATE == 0:
                    most = max(most, open_files(pid, DATABASE))
        for each in asked:
            each.result()
    return dict(sorted(times.items())), late, most


def _one_event(server: Server, listeners: Listeners, run: str) -> float:
    """Cancel a run that is paused; seconds until all clients heard of it."""
    listeners.came.clear()
    began = time.perf_counter()
    assert server.ask("POST", f"/runs/{run}/cancel", {})[0] == 200
    while len(listeners.came) < CLIENTS:
        assert time.perf_counter() - began < 60, f"{len(listeners.came)} of {CLIENTS} heard of it"
        time.sleep(0.01)
    return max(listeners.came) - began
