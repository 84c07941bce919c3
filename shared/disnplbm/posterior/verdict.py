"""Whether the chains of a run give one answer, as data: what is judged, on which axis, and by which figure.

Chains that differ are of two kinds. They may overlap and only be short: more iterations settle them. Or each of them
stays with an answer of its own, and more of the same does not help. Chains are **stuck**

- in the rows, or the columns, if the consensus partitions of two of them have an adjusted Rand index below
  :data:`SMALLEST_ARI`, and two draws of different chains are more than twice as far apart as two draws of one chain
  (:data:`LARGEST_SEPARATION`);
- in the log joint, if its R-hat is above :data:`STUCK_R_HAT`, or infinite: they do not overlap.

They are **short** if they are not stuck, and an R-hat is above :data:`LARGEST_R_HAT` or that index below the limit. The
R-hat of K and of L alone does not make them stuck: a small cluster that comes and goes in one chain is no other answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

LARGEST_R_HAT = 1.01
"""Above this chains do not agree (Vehtari et al. 2021)."""

SMALLEST_ARI = 0.9
"""Adjusted Rand index between the consensus partitions of two chains, below which they do not agree."""

STUCK_R_HAT = 1.8
"""What R-hat comes to for two steady chains, each normal, whose values do not overlap."""

LARGEST_SEPARATION = 0.5
"""Of the draws of two chains; see :func:`disnplbm.posterior.separation.separation`."""

AxisName = Literal["rows", "columns", "log_joint"]
AXES: tuple[AxisName, ...] = ("rows", "columns", "log_joint")

#: The axis that each trace speaks of.
AXIS_OF_TRACE: dict[str, AxisName] = {
    "log_joint": "log_joint",
    "row_clusters": "rows",
    "alpha": "rows",
    "column_clusters": "columns",
    "beta": "columns",
}

State = Literal["settled", "short", "stuck", "undefined"]
VerdictKind = Literal["settled", "short", "stuck", "undefined", "one_chain", "no_draws"]

_WORST: tuple[State, ...] = ("stuck", "short", "settled", "undefined")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the chains of a run give one answer.

    Parameters
    ----------
    kind : {"settled", "short", "stuck", "undefined", "one_chain", "no_draws"}
        The worst of the axes. "one_chain": a single chain that looks steady, which tells nothing of other starts.
        "no_draws": a single state was kept, so nothing can be judged.
    rows, columns, log_joint : {"settled", "short", "stuck", "undefined"}
        "undefined": one number throughout, or too few draws.
    r_hat : float or None
        The largest finite one of the axes that are not settled; None if there is none.
    ari : float or None
        The smallest adjusted Rand index between two chains, of the axes that are not settled.
    """

    kind: VerdictKind
    chains: int
    rows: State = "undefined"
    columns: State = "undefined"
    log_joint: State = "undefined"
    r_hat: float | None = None
    ari: float | None = None

    def axes_in(self, state: State) -> list[AxisName]:
        """The axes of that state."""
        return [axis for axis in AXES if getattr(self, axis) == state]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def state_of_partitions(agree: Iterable[bool | None], ari: float | None, separation: float) -> State:
    """The state of the rows or of the columns.

    Parameters
    ----------
    agree : iterable of bool or None
        Whether the chains agree in each trace of the axis; None where that is not defined.
    ari : float or None
        The smallest between two chains; None for a single chain.
    separation : float
        The largest between two chains.
    """
    found = list(agree)
    apart = ari is not None and ari < SMALLEST_ARI
    if apart and separation > LARGEST_SEPARATION:
        return "stuck"
    if apart or False in found:
        return "short"
    return "settled" if ari is not None or True in found else "undefined"


def state_of_log_joint(r_hat: float | None, agree: bool | None, *, alone: bool) -> State:
    """The state of the log joint.

    Parameters
    ----------
    r_hat : float or None
        None without agreement is infinite.
    agree : bool or None
        None where that is not defined.
    alone : bool
        A single chain. The halves of one that still climbs do not overlap either: it is short.
    """
    if agree is None:
        return "undefined"
    if agree:
        return "settled"
    return "stuck" if not alone and (r_hat is None or r_hat > STUCK_R_HAT) else "short"


def worst(states: Iterable[State]) -> State:
    """The state of all axes together."""
    return min(states, key=_WORST.index)
