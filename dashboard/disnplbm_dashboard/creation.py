"""Creations that are done once however often they are sent: the Idempotency-Key header."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import TypeVar

from flask import request
from pydantic import BaseModel

from disnplbm.runs.ids import Unknown
from disnplbm_dashboard.backend import backend
from disnplbm_dashboard.problems import HttpProblem
from disnplbm_dashboard.security import get_actor

HEADER = "Idempotency-Key"

_T = TypeVar("_T")

_KEY = re.compile(r"[\x21-\x7e]{1,200}")


def create_once(given: BaseModel, create: Callable[[str | None], _T], find: Callable[[str], _T]) -> tuple[_T, bool]:
    """Create something, unless this request did before.

    Parameters
    ----------
    given : BaseModel
        What was asked for.
    create : callable
        Makes it, with the id it is given or one of its own.
    find : callable
        Gives what has an id; Unknown if nothing has.

    Returns
    -------
    made : object
    fresh : bool
        Whether it was made now.

    Raises
    ------
    Problem
        The key came with another request, or with this one, which is under way.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return create(None), True
    if not _KEY.fullmatch(key):
        raise HttpProblem("bad-request", f"{HEADER}: use up to 200 printable characters")
    keys, who = backend().keys, get_actor().name
    digest = hashlib.sha256(f"{request.path}\n{given.model_dump_json()}".encode()).hexdigest()
    claim = keys.claim(who, key, digest)
    if not claim.same:
        raise HttpProblem("key-reused", f"{HEADER} {key} came with another request: use a new one for each")
    if not claim.fresh:
        try:
            return find(claim.subject), False
        except Unknown:
            if not claim.stale:
                raise HttpProblem(
                    "conflict", f"the first request with {HEADER} {key} is under way: wait for it"
                ) from None
    try:
        return create(claim.subject), True
    except BaseException:
        keys.release(who, key)
        raise
