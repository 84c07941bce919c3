r"""Losses of naming one partition when another is true.

Both are sums over the contingency table of the two, with clusters of n_k and m_l items that share n_kl:

    n (n - 1) Binder  =  sum_k n_k^2      + sum_l m_l^2      - 2 sum_kl n_kl^2
    n VI              =  sum_k n_k log n_k + sum_l m_l log m_l - 2 sum_kl n_kl log n_kl

Variation of information (Meila 2007), H(a | b) + H(b | a), is in nats, between 0 and log n. Binder's (1978) loss, with
both kinds of error at equal cost, is the share of the pairs of items on which the partitions disagree: 1 minus the
Rand index.

The terms phi(x) = x^2 or x log x are tabulated as integers, in a unit so small that rounding does not show: sums then
are exact, do not depend on their order, and an update in place never drifts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.kernels.choice import logs

Integers = NDArray[np.int64]
LabelArray = NDArray[np.integer]
LossName = Literal["vi", "binder"]

#: Sums over all draws stay below this many bits; a unit has at most so many behind the point.
_SUM_BITS, _FRACTION_BITS = 61, 40


@dataclass(frozen=True, slots=True, eq=False)
class Loss:
    """One loss, for partitions of up to n items and sums over up to S draws.

    Parameters
    ----------
    phi : ndarray of int64, shape (n + 1,)
        phi(0) to phi(n) in units of the loss; phi(0) = 0.
    unit : float
        The loss of a pair of partitions is their sum of terms times this.
    """

    name: str
    phi: Integers
    unit: float


def loss_of(name: str, n_items: int, n_draws: int) -> Loss:
    """The table of a loss.

    Parameters
    ----------
    name : {"vi", "binder"}

    Raises
    ------
    InputError
        There is no such loss.
    """
    sizes = np.arange(n_items + 1, dtype=np.int64)
    if name == "binder":
        return Loss(name, sizes**2, 1.0 / max(n_items * (n_items - 1), 1))
    if name != "vi":
        raise InputError(f'loss is {name!r}; it must be "vi" (variation of information) or "binder".')
    terms = sizes * logs(np.maximum(sizes, 1))
    largest = int(4 * n_draws * terms[-1]) + 1
    scale = 2.0 ** min(_SUM_BITS - largest.bit_length(), _FRACTION_BITS)
    return Loss(name, np.rint(terms * scale).astype(np.int64), 1.0 / (scale * n_items))


def shares_of(lengths: Sequence[int], loss: str) -> list[float]:
    """What the losses of parts of the items count for in the loss of partitions that keep the parts apart.

    Parameters
    ----------
    lengths : sequence of int
        Items of each part.
    loss : {"vi", "binder"}
        The variation of information of a part counts by its share of the items, Binder's loss by that of the pairs.

    >>> shares_of([3, 1], "vi"), shares_of([3, 1], "binder")
    ([0.75, 0.25], [0.5, 0.0])
    """
    n = sum(lengths)
    if loss == "binder":
        return [length * (length - 1) / max(n * (n - 1), 1) for length in lengths]
    return [length / n for length in lengths]
