"""Runs and datasets by their id, or by its beginning."""

from __future__ import annotations

from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from disnplbm.errors import InputError
from disnplbm.runs.database.models import Dataset, Run
from disnplbm.runs.ids import RecordKind, check_beginning, no_such

_T = TypeVar("_T", Run, Dataset)


def find_run(session: Session, given: str) -> Run:
    """A run by its id or a beginning of it that no other has; InputError if there is none, or more than one."""
    return _find(session, Run, "run", given)


def find_dataset(session: Session, given: str) -> Dataset:
    """A dataset by its id or a beginning of it that no other has; InputError if there is none, or more than one."""
    return _find(session, Dataset, "dataset", given)


def _find(session: Session, table: type[_T], kind: RecordKind, given: str) -> _T:
    first = check_beginning(kind, given)
    # Not LIKE, for which neither database looks into its index; ids have no character as high as the last one here.
    query = select(table).where(table.id >= first, table.id < f"{first}g").limit(2)
    found = session.scalars(query).all()
    if not found:
        raise no_such(kind, given)
    if len(found) > 1:
        raise InputError(f"{given} is the beginning of several {kind}s: give more of it")
    return found[0]
