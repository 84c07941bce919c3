"""Freed memory goes back to the system only when the C library is told to, and peak memory counts what it keeps."""

from __future__ import annotations

import contextlib
import ctypes
import sys


def give_back() -> None:
    """Return freed memory to the system, where the C library can do so (glibc); elsewhere there is nothing to do."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL("libc.so.6").malloc_trim(0)
