"""What this process has of the machine."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Processors that this process may use: all of the machine where the system sets no limit, as on macOS."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
