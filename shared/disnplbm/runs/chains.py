"""Chains: what they wait for, and how they go on."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from disnplbm.runs.checkpoints import prune
from disnplbm.runs.database.changes import execute_counted
from disnplbm.runs.database.models import Chain, Checkpoint, Draw, Iteration, Job, Ledger, Run
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.part import Part, now
from disnplbm.runs.records import Advance, ChainRecord, IterationRecord
from disnplbm.runs.rows import chain_record, iteration_record, iteration_row
from disnplbm.runs.states import State


class ChainStore(Part):
    """Chains of runs."""

    def live(self, run: str | None = None) -> list[ChainRecord]:
        """Chains of running runs, or of one run, that can go on, the oldest run first.

        One that waits for short chains is not among them.
        """
        query = (
            select(Chain, Run)
            .join(Run, Run.id == Chain.run_id)
            .where(Run.state == State.RUNNING.value, ~Chain.ended)
            .order_by(Run.created_at, Run.id, Chain.stream)
        )
        if run is not None:
            query = query.where(Run.id == run)
        with self._database.reading() as session:
            chains = [chain_record(*row) for row in session.execute(query)]
        return _without_waiting(chains)

    def find(self, run: str, stream: int) -> ChainRecord | None:
        """One chain, whatever its run's state; None if there is none."""
        query = select(Chain, Run).join(Run, Run.id == Chain.run_id).where(Chain.run_id == run, Chain.stream == stream)
        with self._database.reading() as session:
            row = session.execute(query).one_or_none()
            return None if row is None else chain_record(*row)

    def of_run(self, run: str) -> list[ChainRecord]:
        """All chains of a run, by stream."""
        query = select(Chain, Run).join(Run, Run.id == Chain.run_id).where(Chain.run_id == run).order_by(Chain.stream)
        with self._database.reading() as session:
            return [chain_record(*row) for row in session.execute(query)]

    def trace(self, run: str, stream: int) -> list[IterationRecord]:
        """The trace of a chain so far."""
        with self._database.reading() as session:
            return read_trace(session, run, stream)

    def advance(self, step: Advance) -> bool:
        """Commit the outcome of an iteration and go on to the next, if the chain still is at it and its run runs.

        Of any number of callers with the same iteration one succeeds. With it come the row of the trace, the
        checkpoint for the next iteration and the draw; payloads of the ledger and old checkpoints go.

        Returns
        -------
        bool
            Whether this call did it; else nothing was changed.
        """
        run, stream, at = step.run, step.stream, step.iteration
        with self._database.session() as session:
            # Locked, though not against one another's: a pause or a cancel comes wholly before or wholly after.
            running = select(Run.id).where(Run.id == run, Run.state == State.RUNNING.value).with_for_update(read=True)
            moved = execute_counted(
                session,
                update(Chain)
                .where(Chain.run_id == running.scalar_subquery())
                .where(Chain.stream == stream, Chain.iteration == at, ~Chain.ended)
                .values(
                    iteration=at + 1, state=step.state, state_key=step.state_key, published_at=None, ended=step.ended
                ),
            )
            if moved != 1:
                return False
            place = {"run_id": run, "stream": stream}
            labels = list(step.labels)
            session.execute(
                insert(Checkpoint).values(
                    **place, iteration=at + 1, state=step.state, state_key=step.state_key, labels=labels
                )
            )
            if step.record is not None:
                session.execute(insert(Iteration).values(**{**iteration_row(step.record), **place, "iteration": at}))
            if step.draw is not None:
                key, seal = step.draw
                session.execute(insert(Draw).values(**place, iteration=at, key=key, seal=seal))
            session.execute(
                update(Ledger)
                .where(Ledger.run_id == run, Ledger.stream == stream, Ledger.iteration == at)
                .values(payload=None, payload_key=None)
            )
            prune(session, run, stream, at + 1)
            return True

    def last_joints(self, run: str, chain: int) -> dict[int, float]:
        """The last log joint of each short chain of a chain that has ended, by its number."""
        last = (
            (Iteration.run_id == Chain.run_id)
            & (Iteration.stream == Chain.stream)
            & (Iteration.iteration == Chain.iterations)
        )
        query = (
            select(Chain.short, Iteration.log_joint)
            .join(Iteration, last)
            .where(Chain.run_id == run, Chain.chain == chain, Chain.short.is_not(None), Chain.ended)
            .order_by(Chain.short)
        )
        with self._database.reading() as session:
            return {number: joint for number, joint in session.execute(query) if number is not None}

    def draw_seals(self, run: str) -> dict[str, str | None]:
        """Keys of the draws of a run, and the sha256 of each; not known of those from before migration 0005."""
        query = select(Draw.key, Draw.seal).where(Draw.run_id == run).order_by(Draw.stream, Draw.iteration)
        with self._database.reading() as session:
            return {key: seal for key, seal in session.execute(query)}  # noqa: C416 - a row is no pair to mypy

    def ask_again(self) -> None:
        """Forget what was published: the queues that it was put on are gone, and all of it is due at once."""
        with self._database.session() as session:
            session.execute(update(Chain).values(published_at=None))
            session.execute(update(Job).where(Job.state == "PUBLISHED").values(state="WAITING", published_at=None))

    def mark_published(self, at: IterationId, epoch: int) -> bool:
        """Write down that an iteration was published, now; False if the chain or the run's epoch has gone on."""
        # Locked as in advance: what a resume at this moment asks for anew must not count as published before it.
        of_epoch = select(Run.id).where(Run.id == at.run, Run.epoch == epoch).with_for_update(read=True)
        marked = self._database.execute(
            update(Chain)
            .where(Chain.run_id == of_epoch.scalar_subquery())
            .where(Chain.stream == at.stream, Chain.iteration == at.iteration)
            .values(published_at=now())
        )
        return marked == 1


def _without_waiting(chains: Sequence[ChainRecord]) -> list[ChainRecord]:
    """All chains under way that do not wait for one of them to end before they start."""
    first: dict[tuple[str, int], int] = {}
    for chain in chains:
        if chain.short is not None:
            key = chain.run, chain.chain
            first[key] = min(chain.short, first.get(key, chain.short))
    return [
        chain
        for chain in chains
        if chain.iteration > 0 or chain.awaited <= first.get((chain.run, chain.chain), chain.awaited)
    ]


def read_trace(session: Session, run: str, stream: int | None = None) -> list[IterationRecord]:
    """The trace of a run, or of one of its streams, by stream and iteration."""
    query = select(Iteration).where(Iteration.run_id == run).order_by(Iteration.stream, Iteration.iteration)
    if stream is not None:
        query = query.where(Iteration.stream == stream)
    return [iteration_record(row) for row in session.scalars(query)]
