"""When the master does what of an iteration: takes statistics in, steps once they are complete, publishes the next one.

The database is the truth, and every method may be called at any time, any number of times: what is done already, or is
not yet due, does nothing. All of them hold one lock, since a master works on one thing at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import structlog

from disnplbm.engine.recorded import shorts_of
from disnplbm.errors import Away, InputError, RunError, described, unexpected
from disnplbm.messaging.app import Refused
from disnplbm.messaging.messages import SweepFailed, SweepTask, Swept
from disnplbm.messaging.mirror import Mirror
from disnplbm.notes import Note, from_lines
from disnplbm.objects.addressed import ObjectLost, is_address_of, is_whole
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.books import Books
from disnplbm.runs.checkpoints import is_retained
from disnplbm.runs.database import DatabaseAway
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.records import Advance, ChainRecord, LedgerEntry
from disnplbm.settings import Settings
from disnplbm_master.at_hand import NoStartYet, RunsAtHand, drop_run
from disnplbm_master.deaths import MASTERS, Deadly, Deaths
from disnplbm_master.failpoints import reach
from disnplbm_master.iterations import Iterations
from disnplbm_master.janitor import Janitor
from disnplbm_master.joins import Joins, Unusable
from disnplbm_master.metrics import (
    ITERATION_SECONDS,
    ITERATIONS,
    QUEUE_WAIT_SECONDS,
    SHARDS_REDONE,
    STATISTICS,
    STEP_SECONDS,
)
from disnplbm_master.publication import BrokerAway, Publisher, order_shards

_log = structlog.get_logger(__name__)


class Coordinator:
    """Drives the chains of all runs.

    Attributes
    ----------
    lock : threading.RLock
        Held by whatever changes a run.
    """

    def __init__(
        self,
        books: Books,
        store: ObjectStore,
        publisher: Publisher,
        mirror: Mirror,
        janitor: Janitor,
        settings: Settings,
    ) -> None:
        self.lock = threading.RLock()
        self._janitor = janitor
        self._books, self._store, self._publisher, self._mirror = books, store, publisher, mirror
        self._settings = settings
        self._runs = RunsAtHand(books, store, settings.inline_bytes)
        self._joins = Joins(books.ledger, store, self._runs)
        self._iterations = Iterations(store, self._runs)
        self._deaths = Deaths(books.failures, settings.attempts)
        # Chains as they were last published. What has become of one since then, the commit of its step finds out.
        self._sent: dict[tuple[str, int], ChainRecord] = {}

    def on_swept(self, messages: Sequence[Swept], acknowledge: Callable[[], None]) -> None:
        """Take statistics of shards in: into the ledger at once; then, acknowledged, into their joins.

        The iterations that are complete then are stepped.

        Parameters
        ----------
        acknowledge : callable
            Tells the broker that the messages are safe.

        Raises
        ------
        RunError
            One of them has no statistics, or names objects that are not its shard's.
        """
        with self.lock:
            entries = [_make_entry(message) for message in messages]
            outcomes = self._books.ledger.record_all(entries)
            reach("after-record", self._settings.failpoint)
            acknowledge()
            waited_for: dict[IterationId, None] = {}
            for message, entry, outcome in zip(messages, entries, outcomes, strict=True):
                STATISTICS.labels(outcome).inc()
                QUEUE_WAIT_SECONDS.observe(max(message.waited, 0.0))
                at = IterationId.of(message)
                if outcome in ("new", "duplicate"):
                    waited_for[at] = None
                else:
                    _log.info(
                        "statistics not counted",
                        run=at.run,
                        shard=message.shard,
                        iteration=at.iteration,
                        reason=outcome,
                    )
                # In their order: what failed a run takes what was folded before it along.
                if outcome == "new":
                    self._fold(entry)
                elif outcome == "conflict":
                    self._conflict(message, entry)
            for at in waited_for:
                if self._complete(at):
                    self.finish_iteration(at)

    def _conflict(self, message: Swept, entry: LedgerEntry) -> None:
        """Fail a run of which two workers say different things, unless one of them says nothing that can be."""
        at = IterationId.of(message)
        run, iteration = at.run, at.iteration
        chain = self._chain_at(at)
        if chain is None or not _current(chain, iteration):
            return
        try:
            self._joins.check(chain, entry)
        except Away:
            raise
        except RunError as error:
            _log.warning("statistics not counted", run=run, shard=message.shard, iteration=iteration, reason=str(error))
            return
        # The one that came first may be the wrong one.
        self._books.ledger.delete_entries(at, message.shard)
        self._fail(
            run,
            f"worker {message.worker} is not bit-identical: its statistics of shard {message.shard} in iteration"
            f" {iteration} differ from another's; give all workers the same version and CPU baseline, then resume",
        )

    def on_failed(self, message: SweepFailed) -> None:
        """Count starts of a shard that ended in an error: ask for it again, go back, or fail the run."""
        at, shard = IterationId.of(message), message.shard
        run, stream, iteration = at
        with self.lock:
            chain = self._books.chains.find(run, stream)
            if chain is None or not _current(chain, iteration) or chain.epoch != message.epoch:
                return
            if not 0 <= shard < int(chain.n_shards or 0):
                return
            if any(entry.shard == shard for entry in self._books.ledger.entries(at)):
                # It was lost once its statistics were sent.
                return
            reason = from_lines(message.reason)
            _log.warning("a shard failed", run=run, shard=shard, iteration=iteration, reason=reason)
            if message.labels_missing and self.rewind(chain):
                return
            self._count_failure(chain, shard, message.starts, reason, message.attempt)

    def _count_failure(
        self, chain: ChainRecord, shard: int, starts: int, reason: str, attempt: int | None = None
    ) -> None:
        """Ask for a shard again whose starts ended in an error, or fail the run."""
        total = self._books.failures.add(IterationId.of(chain), shard, starts, reason, attempt)
        if total >= self._settings.attempts:
            self._fail(chain.run, Note(f"shard {shard} failed {total} times: ", reason))
        else:
            SHARDS_REDONE.labels("failed").inc()
            self.publish(chain, [shard])

    def on_called_back(self, at: IterationId) -> None:
        """Finish an iteration whose chord is done, unless its last statistics finished it already."""
        # Without the lock, which callbacks of iterations long done would queue for.
        sent = self._sent.get(at[:2])
        if sent is None or at.iteration >= sent.iteration:
            self.finish_iteration(at)

    def finish_iteration(self, at: IterationId) -> bool:
        """Finish the join of an iteration, do the master's part of it, commit, and publish the next one.

        Returns
        -------
        bool
            Whether that was done here and now.
        """
        with self.lock:
            chain = self._chain_at(at)
            if chain is None or not _current(chain, at.iteration):
                return False
            entries = self._joins.entries(at) or self._books.ledger.entries(at)
            if chain.n_shards is None or len(entries) != chain.n_shards:
                return False
            began = time.perf_counter()
            try:
                with self._deaths.count_deaths(chain, "step"):
                    advance = self._step(chain, entries)
            except Exception as error:
                self._recover(chain, error)
                return False
            if advance is None:
                return False
            STEP_SECONDS.observe(time.perf_counter() - began)
            ITERATIONS.inc()
            if advance.record is not None:
                ITERATION_SECONDS.observe(advance.record.row.seconds)
            reach("after-commit", self._settings.failpoint)
            if advance.ended:
                self._publish_waiting(chain)
            else:
                after = replace(
                    chain,
                    iteration=at.iteration + 1,
                    state=advance.state,
                    state_key=advance.state_key,
                    published_at=None,
                )
                self._send(after, order_shards((entry.worker, entry.shard) for entry in entries), advance.labels, {})
            reach("after-publish", self._settings.failpoint)
            # It only spares the workers what is stale, and so can wait until they have something to do.
            self._mirror.write(at.run, chain.run_state, chain.epoch, {at.stream: at.iteration + 1})
            self._delete_unneeded(at)
            return True

    def _step(self, chain: ChainRecord, entries: Sequence[LedgerEntry]) -> Advance | None:
        """Do the master's part of a chain's iteration and commit it; None if it has been committed, or must not be."""
        joined = self._joins.finish(chain)
        reach("after-join", self._settings.failpoint)
        advance = self._iterations.step(chain, joined, sorted(entries, key=lambda entry: entry.shard))
        reach("before-commit", self._settings.failpoint)
        # It has gone on, here or elsewhere: a latecomer asks the database.
        self._sent.pop((chain.run, chain.stream), None)
        if not self._books.chains.advance(advance):
            return None
        self._deaths.make_up(chain)
        return advance

    def _publish_waiting(self, ended: ChainRecord) -> None:
        """Publish the starts that waited for a short chain which has ended."""
        for chain in self._books.chains.live(ended.run) if ended.short is not None else []:
            if chain.chain == ended.chain and chain.iteration == 0 and chain.published_at is None:
                self.publish(chain)

    def publish(self, chain: ChainRecord, shards: Sequence[int] | None = None) -> None:
        """Publish what is missing of a chain's iteration, or some shards of it, and note that it was.

        What the broker does not take is published when the reconciler next looks.
        """
        at = IterationId.of(chain)
        with self.lock:
            present = {entry.shard for entry in self._books.ledger.entries(at)}
            wanted = set(range(int(chain.n_shards or 0)) if shards is None else shards) - present
            if wanted:
                before = self._books.ledger.entries(at.shifted(-1)) if at.iteration > 0 else []
                attempts = self._books.failures.counts(at)
                self._send(chain, sorted(wanted), [entry.labels_key for entry in before], attempts)

    def rewind(self, chain: ChainRecord) -> bool:
        """Take a chain of which objects are lost back to the newest checkpoint that is whole, or to its very start.

        It happens where the database is older than the object storage (a restored backup), and where an object is
        damaged.

        Returns
        -------
        bool
            Whether there was something to go back to.
        """
        with self.lock:
            checkpoints = self._books.checkpoints.of_chain(chain.run, chain.stream)
            to = next((point.iteration for point in checkpoints if self._whole(*point.labels, point.state_key)), 0)
            if to == chain.iteration and self._shards_whole(chain):
                # What is left is where it starts: the ends of short chains.
                shorts = shorts_of(chain, self._books.chains.of_run(chain.run))[: chain.awaited] if to == 0 else []
                return sum(self.rewind(short) for short in shorts) > 0
            reason = f"objects of iteration {chain.iteration} are missing or damaged"
            if not self._books.checkpoints.rewind(IterationId(chain.run, chain.stream, to), reason):
                return False
            self.evict(chain.run)
            after = self._books.chains.find(chain.run, chain.stream)
            if after is None:
                return False
            self._mirror.write(chain.run, after.run_state, after.epoch, {chain.stream: after.iteration})
            self.publish(after)
            return True

    def reload(self, run: str) -> None:
        """Load a run's chains from the database again, since somebody else has changed the run."""
        with self.lock:
            drop_run(self._sent, run)

    def evict(self, run: str) -> None:
        """Drop what is kept in memory of a run."""
        with self.lock:
            for kept in (self._joins, self._runs, self._iterations, self._deaths):
                kept.drop(run)
            self.reload(run)

    def _shards_whole(self, chain: ChainRecord) -> bool:
        """Whether all objects that the ledger names of a chain's iteration are as they were written."""
        entries = self._books.ledger.entries(IterationId.of(chain))
        return all(self._whole(entry.labels_key, entry.payload_key) for entry in entries)

    def _whole(self, *keys: str | None) -> bool:
        return all(is_whole(self._store, key) for key in keys if key is not None)

    def _fold(self, entry: LedgerEntry) -> None:
        """Fold a shard's statistics into the join, which the ledger can do again."""
        at = IterationId.of(entry)
        if not self._joins.has(at):
            chain = self._chain_at(at)
            if chain is None or chain.iteration != at.iteration:
                return
            try:
                with self._deaths.count_deaths(chain, "join"):
                    self._joins.begin(chain)
            except Exception as error:
                self._recover(chain, error)
                return
        try:
            self._joins.fold(entry)
        except Unusable as error:
            self._request_again(at, error)
        except RunError as error:
            # The step reads the ledger again, and counts what fails then.
            _log.warning("not folded", run=at.run, shard=entry.shard, iteration=at.iteration, reason=str(error))
            self._joins.drop(at.run)

    def _request_again(self, at: IterationId, error: Unusable) -> None:
        """Ask for a sweep of a shard again, since its statistics cannot be used."""
        self._books.ledger.delete_entries(at, error.shard)
        chain = self._books.chains.find(at.run, at.stream)
        if chain is not None and _current(chain, at.iteration):
            _log.warning("a shard failed", run=at.run, shard=error.shard, iteration=at.iteration, reason=str(error))
            self._count_failure(chain, error.shard, 1, error.note)

    def _chain_at(self, at: IterationId) -> ChainRecord | None:
        """Find a chain: the one published for this iteration, else in the database; None if there is none."""
        sent = self._sent.get(at[:2])
        return sent if sent is not None and sent.iteration == at.iteration else self._books.chains.find(*at[:2])

    def _complete(self, at: IterationId) -> bool:
        """Whether the statistics of an iteration are all there: in its join, or else in the ledger."""
        if self._joins.entries(at) is not None:
            return True
        chain = self._chain_at(at)
        # In a transaction of its own: two masters at once would each miss the other's row in the inserting one.
        return chain is not None and self._books.ledger.count(at) == chain.n_shards

    def _delete_unneeded(self, at: IterationId) -> None:
        """Delete what no checkpoint needs any more once an iteration is done."""
        # A checkpoint for iteration t needs the labels of t - 1.
        if at.iteration >= 2 and not is_retained(at.iteration - 1, at.iteration + 1):
            self._janitor.clear_iteration(at.shifted(-2))

    def _send(
        self, chain: ChainRecord, shards: Sequence[int], labels_keys: Sequence[str], attempts: Mapping[int, int]
    ) -> None:
        """Publish some shards of a chain's iteration: the tasks that :meth:`Iterations.tasks` makes of the same."""
        try:
            with self._deaths.count_deaths(chain, "publication"):
                tasks = self._iterations.tasks(chain, shards, labels_keys, attempts)
                if not tasks:
                    return
                self._sent[chain.run, chain.stream] = chain
                try:
                    self._put(chain, tasks)
                except Refused as error:
                    _log.warning("published by object key", run=chain.run, iteration=chain.iteration, reason=str(error))
                    self._put(chain, self._iterations.tasks(chain, shards, labels_keys, attempts, inline_bytes=0))
                self._books.chains.mark_published(IterationId.of(chain), chain.epoch)
        except Exception as error:
            self._recover(chain, error)

    def _put(self, chain: ChainRecord, tasks: Sequence[SweepTask]) -> None:
        if len(tasks) == chain.n_shards:
            self._publisher.publish_iteration(tasks)
        else:
            self._publisher.publish_shards(tasks)

    def _recover(self, chain: ChainRecord, error: Exception) -> None:
        """Deal with an error of the master's own part of an iteration: the reconciler tries it again, a few times."""
        if isinstance(error, DatabaseAway):
            raise error
        if isinstance(error, Deadly):
            self._give_up(chain, error.times, error.note)
            return
        if isinstance(error, BrokerAway):
            _log.warning("not published", run=chain.run, iteration=chain.iteration, reason=str(error))
            return
        self._joins.drop(chain.run)
        self.reload(chain.run)
        if isinstance(error, NoStartYet):
            _log.info("waiting for short chains", run=chain.run, stream=chain.stream)
            return
        if isinstance(error, Away):
            _log.warning("waiting for a server", run=chain.run, iteration=chain.iteration, reason=str(error))
            return
        said, ours = described(error), unexpected(error)
        _log.warning("the master failed", run=chain.run, iteration=chain.iteration, reason=said, exc_info=ours)
        now = self._books.chains.find(chain.run, chain.stream)
        if now is None or not _current(now, chain.iteration):
            # Another master has done it meanwhile, and what this one was missing has served its time.
            return
        if isinstance(error, ObjectLost) and self.rewind(chain):
            return
        if isinstance(error, Unusable):
            self._request_again(IterationId.of(chain), error)
            return
        total = self._books.failures.add(IterationId.of(chain), MASTERS, 1, said)
        if isinstance(error, InputError):
            self._fail(chain.run, said)
        elif total >= self._settings.attempts:
            self._give_up(chain, total, said)

    def _give_up(self, chain: ChainRecord, times: int, reason: str) -> None:
        """Fail a run at which the master failed too often."""
        # If the statistics were wrong, the run resumes with others.
        self._books.ledger.delete_entries(IterationId.of(chain))
        self._fail(chain.run, Note(f"the master failed {times} times in iteration {chain.iteration}: ", reason))

    def _fail(self, run: str, reason: str) -> None:
        self._books.runs.fail(run, reason)
        self.evict(run)


def _current(chain: ChainRecord, iteration: int) -> bool:
    return chain.run_state == "RUNNING" and not chain.ended and chain.iteration == iteration


def _make_entry(message: Swept) -> LedgerEntry:
    """Make the ledger entry of a message; RunError if it has no statistics, or names the objects of another shard."""
    at = IterationId.of(message)
    keys = {"labels": message.labels_key, "statistics": message.payload_key}
    if message.payload is None and message.payload_key is None:
        raise RunError(f"a message on shard {message.shard} has no statistics: it comes from another version")
    for kind, key in keys.items():
        if key is not None and not is_address_of(key, f"{at.prefix(kind)}/{message.shard}"):
            raise RunError(f"{key[:200]!r} holds no {kind} of shard {message.shard}: it comes from another version")
    return LedgerEntry(
        run=message.run,
        stream=message.stream,
        iteration=message.iteration,
        shard=message.shard,
        digest=message.digest,
        labels_key=message.labels_key,
        payload=message.payload,
        payload_key=message.payload_key,
        worker=message.worker,
        seconds=message.seconds,
        waited=message.waited,
        source=message.source,
        redelivered=message.redelivered,
    )
