"""What signatures cost: a message packed, published, confirmed, taken and unpacked, with a key and without.

    python -m benchmarks.signatures [--messages N]

It starts a broker of its own. Messages with and without take turns in pairs, each first in every other pair. What is
said to be slower is the median of the pairs' ratios. A worker hashes its statistics for their digest, signed or not:
that is done before.
"""

from __future__ import annotations

import argparse
import statistics
import time
import timeit

import numpy as np
from kombu import Connection

from disnplbm.messaging import queues
from disnplbm.messaging.app import make_app, publish_result
from disnplbm.messaging.messages import Swept, result_of
from disnplbm.messaging.signing import Signer, sha256_of
from disnplbm.sampler.packing import pack
from disnplbm.settings import Settings
from services.rabbitmq import RabbitMQ

KEY = "k" * 64

#: Bytes of statistics: of a few clusters and columns, of many, and the most that travels inline.
SIZES = (2_000, 20_000, 256 * 2**10)


def message(size: int) -> Swept:
    """A result with statistics of a size."""
    payload = pack(np.random.default_rng(0).random(size // 8))[:size]
    sha256_of(payload)
    return Swept("0" * 12, 0, 1, 0, 0, "0" * 64, payload, None, "labels", "worker", 0.1, 0.1, 0, "memory")


class Member:
    """A member with a key, or without."""

    def __init__(self, url: str, key: str) -> None:
        self._app = make_app("signatures", Settings(broker_url=url, message_key=key))
        self._connection = Connection(url)
        self._queue = queues.RESULTS.bind(self._connection.default_channel)
        self._queue.declare()

    def seconds(self, sent: Swept) -> float:
        """Seconds from a message to what is read of it at the other end."""
        began = time.perf_counter()
        publish_result(self._app, sent)
        found = None
        while found is None:
            found = self._queue.get(no_ack=True)
        result_of(self._app.admission.result(found))
        return time.perf_counter() - began


def paired(plain: Member, signed: Member, sent: Swept, count: int) -> list[tuple[float, float]]:
    """Seconds without a signature and with one, of pairs of messages."""
    found = []
    for i in range(count):
        if i % 2:
            with_key, without = signed.seconds(sent), plain.seconds(sent)
        else:
            without, with_key = plain.seconds(sent), signed.seconds(sent)
        found.append((without, with_key))
    return found


def signing(sent: Swept) -> float:
    """Seconds of the signature alone, made and verified: the least of many."""
    signer, data, content = Signer([KEY]), sent.to_bytes(), sent.content or b""
    return min(timeit.repeat(lambda: signer.verified(signer.signed(data, content)), number=20, repeat=50)) / 20


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=1000)
    given = parser.parse_args()
    with RabbitMQ() as server:
        server.start()
        plain, signed = Member(server.url, ""), Member(server.url, KEY)
        print("| bytes of statistics | ms a message | with a signature | slower by | µs of the signature alone |")
        print("|---|---|---|---|---|")
        for size in SIZES:
            sent = message(size)
            paired(plain, signed, sent, 20)
            pairs = paired(plain, signed, sent, given.messages)
            without, with_key = (statistics.median(times) for times in zip(*pairs, strict=True))
            alone = signing(sent) * 1e6
            slower = statistics.median(after / before for before, after in pairs) - 1
            print(f"| {size:,} | {without * 1e3:.2f} | {with_key * 1e3:.2f} | {slower:+.1%} | {alone:.0f} |")


if __name__ == "__main__":
    main()
