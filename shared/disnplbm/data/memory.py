"""How much memory a table in memory will take while it is fitted, and how much there is."""

from __future__ import annotations

import os
from pathlib import Path

from disnplbm.errors import InputError

MIB = 2**20

GIB = 2**30

STORED_BYTES = 36
"""Of each cell that is stored of a table without its zeros, while it is dealt out: three times."""

OVERHEAD = 300 * 2**20
"""Compiled kernels, some stretches of 16 MiB that are transformed, and row statistics kept between sweeps."""

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def needed_bytes(
    n: int, p: int, dimension: int, start_clusters: int = 30, *, diagonal: bool = False, stored: int | None = None
) -> int:
    """Memory that fitting a table takes, in bytes, beside the table itself: one copy, and what comes with it.

    Clusters that the start does not have add to it as they appear. Nobody knows before how many there will be.

    Parameters
    ----------
    n, p, dimension : int
        Rows, columns, numbers per cell.
    start_clusters : int
        Row clusters that the chain starts from: each keeps statistics of every column.
    diagonal : bool
        Whether only the diagonals of scatters are kept.
    stored : int, optional
        Cells of a table that is kept without its zeros; None is one that is dense, however few of its cells are stored.
    """
    record = 8 * (1 + dimension + (dimension if diagonal else dimension**2))
    statistics = min(start_clusters, max(n, p)) * min(n, p) * record
    cells = n * p * dimension * 8 if stored is None else stored * STORED_BYTES
    return cells + statistics + OVERHEAD


def available_bytes(meminfo: Path = _MEMINFO, cgroup: Path = _CGROUP) -> int:
    """Memory that can be had without swapping, in bytes, within the limit of the container if there is one.

    Parameters
    ----------
    meminfo, cgroup : Path
        Where Linux tells; elsewhere the system is asked for its free pages.
    """
    free = _meminfo_available(meminfo)
    if free is None:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit, used = _number(cgroup / "memory.max"), _number(cgroup / "memory.current")
    if limit is None or used is None:
        return free
    return max(0, min(free, limit - used + _reclaimable(cgroup / "memory.stat")))


def check_memory(
    needed: int,
    available: int,
    what: str,
    form: str = "as a dense table",
    remedy: str = "leave out columns, or use a machine with more",
) -> None:
    """Refuse work that does not fit.

    Parameters
    ----------
    needed, available : int
        Bytes.
    what : str
        The table, as the message names it.
    form : str
        In which it takes that much.
    remedy : str
        What to do.

    Raises
    ------
    InputError
        Naming both, in GiB.
    """
    if needed > available:
        raise InputError(
            f"{what} needs about {needed / GIB:.1f} GiB of memory {form} and {available / GIB:.1f} GiB are"
            f" available; {remedy}"
        )


def size_needed(n_bytes: int) -> str:
    """What work needs, in words, rounded up: who has as much as the words say has enough.

    >>> size_needed(311_000_000), size_needed(2**30 + 1)
    ('297 MiB', '1.01 GiB')
    """
    if n_bytes < GIB:
        return f"{-(-n_bytes // MIB):,} MiB"
    return f"{-(-100 * n_bytes // GIB) / 100:,.2f} GiB"


def size_there(n_bytes: int) -> str:
    """What there is, in words, rounded down; so it never looks like enough where it is not.

    >>> size_there(311_000_000), size_there(2**31 - 1)
    ('296 MiB', '1.99 GiB')
    """
    if n_bytes < GIB:
        return f"{n_bytes // MIB:,} MiB"
    return f"{100 * n_bytes // GIB / 100:,.2f} GiB"


def _meminfo_available(path: Path) -> int | None:
    if not path.is_file():
        return None
    fields = dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)
    amount = fields.get("MemAvailable")
    return None if amount is None else int(amount.split()[0]) * 1024


def _reclaimable(path: Path) -> int:
    """Bytes of a container's use that are pages of files read before, and go as soon as memory is asked for."""
    fields = dict(line.split() for line in path.read_text().splitlines()) if path.is_file() else {}
    return int(fields.get("inactive_file", 0))


def _number(path: Path) -> int | None:
    """The number in a file of the container's limits; None if there is no such file or no limit."""
    text = path.read_text().strip() if path.is_file() else "max"
    return None if text == "max" else int(text)
