"""A family of one's own: waiting times x >= 0, exponential in each block, in plain NumPy.

A block's rate is theta ~ Gamma(A, rate B). A set of cells is known by its number and its sum, which add up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from disnplbm.families.base import Average, CellsOf, Choices, FamilyOf, Proposals, Rows
from disnplbm.families.exponential.sums import Sums
from disnplbm.kernels.choice import choose
from disnplbm.kernels.companions import Companions, no_companions
from disnplbm.kernels.partition_prior import PartitionPrior, log_opening
from disnplbm.model.statistics import Floats, Labels

A, B = 1.5, 0.7


def totals(values: Floats, labels: Labels, number: int) -> Floats:
    """Sums over the first axis by label; what has label -1 is left out."""
    result = np.zeros((number, *values.shape[1:]))
    np.add.at(result, labels[labels >= 0], values[labels >= 0])
    return result


class Times(CellsOf[Sums]):
    """Waiting times, shape (n, p), NaN where missing."""

    complete = False
    numbers = 2

    def __init__(self, values: Floats) -> None:
        self._cells = np.stack([~np.isnan(values), np.nan_to_num(values)], axis=-1)
        self.n_rows, self.n_columns = values.shape
        self.n_bytes = self._cells.nbytes

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Sums:
        return Sums(totals(np.swapaxes(self._cells[rows], 0, 1), column_labels, n_groups)).T

    def by_cluster(self, labels: Labels, n_clusters: int) -> Sums:
        return Sums(totals(self._cells, labels, n_clusters))


@dataclass(eq=False)
class Slots:
    """Clusters while items are swept."""

    size: Floats
    opened_in_sweep: NDArray[np.bool_]
    partner: NDArray[np.int32]
    overlap: Floats
    blocks: Floats


class WaitingTimes(FamilyOf[Sums, Sums, Slots]):
    """Exponential cells at a power of the likelihood."""

    def __init__(self, power: float = 1.0) -> None:
        self.power = power

    def tempered(self, power: float) -> WaitingTimes:
        return WaitingTimes(power)

    def empty(self, shape: tuple[int, ...]) -> Sums:
        return Sums(np.zeros((*shape, 2)))

    def merge(self, a: Sums, b: Sums) -> Sums:
        return Sums(a.values + b.values)

    def aggregate(self, statistics: Sums, labels: Labels, n_clusters: int, axis: int, into: Sums | None = None) -> Sums:
        found = totals(np.moveaxis(statistics.values, axis, 0), labels, n_clusters)
        found = np.moveaxis(found, 0, axis)
        if into is None:
            return Sums(np.ascontiguousarray(found))
        into.values[...] += found
        return into

    def log_marginals(self, sets: Sums) -> Floats:
        shape, rate = A + self.power * sets.values[..., 0], B + self.power * sets.values[..., 1]
        return np.asarray(A * np.log(B) - gammaln(A) + gammaln(shape) - shape * np.log(rate))

    def figures(self, blocks: Sums) -> dict[str, Floats]:
        number, time = blocks.values[..., :1], blocks.values[..., 1:]
        return {"rate": np.divide(number, time, out=np.full(time.shape, np.nan), where=time > 0)}

    def draw_figures(self, blocks: Sums, average: Average, generator: np.random.Generator) -> dict[str, Floats]:
        shape, rate = np.moveaxis(np.array([A, B]) + self.power * blocks.values, -1, 0)
        return {"rate": average((generator.standard_gamma(shape) / rate)[..., None])}

    def may_be(self, cells: Sums, most: NDArray[np.int64]) -> bool:
        return bool((cells.values >= 0).all() and (cells.values[..., 0] <= most[:, None]).all())

    def items(self, statistics: Sums, *, alike: bool) -> Sums:
        return statistics

    def bare_items(self, statistics: Sums) -> Sums:
        return statistics

    def add_items(self, items: Sums, labels: Labels, blocks: Sums) -> None:
        np.add.at(blocks.values, labels, items.values)

    def clusters(self, sizes: NDArray[np.int64], blocks: Sums, items: Sums, partition_prior: PartitionPrior) -> Slots:
        room, k = len(sizes) + items.shape[0], len(sizes)
        return Slots(
            np.append(sizes, np.zeros(room - k)).astype(np.float64),
            np.arange(room) >= k,
            np.full(room, -1, dtype=np.int32),
            np.zeros(room),
            blocks.extended(room - k).values,
        )

    def sweep(
        self,
        labels: Labels,
        uniforms: Floats,
        items: Sums,
        clusters: Slots,
        partition_prior: PartitionPrior,
        companions: Companions = no_companions,
    ) -> Slots:
        assert companions(0) == ()
        for i, item in enumerate(items.values):
            clusters.size[labels[i]] -= 1
            clusters.blocks[labels[i]] -= item
            there = np.flatnonzero(clusters.size > 0)
            free = int(np.flatnonzero(clusters.size == 0)[0])
            clusters.blocks[free], slots = 0.0, np.append(there, free)
            blocks = clusters.blocks[slots]
            gain = (self.log_marginals(Sums(blocks + item)) - self.log_marginals(Sums(blocks))).sum(axis=1)
            sizes = np.log(clusters.size[there] + partition_prior.pseudo_count)
            weights = gain + np.append(sizes, log_opening(len(there), partition_prior))
            labels[i] = slots[choose(weights, float(uniforms[i]))]
            if labels[i] == free:
                clusters.opened_in_sweep[free], clusters.partner[free] = True, -1
            elif (partner := clusters.partner[labels[i]]) in there:
                of = dict(zip(slots, weights, strict=True))
                clusters.overlap[labels[i]] += np.logaddexp(0.0, of[partner] - of[labels[i]])
            clusters.size[labels[i]] += 1
            clusters.blocks[labels[i]] += item
        return clusters

    def n_features(self, blocks: Sums) -> int:
        return 2 * blocks.shape[-1]

    def _coefficients(self, theta: Floats) -> Floats:
        each = self.power * np.stack([np.log(theta), -theta], axis=-1)
        return np.ascontiguousarray(each.reshape(len(theta), -1).T)

    def draw_coefficients(self, blocks: Sums, generator: np.random.Generator) -> Floats:
        shape, rate = np.moveaxis(np.array([A, B]) + self.power * blocks.values, -1, 0)
        return self._coefficients(generator.standard_gamma(shape) / rate)

    def mean_coefficients(self, blocks: Sums) -> Floats:
        shape, rate = np.moveaxis(np.array([A, B]) + self.power * blocks.values, -1, 0)
        return self._coefficients(shape / rate)

    def draw_prior_coefficients(self, number: int, n_features: int, generator: np.random.Generator) -> Floats:
        return self.draw_coefficients(self.empty((number, n_features // 2)), generator)

    def draw_labels(
        self,
        items: Sums,
        choices: Choices,
        uniforms: Floats,
        slices: Floats,
        labels: Labels,
        offsets: Floats | None = None,
    ) -> None:
        weights = items.values.reshape(len(labels), -1) @ choices.coefficients + choices.log_weights
        weights += 0.0 if offsets is None else offsets
        weights[choices.visibility <= slices[:, None]] = -np.inf
        labels[:] = [choose(*each) for each in zip(weights, uniforms, strict=True)]

    def likeliest(self, items: Sums, choices: Choices) -> Labels:
        weights = items.values.reshape(items.shape[0], -1) @ choices.coefficients + choices.log_weights
        return np.argmax(weights, axis=1).astype(np.int32)

    def launch(self, items: Sums, first: int, second: int) -> Floats:
        sides = items.values[[first, second]]
        for _ in range(3):
            shape, rate = np.moveaxis(np.array([A, B]) + sides, -1, 0)
            of_sides = self._coefficients(shape / rate)
            contrast = of_sides[:, 0] - of_sides[:, 1]
            on_second = (items.values.reshape(items.shape[0], -1) @ contrast < 0.0).astype(np.int32)
            on_second[[first, second]] = 0, 1
            sides = totals(items.values, on_second, 2)
        return np.append(contrast, 0.0)

    def draw_sides(
        self,
        items: Sums,
        proposals: Proposals,
        uniforms: Floats,
        labels: Labels,
        sides: Labels,
        minus_log_q: Floats,
        offsets: Floats | None = None,
    ) -> None:
        contrasts, guided, try_of, present, chances = proposals
        for i in np.flatnonzero((try_of[labels] >= 0) & (sides < 0)):
            t, side = try_of[labels[i]], present[labels[i]]
            odds = float(items.values[i].reshape(-1) @ contrasts[t, :-1] + contrasts[t, -1])
            odds += 0.0 if offsets is None else float(offsets[i])
            chance = 1.0 / (1.0 + np.exp(-odds)) if guided[t] else chances[t]
            sides[i] = side if side >= 0 else uniforms[i] >= chance
            if guided[t]:
                minus_log_q[t, sides[i]] += np.logaddexp(0.0, odds if sides[i] else -odds)
