"""One master at a time: the others stand by, and take over when the lock is free."""

from __future__ import annotations

import os
import sys
import threading
import time

import structlog

from disnplbm.messaging.heartbeat import SECONDS, Heartbeat
from disnplbm.runs.database import Leadership

_log = structlog.get_logger(__name__)

#: Seconds between two tries for the lock, and between two renewals.
_INTERVAL = 1.0

#: Seconds without a heartbeat after which the lock is not renewed.
_MOST_SILENCE = 4 * SECONDS


def stand_by(leadership: Leadership) -> None:
    """Return once this process is the active master."""
    said = ""
    while not leadership.acquire():
        reason = leadership.away or "another master is active"
        if reason != said:
            _log.info("standing by", reason=reason)
            said = reason
        time.sleep(_INTERVAL)
    _log.info("this master is active")


def step_down_when_lost(leadership: Leadership, heartbeat: Heartbeat) -> None:
    """Renew the lock from a thread; a master that lost it to another starts over, standing by."""

    def watch() -> None:
        while True:
            time.sleep(_INTERVAL)
            if heartbeat.silence > _MOST_SILENCE:
                # The disk hangs, and with it whatever needs it: another one takes over when the lock is not renewed.
                _log.warning("the heartbeat file cannot be touched: the lock is not renewed")
                continue
            if leadership.is_held() or leadership.acquire():
                continue
            _log.warning("the lock is lost: standing by")
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606

    threading.Thread(target=watch, name="leadership", daemon=True).start()
