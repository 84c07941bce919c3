"""Ids of runs and datasets, and what may stand for one: a beginning of it."""

from __future__ import annotations

import re
import secrets
from typing import Literal

from disnplbm.errors import InputError

#: Characters of an id, and how many of its first ones must be given at least.
_LENGTH, _LEAST = 12, 4

_BEGINNING = re.compile(f"[0-9a-f]{{{_LEAST},{_LENGTH}}}")

RecordKind = Literal["run", "dataset"]

#: What lists them.
_LISTED = {"run": "`disnplbm status` lists them", "dataset": "GET /api/v1/datasets lists them"}


class Unknown(InputError):
    """There is nothing of that name."""


def new_id() -> str:
    """A new id."""
    return secrets.token_hex(_LENGTH // 2)


def is_beginning(text: str) -> bool:
    """Whether a text may be an id, or its beginning."""
    return _BEGINNING.fullmatch(text) is not None


def check_beginning(kind: RecordKind, given: str) -> str:
    """Return an id, or its beginning, as it was given; Unknown if it can be neither."""
    found = given.strip().lower()
    if not is_beginning(found):
        raise Unknown(
            f"{given!r} is no id of a {kind}: give its {_LENGTH} characters 0-9 a-f, or at least the first {_LEAST};"
            f" {_LISTED[kind]}"
        )
    return found


def no_such(kind: RecordKind, given: str) -> Unknown:
    """The error where nothing has an id."""
    return Unknown(f"there is no {kind} {given}; {_LISTED[kind]}")
