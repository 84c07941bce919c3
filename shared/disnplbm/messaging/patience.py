"""Work that needs a server which may be away: it is done again until the server is back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import structlog

from disnplbm.errors import Away

_log = structlog.get_logger(__name__)

#: Seconds between two tries.
_PAUSE = 1.0

T = TypeVar("T")


def _ignore(_waiting: bool) -> None:
    """Do nothing."""


def retry_while_away(work: Callable[[], T], say: Callable[[bool], None] = _ignore) -> T:
    """Do some work, and do it again for as long as a server is away.

    Parameters
    ----------
    say : callable
        Told after each try whether a server is waited for.

    Returns
    -------
    object
        What the work gives.
    """
    while True:
        try:
            done = work()
        except Away as error:
            say(True)
            _log.warning("waiting for a server", reason=str(error))
            time.sleep(_PAUSE)
        else:
            say(False)
            return done
