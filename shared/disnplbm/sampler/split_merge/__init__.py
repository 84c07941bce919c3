"""Labels drawn given instantiated parameters, and splits and merges of whole clusters: exact for any number of shards.

:mod:`~disnplbm.sampler.split_merge.schedule` says what each iteration does. docs/split-merge.md has the derivations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disnplbm.families.base import Family, Statistics
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.sampler.base import Sampler
from disnplbm.sampler.collapsed.merges import SETTLING, merge_rows
from disnplbm.sampler.collapsed.sweeping import sweep_rows
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.parameters import PAIR_TRIES, Parameters
from disnplbm.sampler.shard import Labelled, Shard, ShardStatistics
from disnplbm.sampler.split_merge.columns import split_columns
from disnplbm.sampler.split_merge.measure import draw_columns, draw_rows, instantiate_measure, most_clusters
from disnplbm.sampler.split_merge.partners import partners_of
from disnplbm.sampler.split_merge.plan import Plan
from disnplbm.sampler.split_merge.refining import refine_rows
from disnplbm.sampler.split_merge.schedule import Step, coins_of, instantiates_columns, launches, moves_columns, step_of
from disnplbm.sampler.split_merge.splits import decide_rows, propose_rows
from disnplbm.sampler.split_merge.tries import gather_tries, launch_tries, may_launch
from disnplbm.sampler.state import Broadcast, Record


class SplitMerge(Sampler):
    """Rounds of a column step, a launch and a decision, after an approach by collapsed sweeps."""

    def moves_columns(self, parameters: Parameters, iteration: int) -> bool:
        """Columns move in every iteration but a launch and its decision."""
        return moves_columns(parameters, iteration)

    def sweeps_side_by_side(self, parameters: Parameters, iteration: int) -> bool:
        """Shards sweep side by side in the approach only."""
        return parameters.n_shards > 1 and step_of(parameters, iteration) is Step.SWEEP

    def label_rows(
        self,
        shard: Shard,
        labels: Labels,
        broadcast: Broadcast,
        parameters: Parameters,
        partition_prior: PartitionPrior,
    ) -> Labelled:
        """Propose, draw, refine or sweep, as the schedule says."""
        plan = Plan.of(broadcast)
        step = step_of(parameters, broadcast.iteration, draws=broadcast.prefers_draws)
        if step is Step.PROPOSE:
            return propose_rows(shard, labels, broadcast, plan.tries, parameters)
        if step is Step.DRAW:
            return draw_rows(shard, labels, broadcast, plan.measure, parameters, partition_prior)
        if step is Step.REFINE:
            return refine_rows(shard, labels, broadcast, parameters, partition_prior)
        return sweep_rows(shard, labels, broadcast, parameters, partition_prior, plan.partners)

    def launch(self, shard: Shard, labels: Labels, broadcast: Broadcast, parameters: Parameters) -> Record:
        """Splits and merges for the next iteration, where that proposes some."""
        if not launches(parameters, broadcast.iteration):
            return ()
        return launch_tries(shard, labels, broadcast, parameters)

    def count_ids(self, broadcast: Broadcast) -> int:
        """Each try has two more ids, for its sides."""
        return len(broadcast.sizes) + 2 * len(Plan.of(broadcast).tries.a)

    def most_ids(self, broadcast: Broadcast, parameters: Parameters) -> int:
        """A draw may instantiate new clusters."""
        measure = Plan.of(broadcast).measure
        if not len(measure.weights):
            return self.count_ids(broadcast)
        instantiated = most_clusters(measure, broadcast.alpha, parameters)
        return max(self.count_ids(broadcast), instantiated)

    def may_send(self, statistics: ShardStatistics, n_rows: int, families: Sequence[Family]) -> bool:
        """Tries are of the shard's own clusters and rows."""
        return may_launch(statistics, n_rows, families)

    def decide(
        self, joined: Joined, broadcast: Broadcast, parameters: Parameters, partition_prior: PartitionPrior
    ) -> Joined:
        """Accept or refuse the proposals; in the approach, merge pairs of row clusters."""
        plan, iteration = Plan.of(broadcast), broadcast.iteration
        if step_of(parameters, iteration) is Step.PROPOSE:
            return decide_rows(joined, broadcast, plan.tries, parameters, partition_prior)
        return merge_rows(joined, plan.partners, parameters, partition_prior, iteration)

    def label_columns(
        self,
        columns: Statistics,
        labels: Labels,
        parameters: Parameters,
        partition_prior: PartitionPrior,
        family: Family,
        iteration: int,
        part: int,
        *,
        complete: bool,
    ) -> Labels:
        """Draw all columns at once, if the family has it so; else sweep them."""
        given = (parameters, partition_prior, family, iteration, part)
        if family.prefers_draws and instantiates_columns(parameters):
            return draw_columns(columns, labels, *given, complete=complete)
        return super().label_columns(columns, labels, *given, complete=complete)

    def split_columns(
        self,
        columns: Statistics,
        labels: Labels,
        parameters: Parameters,
        partition_prior: PartitionPrior,
        family: Family,
        iteration: int,
        part: int,
    ) -> Labels:
        """Guided and chance splits and merges of column clusters."""
        generator = random_generator(parameters.seed, parameters.chain, iteration, Role.COLUMN_SPLITS, part=part)
        coins = coins_of(parameters, iteration, draws=family.prefers_draws)
        return split_columns(columns, labels, partition_prior, family, generator, PAIR_TRIES, coins)

    def record(self, joined: Joined, broadcast: Broadcast, parameters: Parameters) -> Plan:
        """The partners of an iteration that sweeps, the tries of one that proposes, the measure of one that draws."""
        plan, iteration = Plan.none(), broadcast.iteration
        step = step_of(parameters, iteration, draws=broadcast.prefers_draws)
        if step is Step.PROPOSE:
            return plan._replace(tries=gather_tries(joined))
        if step is Step.DRAW:
            of_rows = PartitionPrior.of(broadcast.alpha, parameters.row_limit)
            sizes = broadcast.sizes.astype(np.float64)
            return plan._replace(measure=instantiate_measure(sizes, broadcast.blocks, parameters, of_rows, iteration))
        if step is Step.SWEEP and parameters.pair_moves and iteration > SETTLING:
            return plan._replace(partners=partners_of(broadcast.blocks, parameters, iteration))
        return plan


SAMPLER = SplitMerge()
