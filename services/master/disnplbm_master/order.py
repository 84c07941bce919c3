"""In which order an iteration's shards are published, so that workers get those they have in their caches."""

from __future__ import annotations

from collections.abc import Hashable, Iterable


def kept_order(taken: Iterable[tuple[Hashable, int]]) -> list[int]:
    """Order shards so that each worker is likely to be given those that it swept last.

    The broker gives the next message to the worker that has waited longest. At the start of an iteration that is the
    worker whose last result came first; so the shards go out in rounds, one of each worker a round. A worker's shards
    go out in reverse: of more than its cache holds, those swept last are still there.

    Parameters
    ----------
    taken : iterable of (worker, shard)
        Who swept what in the last iteration, in the order in which the results came.

    Returns
    -------
    list of int
        The same shards.
    """
    by_worker: dict[Hashable, list[int]] = {}
    for worker, shard in taken:
        shards = by_worker.pop(worker, [])
        shards.append(shard)
        # Taken out and put in again: in the end, workers are in the order of their last results.
        by_worker[worker] = shards
    rounds = max(map(len, by_worker.values()), default=0)
    return [shards[-1 - turn] for turn in range(rounds) for shards in by_worker.values() if turn < len(shards)]
