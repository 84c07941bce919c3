"""The column step: new labels, pair moves and what the sampler adds to them, from global statistics alone."""

from __future__ import annotations

from disnplbm.families.base import Statistics
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.partition import canonical_labels
from disnplbm.model.statistics import Labels
from disnplbm.sampler.base import Sampler
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.pair_moves import move_pairs
from disnplbm.sampler.parameters import PAIR_TRIES, Parameters
from disnplbm.sampler.part import Part


def column_step(
    cells: Statistics,
    part: Part,
    number: int,
    sampler: Sampler,
    parameters: Parameters,
    iteration: int,
    *,
    complete: bool,
) -> Labels:
    """Draw the cluster of each of a part's columns anew, then try to merge and split column clusters.

    Parameters
    ----------
    cells : Statistics of shape (K, p)
        Of every column in every row cluster; each row cluster has members.
    part : Part
        Before the step.
    number : int
        Its place among the parts.
    complete : bool
        That no cell of the part is missing.

    Returns
    -------
    ndarray of int32, shape (p,)
        Labels in canonical order.
    """
    columns, family, partition_prior = cells.T, part.family, PartitionPrior.of(part.beta, parameters.column_limit)
    with locate_errors(int, noun_of(parameters, items=False)):
        labels = sampler.label_columns(
            columns, part.column_labels, parameters, partition_prior, family, iteration, number, complete=complete
        )
        if parameters.pair_moves:
            labels = canonical_labels(labels)

            def blocks_of(of_columns: Statistics, clusters: Labels, number: int) -> ClusterBlocks:
                return ClusterBlocks([family], [family.aggregate(of_columns, clusters, number, axis=0)])

            labels = move_pairs(
                labels,
                blocks_of(columns, labels, int(labels.max()) + 1),
                lambda side: blocks_of(columns[side >= 0], side[side >= 0], 2),
                partition_prior,
                random_generator(parameters.seed, parameters.chain, iteration, Role.COLUMN_PAIRS, part=number),
                PAIR_TRIES,
            )
        labels = sampler.split_columns(columns, labels, parameters, partition_prior, family, iteration, number)
    return canonical_labels(labels)
