"""Further parts in a sweep of rows: the first part's kernel leads, and the others add what their cells contribute.

A kernel is compiled for the types of the parts that come along, which stand in a tuple. Each family overloads
:func:`add_gain`, :func:`marginal_self` and :func:`move` for the type of its own entry; the loops over the tuple are
unrolled by the compiler. Without a companion they are nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from disnplbm.kernels.compiler import OPTIONS

#: Gives what a kernel reads of further parts, whose clusters have at least so many slots.
Companions = Callable[[int], tuple[Any, ...]]


def add_gain(companion, i, current, weight):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Add, for each cluster with members, by how much its log marginal grows with row i, which is in ``current``."""
    raise RuntimeError("add_gain is compiled into kernels and has no body of its own")


def marginal_self(companion, i):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Log marginal of row i by itself."""
    raise RuntimeError("marginal_self is compiled into kernels and has no body of its own")


def move(companion, i, current, chosen):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Take row i out of ``current`` and add it to ``chosen``, which may have no members."""
    raise RuntimeError("move is compiled into kernels and has no body of its own")


def add_gains(companions, i, current, weight):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """What :func:`add_gain` does, for all companions."""
    raise RuntimeError("add_gains is compiled into kernels and has no body of its own")


@overload(add_gains, jit_options={**OPTIONS, "forceinline": True})
def _compile_add_gains(companions, i, current, weight):  # type: ignore[no-untyped-def]  # noqa: ARG001
    def of_none(companions, i, current, weight):  # type: ignore[no-untyped-def]
        pass

    def of_some(companions, i, current, weight):  # type: ignore[no-untyped-def]
        add_gain(companions[0], i, current, weight)
        add_gains(companions[1:], i, current, weight)

    return of_some if len(companions) > 0 else of_none


def add_marginals_self(companions, i, total):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Add to a total the log marginals of row i by itself in all companions."""
    raise RuntimeError("add_marginals_self is compiled into kernels and has no body of its own")


@overload(add_marginals_self, jit_options={**OPTIONS, "forceinline": True})
def _compile_add_marginals_self(companions, i, total):  # type: ignore[no-untyped-def]  # noqa: ARG001
    def of_none(companions, i, total):  # type: ignore[no-untyped-def]  # noqa: ARG001
        return total

    def of_some(companions, i, total):  # type: ignore[no-untyped-def]
        return add_marginals_self(companions[1:], i, total + marginal_self(companions[0], i))

    return of_some if len(companions) > 0 else of_none


def move_all(companions, i, current, chosen):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """What :func:`move` does, for all companions."""
    raise RuntimeError("move_all is compiled into kernels and has no body of its own")


@overload(move_all, jit_options={**OPTIONS, "forceinline": True})
def _compile_move_all(companions, i, current, chosen):  # type: ignore[no-untyped-def]  # noqa: ARG001
    def of_none(companions, i, current, chosen):  # type: ignore[no-untyped-def]
        pass

    def of_some(companions, i, current, chosen):  # type: ignore[no-untyped-def]
        move(companions[0], i, current, chosen)
        move_all(companions[1:], i, current, chosen)

    return of_some if len(companions) > 0 else of_none


def no_companions(slots: int) -> tuple[()]:  # noqa: ARG001
    """Companions of a part that is swept by itself."""
    return ()
