"""Proposals of splits and merges of row clusters: shards put rows on sides, the master accepts or refuses."""

from __future__ import annotations

import numpy as np

from disnplbm.families.base import Proposals
from disnplbm.kernels.choice import accept
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.split_merge.acceptance import log_ratio_of_split, log_selection
from disnplbm.sampler.split_merge.schedule import coins_of
from disnplbm.sampler.split_merge.tries import Tries
from disnplbm.sampler.state import Broadcast
from disnplbm.sampler.weighing import draw_sides


def propose_rows(shard: Shard, labels: Labels, broadcast: Broadcast, tries: Tries, parameters: Parameters) -> Labelled:
    """Draw the sides of a shard's rows in an iteration's tries.

    Rows in try t go, as far as the statistics are concerned, to cluster K + 2 t + side; whatever is decided is said
    by the map to global clusters.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        Global clusters of the rows.
    """
    k = len(broadcast.sizes)
    number = len(tries.a)
    global_ids = np.arange(k + 2 * number, dtype=np.int32)
    if number == 0:
        return Labelled(labels, global_ids)
    try_of, present = _roles(tries, k)
    chances, _ = _draw_coins(parameters, broadcast.iteration, number)
    uniforms = random_generator(parameters.seed, parameters.chain, broadcast.iteration, Role.SIDES, shard.index).random(
        shard.n_rows
    )
    sides = np.full(shard.n_rows, -1, dtype=np.int32)
    mine = tries.shard == shard.index
    sides[tries.anchors[mine, 0]], sides[tries.anchors[mine, 1]] = 0, 1
    log_correction = np.zeros((number, 2))
    proposals = Proposals(tries.contrasts, tries.guided, try_of, present, chances)
    blocks = broadcast.blocks
    for rows, items in shard.items(broadcast.parts):
        here = sides[rows]
        with locate_errors(shard.indices_from(rows.start), noun_of(parameters)):
            draw_sides(blocks, items, proposals, uniforms[rows], labels[rows], here, log_correction)
        sides[rows] = here
    of_row = try_of[labels]
    coins = coins_of(parameters, broadcast.iteration - 1, draws=broadcast.prefers_draws)
    halves = np.where(of_row >= 0, k + 2 * of_row + sides, labels).astype(np.int32)
    for t in np.flatnonzero(mine):
        on_first, on_second = (int(np.count_nonzero(halves == k + 2 * t + side)) for side in (0, 1))
        log_correction[t, 0] += log_selection(on_first, on_second, shard.n_rows, coins)
    return Labelled(halves, global_ids, np.append(np.zeros(k), log_correction.reshape(-1)))


def decide_rows(
    joined: Joined,
    broadcast: Broadcast,
    tries: Tries,
    parameters: Parameters,
    partition_prior: PartitionPrior,
) -> Joined:
    """Accept or refuse an iteration's tries.

    Parameters
    ----------
    joined : Joined
        Of what :func:`propose_rows` gave for all shards.
    """
    k = len(broadcast.sizes)
    number = len(tries.a)
    if number == 0:
        return joined
    into = np.arange(len(joined.sizes), dtype=np.int32)
    halves = joined.blocks()[k:]
    _, uniforms = _draw_coins(parameters, broadcast.iteration, number)
    occupied = k
    for t in range(number):
        first, second = k + 2 * t, k + 2 * t + 1
        is_split = tries.b[t] < 0
        log_ratio = log_ratio_of_split(
            halves[2 * t : 2 * t + 2],
            joined.sizes[[first, second]],
            occupied - (not is_split),
            float(joined.overlap[first] + joined.overlap[second]),
            partition_prior,
            guided=bool(tries.guided[t]),
        )
        with locate_errors(int(tries.a[t]), f"{noun_of(parameters)} cluster"):
            accepted = accept(log_ratio if is_split else -log_ratio, float(uniforms[t]))
        apart = accepted if is_split else not accepted
        into[first] = tries.a[t]
        into[second] = (second if is_split else tries.b[t]) if apart else tries.a[t]
        occupied += (1 if is_split else -1) * accepted
    return joined.merged(into)


def _roles(tries: Tries, k: int) -> tuple[Labels, Labels]:
    """The try that each cluster takes part in, or -1, and the side it stands for in a merge, or -1."""
    try_of, present = np.full(k, -1, dtype=np.int32), np.full(k, -1, dtype=np.int32)
    for t, (a, b) in enumerate(zip(tries.a, tries.b, strict=True)):
        try_of[a] = t
        if b >= 0:
            try_of[b], present[a], present[b] = t, 0, 1
    return try_of, present


def _draw_coins(parameters: Parameters, iteration: int, number: int) -> tuple[Floats, Floats]:
    """For each try the chance of side 0 where chance decides, and the uniform that accepts or refuses."""
    chances, uniforms = random_generator(parameters.seed, parameters.chain, iteration, Role.DECISIONS).random(
        (2, number)
    )
    return chances, uniforms
