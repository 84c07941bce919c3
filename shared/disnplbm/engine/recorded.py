"""Chains as the database has them, and as the samplers' end does."""

from __future__ import annotations

from collections.abc import Iterable

from disnplbm.runs.records import ChainRecord


def main_chains(chains: Iterable[ChainRecord]) -> list[ChainRecord]:
    """The chains of a run, in their order, without the short ones."""
    return sorted((chain for chain in chains if chain.short is None), key=lambda chain: chain.chain)


def shorts_of(chain: ChainRecord, chains: Iterable[ChainRecord]) -> list[ChainRecord]:
    """The short chains that a chain starts from the best of, in their order."""
    shorts = [other for other in chains if other.short is not None and other.chain == chain.chain]
    return sorted(shorts, key=lambda short: short.stream)
