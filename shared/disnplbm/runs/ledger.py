"""The ledger: which shards of an iteration are done."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import delete, func, literal, select
from sqlalchemy.orm import defer

from disnplbm.runs.database.models import Chain, Ledger, Run
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.part import Part, now, of_iteration
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
        ours = of_iteration(Ledger, IterationId.of(entry))
        there = select(Ledger.digest).where(Ledger.run_id == Chain.run_id, *current, *ours)
        with self._database.reading() as session:
            digest = session.scalar(there.where(Ledger.shard == entry.shard))
        if digest is None:
            return "stale"
        return "duplicate" if digest == entry.digest else "conflict"

    def entries(self, at: IterationId, *, payloads: bool = False) -> list[LedgerEntry]:
        """Entries of an iteration, in shard order.

        Parameters
        ----------
        payloads : bool
            Read the statistics that are kept in the database too; without, ``payload`` is None.
        """
        query = select(Ledger).where(*of_iteration(Ledger, at)).order_by(Ledger.shard)
        if not payloads:
            query = query.options(defer(Ledger.payload, raiseload=True))
        with self._database.reading() as session:
            return [ledger_entry(row, row.payload if payloads else None) for row in session.scalars(query)]

    def count(self, at: IterationId) -> int:
        """Shards of an iteration that are done."""
        query = select(func.count()).where(*of_iteration(Ledger, at))
        with self._database.reading() as session:
            return session.scalars(query).one()

    def delete_entries(self, at: IterationId, shard: int | None = None) -> None:
        """Delete a shard's statistics, or all, of the iteration that a chain is at; of an earlier one nothing."""
        chain = select(Chain.run_id).where(*of_iteration(Chain, at))
        # Locked, so that the iteration cannot end in between, for which they would count.
        locked = chain.with_for_update(key_share=True).scalar_subquery()
        which = () if shard is None else (Ledger.shard == shard,)
        self._database.execute(delete(Ledger).where(Ledger.run_id == locked, *of_iteration(Ledger, at), *which))
