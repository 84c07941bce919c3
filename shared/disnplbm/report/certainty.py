"""What the draws of a run say of its certainty, for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.notes import plural
from disnplbm.posterior.similarity_store import AxisSimilarity
from disnplbm.report.folder import Labels, RunFolder
from disnplbm.report.matrix import items
from disnplbm.report.pixels import LEVELS, base64_text, rounded
from disnplbm.report.similarity import cluster_shares, picture
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

Bar = dict[str, Any]
"""Posterior probability of one number of clusters: its label, its share, and whether the report shows that number."""


def estimate(run: Mapping[str, Any]) -> str:
    """What is shown of a run with draws, and of which."""
    posterior = run["posterior"]
    draws, chains, all_chains = int(posterior["draws"]), posterior["chains"], int(run["chains"])
    source = f"chain {chains[0]} of {all_chains:,}" if len(chains) < all_chains else plural(all_chains, "chain")
    return f"{_ESTIMATES[run['estimate']]}, from {plural(draws, 'draw')} of {source}"


def certainty(folder: RunFolder) -> dict[str, Any] | None:
    """What the draws say; None for a run that kept none."""
    run, similarities = folder.run, folder.similarities
    if similarities is None:
        return None
    posterior, diagnosis = run["posterior"], run["diagnosis"]
    alone, shown = len(posterior["chains"]) == 1, folder.heatmap.reordered
    return {
        "sentence": diagnosis["sentence"],
        "doubtful": badge(run["verdict"]) is not None,
        "shown": posterior["shown"],
        "numbers": {
            "rows": share_bars(posterior["row_clusters"], len(folder.rows.sizes)),
            "columns": share_bars(posterior["column_clusters"], int(run["column_clusters"])),
            "both": pair_bars(posterior["both"], f"{run['row_clusters']} x {run['column_clusters']}"),
        },
        "traces": diagnosis["traces"],
        "answers": [{**answer, "shown": bool(answer["reported"]) and alone} for answer in posterior["answers"]]
        if int(run["chains"]) > 1
        else [],
        "axes": [
            _axis(posterior, "row", folder.rows, similarities.rows, similarities.draws, shown.rows.labels),
            _axis(posterior, "column", folder.columns, similarities.columns, similarities.draws, shown.columns.labels),
        ],
    }


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
    bars = [
        {"label": label.replace(" x ", " × "), "share": shares[label], "reported": label == reported} for label in shown
    ]
    rest = sum(share for label, share in shares.items() if label not in shown)
    return [*bars, {"label": "others", "share": rest, "reported": False}] if rest else bars


def least_sure(axis: Labels) -> list[dict[str, Any]]:
    """The items placed with least confidence, least first; ties in the order of the file."""
    if axis.confidence is None:
        return []
    places = np.argsort(axis.confidence, kind="stable")[:LEAST_SURE].astype(np.int64)
    return [
        {"name": name, "label": int(axis.labels[place]), "confidence": float(axis.confidence[place])}
        for name, place in zip(axis.names(places), places, strict=True)
    ]


def _axis(
    posterior: Mapping[str, Any],
    axis: str,
    labels: Labels,
    similarity: AxisSimilarity,
    draws: int,
    shown: NDArray[np.int64] | None,
) -> dict[str, Any]:
    second, drawn = posterior["runner_up"][f"{axis}s"], picture(similarity, draws, labels.labels, shown)
    return {
        "axis": axis,
        "mean_confidence": posterior["mean_confidence"][f"{axis}s"],
        "least_sure": least_sure(labels),
        "runner_up": None if second is None else _runner_up(axis, second),
        "clusters": cluster_shares(similarity),
        "total": len(similarity.clusters),
        "picture": None
        if drawn is None
        else {
            "items": items(drawn.bands, labels, clustered=True),
            "image": {
                "levels": base64_text(drawn.levels),
                "values": rounded(np.linspace(0.0, 1.0, LEVELS)),
            },
        },
    }


def _runner_up(axis: str, second: Mapping[str, Any]) -> str:
    clusters = int(second["clusters"])
    return (
        f"The draws hold a second answer for the {axis}s: {_percent(second['share'])} of them are nearer to a "
        f"partition into {plural(clusters, 'cluster')}, which places "
        f"{_percent(second['moved'])} of the {axis}s differently. It is the column runner_up of {axis}s.csv."
    )


def _percent(share: float) -> str:
    return f"{share:.1%}"
