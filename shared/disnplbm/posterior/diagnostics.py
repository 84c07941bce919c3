"""Whether chains agree: rank-normalised R-hat and effective sample sizes of traces, and how alike partitions are.

R-hat compares the spread between (halves of) chains with that within; of its two variants, on ranks and on ranks of
distances from the median, the larger counts. The effective sample size says how many independent draws would estimate
as well, for the middle of the distribution (bulk) and for its 5 % and 95 % quantiles (tail). Both after Vehtari,
Gelman, Simpson, Carpenter and Bürkner (2021), as computed by ArviZ. A trace that is the same number throughout tells
nothing about convergence, for or against: its figures are not defined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.draws import DrawNumbers
from disnplbm.posterior.scores import block_ari, contingency
from disnplbm.posterior.verdict import (
    AXES,
    AXIS_OF_TRACE,
    LARGEST_R_HAT,
    SMALLEST_ARI,
    AxisName,
    State,
    Verdict,
    VerdictKind,
    state_of_log_joint,
    state_of_partitions,
    worst,
)

ESS_PER_CHAIN = 100
"""Effective draws a chain below which figures are unsteady (Vehtari et al. 2021)."""

LEAST_DRAWS = 4
"""Draws that a chain (half of it, if it is the only one) needs for its figures to be defined."""

ROUNDING = 1e-12
"""Relative to its largest value, a trace that varies by no more than this is the same number throughout."""

INFINITE_R_HAT = 1e6
"""Far above what chains that move can reach: the spread within them is nothing but rounding."""

Traces = Mapping[str, Sequence[ArrayLike]]
"""Traces by name (log_joint, row_clusters, column_clusters, alpha, beta): of each chain, its draws after burn-in."""


@dataclass(frozen=True, slots=True)
class Convergence:
    """Figures of one trace.

    Parameters
    ----------
    name : str
    r_hat : float or None
        None if not defined, and if infinite: every chain keeps to a number of its own.
    ess_bulk, ess_tail : float or None
        Effective draws of all chains together.
    agree : bool or None
        None if not defined: one number throughout, or too few draws.
    """

    name: str
    r_hat: float | None
    ess_bulk: float | None
    ess_tail: float | None
    agree: bool | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What can be said of the convergence of all chains.

    Parameters
    ----------
    chains, draws : int
        Number of chains, draws of each.
    traces : tuple of Convergence
    row_ari, column_ari : tuple of tuple of float
        Adjusted Rand index of the consensus partitions of each two chains, shape (chains, chains).
    row_separation, column_separation : float
        The largest :func:`disnplbm.posterior.separation.separation` of two chains; 0 where their partitions agree.
    agree : bool or None
        None if not defined.
    verdict : Verdict
    """

    chains: int
    draws: int
    traces: tuple[Convergence, ...]
    row_ari: tuple[tuple[float, ...], ...]
    column_ari: tuple[tuple[float, ...], ...]
    row_separation: float
    column_separation: float
    agree: bool | None
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def traces_of(numbers: DrawNumbers) -> dict[str, list[NDArray[Any]]]:
    """Traces of each chain, in the order of the chains' numbers; concentrations only if they were learned."""
    chains = [numbers.chain == chain for chain in np.unique(numbers.chain)]
    learned = [name for name in ("alpha", "beta") if np.ptp(getattr(numbers, name)) > 0]
    names = ["log_joint", "row_clusters", "column_clusters", *learned]
    return {name: [getattr(numbers, name)[of_chain] for of_chain in chains] for name in names}


def diagnose(
    traces: Traces,
    row_partitions: Sequence[Labels],
    column_partitions: Sequence[Labels],
    separation_of: Callable[[Literal["rows", "columns"]], float] = lambda _: 0.0,
) -> Diagnosis:
    """Compare chains.

    A single chain is compared with itself, its first half with its second.

    Parameters
    ----------
    traces : mapping of str to sequence of array-like
        Of each chain one array, all of one length.
    row_partitions, column_partitions : sequence of ndarray of int, shapes (n,) and (p,)
        Consensus partition of each chain.
    separation_of : callable
        The largest separation of two chains on an axis (:func:`disnplbm.posterior.separation.separation`); asked for
        only where their partitions differ.

    Raises
    ------
    InputError
        Chains of different lengths, or another number of partitions than of chains.
    """
    stacked = {name: _stacked(name, chains).astype(np.float64) for name, chains in traces.items()}
    shapes = {values.shape for values in stacked.values()}
    if len(shapes) != 1 or {len(row_partitions), len(column_partitions)} != {next(iter(shapes))[0]}:
        raise InputError(
            f"traces of shapes {sorted(shapes)}, {len(row_partitions)} row and {len(column_partitions)} column"
            " partitions: give one trace of each kind and one partition of each axis for every chain"
        )
    chains, draws = shapes.pop()
    found = tuple(convergence(name, values) for name, values in stacked.items())
    row_ari, column_ari = _between(row_partitions), _between(column_partitions)
    separations = (
        separation_of("rows") if row_ari.min() < SMALLEST_ARI else 0.0,
        separation_of("columns") if column_ari.min() < SMALLEST_ARI else 0.0,
    )
    faults = any(trace.agree is False for trace in found) or min(row_ari.min(), column_ari.min()) < SMALLEST_ARI
    agree = False if faults else (True if any(trace.agree for trace in found) else None)
    verdict = _judged(chains, found, (float(row_ari.min()), float(column_ari.min())), separations, agree)
    return Diagnosis(chains, draws, found, _nested(row_ari), _nested(column_ari), *separations, agree, verdict)


