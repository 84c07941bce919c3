"""As many workers as there are shards, which answer at once: ``python -m benchmarks.master.workers``.

One process takes every task that is published. It sweeps the first iterations as a worker does, and keeps what each
shard sent. From then on it sends the same again: of a table that is one cluster nothing moves. It also publishes what
Celery would once the last part of a chord is done. Broker and master cannot tell it from a thousand workers.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from kombu import Connection, Consumer
from kombu.message import Message
from msgspec.structs import replace

from disnplbm.messaging import queues
from disnplbm.messaging.app import Application, make_app
from disnplbm.messaging.messages import Result, SweepTask, Swept
from disnplbm.objects.store import open_store
from disnplbm.runs.iteration_id import IterationId
from disnplbm.settings import settings
from disnplbm_worker.last_labels import LastLabels
from disnplbm_worker.problems import Problems
from disnplbm_worker.shard_cache import ShardCache
from disnplbm_worker.sweep import Sweeper
from disnplbm_worker.waiting import Waiting

#: Iterations that are swept.
SWEPT = 2

#: Messages that are acknowledged together.
_TOGETHER = 32

#: Alpha and beta of a run whose sweeps are sent again: it stays with the one cluster that it starts with.
RARE = 1e-9


class _Always:
    """Takes no message for stale."""

    def is_stale(self, _at: IterationId, _epoch: int) -> bool:
        return False


@dataclass
class Workers:
    """Answers tasks.

    Parameters
    ----------
    n_shards : int
        Of an iteration.
    app : Application
    """

    n_shards: int
    app: Application
    _sent: dict[int, Swept] = field(default_factory=dict)
    _at: IterationId | None = None
    _answered: int = 0

    def __post_init__(self) -> None:
        store = open_store(settings().store_url)
        # Two connections: a publication also receives, and what it received would be answered out of order.
        self._tasks, self._answers = (Connection(settings().broker_url) for _ in range(2))
        self._channel = self._answers.channel()
        self._sweeper = Sweeper(
            store,
            ShardCache(store, 2**30, None),
            LastLabels(store),
            Problems(store),
            _Always(),
            self._keep,
            Waiting(),
            settings().inline_bytes,
            "workers",
        )

    def run(self) -> None:
        """Answer until the process is ended."""
        channel, prefetch = self._tasks.channel(), 2 * self.n_shards
        with Consumer(channel, [queues.SWEEP], on_message=self._answer, prefetch_count=prefetch):
            while True:
                self._tasks.drain_events()

    def _answer(self, message: Message) -> None:
        (record,), *_ = self.app.admission.unpack(message.body)
        task = SweepTask.from_dict(record)
        sent = self._sent.get(task.shard)
        if sent is None or task.iteration < SWEPT:
            self._sweeper.sweep(task, 0)
        else:
            key = f"{IterationId.of(task).prefix('labels')}/{sent.labels_key.rpartition('/')[2]}"
            self._send(replace(sent, run=task.run, iteration=task.iteration, epoch=task.epoch, labels_key=key))
        # What was not asked for to the end is forgotten.
        self._answered = self._answered + 1 if self._at == IterationId.of(task) else 1
        self._at = IterationId.of(task)
        done = self._answered == self.n_shards
        if done or self._answered % _TOGETHER == 0:
            message.ack(multiple=True)
        if done:
            self._call_back(task)

    def _keep(self, message: Result) -> None:
        assert isinstance(message, Swept), message
        self._sent[message.shard] = message
        self._send(message)

    def _send(self, message: Result) -> None:
        body = self.app.admission.sign(message.to_bytes(), message.content)
        sent = self._channel.prepare_message(body, properties={"delivery_mode": 2})
        self._channel.basic_publish(sent, routing_key=queues.RESULTS.name)

    def _call_back(self, task: SweepTask) -> None:
        receipt = {"run": task.run, "stream": 0, "iteration": task.iteration, "shard": 0, "digest": "0" * 64}
        arguments = ([receipt] * self.n_shards, task.run, task.stream, task.iteration)
        self.app.send_task(queues.COLUMN_STEP_TASK, args=arguments, queue=queues.MASTER.name)


if __name__ == "__main__":
    Workers(int(sys.argv[1]), make_app("workers", settings())).run()
