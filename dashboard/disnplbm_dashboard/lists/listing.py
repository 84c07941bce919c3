"""Lists of runs, datasets and events for whoever looks at many: filters, and pages that do not shift."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Select, func, or_, select

from disnplbm.runs.database.models import Chain, Dataset, Event, Iteration, Ledger, Run
from disnplbm.runs.limits import uploaded_bytes
from disnplbm.runs.part import Part
from disnplbm.runs.records import EventRecord, IterationRecord, RunRecord
from disnplbm.runs.rows import dataset_record, event_record, iteration_record, run_record
from disnplbm.runs.states import LIVE, State
from disnplbm.sampler.trace_row import TraceRow
from disnplbm_dashboard.lists.sorting import NEWEST_FIRST, Order

_Row = TypeVar("_Row", Run, Dataset)


class Page(NamedTuple):
    """A page of records and where the next one begins; None at the end."""

    records: list[Any]
    cursor: str | None


class Activity(NamedTuple):
    """Shards of the iterations under way, how many arrived, of how many workers lately, and when the last one came."""

    shards: int
    arrived: int
    workers: int
    last: datetime | None


class Listing(Part):
    """What there is."""

    def runs(
        self,
        *,
        states: Collection[State] = (),
        search: str = "",
        dataset: str | None = None,
        sort: str = NEWEST_FIRST,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Runs, by default the newest first.

        Parameters
        ----------
        states : collection of State
            Of these only; of any if there are none.
        search : str
            A part of the name, or the beginning of the id.
        dataset : str, optional
            Id of the one dataset.
        sort : str
            As :class:`disnplbm_dashboard.lists.sorting.Order` takes it.
        cursor : str, optional
            Where another page of that order ended.

        Raises
        ------
        InputError
            The cursor is none, or of another order.
        """
        query = select(Run)
        if states:
            query = query.where(Run.state.in_([state.value for state in states]))
        if search:
            query = query.where(
                or_(Run.name.icontains(search, autoescape=True), Run.id.startswith(search.lower(), autoescape=True))
            )
        if dataset is not None:
            query = query.where(Run.dataset_id == dataset)
        order = Order(Run, sort, cursor, is_postgres=self._database.is_postgres)
        return self._page(query, order, limit, run_record)

    def datasets(self, *, search: str = "", cursor: str | None = None, limit: int = 50) -> Page:
        """Datasets, the newest first; see :meth:`runs`."""
        query = select(Dataset)
        if search:
            found = or_(
                Dataset.name.icontains(search, autoescape=True), Dataset.id.startswith(search.lower(), autoescape=True)
            )
            query = query.where(found)
        order = Order(Dataset, NEWEST_FIRST, cursor, is_postgres=self._database.is_postgres)
        return self._page(query, order, limit, dataset_record)

    def _page(self, query: Select[Any], order: Order, limit: int, record: Callable[[_Row], Any]) -> Page:
        with self._database.reading() as session:
            rows = session.execute(order.page(query, limit)).all()
            records = [record(row) for row, _ in rows[:limit]]
            return Page(records, order.cursor(*rows[limit - 1]) if len(rows) > limit else None)

    def of_ids(self, ids: Collection[str]) -> list[RunRecord]:
        """Runs of these ids, those that there are."""
        with self._database.reading() as session:
            return [run_record(row) for row in session.scalars(select(Run).where(Run.id.in_(ids)))]

    def trace(self, run: str, *, stream: int | None = None, after: int = 0) -> list[Any]:
        """Rows of a trace without its shards, by stream and iteration: those after an iteration."""
        columns = (
            Iteration.stream,
            Chain.chain,
            Chain.short,
            Iteration.iteration,
            *(getattr(Iteration, name) for name in TraceRow._fields),
        )
        same = (Chain.run_id == Iteration.run_id) & (Chain.stream == Iteration.stream)
        query = select(*columns).join(Chain, same).where(Iteration.run_id == run, Iteration.iteration > after)
        if stream is not None:
            query = query.where(Iteration.stream == stream)
        with self._database.reading() as session:
            return list(session.execute(query.order_by(Iteration.stream, Iteration.iteration)))

    def timeline(self, run: str, stream: int, *, after: int | None, limit: int) -> list[IterationRecord]:
        """Iterations of a stream with their shards, in order: those after an iteration, or the last ones."""
        query = select(Iteration).where(Iteration.run_id == run, Iteration.stream == stream).limit(limit)
        if after is not None:
            query = query.where(Iteration.iteration > after).order_by(Iteration.iteration)
        else:
            query = query.order_by(Iteration.iteration.desc())
        with self._database.reading() as session:
            return sorted(map(iteration_record, session.scalars(query)), key=lambda row: row.iteration)

    def events(self, *, after: int = 0, run: str | None = None, limit: int = 200) -> list[EventRecord]:
        """What happened, in order, after the event of that number; to one run if it is given."""
        query = select(Event).where(Event.id > after).order_by(Event.id).limit(limit)
        if run is not None:
            query = query.where(Event.run_id == run)
        with self._database.reading() as session:
            return [event_record(row) for row in session.scalars(query)]

    def last_event(self) -> int:
        """Number of the newest event; 0 if there is none."""
        with self._database.reading() as session:
            return session.scalars(select(func.max(Event.id))).one() or 0

    def active(self) -> dict[str, tuple[str, int]]:
        """State and iterations done so far of runs that are under way."""
        query = (
            select(Run.id, Run.state, func.sum(Chain.iteration))
            .join(Chain, Chain.run_id == Run.id)
            .where(Run.state.in_(LIVE))
            .group_by(Run.id, Run.state)
        )
        with self._database.reading() as session:
            return {run: (state, int(done)) for run, state, done in session.execute(query)}

    def states(self) -> dict[str, int]:
        """How many runs there are of each state."""
        with self._database.reading() as session:
            rows = session.execute(select(Run.state, func.count()).group_by(Run.state))
            return {state: count for state, count in rows}  # noqa: C416 - a row is no pair to mypy

    def uploaded_bytes(self) -> int:
        """Bytes of all files that were uploaded, or are being."""
        with self._database.reading() as session:
            return uploaded_bytes(session)

    def wanted(self) -> list[tuple[str, int]]:
        """Live runs, and the shards that workers can be at in each at this moment.

        A run that has not begun counts as its shards if their number is known and its dataset is read, else as one:
        reading and sharding are work for one worker, and nobody would do it if none were wanted.
        """
        pending = (
            select(Run.id, Run.n_shards_wanted, Dataset.state, func.count())
            .join(Dataset, Dataset.id == Run.dataset_id)
            .join(Chain, Chain.run_id == Run.id)
            .where(Run.state == State.PENDING.value)
            .group_by(Run.id, Run.n_shards_wanted, Dataset.state)
        )
        query = (
            select(Run.id, Run.n_shards * func.count())
            .join(Chain, Chain.run_id == Run.id)
            .where(Run.state == State.RUNNING.value, ~Chain.ended)
            .group_by(Run.id, Run.n_shards)
        )
        with self._database.reading() as session:
            running = [(run, int(shards or 0)) for run, shards in session.execute(query)]
            return running + [
                (run, int(shards) * streams if shards != "auto" and state == "READY" else 1)
                for run, shards, state, streams in session.execute(pending)
            ]

    def oldest_publication(self) -> datetime | None:
        """When the iteration was published that has been under way for longest; None if there is none."""
        query = (
            select(func.min(Chain.published_at))
            .join(Run, Run.id == Chain.run_id)
            .where(Run.state == State.RUNNING.value, ~Chain.ended)
        )
        with self._database.reading() as session:
            return session.scalars(query).one()

    def activity(self, run: str, since: datetime) -> Activity:
        """What workers do for a run at this moment; those count that sent something since then."""
        here = (Ledger.run_id == Chain.run_id) & (Ledger.stream == Chain.stream) & (Ledger.iteration == Chain.iteration)
        arrived = select(func.count()).select_from(Chain).join(Ledger, here).where(Chain.run_id == run, ~Chain.ended)
        shards = select(Run.n_shards * func.count()).join(Chain, Chain.run_id == Run.id)
        shards = shards.where(Run.id == run, ~Chain.ended).group_by(Run.n_shards)
        last = select(func.max(Ledger.received_at)).where(Ledger.run_id == run)
        workers = select(func.count(Ledger.worker.distinct())).where(Ledger.run_id == run, Ledger.received_at >= since)
        with self._database.reading() as session:
            return Activity(
                session.scalars(shards).one_or_none() or 0,
                session.scalars(arrived).one(),
                session.scalars(workers).one(),
                session.scalars(last).one(),
            )

    def workers(self, since: datetime) -> list[tuple[str, datetime, int]]:
        """Workers that sent statistics since then: name, when last, and how many shards."""
        query = (
            select(Ledger.worker, func.max(Ledger.received_at), func.count())
            .where(Ledger.received_at >= since)
            .group_by(Ledger.worker)
            .order_by(Ledger.worker)
        )
        with self._database.reading() as session:
            return [(worker, at, int(count)) for worker, at, count in session.execute(query)]
