"""The end of a run: its folder is written beside the master's other work, put into the object storage, and told of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import structlog

from disnplbm.engine.drive import Ended
from disnplbm.engine.known import load_run
from disnplbm.engine.outcome import store_outcome
from disnplbm.engine.recorded import main_chains, shorts_of
from disnplbm.errors import Away, described, unexpected
from disnplbm.families.base import Family
from disnplbm.messaging.chain_states import load_labelled, load_state
from disnplbm.notes import Note
from disnplbm.objects.addressed import ObjectLost
from disnplbm.objects.store import ObjectStore
from disnplbm.posterior.trace import Trace
from disnplbm.runs.books import Books
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.records import ChainRecord, RunRecord
from disnplbm.runs.undertakings import Undertakings

_log = structlog.get_logger(__name__)


class Finisher:
    """Finishes runs, one at a time, in a thread that shares nothing with the coordinator but what takes chains back.

    Parameters
    ----------
    rewind : callable
        Takes a chain back to where all that it needs is there, if it can.
    attempts : int
        Processes that may die while they write the results of a run before it fails.
    """

    def __init__(self, books: Books, store: ObjectStore, rewind: Callable[[ChainRecord], bool], attempts: int) -> None:
        self._books, self._store, self._rewind = books, store, rewind
        self._undertakings = Undertakings(books.runs, attempts, "master")
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="finish")
        self._begun: dict[str, Future[None]] = {}

    def begin(self, run: RunRecord) -> None:
        """Finish a run whose chains all ended, unless that is under way."""
        begun = self._begun.get(run.id)
        if begun is None or begun.done():
            self._begun[run.id] = self._pool.submit(self._finish, run)

    def _finish(self, run: RunRecord) -> None:
        try:
            if not self._is_waiting(run) or not self._undertakings.take_up(run.id):
                return
            here = load_run(self._store, run.sources, with_shards=False)
            chains = self._books.chains.of_run(run.id)
            ended = [self._ended(chain, chains, here.problem.families) for chain in main_chains(chains)]
            draw_seals = self._books.chains.draw_seals(run.id)
            stored = store_outcome(self._store, run.id, here, ended, lambda: self._is_waiting(run), draw_seals)
            if stored is not None:
                self._books.runs.succeed(run.id, *stored)
            self._undertakings.put_down(run.id)
        except Away as error:
            _log.warning("not finished: a server is away", run=run.id, reason=str(error))
        except Exception as error:
            said = described(error)
            _log.warning("the results could not be written", run=run.id, reason=said, exc_info=unexpected(error))
            self._undertakings.put_down(run.id)
            if isinstance(error, ObjectLost) and self._rewind(main_chains(self._books.chains.of_run(run.id))[0]):
                return
            if self._is_waiting(run):
                self._books.runs.fail(run.id, Note("the results could not be written: ", said))

    def _is_waiting(self, run: RunRecord) -> bool:
        """Whether a run still is to be finished: it may have been cancelled since, or taken back by another master."""
        return run.id in [waiting.id for waiting in self._books.runs.waiting_to_finish()]

    def _ended(self, chain: ChainRecord, chains: list[ChainRecord], families: Sequence[Family]) -> Ended:
        shorts = shorts_of(chain, chains)
        state = None
        if chain.chain == 0:
            entries = self._books.ledger.entries(IterationId(chain.run, chain.stream, chain.iterations))
            chain_state = load_state(self._store, chain, families)
            state = load_labelled(self._store, chain_state, [entry.labels_key for entry in entries])
        return Ended(self._trace(chain), [self._trace(short) for short in shorts], state)

    def _trace(self, chain: ChainRecord) -> Trace:
        return Trace.of(done.row for done in self._books.chains.trace(chain.run, chain.stream))
