"""The least that a task can take: received, answered, confirmed and acknowledged, one at a time, and nothing else."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from itertools import pairwise

from kombu import Connection, Consumer
from kombu.message import Message

from disnplbm.messaging import queues
from disnplbm.messaging.app import Application
from disnplbm.messaging.messages import SweepTask
from disnplbm_master.publication import Publisher

#: Bytes of an answer: as many as statistics of the benchmark's table take.
ANSWER = bytes(4000)


def floor(app: Application, connection: Connection, tasks: Sequence[SweepTask]) -> float:
    """Median seconds from one task to the next of a plain loop, with the queues and the confirmations of the product.

    Parameters
    ----------
    connection : Connection
        To the broker, for nothing else meanwhile.
    """
    Publisher(app, lambda: False).publish_iteration(tasks)
    began: list[float] = []
    answers = Connection(app.conf.broker_url, transport_options={"confirm_publish": True})
    with answers, connection.channel() as channel, answers.channel() as answering:
        channel.basic_qos(0, 1, False)

        def answer(message: Message) -> None:
            began.append(time.perf_counter())
            sent = answering.prepare_message(ANSWER, properties={"delivery_mode": 2})
            answering.basic_publish(sent, routing_key=queues.RESULTS.name)
            message.ack()

        with Consumer(channel, [queues.SWEEP], on_message=answer, prefetch_count=1):
            while len(began) < len(tasks):
                connection.drain_events(timeout=120)
    return statistics.median(after - before for before, after in pairwise(began))
