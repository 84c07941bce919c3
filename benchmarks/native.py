"""The same inner loop in C, compiled here and now and called through ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.problems import SweepProblem
from disnplbm.kernels.sweep import log_weights

FLAGS = ("-O3", "-march=native", "-ffast-math", "-shared", "-fPIC")

_SOURCE = Path(__file__).with_name("native_sweep.c")


def compiler_version() -> str | None:
    """First line of what gcc says about itself; None without gcc."""
    if shutil.which("gcc") is None:
        return None
    return subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def compiled(folder: Path) -> ctypes.CDLL:
    """Compile the C source into a folder and load it."""
    library = folder / "native_sweep.so"
    subprocess.run(["gcc", *FLAGS, "-o", str(library), str(_SOURCE), "-lm"], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.sweep_at_rest.restype = ctypes.c_long
    return loaded


class NativeSweep:
    """A sweep problem at rest, bound to the C loop; calling it sweeps once.

    Raises
    ------
    RuntimeError
        The C loop would move an item, or weighs the last one's clusters otherwise than the kernel: not the same work.
    """

    def __init__(self, library: ctypes.CDLL, problem: SweepProblem) -> None:
        items, clusters, kernel_prior = problem.items, problem.clusters, problem.kernel_prior
        if kernel_prior.power != 1.0 or len(kernel_prior.mu0) != 1:
            raise ValueError("the C loop knows d = 1 and power 1 only")
        weight, cumulative = np.empty(len(clusters.size)), np.empty(len(clusters.size))
        self._kept = problem, weight, cumulative  # ctypes does not keep the arrays alive
        self._function = library.sweep_at_rest
        self._arguments = (
            *(ctypes.c_long(size) for size in (len(problem.labels), clusters.mu.shape[0], len(clusters.size))),
            *(
                _pointer(array)
                for array in (
                    *(problem.labels, items.mean, items.scatter, items.counts, items.log_marginal_self),
                    *(clusters.mu, clusters.psi, clusters.slope, clusters.slope_out),
                    *(clusters.half_nu, clusters.base, clusters.base_out, problem.uniforms),
                )
            ),
            ctypes.c_double(kernel_prior.psi0[0]),
            ctypes.c_double(np.log(problem.concentration)),
            _pointer(weight),
            _pointer(cumulative),
        )
        last, expected = len(problem.labels) - 1, np.empty(len(weight))
        if self() > 0:
            raise RuntimeError("the C loop moves items of a chain at rest")
        log_weights(kernel_prior, clusters, items, last, problem.labels[last], np.log(problem.concentration), expected)
        if not np.allclose(weight, expected, rtol=1e-9, atol=1e-7):
            raise RuntimeError(f"the C loop weighs clusters {weight}, the kernel {expected}")

    def __call__(self) -> int:
        return int(self._function(*self._arguments))


class NativeLogarithms:
    """The bare loop of logarithms in C."""

    def __init__(self, library: ctypes.CDLL, number: int, values: Any) -> None:
        self._values, self._result = values, np.empty_like(values)
        self._function = library.logarithms
        self._arguments = (
            ctypes.c_long(-(-number // len(values))),
            ctypes.c_long(len(values)),
            _pointer(values),
            _pointer(self._result),
        )

    def __call__(self) -> None:
        self._function(*self._arguments)


def _pointer(array: Any) -> ctypes.c_void_p:
    if not array.flags.c_contiguous:
        raise ValueError("the C loop reads contiguous arrays only")
    return ctypes.c_void_p(array.ctypes.data)
