"""Creations that may be sent twice and are done once: what they make has its id before it is made."""

from __future__ import annotations

from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import delete

from disnplbm.runs.database.changes import execute_counted
from disnplbm.runs.database.models import IdempotencyKey
from disnplbm.runs.ids import new_id
from disnplbm.runs.part import Part, now

#: Keys are known for so long.
KEPT = timedelta(days=2)

#: Whoever began with a key and made nothing for so long has died.
GRACE = timedelta(seconds=60)


class Claim(NamedTuple):
    """What a key stands for.

    Parameters
    ----------
    subject : str
        Id of what is made with it.
    fresh : bool
        Whether this is the first use of the key.
    same : bool
        Whether it came with the same request before.
    stale : bool
        Whether the first use lies so far back that it is over, one way or the other.
    """

    subject: str
    fresh: bool
    same: bool
    stale: bool


class IdempotencyKeys(Part):
    """Keys by actor."""

    def claim(self, actor: str, key: str, request: str) -> Claim:
        """Look up a key, and write it down if it is new.

        Parameters
        ----------
        request : str
            A digest of what was asked for.
        """
        subject = new_id()
        # Of two at once the second waits here for the first.
        claim = (
            self._database.insert(IdempotencyKey)
            .values(actor=actor, key=key, request=request, subject=subject, created_at=now())
            .on_conflict_do_nothing()
        )
        with self._database.session() as session:
            session.execute(delete(IdempotencyKey).where(IdempotencyKey.created_at < now() - KEPT))
            if execute_counted(session, claim) == 1:
                return Claim(subject, True, True, False)
            row = session.get_one(IdempotencyKey, (actor, key))
            return Claim(row.subject, False, row.request == request, row.created_at < now() - GRACE)

    def release(self, actor: str, key: str) -> None:
        """Forget a key with which nothing was made."""
        with self._database.session() as session:
            session.execute(delete(IdempotencyKey).where(IdempotencyKey.actor == actor, IdempotencyKey.key == key))
