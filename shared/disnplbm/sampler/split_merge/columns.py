"""Guided and chance splits and merges of column clusters, which the master makes by itself."""

from __future__ import annotations

import numpy as np

from disnplbm.families.base import Family, Proposals, Statistics
from disnplbm.kernels.choice import accept
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.naming import locate_errors
from disnplbm.sampler.split_merge.acceptance import Coins, choose_anchors, log_ratio_of_split, log_selection


def split_columns(
    columns: Statistics,
    labels: Labels,
    partition_prior: PartitionPrior,
    family: Family,
    generator: np.random.Generator,
    tries: int,
    coins: Coins,
) -> Labels:
    """Guided and chance splits and merges of column clusters, one after another.

    Parameters
    ----------
    columns : Statistics of shape (p, K)
        Of every column in every row cluster.
    labels : ndarray of int32, shape (p,)
        0..L-1 without holes.
    partition_prior : PartitionPrior
        Of the columns.

    Returns
    -------
    ndarray of int32, shape (p,)
        Labels 0..max, of which some may be without members.
    """
    labels = labels.copy()
    for _ in range(tries):
        (i, choice), uniform, chance = choose_anchors(labels, coins, generator), generator.random(), generator.random(1)
        if choice is None:
            continue
        j, guided, _ = choice
        a, b = labels[i], labels[j]
        members = np.flatnonzero((labels == a) | (labels == b))
        items = columns[members]
        ends = np.searchsorted(members, [i, j])
        rule = np.zeros(family.n_features(items) + 1)
        if guided:
            with locate_errors(members):
                rule = family.launch(items, int(ends[0]), int(ends[1]))
        sides = np.full(len(members), -1, dtype=np.int32)
        sides[ends] = 0, 1
        is_split = a == b
        # Within C: cluster 0 is i's, cluster 1 is j's where there are two.
        local = (labels[members] != a).astype(np.int32)
        present = np.array([-1, -1] if is_split else [0, 1], dtype=np.int32)
        minus_log_q = np.zeros((1, 2))
        proposals = Proposals(rule[None], np.array([guided]), np.zeros(2, dtype=np.int32), present, chance)
        uniforms = generator.random(len(members))
        with locate_errors(members):
            family.draw_sides(family.bare_items(items), proposals, uniforms, local, sides, minus_log_q)
        sizes = np.bincount(sides, minlength=2)
        occupied = len(np.unique(labels))
        log_ratio = log_ratio_of_split(
            ClusterBlocks([family], [family.aggregate(items, sides, 2, axis=0)]),
            sizes,
            occupied - (not is_split),
            float(minus_log_q.sum()) + log_selection(int(sizes[0]), int(sizes[1]), len(labels), coins),
            partition_prior,
            guided=guided,
        )
        with locate_errors(i):
            accepted = accept(log_ratio if is_split else -log_ratio, uniform)
        if accepted:
            labels[members[sides == 1]] = labels.max() + 1 if is_split else a
    return labels
