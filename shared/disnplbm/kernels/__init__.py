"""Numba kernels: the inner loops of the sampler, one algorithm a module.

Every kernel has a twin in :mod:`disnplbm.model`, and a test that compares the two. Kernels release the GIL, take plain
arrays or named tuples of arrays, and check nothing: callers do.

Results are bit-identical on one *CPU baseline*. On x86-64 processors with AVX2 and FMA that is x86-64-v3, pinned
here before Numba is imported; elsewhere it is the machine's own. ``NUMBA_CPU_NAME`` and ``NUMBA_CPU_FEATURES``, if
set, win. :func:`disnplbm.kernels.baseline` names what is in force.
"""

from __future__ import annotations

import os

from llvmlite import binding

_PORTABLE = "x86-64-v3"


def _pin_baseline() -> None:
    if "NUMBA_CPU_NAME" in os.environ:
        return
    features = binding.get_host_cpu_features()
    if binding.get_process_triple().startswith("x86_64") and features.get("avx2") and features.get("fma"):
        os.environ["NUMBA_CPU_NAME"] = _PORTABLE
        os.environ["NUMBA_CPU_FEATURES"] = ""


_pin_baseline()

from numba import config  # noqa: E402 - the baseline must be pinned before Numba reads its settings

from disnplbm.errors import InputError  # noqa: E402

if getattr(config, "DISABLE_JIT", False):
    # Some of them work on the bits of a number, which plain Python cannot.
    raise InputError("NUMBA_DISABLE_JIT is set, and disnplbm works with compiled kernels only: unset it")


def baseline() -> str:
    """Name of the processor that kernels are compiled for; equal names promise equal bits."""
    return str(getattr(config, "CPU_NAME", None) or binding.get_host_cpu_name())
