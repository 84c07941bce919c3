"""Which machine and which versions the figures belong to."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.native import compiler_version
from benchmarks.tables import table
from disnplbm.engine.summary import versions
from disnplbm.machine import usable_cores

_OTHERS = ("scipy", "scikit-learn", "pyarrow", "khiops")


def description() -> str:
    """Table of the machine and the versions."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    rows = [
        ("date", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
        ("processor", f"{processor()}, {usable_cores()} cores usable"),
        ("memory", f"{memory:.0f} GiB"),
        ("system", f"{platform.system()} {platform.release()}"),
        ("load average at the start", f"{os.getloadavg()[0]:.1f}"),
        ("C compiler", compiler_version() or "none found"),
        *((name, value) for name, value in versions().items()),
        *((name, _installed(name)) for name in _OTHERS),
    ]
    return table(("", ""), rows)


def processor() -> str:
    """Name of the processor."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
