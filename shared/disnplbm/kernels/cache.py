"""Whether the kernels have been compiled on this machine before."""

from __future__ import annotations

from pathlib import Path

from disnplbm.kernels import sweep


def compiled_before() -> bool:
    """Whether Numba's cache on disk holds the sweep kernel; if not, first use takes a while."""
    folder = sweep._sweep.stats.cache_path
    return folder is not None and any(Path(folder).glob("sweep._sweep-*.nbi"))
