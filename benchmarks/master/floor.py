"""The least that an iteration can cost: publish all shards, take all results, write them down, and nothing else.

``python -m benchmarks.master.floor SHARDS ROUNDS`` prints the seconds of each round, in JSON. It sends tasks of the
size and form of the master's, and the broker confirms them all at the end. What waits of the results goes into a table
like the ledger in one transaction, and is acknowledged in one go.
"""

from __future__ import annotations

import json
import sys
import time

import psycopg
from kombu import Connection, Consumer
from kombu.message import Message

from disnplbm.engine.options import Options
from disnplbm.messaging import queues
from disnplbm.messaging.admission import CONTENT
from disnplbm.messaging.app import Application, make_app
from disnplbm.messaging.messages import SweepTask, Swept, result_of
from disnplbm.settings import settings

PREFETCH = 128

#: The first round's iteration, which no run comes to: what it left on the broker is passed over.
_FIRST = 10**6

#: Bytes of what all shards are told.
_BODY = bytes(512)

_TABLE = """
CREATE TABLE IF NOT EXISTS floor (
    iteration int, shard int, digest text, labels_key text, payload bytea, worker text, seconds float, waited float,
    source text, redelivered int, received_at timestamptz DEFAULT now(), PRIMARY KEY (iteration, shard)
)
"""

_INSERT = """
INSERT INTO floor (iteration, shard, digest, labels_key, payload, worker, seconds, waited, source, redelivered)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""


def rounds(n_shards: int, n_rounds: int, app: Application) -> list[float]:
    """Seconds of each round."""
    address = settings().database_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(address) as database, Connection(settings().broker_url) as connection:
        database.execute(_TABLE)
        database.commit()
        tasks, results = connection.channel(), connection.channel()
        tasks.confirm_select()
        waiting: list[Message] = []
        results.basic_qos(0, PREFETCH, False)
        awaited: set[int] = set()

        def confirm(tag: int, multiple: bool) -> None:
            awaited.difference_update([sent for sent in awaited if sent <= tag] if multiple else [tag])

        tasks.events["basic_ack"].add(confirm)
        found = []
        with Consumer(results, [queues.RESULTS], on_message=waiting.append, prefetch_count=PREFETCH):
            for number in range(1, n_rounds + 1):
                began = time.perf_counter()
                for shard in range(n_shards):
                    awaited.add((number - 1) * n_shards + shard + 1)
                    _publish(app, tasks, n_shards, number, shard)
                while awaited:
                    connection.drain_events()
                taken = 0
                while taken < n_shards:
                    # As many as the broker gives ahead may be here since the tasks were confirmed: then none comes.
                    if not waiting:
                        connection.drain_events()
                    _drain(connection, waiting)
                    if not waiting:
                        continue
                    rows = [row for row in (_row(app, message) for message in waiting) if row[0] == _FIRST + number]
                    with database.cursor() as cursor:
                        cursor.executemany(_INSERT, rows)
                    database.commit()
                    waiting[-1].ack(multiple=True)
                    waiting.clear()
                    taken += len(rows)
                found.append(time.perf_counter() - began)
        return found


def _drain(connection: Connection, waiting: list[Message]) -> None:
    """Receive what is there already, up to the prefetch."""
    try:
        while len(waiting) < PREFETCH:
            connection.drain_events(timeout=1e-4)
    except TimeoutError:
        return


def _publish(app: Application, channel: object, n_shards: int, number: int, shard: int) -> None:
    task = SweepTask(
        run="floor",
        stream=0,
        iteration=_FIRST + number,
        shard=shard,
        epoch=0,
        shards_prefix="shards/" + "0" * 64,
        options=Options().to_dict(),
        body=_BODY,
        body_key=None,
        names=bytes(32),
        names_key=None,
        labels_key="0" * 100,
        attempt=0,
        published=time.time(),
        shards_seal="0" * 64,
    )
    chord = {"task": queues.COLUMN_STEP_TASK, "options": {"queue": queues.MASTER.name}, "chord_size": n_shards}
    body = app.admission.pack(
        [[task.to_dict()], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": chord}]
    )
    message = channel.prepare_message(  # type: ignore[attr-defined]
        body,
        content_type=CONTENT,
        content_encoding="binary",
        headers={"task": queues.SWEEP_TASK, "id": f"{number}-{shard}"},
        properties={"delivery_mode": 2},
    )
    channel.basic_publish(message, routing_key=queues.SWEEP.name)  # type: ignore[attr-defined]


def _row(app: Application, message: Message) -> tuple[object, ...]:
    swept = result_of(app.admission.result(message))
    assert isinstance(swept, Swept), swept
    return (
        swept.iteration,
        swept.shard,
        swept.digest,
        swept.labels_key,
        swept.payload,
        swept.worker,
        swept.seconds,
        swept.waited,
        swept.source,
        swept.redelivered,
    )


if __name__ == "__main__":
    print(json.dumps(rounds(int(sys.argv[1]), int(sys.argv[2]), make_app("floor", settings()))))
