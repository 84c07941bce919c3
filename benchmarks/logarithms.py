"""The floor of a sweep: a bare vectorised loop over as many logarithms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.compiler import kernel
from disnplbm.kernels.special import log

#: So many numbers, read and written, stay in the first-level cache.
BUFFER = 1024


@kernel
def _logarithms(times, values, result):  # type: ignore[no-untyped-def]
    for _ in range(times):
        for i in range(values.size):
            result[i] = log(values[i])
        # Another input each time, or the compiler would do the loop once.
        values[0] = result[values.size - 1] + 2.0


def buffer() -> NDArray[np.float64]:
    """Numbers to take the logarithm of."""
    return np.random.default_rng(0).random(BUFFER) + 1.0


class Logarithms:
    """So many logarithms, rounded up to whole buffers."""

    def __init__(self, number: int) -> None:
        self._times = -(-number // BUFFER)
        self._values, self._result = buffer(), np.empty(BUFFER)

    def __call__(self) -> None:
        _logarithms(self._times, self._values, self._result)
