"""Files that are uploaded in parts: each an object of its own, until all are there and become the one upload."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, select, update
from sqlalchemy.orm import Session

from disnplbm.errors import InputError
from disnplbm.objects.store import Buffer, ObjectStore
from disnplbm.objects.uploads import plain_name
from disnplbm.runs.database import Database
from disnplbm.runs.database.changes import execute_counted
from disnplbm.runs.database.models import PartialUpload
from disnplbm.runs.datasets import add_uploaded
from disnplbm.runs.ids import Unknown, new_id
from disnplbm.runs.limits import check_uploaded_bytes
from disnplbm.runs.part import now
from disnplbm.runs.records import DatasetRecord
from disnplbm.runs.transitions import TransitionRefused

#: Every part but the last is this long.
UPLOAD_PART_BYTES = 16 * 2**20

#: One of which nothing was heard for so long is swept away.
ABANDONED = timedelta(days=2)

#: Whoever assembles says so this often, in seconds, and is given up after so much silence.
_SIGN_SECONDS, _SILENCE = 5.0, timedelta(minutes=1)

_KEY = re.compile(r"\d{6}")


@dataclass(frozen=True, slots=True)
class UploadRecord:
    """An upload under way.

    Parameters
    ----------
    id : str
        That the dataset will have.
    bytes : int
        In all.
    sha256 : str or None
        As announced.
    """

    id: str
    name: str
    bytes: int
    sha256: str | None
    reading: dict[str, Any]
    created_at: datetime

    @property
    def parts(self) -> int:
        """How many there are in all."""
        return -(-self.bytes // UPLOAD_PART_BYTES)

    def part_bytes(self, number: int) -> int:
        """Length of a part; 0 if there is none of that number."""
        return min(UPLOAD_PART_BYTES, self.bytes - number * UPLOAD_PART_BYTES) if 0 <= number < self.parts else 0


class PartialUploads:
    """Uploads under way."""

    def __init__(self, database: Database, store: ObjectStore) -> None:
        self._database, self._store = database, store

    def begin(
        self,
        name: str,
        size: int,
        *,
        sha256: str | None,
        reading: dict[str, Any],
        actor: str,
        upload_id: str | None = None,
        most_bytes: int | None = None,
    ) -> UploadRecord:
        """Announce a file.

        Parameters
        ----------
        size : int
            In bytes, at least 1.
        sha256 : str, optional
            Checked when all parts are there.
        reading : dict
            How the file is read: what :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
        upload_id : str, optional
            A new one by default.
        most_bytes : int, optional
            Of all uploads together, this one among them.

        Raises
        ------
        LimitReached
            There is no room for it.
        """
        row = PartialUpload(
            id=upload_id or new_id(),
            name=name,
            bytes=size,
            sha256=sha256,
            reading=reading,
            actor=actor,
            created_at=now(),
            touched_at=now(),
            assembling=False,
        )
        with self._database.session() as session:
            if most_bytes is not None:
                check_uploaded_bytes(session, size, most_bytes)
            session.add(row)
        return _record(row)

    def get(self, upload_id: str) -> UploadRecord:
        """An upload under way; Unknown if there is none."""
        with self._database.reading() as session:
            return _record(_find(session, upload_id))

    def put(self, upload_id: str, number: int, data: Iterable[Buffer]) -> None:
        """Write a part, in place of what was there; it appears whole or not at all.

        Parameters
        ----------
        data : iterable of bytes
            The part, piece by piece.

        Raises
        ------
        InputError
            There is no such part, or it has another length.
        TransitionRefused
            The upload is being completed.
        """
        record = self.get(upload_id)
        expected, done = record.part_bytes(number), 0
        if expected == 0:
            raise InputError(
                f"there is no part {number}: the parts of {record.bytes} bytes are 0 to {record.parts - 1}"
            )
        self._touch(record)
        with self._store.writer(_key(record.id, number)) as out:
            for piece in data:
                out.write(piece)
                done += len(piece)
                if done > expected:
                    break
            if done != expected:
                more = "more" if done > expected else f"{done}"
                raise InputError(f"part {number} must have {expected} bytes and has {more}: send it again")
            # Once more, since the part may have been long on its way.
            self._touch(record)

    def list_parts(self, upload_id: str) -> list[int]:
        """List the numbers of the parts that are there, ascending."""
        record = self.get(upload_id)
        names = (key.rpartition("/")[2] for key in self._store.list(_prefix(record.id)))
        return [int(name) for name in names if _KEY.fullmatch(name)]

    def complete(self, upload_id: str, sha256: str | None, actor: str) -> DatasetRecord:
        """Make the dataset of an upload whose parts are all there; one part is in memory at a time.

        Parameters
        ----------
        sha256 : str, optional
            Of the whole file.

        Raises
        ------
        InputError
            Parts are missing, or the file is another than was announced; parts can be sent again.
        TransitionRefused
            Somebody else is at it.
        """
        record = self.get(upload_id)
        missing = sorted(set(range(record.parts)) - set(self.list_parts(upload_id)))
        if missing:
            raise InputError(
                f"{len(missing)} of {record.parts} parts are missing, the first is {missing[0]}: send them"
            )
        claim = self._claim(record)
        key = f"uploads/{record.id}/{plain_name(record.name)}"
        try:
            found = self._assemble(record, key, claim)
            _check(record, found, sha256)
            dataset = self._made(record, key, found, actor, claim)
        except BaseException:
            self._give_up(key, claim)
            raise
        self._store.clear(_prefix(record.id))
        return dataset

    def abandon(self, upload_id: str) -> None:
        """Forget an upload and its parts; TransitionRefused if it is being completed."""
        with self._database.session() as session:
            row = _find(session, upload_id)
            if execute_counted(session, delete(PartialUpload).where(PartialUpload.id == row.id, _loose())) != 1:
                raise TransitionRefused(f"upload {row.id} is being completed: delete the dataset then")
        self._store.clear(f"uploads/{upload_id}")

    def list_abandoned(self) -> list[str]:
        """List the uploads of which nothing was heard for days."""
        with self._database.reading() as session:
            return list(session.scalars(select(PartialUpload.id).where(PartialUpload.touched_at < now() - ABANDONED)))

    def sweep(self) -> list[str]:
        """Forget the uploads that were abandoned; their ids."""
        found = self.list_abandoned()
        for upload_id in found:
            self.abandon(upload_id)
        return found

    def _touch(self, record: UploadRecord) -> None:
        """Write down that something was heard of an upload; TransitionRefused if it is being completed."""
        with self._database.session() as session:
            touched = update(PartialUpload).where(PartialUpload.id == record.id, ~PartialUpload.assembling)
            if execute_counted(session, touched.values(touched_at=now())) != 1:
                raise TransitionRefused(f"upload {record.id} is being completed: no part can be sent any more")

    def _claim(self, record: UploadRecord) -> _Claim:
        claim = _Claim(self._database, record.id, now())
        with self._database.session() as session:
            mine = update(PartialUpload).where(PartialUpload.id == record.id, _loose())
            if execute_counted(session, mine.values(assembling=True, touched_at=claim.at)) != 1:
                raise TransitionRefused(f"upload {record.id} is being completed already: wait for it")
        return claim

    def _assemble(self, record: UploadRecord, key: str, claim: _Claim) -> str:
        """Write the one object; its sha256."""
        digest, said = hashlib.sha256(), time.monotonic()
        with self._store.writer(key) as out:
            for number in range(record.parts):
                for piece in self._store.parts(_key(record.id, number)):
                    out.write(piece)
                    digest.update(piece)
                if time.monotonic() - said > _SIGN_SECONDS:
                    said = time.monotonic()
                    claim.renew()
            # The object appears now: not in place of another one that somebody else has written.
            claim.renew()
        return digest.hexdigest()

    def _give_up(self, key: str, claim: _Claim) -> None:
        """Delete what was written, so that parts can be sent again, unless somebody else is at it."""
        try:
            claim.renew()
        except TransitionRefused:
            return
        self._store.delete([key])
        with self._database.session() as session:
            session.execute(update(PartialUpload).where(claim.holds()).values(assembling=False))

    def _made(self, record: UploadRecord, key: str, sha256: str, actor: str, claim: _Claim) -> DatasetRecord:
        with self._database.session() as session:
            if execute_counted(session, delete(PartialUpload).where(claim.holds())) != 1:
                raise claim.lost()
            return add_uploaded(
                session,
                record.id,
                name=record.name,
                path=record.name,
                key=key,
                size=record.bytes,
                sha256=sha256,
                reading=record.reading,
                actor=actor,
            )


class _Claim:
    """The right to put an upload together.

    It lasts for a minute from the time that the upload's row has. Whoever stands still for longer may have lost it.
    """

    def __init__(self, database: Database, upload_id: str, at: datetime) -> None:
        self.at = at
        self._database, self._id = database, upload_id

    def holds(self) -> ColumnElement[bool]:
        """Whether a row is of this upload, and nobody else has claimed it."""
        return and_(PartialUpload.id == self._id, PartialUpload.assembling, PartialUpload.touched_at == self.at)

    def renew(self) -> None:
        """Claim the upload for another minute; TransitionRefused if the right is lost."""
        at = now()
        with self._database.session() as session:
            if execute_counted(session, update(PartialUpload).where(self.holds()).values(touched_at=at)) != 1:
                raise self.lost()
        self.at = at

    def lost(self) -> TransitionRefused:
        """What to raise when the right is lost."""
        return TransitionRefused(f"upload {self._id} was deleted or completed meanwhile: look at the dataset")


def _loose() -> ColumnElement[bool]:
    """Whether nobody puts an upload together, or whoever did was not heard from for long."""
    return ~PartialUpload.assembling | (PartialUpload.touched_at < now() - _SILENCE)


def _check(record: UploadRecord, found: str, given: str | None) -> None:
    if not {record.sha256, given} <= {None, found}:
        raise InputError(f"{record.name} did not arrive as it was sent (sha256 {found}): send its parts again")


def _find(session: Session, upload_id: str) -> PartialUpload:
    row = session.get(PartialUpload, upload_id)
    if row is None:
        raise Unknown(f"there is no upload {upload_id} under way")
    return row


def _record(row: PartialUpload) -> UploadRecord:
    return UploadRecord(row.id, row.name, row.bytes, row.sha256, row.reading, row.created_at)


def _prefix(upload_id: str) -> str:
    return f"uploads/{upload_id}/parts"


def _key(upload_id: str, number: int) -> str:
    return f"{_prefix(upload_id)}/{number:06d}"
