"""What a worker does with a shard in an iteration."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import structlog
from msgspec.structs import replace

from disnplbm.errors import RunError, described, unexpected
from disnplbm.messaging.app import Refused
from disnplbm.messaging.messages import Result, SweepFailed, SweepTask, Swept, sweep_failed
from disnplbm.messaging.signing import sha256_of
from disnplbm.model.statistics import Labels
from disnplbm.notes import Note
from disnplbm.objects.addressed import ObjectLost, inline_or_store, put_addressed, resolve
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.iteration_id import IterationId
from disnplbm.sampler.chain import shard_step, start_shard
from disnplbm.sampler.packing import (
    pack_labels,
    pack_statistics,
    unpack_broadcast,
    unpack_labels,
    unpack_start,
)
from disnplbm.sampler.shard import ShardStatistics
from disnplbm_worker import metrics
from disnplbm_worker.last_labels import LastLabels
from disnplbm_worker.problems import Problems
from disnplbm_worker.shard_cache import ShardCache, Source
from disnplbm_worker.waiting import Waiting

_log = structlog.get_logger(__name__)


class Staleness(Protocol):
    """Knows which messages nobody waits for; see :class:`disnplbm.messaging.mirror.Mirror`."""

    def is_stale(self, at: IterationId, epoch: int) -> bool:
        """Whether a message is known to be of no use."""
        ...


class _LabelsLost(RunError):
    """The labels of the last iteration are gone: no other worker has them either."""


@dataclass(frozen=True, slots=True)
class Sweeper:
    """Sweeps shards.

    Parameters
    ----------
    publish : callable
        Sends a message to the master, and returns once it cannot be lost; Refused if the broker never takes it.
    inline_bytes : int
        Larger statistics go to the object storage.
    worker : str
        Name of this worker.
    """

    store: ObjectStore
    cache: ShardCache
    labels: LastLabels
    problems: Problems
    staleness: Staleness
    publish: Callable[[Result], None]
    waiting: Waiting
    inline_bytes: int
    worker: str

    def sweep(self, task: SweepTask, redelivered: int) -> dict[str, Any]:
        """Sweep a shard and tell the master, whatever comes of it.

        Parameters
        ----------
        redelivered : int
            Starts before this one.

        Returns
        -------
        dict
            The receipt: what was swept, and the digest of what came of it; None if nothing did.
        """
        began = time.perf_counter()
        waited = max(0.0, time.time() - task.published)
        metrics.WAIT_SECONDS.observe(waited)
        metrics.REDELIVERED.inc(redelivered > 0)
        if self.staleness.is_stale(IterationId.of(task), task.epoch):
            metrics.STALE.inc()
            _log.info("dropped: nobody waits for it")
            return _make_receipt(task, None)
        _log.debug("sweep begins", redelivered=redelivered)
        try:
            statistics, source = self.waiting.retry_while_away(lambda: self._sweep(task))
            seconds = time.perf_counter() - began
            message = self.waiting.retry_while_away(
                lambda: self._make_message(task, statistics, seconds, waited, redelivered, source)
            )
            self._send(message)
        except Exception as error:
            self.publish(self._make_failure(task, error))
            return _make_receipt(task, None)
        metrics.SWEEPS.inc()
        metrics.SWEEP_SECONDS.observe(seconds)
        _log.debug("swept", seconds=round(seconds, 4), waited=round(waited, 4), source=source)
        return _make_receipt(task, message.digest)

    def _send(self, message: Swept) -> None:
        """Send statistics, by object key if the broker does not take them."""
        try:
            self.publish(message)
        except Refused as error:
            payload = message.payload
            if payload is None:
                raise
            _log.warning("sent by object key", reason=str(error))
            stem = f"{IterationId.of(message).prefix('statistics')}/{message.shard}"
            key = self.waiting.retry_while_away(lambda: put_addressed(self.store, stem, payload))
            self.publish(replace(message, payload=None, payload_key=key))

    def _sweep(self, task: SweepTask) -> tuple[ShardStatistics, Source]:
        manifest, problem = self.problems.of(task.shards_prefix, task.options, task.shards_seal)
        if not 0 <= task.shard < manifest.n_shards:
            raise RunError(f"there are {manifest.n_shards} shards only")
        parameters = problem.of_chain(task.stream).parameters
        if task.body is None and task.body_key is None:
            raise RunError("the message has neither a body nor the key of one")
        body = resolve(self.store, task.body, task.body_key)
        if task.iteration == 0:
            shard, source = self.cache.get(manifest, task.shard, problem)
            return start_shard(shard, unpack_start(body), parameters, problem.n_items), source
        if (task.names is None and task.names_key is None) or task.labels_key is None:
            raise RunError("the message does not say what the shard's labels are")
        labels, to_global = (
            self._load_labels(task, task.labels_key),
            unpack_labels(resolve(self.store, task.names, task.names_key)),
        )
        shard, source = self.cache.get(manifest, task.shard, problem)
        broadcast = unpack_broadcast(body, problem.families)
        return shard_step(shard, labels, to_global, broadcast, parameters), source

    def _load_labels(self, task: SweepTask, key: str) -> Labels:
        try:
            return self.labels.get(task.run, task.stream, task.shard, key)
        except ObjectLost as error:
            raise _LabelsLost(str(error)) from error

    def _make_message(
        self,
        task: SweepTask,
        statistics: ShardStatistics,
        seconds: float,
        waited: float,
        redelivered: int,
        source: Source,
    ) -> Swept:
        payload, labels = pack_statistics(statistics), pack_labels(statistics.labels)
        digest = sha256_of(payload)
        digest.update(labels)
        at = IterationId.of(task)
        labels_key = self.labels.put(at, task.shard, labels)
        inline, payload_key = inline_or_store(
            self.store, f"{at.prefix('statistics')}/{task.shard}", payload, self.inline_bytes
        )
        return Swept(
            run=task.run,
            stream=task.stream,
            iteration=task.iteration,
            shard=task.shard,
            epoch=task.epoch,
            digest=digest.hexdigest(),
            payload=inline,
            payload_key=payload_key,
            labels_key=labels_key,
            worker=self.worker,
            seconds=seconds,
            waited=waited,
            redelivered=redelivered,
            source=source,
        )

    def _make_failure(self, task: SweepTask, error: Exception) -> SweepFailed:
        metrics.FAILURES.labels("sweep").inc()
        reason = described(error)
        _log.error("a sweep failed", reason=reason, exc_info=unexpected(error))
        lost = isinstance(error, _LabelsLost)
        return sweep_failed(task, 1, Note(f"{task.place}: ", reason), self.worker, labels_missing=lost)


def _make_receipt(task: SweepTask, digest: str | None) -> dict[str, Any]:
    return {
        "run": task.run,
        "stream": task.stream,
        "iteration": task.iteration,
        "shard": task.shard,
        "digest": digest,
    }
