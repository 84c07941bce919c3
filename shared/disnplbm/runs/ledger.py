"""The ledger: which shards of an iteration are done, and which failed."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import ColumnElement, delete, func, literal, select
from sqlalchemy.orm import defer

from disnplbm.runs.database.models import Chain, Failure, Ledger, Run
from disnplbm.runs.part import Part, now
from disnplbm.runs.records import LedgerEntry
from disnplbm.runs.rows import ledger_entry, ledger_row
from disnplbm.runs.states import TERMINAL, State

Recorded = Literal["new", "duplicate", "conflict", "stale"]

#: States in which statistics are taken: PAUSED stops the column step only, and FAILED may be resumed.
ACCEPTING = frozenset(State) - TERMINAL - {State.PENDING}


class LedgerStore(Part):
    """Entries of the ledger."""

    def record(self, entry: LedgerEntry) -> Recorded:
        """Commit a shard's statistics.

        Returns
        -------
        {"new", "duplicate", "conflict", "stale"}
            A duplicate has the digest of what is there, a conflict another; stale is what no iteration under way
            waits for, be it of a shard that the run does not have. None of the three changes anything.
        """
        values = {**ledger_row(entry), "received_at": now()}
        current = (
            Run.id == Chain.run_id,
            Chain.run_id == entry.run,
            Chain.stream == entry.stream,
            Chain.iteration == entry.iteration,
            Run.state.in_(ACCEPTING),
            literal(entry.shard).between(0, Run.n_shards - 1),
        )
        columns = Ledger.__table__.columns
        # The chain's row is locked, so that the iteration cannot end in between.
        row = (
            select(*(literal(value, columns[name].type) for name, value in values.items()))
            .where(*current)
            .with_for_update(of=Chain, key_share=True)
        )
        if self._database.execute(
            self._database.insert(Ledger).from_select(list(values), row).on_conflict_do_nothing()
        ):
            return "new"
        # In one statement, so that nothing is taken for a conflict that is gone when its digest is asked for.
        of_iteration = _of(entry.run, entry.stream, entry.iteration)
        there = select(Ledger.digest).where(Ledger.run_id == Chain.run_id, *current, *of_iteration)
        with self._database.reading() as session:
            digest = session.scalar(there.where(Ledger.shard == entry.shard))
        if digest is None:
            return "stale"
        return "duplicate" if digest == entry.digest else "conflict"

    def ledger(self, run: str, stream: int, iteration: int, *, payloads: bool = False) -> list[LedgerEntry]:
        """Entries of an iteration, in shard order.

        Parameters
        ----------
        run : str
        stream, iteration : int
        payloads : bool
            Read the statistics that are kept in the database too; without, ``payload`` is None.
        """
        query = select(Ledger).where(*_of(run, stream, iteration)).order_by(Ledger.shard)
        if not payloads:
            query = query.options(defer(Ledger.payload, raiseload=True))
        with self._database.reading() as session:
            return [ledger_entry(row, row.payload if payloads else None) for row in session.scalars(query)]

    def count(self, run: str, stream: int, iteration: int) -> int:
        """Shards of an iteration that are done."""
        query = select(func.count()).where(*_of(run, stream, iteration))
        with self._database.reading() as session:
            return session.scalars(query).one()

    def take_back(self, run: str, stream: int, iteration: int, shard: int | None = None) -> None:
        """Forget a shard's statistics, or all, of the iteration that a chain is at; of an earlier one nothing."""
        at = select(Chain.run_id).where(Chain.run_id == run, Chain.stream == stream, Chain.iteration == iteration)
        # Locked, so that the iteration cannot end in between, for which they would count.
        locked = at.with_for_update(key_share=True).scalar_subquery()
        which = _of(run, stream, iteration) if shard is None else (*_of(run, stream, iteration), Ledger.shard == shard)
        self._database.execute(delete(Ledger).where(Ledger.run_id == locked, *which))

    def failures(self, run: str, stream: int, iteration: int) -> dict[int, int]:
        """Starts of each shard of an iteration that ended in an error, since the run was last resumed."""
        query = select(Failure).where(Failure.run_id == run, Failure.stream == stream, Failure.iteration == iteration)
        with self._database.reading() as session:
            return {failure.shard: failure.count for failure in session.scalars(query)}

    def add_failure(
        self, run: str, stream: int, iteration: int, shard: int, count: int, reason: str, attempt: int | None = None
    ) -> int:
        """Count starts of a shard that ended in an error.

        Parameters
        ----------
        run : str
        stream, iteration, shard, count : int
        reason : str
        attempt : int, optional
            Starts that were known to have failed when this one was asked for: it counts once.

        Returns
        -------
        int
            How many there were in all since the run was last resumed; 0 if there is no such chain.
        """
        with self._database.session() as session:
            chain = session.get(Chain, (run, stream), with_for_update={"key_share": True})
            if chain is None:
                return 0
            # Locked too: another master may be about to forget it.
            failure = session.get(Failure, (run, stream, iteration, shard), with_for_update=True)
            if failure is None and count == 0:
                return 0
            if failure is None:
                failure = Failure(run_id=run, stream=stream, iteration=iteration, shard=shard, count=0, reason="")
                session.add(failure)
            if attempt is None or attempt == failure.count:
                failure.count += count
                failure.reason = reason
            return failure.count

    def take_back_failure(self, run: str, stream: int, iteration: int, shard: int) -> None:
        """Count one failed start of a shard less: it did not fail."""
        with self._database.session() as session:
            failure = session.get(Failure, (run, stream, iteration, shard), with_for_update=True)
            if failure is None:
                return
            failure.count -= 1
            if failure.count <= 0:
                session.delete(failure)

    def forget_failures(self, run: str, stream: int, iteration: int, shard: int) -> None:
        """Forget the failed starts of a shard."""
        one = (Failure.run_id == run, Failure.stream == stream, Failure.iteration == iteration, Failure.shard == shard)
        self._database.execute(delete(Failure).where(*one))


def _of(run: str, stream: int, iteration: int) -> tuple[ColumnElement[bool], ...]:
    """Entries of an iteration."""
    return Ledger.run_id == run, Ledger.stream == stream, Ledger.iteration == iteration
