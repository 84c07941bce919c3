"""What signatures cost: a message packed, published, confirmed, taken and unpacked, with a key and without.

    python -m benchmarks.signatures [--messages N] [--rounds N]

It starts a broker of its own. With and without take turns, and the medians of the rounds are compared.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from kombu import Connection

from disnplbm.messaging import queues
from disnplbm.messaging.app import make_app, publish_result
from disnplbm.messaging.codec import pack
from disnplbm.messaging.messages import Swept, result_of
from disnplbm.settings import Settings
from services.rabbitmq import RabbitMQ

KEY = "k" * 64

#: Bytes of statistics: of a few clusters and columns, of many, and the most that travels inline.
SIZES = (2_000, 20_000, 256 * 2**10)


def message(size: int) -> Swept:
    """A result with statistics of a size."""
    payload = pack(np.random.default_rng(0).random(size // 8))[:size]
    return Swept("0" * 12, 0, 1, 0, 0, "0" * 64, payload, None, "labels", "worker", 0.1, 0.1, 0, "memory")


class Member:
    """A member with a key, or without."""

    def __init__(self, url: str, key: str) -> None:
        self._app = make_app("signatures", Settings(broker_url=url, message_key=key))
        self._connection = Connection(url)
        self._queue = queues.RESULTS.bind(self._connection.default_channel)
        self._queue.declare()

    def seconds(self, sent: Swept, number: int) -> float:
        """Seconds a message, of a number of them sent and taken one after another."""
        began = time.perf_counter()
        for _ in range(number):
            publish_result(self._app, sent)
            found = None
            while found is None:
                found = self._queue.get(no_ack=True)
            result_of(self._app.admission.result(found))
        return (time.perf_counter() - began) / number


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    with RabbitMQ() as server:
        server.start()
        plain, signed = Member(server.url, ""), Member(server.url, KEY)
        print("| bytes of statistics | ms a message | with a signature | slower by |\n|---|---|---|---|")
        for size in SIZES:
            sent = message(size)
            pairs = [
                (plain.seconds(sent, given.messages), signed.seconds(sent, given.messages)) for _ in range(given.rounds)
            ]
            without, with_key = (statistics.median(times) for times in zip(*pairs, strict=True))
            ratio = statistics.median(after / before for before, after in pairs)
            print(f"| {size:,} | {without * 1e3:.2f} | {with_key * 1e3:.2f} | {ratio - 1:.1%} |")


if __name__ == "__main__":
    main()
