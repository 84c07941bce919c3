"""Real numbers: the cells of a block come from one normal distribution, of a mean and a covariance of its own."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Average, Choices, FamilyOf, Proposals
from disnplbm.families.gaussian.launch import launch, mean_coefficients
from disnplbm.families.gaussian.niw import block_posterior, draw_parameters
from disnplbm.families.gaussian.unseen import cell_moments, density_tables
from disnplbm.kernels.blocks import Clusters, Items, KernelPrior, bare_items, clusters_of, items_of
from disnplbm.kernels.companions import Companions, no_companions
from disnplbm.kernels.gaussian import coefficients, draw_sides, draw_variates, features_of, likeliest, log_densities
from disnplbm.kernels.gaussian_companion import GaussianCompanion, gaussian_companion
from disnplbm.kernels.labels import draw_labels
from disnplbm.kernels.marginal import log_marginals
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.kernels.statistics import add_items, aggregate
from disnplbm.kernels.sweep import sweep
from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels, Statistics, merge


class Gaussian(FamilyOf[Statistics, Items, Clusters]):
    """Normal cells under a normal-inverse-Wishart prior.

    Parameters
    ----------
    prior : NIWPrior
        In the working frame.
    power : float
        That the likelihood is raised to.
    frame : Frame, optional
        The working frame; by default the units of the table.
    """

    def __init__(self, prior: NIWPrior, power: float, frame: Frame | None = None) -> None:
        self.prior, self.power = prior, power
        self.frame = frame or Frame.of_units(prior.dimension * prior.copies, diagonal=prior.copies > 1)
        self._prior = KernelPrior.of(prior, power)

    def tempered(self, power: float) -> Self:
        return type(self)(self.prior, power, self.frame)

    def empty(self, shape: tuple[int, ...]) -> Statistics:
        copies = self._prior.copies
        return Statistics.empty(shape, copies if copies > 1 else len(self._prior.mu0), diagonal=copies > 1)

    def merge(self, a: Statistics, b: Statistics) -> Statistics:
        return merge(a, b)

    def aggregate(
        self, statistics: Statistics, labels: Labels, n_clusters: int, axis: int, into: Statistics | None = None
    ) -> Statistics:
        return aggregate(statistics, labels, n_clusters, axis, into)

    def log_marginals(self, sets: Statistics) -> Floats:
        return log_marginals(sets, self._prior)

    def for_levels(self, blocks: Statistics) -> Gaussian:
        # It is a family of this one.
        from disnplbm.families.gaussian.shared_variance import SharedVariance

        return SharedVariance.of(self, blocks)

    def average_columns(self, cells: Statistics, sizes: NDArray[np.int64]) -> Statistics:
        seen = cells.count > 0
        share = (seen / np.maximum(seen.sum(axis=1, keepdims=True), 1))[..., None]
        mean = (share * cells.mean).sum(axis=1)
        scatter = ((share if cells.diagonal else share[..., None]) * cells.scatter).sum(axis=1)
        return Statistics(sizes.astype(np.float64), mean, scatter)

    def leave(self, blocks: Statistics) -> Statistics:
        return self.frame.leave(blocks)

    def enter(self, blocks: Statistics) -> Statistics:
        return self.frame.enter_statistics(blocks)

    def count_cells(self, blocks: Statistics) -> Floats:
        return blocks.count

    def figures(self, blocks: Statistics) -> dict[str, Floats]:
        count = blocks.count[..., None]
        variance = np.divide(blocks.squares, count, out=np.full(blocks.mean.shape, np.nan), where=count > 0)
        return {"mean": np.where(count > 0, blocks.mean, np.nan), "sd": np.sqrt(variance)}

    def draw_figures(self, blocks: Statistics, average: Average, generator: np.random.Generator) -> dict[str, Floats]:
        mean, variance = draw_parameters(block_posterior(blocks, self.prior, self.power), generator)
        centre = average(mean)
        between = np.maximum(average(mean**2) - centre**2, 0.0)
        spread = np.sqrt(average(variance) + between)
        return {"mean": centre * self.frame.scale + self.frame.centre, "sd": spread * self.frame.scale}

    def may_be(self, cells: Statistics, most: NDArray[np.int64]) -> bool:
        return not bool((cells.count < 0).any() or (cells.count > most[:, None]).any())

    def cell_moments(self, blocks: Statistics) -> tuple[Floats, Floats]:
        """Mean and variances of a cell of each block, shape (K, L, d); NaN where they do not exist."""
        return cell_moments(block_posterior(blocks, self.prior, self.power))

    def density_tables(self, blocks: Statistics) -> tuple[Floats, Floats, Floats, Floats]:
        """Make what the kernel of densities takes of each block, see :mod:`disnplbm.families.gaussian.unseen`."""
        return density_tables(block_posterior(blocks, self.prior, self.power))

    def items(self, statistics: Statistics, *, alike: bool) -> Items:
        return items_of(statistics, self._prior, alike=alike)

    def bare_items(self, statistics: Statistics) -> Items:
        return bare_items(statistics, alike=False)

    def add_items(self, items: Items, labels: Labels, blocks: Statistics) -> None:
        add_items(items, labels, blocks)

    def clusters(
        self, sizes: NDArray[np.int64], blocks: Statistics, items: Items, partition_prior: PartitionPrior
    ) -> Clusters:
        return clusters_of(sizes.astype(np.float64), blocks, items, self._prior, partition_prior.pseudo_count)

    def sweep(
        self,
        labels: Labels,
        uniforms: Floats,
        items: Items,
        clusters: Clusters,
        partition_prior: PartitionPrior,
        companions: Companions = no_companions,
    ) -> Clusters:
        return sweep(labels, uniforms, items, clusters, self._prior, partition_prior, companions)

    def companion(self, items: Items, clusters: Clusters, slots: int) -> tuple[GaussianCompanion, Clusters]:
        made = gaussian_companion(items, clusters, self._prior, slots)
        return made, made.clusters

    def n_features(self, blocks: Statistics) -> int:
        return features_of(blocks)

    def draw_coefficients(self, blocks: Statistics, generator: np.random.Generator) -> Floats:
        blocks = blocks.unfolded
        nu = (self._prior.nu0 + self._prior.power * blocks.count).reshape(-1)
        return coefficients(blocks, draw_variates(nu, blocks.dimension, generator), self._prior)

    def mean_coefficients(self, blocks: Statistics) -> Floats:
        return mean_coefficients(blocks, self._prior)

    def draw_prior_coefficients(self, number: int, n_features: int, generator: np.random.Generator) -> Floats:
        d = len(self._prior.mu0)
        groups = n_features // features_of(Statistics.empty((1,), d))
        variates = draw_variates(np.full(number * groups, self._prior.nu0), d, generator)
        return coefficients(Statistics.empty((number, groups), d), variates, self._prior)

    def draw_labels(
        self,
        items: Items,
        choices: Choices,
        uniforms: Floats,
        slices: Floats,
        labels: Labels,
        offsets: Floats | None = None,
    ) -> None:
        draw_labels(items, *choices, uniforms, slices, labels, offsets)

    def log_densities(self, items: Items, coefficients: Floats) -> Floats:
        return log_densities(items, coefficients)

    def likeliest(self, items: Items, choices: Choices) -> Labels:
        return likeliest(items, choices.coefficients, choices.log_weights)

    def launch(self, items: Statistics, first: int, second: int) -> Floats:
        return launch(items, first, second, self._prior)

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
        contrasts, guided, try_of, present, chances = proposals
        tries = (contrasts, guided, try_of, present, uniforms, chances)
        draw_sides(items, *tries, labels, sides, minus_log_q, offsets)
