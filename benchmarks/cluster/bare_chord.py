"""The least that an iteration on the cluster can be: a chord of tasks that each send one message, and nothing else.

``python -m benchmarks.cluster.bare_chord worker`` and ``... master SHARDS ROUNDS`` are its two processes, with the
queues and the settings of the product. The master prints the median of the rounds' seconds.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from itertools import pairwise
from typing import Any

from celery import Celery, bootsteps, chord, signals
from kombu import Consumer

from disnplbm.messaging import queues
from disnplbm.messaging.app import make_app, publish_result
from disnplbm.messaging.consumer import make_worker
from disnplbm.messaging.messages import Swept
from disnplbm.settings import settings

#: Bytes of statistics that each task sends: as many as 10 x 90 cells take.
PAYLOAD = 10 * 90 * 3 * 8


def application() -> Celery:
    """Both roles' tasks; the callback starts the next round."""
    app = make_app("bare", settings())
    began: list[float] = []

    @app.task(name=queues.SWEEP_TASK)  # type: ignore[untyped-decorator]
    def sweep(shard: int) -> dict[str, Any]:
        message = Swept("bare", 0, 1, shard, 0, "0" * 64, bytes(PAYLOAD), None, "labels", "w", 0.0, 0.0, 0, "memory")
        publish_result(app, message)
        return {"run": "bare", "stream": 0, "iteration": 1, "shard": shard, "digest": "0" * 64}

    @app.task(name=queues.COLUMN_STEP_TASK)  # type: ignore[untyped-decorator]
    def following(_receipts: list[Any], shards: int, rounds: int) -> None:
        began.append(time.perf_counter())
        if len(began) <= rounds:
            publish(shards, rounds)
        else:
            print(statistics.median(b - a for a, b in pairwise(began)), flush=True)
            os._exit(0)

    def publish(shards: int, rounds: int) -> None:
        body = following.s(shards, rounds).set(queue=queues.MASTER.name)
        chord([sweep.s(shard).set(queue=queues.SWEEP.name) for shard in range(shards)], body, app=app).apply_async()

    app.publish = publish
    return app


def main(role: str, shards: int = 1, rounds: int = 1) -> None:
    """Be the worker, or the master of some rounds."""
    signals.setup_logging.connect(lambda **_: None, weak=False)
    app = application()
    if role == "worker":
        make_worker(app, queues=[queues.SWEEP.name]).start()
        return

    class Results(bootsteps.ConsumerStep):  # type: ignore[misc]
        requires = ("celery.worker.consumer.tasks:Tasks",)

        def get_consumers(self, channel: Any) -> list[Consumer]:
            consumer = Consumer(channel, [queues.RESULTS], on_message=lambda m: m.ack(), prefetch_count=128)
            return [consumer]

    app.steps["consumer"].add(Results)
    signals.worker_ready.connect(lambda **_: app.publish(shards, rounds), weak=False)
    make_worker(app, queues=[queues.MASTER.name], pool_cls="threads", concurrency=2).start()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
