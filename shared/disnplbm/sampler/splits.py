r"""Splits and merges of whole clusters, exact for any number of shards.

A try has two anchors, items i and j of one shard. i is drawn uniformly from the shard's items; then a coin decides for
a split, with j drawn from the shard's other items of i's cluster, or for a merge, with j drawn from its items of other
clusters. Let C be the cluster to split, or the union of the two to merge. In a split the other items of C are put on a
side one by one, independently, by a rule that depends on C, i and j alone:

- *guided*: with the log odds of :mod:`disnplbm.sampler.launch`; q = product of the probabilities of their sides;
- *by chance*: with probability v, v ~ U(0, 1), integrated over v:  q = Gamma(n_1) Gamma(n_2) / Gamma(n_C).

With n^e the items of the shard, n^e_C and n^e_1 those in C and on i's side, the acceptance ratios are

    log A_split = log p(z split) - log p(z) + sum_l [ LM_1 + LM_2 - LM_C ] - log q + log(n^e_C - 1) - log(n^e - n^e_1)
    log A_merge = - log A_split, with q evaluated at the present split.

docs/split-merge.md derives them, and shows why several tries at once, on clusters that are all different, are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.blocks import Hyper, bare_items
from disnplbm.kernels.choice import accept, log_gammas, logs
from disnplbm.kernels.gaussian import draw_sides, features_of
from disnplbm.kernels.marginal import log_marginals
from disnplbm.kernels.statistics import aggregate
from disnplbm.kernels.urn import Urn, log_split
from disnplbm.model.statistics import Floats, Labels, Statistics, merge
from disnplbm.sampler.join import Joined
from disnplbm.sampler.keys import Role, stream
from disnplbm.sampler.launch import launch
from disnplbm.sampler.naming import located, noun_of
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.schedule import ROUND
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.state import Broadcast, Tries

#: Rows that a launch looks at; taken at even distances if there are more in C.
LAUNCH_ROWS = 500

#: Splits and merges of row clusters that an iteration tries, in all shards. No cluster takes part in two, so that where
#: there are few clusters most tries come to nothing, and cost nothing.
ROW_TRIES = 40

#: In place of a second cluster: a try that splits the first, and one that found no partner and does nothing.
SPLIT, NOTHING = -1, -2


def launched(shard: Shard, labels: Labels, broadcast: Broadcast, parameters: Parameters, hyper: Hyper) -> Tries:
    """Tries for the next iteration whose anchors lie in this shard; clusters are named as the shard does.

    Parameters
    ----------
    shard : Shard
    labels : ndarray of int32, shape (n,)
        The rows' clusters in the shard's own numbering.
    broadcast : Broadcast
    parameters : Parameters
    hyper : Hyper
    """
    turn = (shard.index - broadcast.iteration // ROUND * ROW_TRIES) % parameters.n_shards
    quota = (ROW_TRIES - 1 - turn) // parameters.n_shards + 1 if turn < ROW_TRIES else 0
    if shard.n_rows < 2 or quota == 0:
        return Tries.none()
    generator = stream(parameters.seed, parameters.chain, broadcast.iteration, Role.LAUNCHES, shard.index)

    locate = shard.indices_from(0)

    def contrast(i: int, j: int, members: NDArray[np.intp], offset: float) -> Floats:
        if len(members) > LAUNCH_ROWS:
            steps = (np.arange(LAUNCH_ROWS) + offset) * (len(members) / LAUNCH_ROWS)
            members = members[steps.astype(np.intp)]
        members = np.append(members[(members != i) & (members != j)], [i, j])
        rows = shard.cells_of(members, broadcast.column_labels, broadcast.blocks.shape[1])
        with located(lambda r: locate(int(members[r])), noun_of(parameters)):
            return launch(rows, len(members) - 2, len(members) - 1, hyper)

    width = features_of(broadcast.blocks) + 1
    kept: list[tuple[int, int, int, int, bool, Floats]] = []
    for _ in range(quota):
        i, choice = _chosen(labels, generator)
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


def gathered(joined: Joined) -> Tries:
    """Tries of all shards on global clusters, in shard order, each on clusters that no earlier one has met.

    A try meets i's cluster whatever comes of it, and j's if it is kept. So whether later tries are kept depends on the
    partition within the clusters met, and not on what the tries that are kept may change.
    """
    met: set[int] = set()
    kept: list[Tries] = []
    for tries, names in zip(joined.tries, joined.maps, strict=True):
        for t in range(len(tries.a)):
            a = int(names[tries.a[t]])
            b = int(names[tries.b[t]]) if tries.b[t] >= 0 else int(tries.b[t])
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


def propose_rows(shard: Shard, labels: Labels, broadcast: Broadcast, parameters: Parameters, hyper: Hyper) -> Labelled:
    """Sides of a shard's rows in the broadcast's tries.

    Rows in try t go, as far as the statistics are concerned, to cluster K + 2 t + side; whatever is decided is said
    by the map to global clusters.

    Parameters
    ----------
    shard : Shard
    labels : ndarray of int32, shape (n,)
        Global clusters of the rows.
    broadcast : Broadcast
    parameters : Parameters
    hyper : Hyper
    """
    tries, k = broadcast.tries, len(broadcast.sizes)
    number = len(tries.a)
    names = np.arange(k + 2 * number, dtype=np.int32)
    if number == 0:
        return Labelled(labels, names)
    try_of, present = _roles(tries, k)
    chances, _ = _coins(parameters, broadcast.iteration, number)
    uniforms = stream(parameters.seed, parameters.chain, broadcast.iteration, Role.SIDES, shard.index).random(
        shard.n_rows
    )
    sides = np.full(shard.n_rows, -1, dtype=np.int32)
    mine = tries.shard == shard.index
    sides[tries.anchors[mine, 0]], sides[tries.anchors[mine, 1]] = 0, 1
    against = np.zeros((number, 2))
    for rows, items in shard.items(broadcast.column_labels, broadcast.blocks.shape[1], hyper):
        here = sides[rows]
        sides_of = (tries.contrasts, tries.guided, try_of, present, uniforms[rows], chances, labels[rows])
        with located(shard.indices_from(rows.start), noun_of(parameters)):
            draw_sides(items, *sides_of, here, against)
        sides[rows] = here
    of_row = try_of[labels]
    halves = np.where(of_row >= 0, k + 2 * of_row + sides, labels).astype(np.int32)
    for t in np.flatnonzero(mine):
        on_first, on_second = (int(np.count_nonzero(halves == k + 2 * t + side)) for side in (0, 1))
        against[t, 0] += _selection(on_first, on_second, shard.n_rows)
    return Labelled(halves, names, np.append(np.zeros(k), against.reshape(-1)))


def decide_rows(joined: Joined, broadcast: Broadcast, parameters: Parameters, urn: Urn, hyper: Hyper) -> Joined:
    """Accept or refuse the broadcast's tries.

    Parameters
    ----------
    joined : Joined
        Of what :func:`propose_rows` gave for all shards.
    broadcast : Broadcast
    parameters : Parameters
    urn : Urn
    hyper : Hyper
    """
    tries, k = broadcast.tries, len(broadcast.sizes)
    number = len(tries.a)
    if number == 0:
        return joined
    into = np.arange(len(joined.sizes), dtype=np.int32)
    halves = joined.blocks[k:]
    _, uniforms = _coins(parameters, broadcast.iteration, number)
    occupied = k
    for t in range(number):
        first, second = k + 2 * t, k + 2 * t + 1
        is_split = tries.b[t] < 0
        log_ratio = _log_ratio_of_split(
            halves[2 * t : 2 * t + 2],
            joined.sizes[[first, second]],
            occupied - (not is_split),
            float(joined.overlap[first] + joined.overlap[second]),
            urn,
            hyper,
            guided=bool(tries.guided[t]),
        )
        with located(int(tries.a[t]), f"{noun_of(parameters)} cluster"):
            accepted = accept(log_ratio if is_split else -log_ratio, float(uniforms[t]))
        apart = accepted if is_split else not accepted
        into[first] = tries.a[t]
        into[second] = (second if is_split else tries.b[t]) if apart else tries.a[t]
        occupied += (1 if is_split else -1) * accepted
    return joined.merged(into)


def split_columns(
    columns: Statistics, labels: Labels, urn: Urn, hyper: Hyper, generator: np.random.Generator, tries: int
) -> Labels:
    """Guided and chance splits and merges of column clusters, one after another.

    Parameters
    ----------
    columns : Statistics of shape (p, K)
        Of every column in every row cluster.
    labels : ndarray of int32, shape (p,)
        0..L-1 without holes.
    urn : Urn
        Of the columns.
    hyper : Hyper
    generator : numpy.random.Generator
    tries : int

    Returns
    -------
    ndarray of int32, shape (p,)
        Labels 0..max, of which some may be without members.
    """
    labels = labels.copy()
    for _ in range(tries):
        (i, choice), uniform, chance = _chosen(labels, generator), generator.random(), generator.random(1)
        if choice is None:
            continue
        j, guided, _ = choice
        a, b = labels[i], labels[j]
        members = np.flatnonzero((labels == a) | (labels == b))
        items = columns[members]
        ends = np.searchsorted(members, [i, j])
        rule = np.zeros(features_of(items) + 1)
        if guided:
            with located(members):
                rule = launch(items, int(ends[0]), int(ends[1]), hyper)
        sides = np.full(len(members), -1, dtype=np.int32)
        sides[ends] = 0, 1
        is_split = a == b
        # Within C: cluster 0 is i's, cluster 1 is j's where there are two.
        local = (labels[members] != a).astype(np.int32)
        present = np.array([-1, -1] if is_split else [0, 1], dtype=np.int32)
        against = np.zeros((1, 2))
        with located(members):
            draw_sides(
                bare_items(items, alike=False),
                rule[None],
                np.array([guided]),
                np.zeros(2, dtype=np.int32),
                present,
                generator.random(len(members)),
                chance,
                local,
                sides,
                against,
            )
        sizes = np.bincount(sides, minlength=2)
        occupied = len(np.unique(labels))
        log_ratio = _log_ratio_of_split(
            aggregate(items, sides, 2, axis=0),
            sizes,
            occupied - (not is_split),
            float(against.sum()) + _selection(int(sizes[0]), int(sizes[1]), len(labels)),
            urn,
            hyper,
            guided=guided,
        )
        with located(i):
            accepted = accept(log_ratio if is_split else -log_ratio, uniform)
        if accepted:
            labels[members[sides == 1]] = labels.max() + 1 if is_split else a
    return labels


def _chosen(labels: Labels, generator: np.random.Generator) -> tuple[int, tuple[int, bool, float] | None]:
    """Anchor i, and j, whether the data guide the sides, and a uniform to spare; None where there is no j."""
    pick, split, place, guided, offset = generator.random(5)
    i = int(pick * len(labels))
    alike = labels == labels[i]
    candidates = np.flatnonzero(alike if split < 0.5 else ~alike)
    candidates = candidates[candidates != i]
    if len(candidates) == 0:
        return i, None
    return i, (int(candidates[int(place * len(candidates))]), bool(guided < 0.5), float(offset))


def _selection(on_first: int, on_second: int, everyone: int) -> float:
    """Log ratio of the chances to choose j: in the merge of the two sides against in the split of their union."""
    of_union, of_others = logs([on_first + on_second - 1, everyone - on_first])
    return float(of_union - of_others)


def _log_ratio_of_split(
    halves: Statistics, sizes: NDArray[np.int64], occupied: int, against: float, urn: Urn, hyper: Hyper, *, guided: bool
) -> float:
    """log A_split of two sides.

    Parameters
    ----------
    halves : Statistics of shape (2, G)
    sizes : ndarray of int, shape (2,)
    occupied : int
        Clusters there are with the two sides in one.
    against : float
        -log q of the guided sides, and the log ratio of the anchors' choice.
    urn, hyper
    guided : bool
    """
    apart = float(log_marginals(halves, hyper).sum())
    together = float(log_marginals(merge(halves[0], halves[1]), hyper).sum())
    first, second = float(sizes[0]), float(sizes[1])
    log_ratio = log_split(first, second, occupied, urn) + apart - together + against
    if not guided:
        of_first, of_second, of_both = log_gammas([first, second, first + second])
        log_ratio -= float(of_first + of_second - of_both)
    return log_ratio


def _roles(tries: Tries, k: int) -> tuple[Labels, Labels]:
    """The try that each cluster takes part in, or -1, and the side it stands for in a merge, or -1."""
    try_of, present = np.full(k, -1, dtype=np.int32), np.full(k, -1, dtype=np.int32)
    for t, (a, b) in enumerate(zip(tries.a, tries.b, strict=True)):
        try_of[a] = t
        if b >= 0:
            try_of[b], present[a], present[b] = t, 0, 1
    return try_of, present


def _coins(parameters: Parameters, iteration: int, number: int) -> tuple[Floats, Floats]:
    """For each try the chance of side 0 where chance decides, and the uniform that accepts or refuses."""
    chances, uniforms = stream(parameters.seed, parameters.chain, iteration, Role.DECISIONS).random((2, number))
    return chances, uniforms
