"""What processes took at most."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from services.cluster import Member

#: More than a member ever needs for the small tables of the tests.
MOST_BYTES = 900 * 2**20

_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


def peak_bytes(member: Member) -> int:
    """The most memory that any process of a member had at a time."""
    found = [0]
    for process in (member.pid, *member.children()):
        with suppress(FileNotFoundError, ProcessLookupError):
            if peak := _PEAK.search(Path(f"/proc/{process}/status").read_text()):
                found.append(1024 * int(peak[1]))
    return max(found)
