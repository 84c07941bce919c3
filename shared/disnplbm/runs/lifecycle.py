"""What becomes of runs, from their start to their end."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from disnplbm.errors import InputError
from disnplbm.objects.seals import damaged
from disnplbm.runs.checkpoints import delete_checkpoints
from disnplbm.runs.database.models import Chain, Dataset, Run, ShardSet
from disnplbm.runs.jobs import change_job
from disnplbm.runs.part import Part, now
from disnplbm.runs.records import Reported, RunRecord
from disnplbm.runs.rows import run_record
from disnplbm.runs.states import State
from disnplbm.runs.transitions import try_transition


class Lifecycle(Part):
    """Runs that are started and ended."""

    def pending(self) -> list[RunRecord]:
        """Runs that have not started, the oldest first."""
        with self._database.reading() as session:
            rows = session.scalars(select(Run).where(Run.state == State.PENDING.value).order_by(Run.created_at, Run.id))
            return [run_record(row) for row in rows]

    def waiting_to_finish(self) -> list[RunRecord]:
        """Running runs of which all chains have ended, the oldest first."""
        under_way = select(Chain.stream).where(Chain.run_id == Run.id, ~Chain.ended).exists()
        query = select(Run).where(Run.state == State.RUNNING.value, ~under_way).order_by(Run.created_at, Run.id)
        with self._database.reading() as session:
            return [run_record(row) for row in session.scalars(query)]

    def of_interest(self, ids: Collection[str]) -> list[RunRecord]:
        """Runs that are running or paused, and runs with these ids whatever their state; the oldest first."""
        active = Run.state.in_([State.RUNNING.value, State.PAUSED.value])
        query = select(Run).where(active | Run.id.in_(ids)).order_by(Run.created_at, Run.id)
        with self._database.reading() as session:
            return [run_record(row) for row in session.scalars(query)]

    def start(
        self, run_id: str, shards_prefix: str, n_shards: int, seal: str | None = None, actor: str = "master"
    ) -> bool:
        """Start a pending run whose shards are ready; False if it is not pending.

        Parameters
        ----------
        seal : str, optional
            Of the shards' manifest.

        Raises
        ------
        InputError
            Another run was computed from other shards under this prefix.
        """
        values = {"shards_prefix": shards_prefix, "n_shards": n_shards, "started_at": now(), "shards_seal": seal}
        with self._database.session() as session:
            if seal is not None:
                _seal_shards(session, run_id, shards_prefix, seal)
            if not try_transition(session, run_id, State.RUNNING, actor, "", values, frm=State.PENDING):
                return False
            change_job(session, "prepare", run_id, state="DONE", error=None)
            return True

    def take_up(self, run_id: str) -> int:
        """Write down that a process begins to work on a run; :meth:`put_down` once it ends that in good order.

        Returns
        -------
        int
            How many processes died at the place where the run is, one after another.
        """
        with self._database.session() as session:
            run = session.scalars(select(Run).where(Run.id == run_id).with_for_update()).one_or_none()
            if run is None:
                return 0
            if run.starts > 0:
                # Whoever began last has died, and where that was is where the run is now.
                place = _place(session, run)
                run.starts, run.died_at = (run.starts if run.died_at == place else 1), place
            run.starts += 1
            return run.starts - 1

    def put_down(self, run_id: str) -> None:
        """Forget that a process began to work on a run: it has ended that work in good order."""
        self._database.execute(update(Run).where(Run.id == run_id).values(starts=0, died_at=None))

    def fail(self, run_id: str, reason: str, actor: str = "master") -> bool:
        """Let a pending or running run fail; False if it is neither.

        Parameters
        ----------
        reason : str
            One line that a person can act on.
        """
        with self._database.session() as session:
            return try_transition(session, run_id, State.FAILED, actor, reason, {"error": reason})

    def is_running(self, run_id: str) -> bool:
        """Whether a run is running; not if there is none."""
        with self._database.reading() as session:
            return session.scalar(select(Run.state).where(Run.id == run_id)) == State.RUNNING.value

    def succeed(
        self, run_id: str, reported: Reported, seals: Mapping[str, str] | None = None, actor: str = "master"
    ) -> bool:
        """End a running run whose results are written, and forget its checkpoints; False if it is not running.

        Parameters
        ----------
        seals : mapping, optional
            Of the run's files, by name: what :func:`disnplbm.runs.results.put_results` returned.
        """
        values = {"error": None, "result_seals": seals, **reported._asdict()}
        with self._database.session() as session:
            if not try_transition(session, run_id, State.SUCCEEDED, actor, "", values):
                return False
            delete_checkpoints(session, run_id)
            return True


def _seal_shards(session: Session, run_id: str, prefix: str, seal: str) -> None:
    """Keep the seal of shards that no run had before; InputError if it is not the one that was kept."""
    dataset = session.scalar(select(Run.dataset_id).where(Run.id == run_id))
    if dataset is None:
        return
    # Of runs that start at once, the second waits for the dataset's row.
    session.get(Dataset, dataset, with_for_update=True)
    kept = session.get(ShardSet, prefix)
    if kept is None:
        session.add(ShardSet(prefix=prefix, dataset_id=dataset, seal=seal))
    elif kept.seal != seal:
        raise InputError(damaged(f"{prefix}/manifest.json"))


def _place(session: Session, run: Run) -> str:
    """How far a run has come, in words that are others once it has come further."""
    read = session.scalar(select(Dataset.state).where(Dataset.id == run.dataset_id))
    done = session.scalar(select(func.sum(Chain.iteration)).where(Chain.run_id == run.id))
    return f"{run.state}, its dataset {read}, after {done} iterations"
