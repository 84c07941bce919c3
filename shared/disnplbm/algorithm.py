"""The version of the arithmetic, by itself: what records runs needs it, and needs no compiled kernels."""

from __future__ import annotations

#: It is raised whenever the same input and seed would give other bits.
ALGORITHM_VERSION = 5
