"""The queues, and the names of the tasks in them.

Their names carry the version of the algorithm, so that workers of different versions never mix in one run.
"""

from __future__ import annotations

from kombu import Exchange, Queue

from disnplbm.kernels import ALGORITHM_VERSION

SWEEP_TASK = "disnplbm.sweep"
INGEST_TASK = "disnplbm.ingest"
PREPARE_TASK = "disnplbm.prepare"
COLUMN_STEP_TASK = "disnplbm.column_step"

#: Deliveries of a message after which the broker sets it aside: each but the first follows the loss of a worker, or of
#: its connection.
DELIVERIES = 10

_EXCHANGE = Exchange("", type="direct")


def _queue(name: str, **arguments: object) -> Queue:
    name = f"disnplbm.{name}.v{ALGORITHM_VERSION}"
    return Queue(
        name,
        _EXCHANGE,
        routing_key=name,
        durable=True,
        queue_arguments={"x-queue-type": "quorum", **arguments},
    )


#: What was set aside.
DEAD = _queue("dead")

_LIMITED = {
    "x-delivery-limit": DELIVERIES,
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": DEAD.name,
}

#: One task a shard and iteration.
SWEEP = _queue("sweep", **_LIMITED)

#: Reading and sharding of data.
PREPARE = _queue("prepare", **_LIMITED)

#: What the workers send: statistics and failures.
RESULTS = _queue("results")

#: Chord callbacks.
MASTER = _queue("master")

ALL = (DEAD, SWEEP, PREPARE, RESULTS, MASTER)
