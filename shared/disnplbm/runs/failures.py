"""Failed starts of shards: how often each has been tried."""

from __future__ import annotations

from sqlalchemy import delete, select

from disnplbm.runs.database.models import Chain, Failure
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.part import Part, of_iteration


class FailureStore(Part):
    """Counts of failed starts."""

    def counts(self, at: IterationId) -> dict[int, int]:
        """Starts of each shard of an iteration that ended in an error, since the run was last resumed."""
        query = select(Failure).where(*of_iteration(Failure, at))
        with self._database.reading() as session:
            return {failure.shard: failure.count for failure in session.scalars(query)}

    def add(self, at: IterationId, shard: int, count: int, reason: str, attempt: int | None = None) -> int:
        """Count starts of a shard that ended in an error.

        Parameters
        ----------
        attempt : int, optional
            Starts that were known to have failed when this one was asked for: it counts once.

        Returns
        -------
        int
            How many there were in all since the run was last resumed; 0 if there is no such chain.
        """
        with self._database.session() as session:
            chain = session.get(Chain, at[:2], with_for_update={"key_share": True})
            if chain is None:
                return 0
            # Locked too: another master may be about to forget it.
            failure = session.get(Failure, (*at, shard), with_for_update=True)
            if failure is None and count == 0:
                return 0
            if failure is None:
                failure = Failure(
                    run_id=at.run, stream=at.stream, iteration=at.iteration, shard=shard, count=0, reason=""
                )
                session.add(failure)
            if attempt is None or attempt == failure.count:
                failure.count += count
                failure.reason = reason
            return failure.count

    def withdraw(self, at: IterationId, shard: int) -> None:
        """Count one failed start of a shard less: it did not fail."""
        with self._database.session() as session:
            failure = session.get(Failure, (*at, shard), with_for_update=True)
            if failure is None:
                return
            failure.count -= 1
            if failure.count <= 0:
                session.delete(failure)

    def clear(self, at: IterationId, shard: int) -> None:
        """Clear the failed starts of a shard."""
        self._database.execute(delete(Failure).where(*of_iteration(Failure, at), Failure.shard == shard))
