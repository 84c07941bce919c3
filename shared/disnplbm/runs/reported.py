"""What a run reports in a few values; by itself, since `fit` needs it and no database."""

from __future__ import annotations

from typing import Any, NamedTuple


class Reported(NamedTuple):
    """What a run that succeeded reports of its estimate: the consensus, the best draw or the last iteration."""

    row_clusters: int
    column_clusters: int
    log_joint: float
    verdict: dict[str, Any]
    """Whether its chains agree: :meth:`disnplbm.posterior.verdict.Verdict.to_dict`."""
