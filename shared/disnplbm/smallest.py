"""The smallest type that holds numbers: what is stored, kept and sent takes no more bytes than it must."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

WHOLE_TYPES = (np.uint8, np.uint16, np.int32)
"""Types of stored whole numbers, the smallest first; all other values are float64."""

COUNT_TYPES = (np.uint8, np.uint16, np.uint32)
"""Types of whole numbers from 0, the smallest first."""


def smallest_type(
    values: NDArray[np.float64], among: Sequence[type[np.integer[Any]]] = WHOLE_TYPES
) -> type[np.number[Any]]:
    """The smallest type that holds all of these values: of those given, or float64."""
    # NaN is not equal to itself.
    if (values == np.rint(values)).all():
        low, high = values.min(initial=0.0), values.max(initial=0.0)
        for kind in among:
            if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
                return kind
    return np.float64


def narrowed(values: NDArray[np.float64]) -> NDArray[Any]:
    """Numbers in the smallest type that holds them: whole ones from 0, none missing, in 1, 2 or 4 bytes."""
    return values.astype(smallest_type(values, COUNT_TYPES), copy=False)
