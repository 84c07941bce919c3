"""What processes take, and took at most."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from services.cluster import Member

#: More than a member ever needs for the small tables of the tests.
MOST_BYTES = 900 * 2**20

_PEAK, _RESIDENT = re.compile(r"VmHWM:\s+(\d+) kB"), re.compile(r"VmRSS:\s+(\d+) kB")


def peak_bytes(member: Member) -> int:
    """The most memory that any process of a member had at a time."""
    return max(_of_processes(member, _PEAK))


def resident_bytes(member: Member) -> int:
    """The memory that all processes of a member have now."""
    return sum(_of_processes(member, _RESIDENT))


def _of_processes(member: Member, pattern: re.Pattern[str]) -> list[int]:
    found = [0]
    for process in (member.pid, *member.children()):
        with suppress(FileNotFoundError, ProcessLookupError):
            if line := pattern.search(Path(f"/proc/{process}/status").read_text()):
                found.append(1024 * int(line[1]))
    return found
