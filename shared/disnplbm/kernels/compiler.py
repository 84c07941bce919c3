"""How every kernel is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

# "reassoc" is left out on purpose: it ruins the polynomial logarithm. "numpy" errors: a possible division by zero is
# an early exit that would stop vectorisation.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "nsz"},
    "boundscheck": False,
}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls."""
    return njit(cache=True, **OPTIONS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function that only kernels call, pasted into them so that loops around it vectorise."""
    return njit(**OPTIONS, forceinline=True)(function)
