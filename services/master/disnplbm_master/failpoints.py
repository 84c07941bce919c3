"""Failpoints: narrow windows of the master made wide enough for a test to hit.

``DISNPLBM_FAILPOINT=STEP:ACTION`` names one of the steps below ("after-record" is once the ledger has statistics that
the broker still waits to hear of) and what happens there: "kill" ends the process as ``kill -9`` would, once per file
named after a second colon, if one is (``after-commit:kill:FILE``: the file is made, and the failpoint rests while it is
there).
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

STEPS = ("after-record", "after-join", "before-commit", "after-commit", "after-publish")


def reach(step: str, failpoint: str) -> None:
    """Say that a step was reached; most often nothing happens.

    Parameters
    ----------
    failpoint : str
        The setting.
    """
    if not failpoint.startswith(step + ":"):
        return
    _, action, *once = failpoint.split(":", 2)
    if once:
        mark = Path(once[0])
        if mark.exists():
            return
        mark.touch()
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
