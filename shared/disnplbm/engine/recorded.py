"""Chains as the database has them, and as the samplers' end does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from disnplbm.posterior.trace import Trace
from disnplbm.runs.records import ChainRecord, IterationRecord


def trace_of(rows: Iterable[IterationRecord]) -> Trace:
    """The trace of a chain from its rows, in their order."""
    trace = Trace()
    for row in rows:
        trace.record(row.log_joint, row.row_clusters, row.column_clusters, row.seconds, row.alpha, row.beta)
    return trace


def last_row(stream: int, iteration: int, trace: Trace, shards: Iterable[dict[str, Any]]) -> IterationRecord:
    """The row of the last iteration in a trace.

    Parameters
    ----------
    stream, iteration : int
    trace : Trace
        Of the chain, or of this iteration alone.
    shards : iterable of dict
        What each shard took.
    """
    return IterationRecord(
        stream=stream,
        iteration=iteration,
        log_joint=trace.log_joint[-1],
        row_clusters=trace.row_clusters[-1],
        column_clusters=trace.column_clusters[-1],
        alpha=trace.alpha[-1],
        beta=trace.beta[-1],
        seconds=trace.seconds[-1],
        shards=tuple(shards),
    )


def main_chains(chains: Iterable[ChainRecord]) -> list[ChainRecord]:
    """The chains of a run, in their order, without the short ones."""
    return sorted((chain for chain in chains if chain.short is None), key=lambda chain: chain.chain)


def shorts_of(chain: ChainRecord, chains: Iterable[ChainRecord]) -> list[ChainRecord]:
    """The short chains that a chain starts from the best of, in their order."""
    shorts = [other for other in chains if other.short is not None and other.chain == chain.chain]
    return sorted(shorts, key=lambda short: short.stream)
