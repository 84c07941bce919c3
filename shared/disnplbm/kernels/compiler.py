"""How every kernel is compiled."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import njit

# "reassoc" is left out on purpose: it ruins the polynomial logarithm. "numpy" errors: a possible division by zero is
# an early exit that would stop vectorisation.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "nsz"},
    "boundscheck": False,
}

_FILES = sorted(Path(__file__).parent.glob("*.py"))
_VERSION = numba.__version__, hashlib.sha256(b"".join(path.read_bytes() for path in _FILES)).hexdigest()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls; kept on disk until any file of this package changes.

    By itself Numba looks at the function's own file only, and would go on with old code pasted in from the others.
    """
    try:
        compiled = njit(cache=True, **OPTIONS)(function)
    except RuntimeError:
        # Neither the package's folder nor the user's can be written: compiled anew by every process.
        return njit(**OPTIONS)(function)
    # Compared before the rest of a file is read, which may name types that are gone.
    compiled._cache._cache_file._version = _VERSION
    return compiled


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function that only kernels call, pasted into them so that loops around it vectorise."""
    return njit(**OPTIONS, forceinline=True)(function)
