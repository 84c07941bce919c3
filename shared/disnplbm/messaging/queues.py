"""The queues, and the names of the tasks in them.

Their names carry two versions. The version of the algorithm keeps workers of different versions from mixing in one run.
The version of settings and messages is there because the arguments of a queue that exists cannot change.
"""

from __future__ import annotations

from kombu import Exchange, Queue

from disnplbm.algorithm import ALGORITHM_VERSION

#: Of the queues' arguments and of what travels in them; docs/upgrading.md says what to do when it changes.
QUEUE_VERSION = 4

SWEEP_TASK = "disnplbm.sweep"
INGEST_TASK = "disnplbm.ingest"
PREPARE_TASK = "disnplbm.prepare"
COLUMN_STEP_TASK = "disnplbm.column_step"

#: All tasks that a member may be asked for.
TASKS = frozenset({SWEEP_TASK, INGEST_TASK, PREPARE_TASK, COLUMN_STEP_TASK})

#: Deliveries of a message after which the broker sets it aside: each but the first follows the loss of a member, or of
#: its connection.
DELIVERIES = 10

_EXCHANGE = Exchange("", type="direct")

_LIMIT = {"x-delivery-limit": DELIVERIES}


def _queue(name: str, **arguments: object) -> Queue:
    name = f"disnplbm.{name}.v{ALGORITHM_VERSION}.{QUEUE_VERSION}"
    return Queue(
        name,
        _EXCHANGE,
        routing_key=name,
        durable=True,
        queue_arguments={"x-queue-type": "quorum", **_LIMIT, **arguments},
    )


#: What was set aside; the broker drops what is delivered too often from here.
DEAD = _queue("dead")

_SET_ASIDE = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": DEAD.name}

#: One task a shard and iteration.
SWEEP = _queue("sweep", **_SET_ASIDE)

#: Reading and sharding of data.
PREPARE = _queue("prepare", **_SET_ASIDE)

#: What the workers send: statistics and failures.
RESULTS = _queue("results", **_SET_ASIDE)

#: Chord callbacks.
MASTER = _queue("master", **_SET_ASIDE)

ALL = (DEAD, SWEEP, PREPARE, RESULTS, MASTER)
