"""How well visit counts agree with the probabilities that they should have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from disnplbm.model.statistics import Floats

from .enumeration import Problem

Counts = NDArray[np.int64]

#: Cells are pooled until each is expected to be visited this often.
LEAST_EXPECTED = 5.0

#: Repetitions of the independent draws that a total variation is compared with.
REPETITIONS = 400

#: Some fifty p-values are judged by this: a right sampler fails once in 200 changes of its random streams.
LEAST_P = 1e-4

#: Standard deviations by which a total variation may exceed what independent draws have.
MOST_EXCESS = 4.0


@dataclass(frozen=True)
class Variation:
    """Total variation between frequencies and probabilities, beside the same of as many independent draws.

    Parameters
    ----------
    measured : float
    expected, spread : float
        Mean and standard deviation over repeated independent draws.
    """

    measured: float
    expected: float
    spread: float

    @property
    def excess(self) -> float:
        """How many standard deviations the measured one lies above the expected."""
        return (self.measured - self.expected) / self.spread


@dataclass(frozen=True)
class Verdict:
    """Agreement of draws with an enumerated posterior.

    Parameters
    ----------
    pairs : float
        P-value of the chi-square test over all pairs of partitions.
    numbers : float
        P-value of the chi-square test over the numbers of clusters (K, L).
    variation : Variation
        Over all pairs of partitions.
    """

    pairs: float
    numbers: float
    variation: Variation

    @property
    def agrees(self) -> bool:
        """Whether the draws pass for draws from the posterior."""
        return min(self.pairs, self.numbers) >= LEAST_P and self.variation.excess <= MOST_EXCESS

    @property
    def is_rejected_by_all(self) -> bool:
        """Whether each of the three measures tells the draws from the posterior's."""
        return max(self.pairs, self.numbers) < LEAST_P and self.variation.excess > MOST_EXCESS


def judge(draws: NDArray[np.int32], target: Problem) -> Verdict:
    """Compare draws, shape (N, n + p), with the enumerated posterior of a problem."""
    counts = target.counts(draws)
    groups = target.cluster_numbers()
    return Verdict(
        chi_square(counts, target.posterior),
        chi_square(np.bincount(groups, weights=counts).astype(np.int64), np.bincount(groups, weights=target.posterior)),
        total_variation(counts, target.posterior),
    )


def chi_square(counts: Counts, probabilities: Floats) -> float:
    """P-value of the chi-square test, the least probable cells pooled to an expectation of at least 5."""
    order = np.argsort(-probabilities, kind="stable")
    expected, seen = counts.sum() * probabilities[order], counts[order]
    starts, held = [0], 0.0
    for m, e in enumerate(expected):
        held += e
        if held >= LEAST_EXPECTED and expected[m + 1 :].sum() >= LEAST_EXPECTED:
            starts.append(m + 1)
            held = 0.0
    if len(starts) < 2:
        raise ValueError("too few draws: all cells were pooled into one")
    expected, seen = np.add.reduceat(expected, starts), np.add.reduceat(seen, starts)
    return float(chi2.sf(((seen - expected) ** 2 / expected).sum(), len(starts) - 1))


def total_variation(counts: Counts, probabilities: Floats) -> Variation:
    """Total variation of the counts, beside the same of as many independent draws (simulated, fixed seed)."""

    def of(visits: Counts) -> Floats:
        return np.asarray(0.5 * np.abs(visits / visits.sum(axis=-1, keepdims=True) - probabilities).sum(axis=-1))

    independent = of(np.random.default_rng(0).multinomial(counts.sum(), probabilities, size=REPETITIONS))
    return Variation(float(of(counts)), float(independent.mean()), float(independent.std()))
