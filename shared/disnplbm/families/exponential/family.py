"""What all families of sums have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Choices, FamilyOf, Proposals
from disnplbm.families.exponential import kernels, predictive
from disnplbm.families.exponential.kernels import Items, Slots, SumsCompanion, add_columns, add_rows, sums_companion
from disnplbm.families.exponential.predictive import Candidate, Judged
from disnplbm.families.exponential.sums import Sums
from disnplbm.kernels.choice import logs
from disnplbm.kernels.companions import Companions, no_companions
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Floats, Labels

#: Items of the whole cluster that each side of a guided split begins with, round by round: sides of one item would be
#: all too sure.
SHRINKAGE = (5.0, 1.0, 0.2)


class ExponentialFamily(FamilyOf[Sums, Items, Slots]):
    """A family of sums.

    Parameters
    ----------
    prior : NamedTuple
        As the family's own log marginal reads it, with its power.
    n_sums : int
        Sums S of a set.
    """

    prefers_draws = True

    def __init__(self, prior: Any, n_sums: int) -> None:
        self._prior = prior
        self.power = prior.power
        self._n_sums = n_sums

    @abstractmethod
    def draw_parameters(self, sums: Floats, generator: np.random.Generator) -> Floats:
        """Draw natural parameters from the posterior of sets, of sums of shape (..., S); the same shape."""

    @abstractmethod
    def mean_parameters(self, sums: Floats) -> Floats:
        """Natural parameters at the posterior mean of sets, of sums of shape (..., S); the same shape."""

    def judge(self, items: Sums, candidate: Candidate, places: Labels, judged: Judged) -> int:
        """Weigh new items against the clusters of a draw, and take the outcome into what the draws say of them.

        Parameters
        ----------
        items : Sums of shape (m, G)
        places : ndarray of int32, shape (m,)
            Which of the items judged each one is; no two alike.

        Returns
        -------
        int
            An item whose weights are no finite numbers, or -1.
        """
        return predictive.judge(items.values, candidate, self._prior, places, judged)

    def empty(self, shape: tuple[int, ...]) -> Sums:
        return Sums(np.zeros((*shape, self._n_sums)))

    def merge(self, a: Sums, b: Sums) -> Sums:
        return Sums(a.values + b.values)

    def aggregate(self, statistics: Sums, labels: Labels, n_clusters: int, axis: int, into: Sums | None = None) -> Sums:
        if axis == 1 and statistics.is_transposed:
            return self.aggregate(Sums(statistics.contiguous), labels, n_clusters, 1, into)
        if axis == 1:
            result = self.empty((statistics.shape[0], n_clusters)) if into is None else into
            add_columns(statistics.values, np.ascontiguousarray(labels, dtype=np.int32), result.values)
            return result
        if statistics.is_transposed:
            found = self.aggregate(statistics.T, labels, n_clusters, 1).T.contiguous
            if into is None:
                return Sums(found)
            into.values[...] += found
            return into
        result = self.empty((n_clusters, *statistics.shape[1:])) if into is None else into
        add_rows(_flat(statistics.values), np.ascontiguousarray(labels, dtype=np.int32), _flat(result.values))
        return result

    def log_marginals(self, sets: Sums) -> Floats:
        return kernels.log_marginals(sets.values, self._prior)

    def items(self, statistics: Sums, *, alike: bool) -> Items:  # noqa: ARG002 - sums tell what is missing
        return self.bare_items(statistics)

    def bare_items(self, statistics: Any) -> Items:
        values = statistics.contiguous
        return Items(Sums(values), _flat(values), np.empty(0))

    def add_items(self, items: Items, labels: Labels, blocks: Sums) -> None:
        self.aggregate(items.statistics, labels, blocks.shape[0], 0, blocks)

    def clusters(
        self,
        sizes: NDArray[np.int64],
        blocks: Sums,
        items: Items,  # noqa: ARG002 - sums need none
        partition_prior: PartitionPrior,  # noqa: ARG002
    ) -> Slots:
        return kernels.slots_of(sizes.astype(np.float64), blocks.values, self._prior)

    def sweep(
        self,
        labels: Labels,
        uniforms: Floats,
        items: Items,
        clusters: Slots,
        partition_prior: PartitionPrior,
        companions: Companions = no_companions,
    ) -> Slots:
        return kernels.sweep(labels, uniforms, items, clusters, self._prior, partition_prior, companions)

    def companion(self, items: Items, clusters: Slots, slots: int) -> tuple[SumsCompanion, Slots]:
        made = sums_companion(items, clusters, self._prior, slots)
        return made, made.slots

    def n_features(self, blocks: Sums) -> int:
        return blocks.shape[-1] * self._n_sums

    def draw_coefficients(self, blocks: Sums, generator: np.random.Generator) -> Floats:
        return _coefficients(self.draw_parameters(blocks.values, generator))

    def mean_coefficients(self, blocks: Sums) -> Floats:
        return _coefficients(self.mean_parameters(blocks.values))

    def draw_prior_coefficients(self, number: int, n_features: int, generator: np.random.Generator) -> Floats:
        return self.draw_coefficients(self.empty((number, n_features // self._n_sums)), generator)

    def draw_labels(
        self,
        items: Items,
        choices: Choices,
        uniforms: Floats,
        slices: Floats,
        labels: Labels,
        offsets: Floats | None = None,
    ) -> None:
        kernels.draw_labels(items, *choices, uniforms, slices, labels, offsets)

    def log_densities(self, items: Items, coefficients: Floats) -> Floats:
        return kernels.log_densities(items, coefficients)

    def likeliest(self, items: Items, choices: Choices) -> Labels:
        return kernels.likeliest(items, choices.coefficients, choices.log_weights)

    def launch(self, items: Sums, first: int, second: int) -> Floats:
        everyone, anchors = items.values.sum(axis=0) / items.shape[0], [first, second]
        features, sums, sizes = _flat(items.values), items.values[anchors], np.ones(2)
        for shrinkage in SHRINKAGE:
            of_sides = _coefficients(self.mean_parameters(sums + shrinkage * everyone))
            on_first, on_second = logs(sizes)
            contrast = np.append(of_sides[:, 0] - of_sides[:, 1], on_first - on_second)
            sides = kernels.likelier_sides(features, contrast)
            sides[anchors] = 0, 1
            sums, sizes = self.aggregate(items, sides, 2, 0).values, np.bincount(sides).astype(np.float64)
        return contrast

    def draw_sides(
        self,
        items: Items,
        proposals: Proposals,
        uniforms: Floats,
        labels: Labels,
        sides: Labels,
        minus_log_q: Floats,
        offsets: Floats | None = None,
    ) -> None:
        contrasts, *tries, chances = proposals
        drawn = (uniforms, chances, labels, sides, minus_log_q, offsets)
        kernels.draw_sides(items, np.asarray(contrasts), *tries, *drawn)


def _flat(values: Floats) -> Floats:
    """Values of shape (n, ...) as (n, m): of what is contiguous, a view."""
    return np.ascontiguousarray(values).reshape(len(values), math.prod(values.shape[1:]))


def _coefficients(parameters: Floats) -> Floats:
    """Natural parameters of clusters, shape (K, G, S), beside the features of items: shape (G S, K)."""
    return np.ascontiguousarray(_flat(parameters).T)
