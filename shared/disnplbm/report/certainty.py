"""What the draws of a run say of its certainty, as the report shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from disnplbm.posterior.similarity_store import AxisSimilarity
from disnplbm.report.folder import Labels, RunFolder
from disnplbm.report.numbers import count, fixed
from disnplbm.report.similarity import ClusterTable, cluster_table
from disnplbm.report.wording import badge

MAX_BARS = 12
"""Numbers of clusters with a bar of their own; the rarer ones are summed."""
MAX_PAIRS = 8
"""Likewise of pairs of them."""
LEAST_SURE = 10

_ESTIMATES = {
    "consensus": "Consensus partition",
    "map": "Draw of the highest posterior density (MAP)",
    "last": "Last state of the sampler",
}
_TRACES = {
    "log_joint": "Log joint",
    "row_clusters": "Row clusters K",
    "column_clusters": "Column clusters L",
    "alpha": "Concentration alpha",
    "beta": "Concentration beta",
}


@dataclass(frozen=True)
class Bar:
    """Posterior probability of one number of clusters; `width` in [0, 1] relative to the likeliest."""

    label: str
    share: str
    width: float
    reported: bool


@dataclass(frozen=True)
class Unsure:
    """One row or column with its cluster and the confidence that it belongs there."""

    name: str
    label: int
    confidence: str
    width: float


@dataclass(frozen=True)
class AxisCertainty:
    """Certainty of one axis: "row" or "column"."""

    axis: str
    bars: list[Bar]
    mean_confidence: str
    least_sure: list[Unsure]
    runner_up: str | None
    together: ClusterTable
    pictured: bool


@dataclass(frozen=True)
class Convergence:
    """One line of the table of R-hat and effective sample sizes."""

    name: str
    r_hat: str
    ess_bulk: str
    ess_tail: str
    agree: bool | None


@dataclass(frozen=True)
class ChainAnswer:
    """One line of the table of what each chain found."""

    chain: str
    clusters: str
    log_joint: str
    row_ari: str
    column_ari: str
    shown: bool


@dataclass(frozen=True)
class Certainty:
    """Everything that the section shows; `shown` says which draws it comes from, where that is not all of them."""

    estimate: str
    axes: list[AxisCertainty]
    pairs: list[Bar]
    sentence: str
    doubtful: bool
    shown: str
    answers: list[ChainAnswer]
    traces: list[Convergence]


def certainty(folder: RunFolder) -> Certainty | None:
    """What the draws say; None for a run that kept none."""
    run = folder.run
    if folder.similarities is None:
        return None
    posterior, diagnosis = run["posterior"], run["diagnosis"]
    axes = [
        _axis(posterior, "row", folder.rows, folder.similarities.rows),
        _axis(posterior, "column", folder.columns, folder.similarities.columns),
    ]
    draws, chains, all_chains = int(posterior["draws"]), posterior["chains"], int(run["chains"])
    if len(chains) < all_chains:
        source = f"chain {chains[0]} of {count(all_chains)}"
    else:
        source = f"{count(all_chains)} {'chain' if all_chains == 1 else 'chains'}"
    estimate = f"{_ESTIMATES[run['estimate']]}, from {count(draws)} {'draw' if draws == 1 else 'draws'} of {source}"
    return Certainty(
        estimate,
        axes,
        pair_bars(posterior["both"], f"{run['row_clusters']} x {run['column_clusters']}"),
        diagnosis["sentence"],
        badge(run["verdict"]) is not None,
        posterior["shown"],
        [_answer(answer, alone=len(chains) == 1) for answer in posterior["answers"]] if all_chains > 1 else [],
        [_trace(trace) for trace in diagnosis["traces"]],
    )


def share_bars(shares: Mapping[str, float], reported: int) -> list[Bar]:
    """Bars in the order of the number of clusters; beyond MAX_BARS the least likely are summed in a last one.

    Parameters
    ----------
    shares : mapping of str to float
        Share of the draws with each number of clusters.
    reported : int
        Number of clusters of the estimate, marked.
    """
    likeliest = sorted(shares, key=lambda label: (-shares[label], int(label)))
    return _bars(shares, sorted(likeliest[:MAX_BARS], key=int), str(reported))


def pair_bars(shares: Mapping[str, float], reported: str) -> list[Bar]:
    """Bars of the pairs "K x L", the likeliest first; beyond MAX_PAIRS they are summed in a last one."""
    return _bars(shares, sorted(shares, key=lambda pair: -shares[pair])[:MAX_PAIRS], reported)


def _bars(shares: Mapping[str, float], shown: list[str], reported: str) -> list[Bar]:
    largest = max(shares.values())
    bars = [
        Bar(label.replace(" x ", " × "), _percent(shares[label]), shares[label] / largest, label == reported)
        for label in shown
    ]
    rest = sum(share for label, share in shares.items() if label not in shown)
    return [*bars, Bar("others", _percent(rest), min(1.0, rest / largest), reported=False)] if rest else bars


def least_sure(axis: Labels) -> list[Unsure]:
    """The items placed with least confidence, least first; ties in the order of the file."""
    if axis.confidence is None:
        return []
    items = np.argsort(axis.confidence, kind="stable")[:LEAST_SURE].astype(np.int64)
    return [
        Unsure(name, int(axis.labels[item]), fixed(float(axis.confidence[item]), 2), float(axis.confidence[item]))
        for name, item in zip(axis.names(items), items, strict=True)
    ]


def _axis(posterior: Mapping[str, Any], axis: str, labels: Labels, similarity: AxisSimilarity) -> AxisCertainty:
    second = posterior["runner_up"][f"{axis}s"]
    return AxisCertainty(
        axis,
        share_bars(posterior[f"{axis}_clusters"], len(labels.sizes)),
        fixed(float(posterior["mean_confidence"][f"{axis}s"]), 2),
        least_sure(labels),
        None if second is None else _runner_up(axis, second),
        cluster_table(similarity),
        similarity.items is not None,
    )


def _answer(answer: Mapping[str, Any], *, alone: bool) -> ChainAnswer:
    return ChainAnswer(
        str(answer["chain"]),
        f"{count(answer['row_clusters'])} × {count(answer['column_clusters'])}",
        fixed(float(answer["mean_log_joint"]), 1),
        fixed(float(answer["row_ari"]), 2),
        fixed(float(answer["column_ari"]), 2),
        bool(answer["reported"]) and alone,
    )


def _runner_up(axis: str, second: Mapping[str, Any]) -> str:
    clusters = int(second["clusters"])
    return (
        f"The draws hold a second answer for the {axis}s: {_percent(second['share'])} of them are nearer to a "
        f"partition into {count(clusters)} {'cluster' if clusters == 1 else 'clusters'}, which places "
        f"{_percent(second['moved'])} of the {axis}s differently: runner_up in {axis}s.csv."
    )


def _trace(trace: Mapping[str, Any]) -> Convergence:
    return Convergence(
        _TRACES.get(trace["name"], trace["name"]),
        _defined(trace["r_hat"], 3),
        _defined(trace["ess_bulk"], 0),
        _defined(trace["ess_tail"], 0),
        trace["agree"],
    )


def _defined(value: float | None, decimals: int) -> str:
    return "not defined" if value is None else fixed(float(value), decimals)


def _percent(share: float) -> str:
    return f"{share:.1%}"
