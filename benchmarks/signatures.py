"""What signatures cost: a shard's statistics packed, published, confirmed, taken and counted, with a key and without.

    python -m benchmarks.signatures [--messages N]

It starts a broker and a database of its own, which write to the disk as in a deployment. Messages with and without take
turns in pairs, each first in every other pair. What is said to be slower is the median of the pairs' ratios, of the
broker's part alone and of the whole, which ends when the statistics are in the ledger and acknowledged. A worker hashes
its statistics for their digest, signed or not: that is done before.
"""

from __future__ import annotations

import argparse
import statistics
import time
import timeit
from collections.abc import Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from kombu import Connection
from msgspec.structs import replace

from disnplbm.messaging import queues
from disnplbm.messaging.app import make_app, publish_result
from disnplbm.messaging.messages import Swept, result_of
from disnplbm.messaging.signing import Signer, sha256_of
from disnplbm.model.statistics import Statistics
from disnplbm.objects.store import open_store
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database
from disnplbm.runs.service import RunService
from disnplbm.sampler.packing import pack_statistics
from disnplbm.sampler.shard import ShardStatistics
from disnplbm.settings import Settings
from recorded_runs import entry, submitted
from services.postgres import Postgres
from services.rabbitmq import RabbitMQ

KEY = "k" * 64

#: Row clusters and columns of the statistics: few, many, and as many as travel inline.
SHAPES = ((10, 8), (10, 90), (119, 90))

#: Shards of the run whose ledger is filled: no message is one of a shard that is there.
SHARDS = 2**20


class Seconds(NamedTuple):
    """Of a message, until its receiver has read it, and until it is counted."""

    read: float
    counted: float


def message(run: str, clusters: int, columns: int) -> Swept:
    """A result with the statistics of cells of one number."""
    generator, shape = np.random.default_rng(0), (clusters, columns, 1)
    sizes = generator.integers(200, 4000, clusters)
    cells = Statistics(
        np.repeat(sizes[:, None].astype(float), columns, axis=1),
        generator.normal(size=shape),
        generator.gamma(5.0, 100.0, size=(*shape, 1)),
    )
    names, no_labels = np.arange(clusters, dtype=np.int32), np.zeros(0, dtype=np.int32)
    payload = pack_statistics(
        ShardStatistics(0, no_labels, names, sizes, np.arange(clusters), (cells,), np.zeros(clusters))
    )
    sha256_of(payload)
    return Swept(run, 0, 0, 0, 0, "0" * 64, payload, None, "labels", "worker", 0.1, 0.1, 0, "memory")


class Member:
    """A member with a key, or without."""

    def __init__(self, url: str, key: str, books: Books) -> None:
        self._app = make_app("signatures", Settings(broker_url=url, message_key=key))
        self._connection = Connection(url)
        self._queue = queues.RESULTS.bind(self._connection.default_channel)
        self._queue.declare()
        self._books = books

    def seconds(self, sent: Swept) -> Seconds:
        """What a message takes."""
        began = time.perf_counter()
        publish_result(self._app, sent)
        found = None
        while found is None:
            found = self._queue.get()
        taken = result_of(self._app.admission.result(found))
        read = time.perf_counter()
        assert isinstance(taken, Swept)
        outcome = self._books.ledger.record(entry(taken.run, 0, taken.shard, payload=taken.payload))
        found.ack()
        counted = time.perf_counter()
        assert outcome == "new"
        return Seconds(read - began, counted - began)


def paired(plain: Member, signed: Member, messages: Callable[[], Swept], pairs: int) -> list[tuple[Seconds, Seconds]]:
    """Seconds without a signature and with one, of pairs of messages."""
    found = []
    for i in range(pairs):
        if i % 2:
            with_key, without = signed.seconds(messages()), plain.seconds(messages())
        else:
            without, with_key = plain.seconds(messages()), signed.seconds(messages())
        found.append((without, with_key))
    return found


def signing(sent: Swept) -> float:
    """Seconds of the signature alone, made and verified: the least of many."""
    signer, data, content = Signer([KEY]), sent.to_bytes(), sent.content or b""
    return min(timeit.repeat(lambda: signer.verify(signer.sign(data, content)), number=20, repeat=50)) / 20


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=1000)
    given = parser.parse_args()
    with RabbitMQ() as broker, Postgres(fsync=True) as server, TemporaryDirectory() as folder:
        broker.start()
        server.start()
        database = Database(server.create_database())
        database.migrate()
        books = Books.of(database)
        run = submitted(RunService(database, open_store(folder)), Path(folder))
        books.datasets.mark_ready(run.dataset_id, SHARDS, 2, 1, "aa", 0, f"datasets/{run.dataset_id}")
        books.runs.start(run.id, "shards/x", SHARDS)
        plain, signed = Member(broker.url, "", books), Member(broker.url, KEY, books)
        shards = count()
        print(
            "| bytes of statistics | µs of the signature alone"
            " | ms until read | slower by | ms until counted | slower by |"
        )
        print("|---|---|---|---|---|---|")
        for shape in SHAPES:
            sent = message(run.id, *shape)

            def numbered(sent: Swept = sent) -> Swept:
                return replace(sent, shard=next(shards))

            paired(plain, signed, numbered, 20)
            pairs = paired(plain, signed, numbered, given.messages)
            cells = [f"{len(sent.payload or b''):,}", f"{signing(sent) * 1e6:.0f}"]
            for field in range(2):
                times = [(before[field], after[field]) for before, after in pairs]
                slower = statistics.median(after / before for before, after in times) - 1
                cells += [f"{statistics.median(before for before, _ in times) * 1e3:.2f}", f"{slower:+.1%}"]
            print("|", " | ".join(cells), "|")
        database.close()


if __name__ == "__main__":
    main()
