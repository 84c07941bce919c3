"""Whether chains come to the same place at each power from both ends: random clusters, and a walk down from power 1.

At low powers they may not: a walk keeps clusters that chance would not find, and chance finds few where the likelihood
says little.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.statistics import Floats
from disnplbm.posterior.elbow import choose_power

#: Numbers of clusters that differ by more than this factor, and by more than one cluster, are apart.
APART = 1.25


class Curve(NamedTuple):
    """What the chains of one end have; arrays of shape (m,), in the order of the powers.

    Parameters
    ----------
    fit, fit_error : ndarray
        As for :func:`disnplbm.posterior.elbow.choose_power`.
    row_clusters, column_clusters : ndarray
        Posterior means of K and of L.
    """

    fit: Floats
    fit_error: Floats
    row_clusters: Floats
    column_clusters: Floats


def find_parted(random: Curve, walked: Curve) -> NDArray[np.intp]:
    """Indices of the powers at which the numbers of clusters are apart."""
    apart = np.zeros(len(random.fit), dtype=bool)
    for axis in ("row_clusters", "column_clusters"):
        low, high = np.sort([getattr(random, axis), getattr(walked, axis)], axis=0)
        apart |= (high > APART * low) & (high > low + 1)
    return np.flatnonzero(apart)


def describe_ends(powers: Floats, random: Curve, walked: Curve) -> str:
    """Where the two ends part, for people to read.

    Parameters
    ----------
    powers : ndarray of shape (m,)
        Ascending, the last one 1.
    """
    parted = find_parted(random, walked)
    if len(parted) == 0:
        return "Chains from random clusters and chains that walk down from power 1 agree on the numbers of clusters."
    blocks = [curve.row_clusters * curve.column_clusters for curve in (random, walked)]
    widest = parted[np.argmax(np.abs(np.log(blocks[0] / blocks[1]))[parted])]
    sizes = [f"{curve.row_clusters[widest]:.1f} x {curve.column_clusters[widest]:.1f}" for curve in (random, walked)]
    other = choose_power(powers, *walked).power
    return (
        f"Chains from random clusters and chains that walk down from power 1 part at power {_listed(powers[parted])}:"
        f" at {powers[widest]:g} they have {sizes[0]} and {sizes[1]} clusters. The curve is of the former; one of the"
        f" latter would choose power {other:g}."
    )


def _listed(powers: Floats) -> str:
    """The powers as a person lists them: a, b and c."""
    names = [f"{power:g}" for power in powers]
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
