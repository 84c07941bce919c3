"""The ledger: which shards of an iteration are done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from sqlalchemy import Executable, FromClause, bindparam, delete, func, select, values
from sqlalchemy import column as sql_column
from sqlalchemy.dialects.postgresql import ARRAY
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

_PLACE = (Ledger.run_id, Ledger.stream, Ledger.iteration, Ledger.shard)

#: A run, a stream, an iteration and a shard.
_Place = tuple[str, int, int, int]


class LedgerStore(Part):
    """Entries of the ledger."""

    def record(self, entry: LedgerEntry) -> Recorded:
        """Commit a shard's statistics: :meth:`record_all` of one entry."""
        return self.record_all([entry])[0]

    def record_all(self, entries: Sequence[LedgerEntry]) -> list[Recorded]:
        """Commit the statistics of many shards, of any iterations, at once.

        Returns
        -------
        list of {"new", "duplicate", "conflict", "stale"}
            One for each entry. A duplicate has the digest of what is there, which may be an earlier entry of the list;
            a conflict has another. Stale is what no iteration under way waits for, or a shard that the run does not
            have. None of the three changes anything.
        """
        # The first for each place: which of two rows for one place a database takes is its own choice.
        first: dict[_Place, LedgerEntry] = {}
        for entry in entries:
            first.setdefault(_place(entry), entry)
        # In one order, so that two masters at once do not wait for each other's chains.
        sent = self._sent([first[place] for place in sorted(first)])
        columns = [column.name for column in sent.c]
        waited_for = (
            Run.id == Chain.run_id,
            Chain.run_id == sent.c.run_id,
            Chain.stream == sent.c.stream,
            Chain.iteration == sent.c.iteration,
            Run.state.in_(ACCEPTING),
            sent.c.shard.between(0, Run.n_shards - 1),
        )
        # The chain's row is locked, so that the iteration cannot end in between.
        rows = select(*sent.c).where(*waited_for).with_for_update(of=Chain, key_share=True)
        insert = self._database.insert(Ledger).from_select(columns, rows).on_conflict_do_nothing()
        new = self._digests(insert.returning(*_PLACE, Ledger.digest))
        there: dict[_Place, str] = {}
        if len(new) < len(entries):
            # In one statement, so that nothing is taken for a conflict that is gone when its digest is asked for.
            same = (column == sent.c[column.name] for column in _PLACE)
            there = self._digests(select(*_PLACE, Ledger.digest).where(*waited_for, *same))
        return [_outcome(entry, new, there) for entry in entries]

    def _sent(self, entries: Sequence[LedgerEntry]) -> FromClause:
        """What is to be recorded, as a table."""
        received = now()
        records = [{**ledger_row(entry), "received_at": received} for entry in entries]
        columns = [Ledger.__table__.columns[name] for name in records[0]]
        if self._database.is_postgres:
            # An array a column: the statement is the same for any number of entries, and so is known to both ends.
            arrays = (
                bindparam(None, [record[column.name] for record in records], ARRAY(column.type)) for column in columns
            )
            return func.unnest(*arrays).table_valued(*(sql_column(c.name, c.type) for c in columns)).render_derived()
        named = values(*(sql_column(column.name, column.type) for column in columns), name="sent")
        return named.data([tuple(record.values()) for record in records]).cte()

    def _digests(self, statement: Executable) -> dict[_Place, str]:
        """The digests that a statement gives, by their shards; a transaction of its own."""
        return {(run, stream, at, shard): digest for run, stream, at, shard, digest in self._database.rows(statement)}

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


def _outcome(entry: LedgerEntry, new: dict[_Place, str], there: Mapping[_Place, str]) -> Recorded:
    """What became of an entry; ``new`` has what was inserted, and is relieved of it: whatever else comes is no news."""
    place = _place(entry)
    if new.get(place) == entry.digest:
        del new[place]
        return "new"
    if place not in there:
        return "stale"
    return "duplicate" if there[place] == entry.digest else "conflict"


def _place(entry: LedgerEntry) -> _Place:
    return entry.run, entry.stream, entry.iteration, entry.shard
