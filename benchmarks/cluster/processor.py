"""What processes take of this machine: processor time, with all that they started, and memory; as /proc says."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_TICK = 1.0 / os.sysconf("SC_CLK_TCK")

_PAGE = os.sysconf("SC_PAGE_SIZE")


def busy_seconds() -> float:
    """Seconds so far that the processors of this machine were busy, or were taken from it."""
    user, nice, system, _idle, _waiting, *rest = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + sum(rest)) * _TICK


def resident(pid: int) -> int:
    """Bytes of memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE


def processor_seconds(roots: Mapping[str, int]) -> dict[str, float]:
    """Seconds so far, by name.

    Parameters
    ----------
    roots : mapping of str to int
        A process by name; its descendants count with it.
    """
    taken: dict[int, float] = {}
    children: defaultdict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            # It may end while it is looked at.
            with suppress(OSError):
                # The second field, a name in brackets, may hold anything.
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                taken[int(folder.name)] = sum(map(int, fields[11:15])) * _TICK
                children[int(fields[1])].append(int(folder.name))
    return {name: _of_tree(root, taken, children) for name, root in roots.items()}


def _of_tree(root: int, taken: Mapping[int, float], children: Mapping[int, list[int]]) -> float:
    return taken.get(root, 0.0) + sum(_of_tree(child, taken, children) for child in children.get(root, []))
