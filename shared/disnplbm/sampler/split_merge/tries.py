"""Splits and merges of row clusters that shards launch for the next iteration, and the master gathers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Family
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.received import outside
from disnplbm.sampler.shard import Shard, ShardStatistics
from disnplbm.sampler.split_merge.acceptance import choose_anchors
from disnplbm.sampler.split_merge.schedule import ROUND, coins_of
from disnplbm.sampler.state import Broadcast

#: Rows that a launch looks at; taken at even distances if there are more in C.
LAUNCH_ROWS = 500

#: Splits and merges of row clusters that an iteration tries, in all shards. No cluster takes part in two, so that where
#: there are few clusters most tries come to nothing, and cost nothing.
ROW_TRIES = 40

#: In place of a second cluster: a try that splits the first, and one that found no partner and does nothing.
SPLIT, NOTHING = -1, -2


class Tries(NamedTuple):
    """Splits and merges of row clusters that an iteration proposes, T of them, on clusters that are all different.

    A try proposes to split cluster a, or to merge a and b, which a split could have made; see
    :mod:`disnplbm.sampler.split_merge.acceptance`.
    """

    a: Labels  # (T,) the cluster of anchor i: the one to split, or the first to merge
    b: Labels  # (T,) the cluster of anchor j, the second to merge; or SPLIT, or NOTHING
    shard: Labels  # (T,) the shard that holds both anchors
    anchors: NDArray[np.int64]  # (T, 2) positions of i and j in that shard
    guided: NDArray[np.bool_]  # (T,) whether the data guide the sides of the split, or chance does
    contrasts: Floats  # (T, F + 1) guided: log odds of side 0, a constant and one coefficient a feature

    @classmethod
    def none(cls) -> Tries:
        """No tries."""
        no_labels = np.zeros(0, dtype=np.int32)
        return cls(
            no_labels,
            no_labels,
            no_labels,
            np.zeros((0, 2), dtype=np.int64),
            np.zeros(0, dtype=np.bool_),
            np.zeros((0, 0)),
        )


def launch_tries(shard: Shard, labels: Labels, broadcast: Broadcast, parameters: Parameters) -> Tries:
    """Launch tries for the next iteration whose anchors lie in this shard; clusters have the ids of the shard.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        The rows' clusters in the shard's own numbering.
    """
    turn = (shard.index - broadcast.iteration // ROUND * ROW_TRIES) % parameters.n_shards
    quota = (ROW_TRIES - 1 - turn) // parameters.n_shards + 1 if turn < ROW_TRIES else 0
    if shard.n_rows < 2 or quota == 0:
        return Tries.none()
    generator = random_generator(parameters.seed, parameters.chain, broadcast.iteration, Role.LAUNCHES, shard.index)

    locate, coins = shard.indices_from(0), coins_of(parameters, broadcast.iteration, draws=broadcast.prefers_draws)

    def contrast(i: int, j: int, members: NDArray[np.intp], offset: float) -> Floats:
        if len(members) > LAUNCH_ROWS:
            steps = (np.arange(LAUNCH_ROWS) + offset) * (len(members) / LAUNCH_ROWS)
            members = members[steps.astype(np.intp)]
        members = np.append(members[(members != i) & (members != j)], [i, j])
        first, second = len(members) - 2, len(members) - 1
        rules = []
        for here, part in zip(shard.parts, broadcast.parts, strict=True):
            rows = here.cells.by_group(members, part.column_labels, part.n_column_clusters)
            with locate_errors(lambda r: locate(int(members[r])), noun_of(parameters)):
                rules.append(part.family.launch(rows, first, second))
        # The log odds of the parts add up, and so do their constants.
        return np.concatenate([*(rule[:-1] for rule in rules), sum(rule[-1:] for rule in rules)])

    width = sum(broadcast.blocks.n_features()) + 1
    kept: list[tuple[int, int, int, int, bool, Floats]] = []
    for _ in range(quota):
        i, choice = choose_anchors(labels, coins, generator)
        a, met = int(labels[i]), {entry[0] for entry in kept}
        if a in met:
            continue
        j, guided, offset = choice or (i, False, 0.0)
        b = int(labels[j])
        if choice is None or (b in met and b != a):
            kept.append((a, NOTHING, i, j, False, np.zeros(width)))
            continue
        members = np.flatnonzero((labels == a) | (labels == b))
        rule = contrast(i, j, members, offset) if guided else np.zeros(width)
        kept.append((a, b if b != a else SPLIT, i, j, guided, rule))
    if not kept:
        return Tries.none()
    a_, b_, i_, j_, guided_, rules = zip(*kept, strict=True)
    return Tries(
        np.array(a_, dtype=np.int32),
        np.array(b_, dtype=np.int32),
        np.full(len(kept), shard.index, dtype=np.int32),
        np.array([i_, j_], dtype=np.int64).T.copy(),
        np.array(guided_),
        np.array(rules),
    )


def gather_tries(joined: Joined) -> Tries:
    """Gather the tries of all shards on global clusters, in shard order, each on clusters that no earlier one has met.

    A try meets i's cluster whatever comes of it, and j's if it is kept. So whether later tries are kept depends on the
    partition within the clusters met, and not on what the tries that are kept may change.
    """
    met: set[int] = set()
    kept: list[Tries] = []
    for record, to_global in zip(joined.records, joined.to_global, strict=True):
        if not record:
            continue
        tries = Tries(*record)
        for t in range(len(tries.a)):
            a = int(to_global[tries.a[t]])
            b = int(to_global[tries.b[t]]) if tries.b[t] >= 0 else int(tries.b[t])
            if a in met:
                continue
            met.add(a)
            if b == NOTHING or b in met:
                continue
            if b != SPLIT:
                met.add(b)
            fields: Any = [field[t : t + 1] for field in tries]
            kept.append(Tries(*fields)._replace(a=np.array([a], dtype=np.int32), b=np.array([b], dtype=np.int32)))
    if not kept:
        return Tries.none()
    joined_fields: Any = [np.concatenate(fields) for fields in zip(*kept, strict=True)]
    return Tries(*joined_fields)


def may_launch(found: ShardStatistics, n_rows: int, families: Sequence[Family]) -> bool:
    """Whether a shard's record has tries on its own clusters and its own rows, of which there are so many."""
    if not found.record:
        return True
    if len(found.record) != len(Tries._fields) or not all(isinstance(part, np.ndarray) for part in found.record):
        return False
    tries = Tries(*found.record)
    number, width = tries.a.size, sum(ClusterBlocks(families, found.parts).n_features()) + 1
    rules = (number, width) if number else (0, 0)
    forms = (*(("<i4", (number,)),) * 3, ("<i8", (number, 2)), ("|b1", (number,)), ("<f8", rules))
    if any((part.dtype.str, part.shape) != form for part, form in zip(found.record, forms, strict=True)):
        return False
    return not (
        outside(tries.a, 0, len(found.global_ids))
        or outside(tries.b, NOTHING, len(found.global_ids))
        or bool((tries.shard != found.shard).any())
        or outside(tries.anchors, 0, n_rows)
        or bool(np.isnan(tries.contrasts).any())
    )
