"""Rows weighed by all parts of a table at once: the first part's family leads, and the others add what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Choices, Family, Proposals
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks


class SweptRows:
    """Clusters of rows in every part, while rows are swept among them.

    Parameters
    ----------
    sizes : ndarray of int64, shape (K,)
    blocks : ClusterBlocks
        Of the clusters.
    items : sequence
        Rows as items of each part's family, of the first stretch that is swept.
    partition_prior : PartitionPrior
        Of the rows.

    Attributes
    ----------
    leading : Clusters
        The clusters of the first part.
    """

    def __init__(
        self, sizes: NDArray[np.int64], blocks: ClusterBlocks, items: Sequence[Any], partition_prior: PartitionPrior
    ) -> None:
        self._family, *self._families = blocks.families
        self.leading, *self._clusters = [
            family.clusters(sizes, sets, of_part, partition_prior)
            for family, sets, of_part in zip(blocks.families, blocks.sets, items, strict=True)
        ]
        self._partition_prior = partition_prior

    def sweep(self, labels: Labels, uniforms: Floats, items: Sequence[Any]) -> None:
        """Take each row in turn out of its cluster and draw it anew; see :meth:`FamilyOf.sweep`."""
        first, *others = items

        def companions(slots: int) -> tuple[Any, ...]:
            entries, clusters = [], []
            for family, of_part, known in zip(self._families, others, self._clusters, strict=True):
                entry, grown = family.companion(of_part, known, slots)
                entries.append(entry)
                clusters.append(grown)
            self._clusters = clusters
            return tuple(entries)

        self.leading = self._family.sweep(labels, uniforms, first, self.leading, self._partition_prior, companions)


def draw_labels(
    blocks: ClusterBlocks, items: Sequence[Any], choices: Choices, uniforms: Floats, slices: Floats, labels: Labels
) -> None:
    """Draw a label for each row from clusters with parameters of all parts; see :meth:`FamilyOf.draw_labels`.

    Parameters
    ----------
    blocks : ClusterBlocks
        Their families, and their numbers of features, count.
    """
    first, *others = _by_part(blocks, choices.coefficients)
    offsets = _sum(
        family.log_densities(of_part, coefficients)
        for family, of_part, coefficients in zip(blocks.families[1:], items[1:], others, strict=True)
    )
    given = choices._replace(coefficients=first), uniforms, slices, labels
    blocks.families[0].draw_labels(items[0], *given, offsets=offsets)


def draw_sides(
    blocks: ClusterBlocks,
    items: Sequence[Any],
    proposals: Proposals,
    uniforms: Floats,
    labels: Labels,
    sides: Labels,
    minus_log_q: Floats,
) -> None:
    """Draw the sides of rows in proposed splits by the log odds of all parts; see :meth:`FamilyOf.draw_sides`.

    Parameters
    ----------
    blocks : ClusterBlocks
        Their families, and their numbers of features, count.
    proposals : Proposals
        Their contrasts hold the coefficients of all parts, one part behind the other, and one constant.
    """
    first, *others = _by_part(blocks, proposals.contrasts[:, :-1].T)
    tries = np.maximum(proposals.try_of[labels], 0)
    offsets = _sum(
        _of_own_try(family, of_part, contrasts, tries)
        for family, of_part, contrasts in zip(blocks.families[1:], items[1:], others, strict=True)
    )
    led = proposals._replace(contrasts=np.append(first.T, proposals.contrasts[:, -1:], axis=1))
    blocks.families[0].draw_sides(items[0], led, uniforms, labels, sides, minus_log_q, offsets=offsets)


def _of_own_try(family: Family, items: Any, contrasts: Floats, tries: Labels) -> Floats:
    """Log odds of each row in its try, without the constant."""
    odds = family.log_densities(items, np.ascontiguousarray(contrasts))
    return np.asarray(odds[np.arange(len(tries)), tries])


def _by_part(blocks: ClusterBlocks, coefficients: Floats) -> list[Floats]:
    """Coefficients of shape (F, C), part by part."""
    return np.split(coefficients, np.cumsum(blocks.n_features())[:-1])


def _sum(terms: Iterator[Floats]) -> Floats | None:
    """The sum of arrays; None of none."""
    total: Floats | None = None
    for term in terms:
        total = term if total is None else total + term
    return total