def _judged(
    chains: int,
    traces: Sequence[Convergence],
    aris: tuple[float, float],
    separations: tuple[float, float],
    agree: bool | None,
) -> Verdict:
    agreed: dict[AxisName, list[bool | None]] = {axis: [] for axis in AXES}
    for trace in traces:
        agreed[AXIS_OF_TRACE[trace.name]].append(trace.agree)
    ari_of: dict[AxisName, float] = {} if chains == 1 else {"rows": aris[0], "columns": aris[1]}
    log_joint = next(trace for trace in traces if trace.name == "log_joint")
    states: dict[AxisName, State] = {
        "rows": state_of_partitions(agreed["rows"], ari_of.get("rows"), separations[0]),
        "columns": state_of_partitions(agreed["columns"], ari_of.get("columns"), separations[1]),
        "log_joint": state_of_log_joint(log_joint.r_hat, log_joint.agree, alone=chains == 1),
    }
    kind: VerdictKind = worst(states.values())
    doubtful = kind in ("short", "stuck")
    if not doubtful:
        kind = "one_chain" if chains == 1 else "undefined" if agree is None else "settled"
    faults = [trace for trace in traces if trace.agree is False]
    return Verdict(
        kind,
        chains,
        **states,
        r_hat=max((trace.r_hat for trace in faults if trace.r_hat is not None), default=None),
        ari=min((ari for axis, ari in ari_of.items() if doubtful and states[axis] in ("short", "stuck")), default=None),
    )


def convergence(name: str, values: Floats) -> Convergence:
    """R-hat and effective sample sizes of one trace.

    Parameters
    ----------
    name : str
    values : ndarray, shape (chains, draws)
    """
    halved = values if len(values) > 1 else _halves(values[0])
    if halved.shape[1] < LEAST_DRAWS or np.ptp(values) <= ROUNDING * np.abs(values).max():
        return Convergence(name, None, None, None, None)
    # On use, since it brings scipy.stats, which nothing else here needs.
    from arviz_stats.base import array_stats

    # Chains that stand still, or all of whose draws are as far from the median, divide by zero.
    with np.errstate(divide="ignore", invalid="ignore"):
        r_hat = float(array_stats.rhat(halved, method="rank"))
        bulk = float(array_stats.ess(values, method="bulk"))
        tail = float(array_stats.ess(values, method="tail", prob=0.05))
    return Convergence(name, r_hat if r_hat < INFINITE_R_HAT else None, bulk, tail, agree=r_hat <= LARGEST_R_HAT)


def to_arviz(traces: Traces) -> Any:
    """Return traces in the form that ArviZ's plots and tables take; needs the extra `arviz`.

    Parameters
    ----------
    traces : mapping of str to sequence of array-like
        Of each chain one array, all of one length. Numbers of clusters stay whole numbers.

    Returns
    -------
    xarray.DataTree, or arviz.InferenceData where an ArviZ before 1.0 is installed
        Groups ``posterior`` (numbers of clusters, learned concentrations) and ``sample_stats`` (``lp``, the log joint),
        with dimensions chain and draw.

    Raises
    ------
    InputError
        ArviZ is not installed, or chains are of different lengths.
    """
    groups = {"posterior": {name: _stacked(name, chains) for name, chains in traces.items()}}
    groups["sample_stats"] = {"lp": groups["posterior"].pop("log_joint")}
    if _old_arviz():
        import arviz

        return arviz.from_dict(**groups)
    try:
        from arviz_base import from_dict
    except ImportError as error:
        raise InputError("to_arviz needs arviz-base: pip install 'disnplbm[arviz]'") from error
    return from_dict(groups)


def _old_arviz() -> bool:
    """Whether the ArviZ that is installed comes before 1.0: its functions do not take a DataTree."""
    try:
        return int(version("arviz").split(".")[0]) < 1
    except PackageNotFoundError:
        return False


def _stacked(name: str, chains: Sequence[ArrayLike]) -> NDArray[Any]:
    """Draws of all chains, shape (chains, draws)."""
    arrays = [np.asarray(chain) for chain in chains]
    lengths = [len(array) for array in arrays]
    if not arrays or min(lengths) != max(lengths) or lengths[0] == 0:
        raise InputError(f"{name}: chains of {lengths} draws cannot be compared; give chains with as many draws each")
    return np.stack(arrays)


def _halves(chain: Floats) -> Floats:
    half = len(chain) // 2
    return np.stack([chain[:half], chain[len(chain) - half :]])


def _between(partitions: Sequence[Labels]) -> Floats:
    """Adjusted Rand index of each two partitions, shape (chains, chains)."""
    result = np.ones((len(partitions), len(partitions)))
    for a in range(len(partitions)):
        for b in range(a):
            table = contingency(partitions[a], partitions[b])
            result[a, b] = result[b, a] = block_ari(table, np.ones((1, 1)))
    return result


def _nested(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())
