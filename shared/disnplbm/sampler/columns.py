"""The column step: new labels, pair moves and what the sampler adds to them, from global statistics alone."""

from __future__ import annotations

from disnplbm.families.base import Family, Statistics
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.partition import canonical_labels
from disnplbm.model.statistics import Labels
from disnplbm.sampler.base import Sampler
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.pair_moves import move_pairs
from disnplbm.sampler.parameters import PAIR_TRIES, Parameters


def column_step(
    cells: Statistics,
    column_labels: Labels,
    sampler: Sampler,
    parameters: Parameters,
    partition_prior: PartitionPrior,
    family: Family,
    iteration: int,
    *,
    complete: bool,
) -> Labels:
    """Draw every column's cluster anew, then try to merge and split column clusters.

    Parameters
    ----------
    cells : Statistics of shape (K, p)
        Of every column in every row cluster; each row cluster has members.
    column_labels : ndarray of int32, shape (p,)
    partition_prior : PartitionPrior
        Of the columns.
    complete : bool
        That no cell of the data is missing.

    Returns
    -------
    ndarray of int32, shape (p,)
        Labels in canonical order.
    """
    columns = cells.T
    with locate_errors(int, noun_of(parameters, items=False)):
        labels = sampler.label_columns(
            columns, column_labels, parameters, partition_prior, family, iteration, complete=complete
        )
        if parameters.pair_moves:
            labels = canonical_labels(labels)
            labels = move_pairs(
                labels,
                family.aggregate(columns, labels, int(labels.max()) + 1, axis=0),
                lambda side: family.aggregate(columns[side >= 0], side[side >= 0], 2, axis=0),
                family,
                partition_prior,
                random_generator(parameters.seed, parameters.chain, iteration, Role.COLUMN_PAIRS),
                PAIR_TRIES,
            )
        labels = sampler.split_columns(columns, labels, parameters, partition_prior, family, iteration)
    return canonical_labels(labels)
