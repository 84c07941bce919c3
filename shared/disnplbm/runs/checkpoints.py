"""Checkpoints: what is needed to do an iteration, and going back to one."""

from __future__ import annotations

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from disnplbm.errors import RunError
from disnplbm.runs.database.models import Chain, Checkpoint, Draw, Failure, Iteration, Ledger, Run
from disnplbm.runs.events import add_event
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.ledger import ACCEPTING
from disnplbm.runs.part import Part
from disnplbm.runs.records import CheckpointRecord
from disnplbm.runs.rows import checkpoint_record

#: One checkpoint in so many stays until the run ends, so that a restored database finds one whose labels are there.
KEPT_EVERY = 10


def is_retained(checkpoint: int, iteration: int) -> bool:
    """Whether the checkpoint for an iteration, and with it the labels of the one before, stays when a chain is at
    ``iteration``: the last two do, and every tenth."""
    return checkpoint >= iteration - 1 or checkpoint % KEPT_EVERY == 0


class CheckpointStore(Part):
    """Checkpoints of chains."""

    def of_chain(self, run: str, stream: int) -> list[CheckpointRecord]:
        """All of a chain, the newest first."""
        with self._database.reading() as session:
            rows = session.scalars(
                select(Checkpoint)
                .where(Checkpoint.run_id == run, Checkpoint.stream == stream)
                .order_by(Checkpoint.iteration.desc())
            )
            return [checkpoint_record(row) for row in rows]

    def rewind(self, at: IterationId, reason: str = "", actor: str = "master") -> bool:
        """Bring a chain back to a checkpoint and forget what came after it; 0 is its very start.

        Returns
        -------
        bool
            False if the chain had not come so far, or its run has ended; nothing was changed.

        Raises
        ------
        RunError
            There is no such checkpoint.
        """
        run, stream, iteration = at
        with self._database.session() as session:
            state = session.scalar(select(Run.state).where(Run.id == run).with_for_update(read=True))
            chain = session.get(Chain, (run, stream), with_for_update={"key_share": True})
            if state not in ACCEPTING or chain is None or chain.iteration < iteration:
                return False
            checkpoint = session.get(Checkpoint, at)
            if checkpoint is None and iteration > 0:
                raise RunError(f"run {run}, stream {stream} has no checkpoint for iteration {iteration} to go back to")
            come = chain.iteration
            chain.iteration, chain.ended, chain.published_at = iteration, iteration > chain.iterations, None
            chain.state = checkpoint.state if checkpoint else None
            chain.state_key = checkpoint.state_key if checkpoint else None
            session.flush()
            for table in (Iteration, Ledger, Draw, Failure):
                session.execute(
                    delete(table).where(table.run_id == run, table.stream == stream, table.iteration >= iteration)
                )
            session.execute(
                delete(Checkpoint).where(
                    Checkpoint.run_id == run, Checkpoint.stream == stream, Checkpoint.iteration > iteration
                )
            )
            data = {"stream": stream, "from": come, "to": iteration}
            add_event(session, "rewound", actor=actor, run_id=run, reason=reason, data=data)
            return True


def prune(session: Session, run: str, stream: int, iteration: int) -> None:
    """Delete the checkpoints of a chain at ``iteration`` that do not stay; see :func:`is_retained`."""
    session.execute(
        delete(Checkpoint).where(
            Checkpoint.run_id == run,
            Checkpoint.stream == stream,
            Checkpoint.iteration < iteration - 1,
            Checkpoint.iteration % KEPT_EVERY != 0,
        )
    )


def delete_checkpoints(session: Session, run: str) -> None:
    """Delete the checkpoints, states and statistics of a run that has ended for good."""
    session.execute(delete(Checkpoint).where(Checkpoint.run_id == run))
    session.execute(update(Chain).where(Chain.run_id == run).values(state=None, state_key=None, published_at=None))
    session.execute(update(Ledger).where(Ledger.run_id == run).values(payload=None, payload_key=None))
