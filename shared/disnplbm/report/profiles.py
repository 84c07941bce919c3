"""What makes a cluster, in a sentence.

>>> print(sentence_of(profile, told, "rows"))  # doctest: +SKIP
Cluster 3: 214 rows; high in CD3D, IL7R and LTB (5.1 to 9 times the others); low in MS4A1 (0.08 times the others).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.statistics import Floats
from disnplbm.notes import plural

if TYPE_CHECKING:
    from disnplbm.engine.explain import Profile

#: What is told of a cluster that is alone.
ONLY = "it is the only cluster, so nothing sets it apart"

#: Names that a sentence tells of each kind.
TOLD = 5

#: Times the least of some ratios from which the largest is left unsaid.
WIDE = 10

#: The figure of a block that tells high from low, by preference; in its absence the last one.
TELLING = ("rate", "mean", "share")

#: Standard deviations of the others within which a mean is not called high or low if the spread says more.
NEAR = 0.5

_OFTEN = ("often", "seldom")


def told_of_all(
    profiles: Sequence[Profile], names: Sequence[str], axis: str, words: Sequence[str] = (), told: int = TOLD
) -> list[str]:
    """Say what all clusters there are are high and low in, or that nothing sets one apart.

    Parameters
    ----------
    names : sequence of str
        Of the other axis.
    axis : {"rows", "columns"}
        Of the clusters.
    words : sequence of str
        What categories are called; by default they are numbered.
    told : int
        Most names of each kind.
    """
    if len(profiles) == 1:
        return [ONLY]
    return [told_of(profile, names, axis, words, told) for profile in profiles]


def sentence_of(profile: Profile, told: str, axis: str) -> str:
    """Say how large a cluster is, and what :func:`told_of_all` says of it."""
    return f"Cluster {profile.label}: {plural(profile.size, axis[:-1])}; {told}."


def told_of(profile: Profile, names: Sequence[str], axis: str, words: Sequence[str] = (), told: int = TOLD) -> str:
    """Say it of one of several clusters; see :func:`told_of_all`."""
    return told_of_parts([found_of(profile, names, words, told)], axis)


def told_of_parts(found: Sequence[str], axis: str) -> str:
    """Say it of one of several clusters, from what :func:`found_of` says of each part of the table."""
    other = "column" if axis == "rows" else "row"
    return "; ".join(filter(None, found)) or f"no {other} is sure to set it apart"


def found_of(profile: Profile, names: Sequence[str], words: Sequence[str] = (), told: int = TOLD) -> str:
    """What sets a cluster apart, or nothing; the names are of the other axis."""
    return "; ".join(filter(None, _parts(profile, names, words, told)))


def telling_figure(profile: Profile) -> str:
    """The name of the figure that tells high from low."""
    return next((name for name in TELLING if name in profile.own), list(profile.own)[-1])


def _parts(profile: Profile, names: Sequence[str], words: Sequence[str], told: int) -> list[str]:
    name = telling_figure(profile)
    own, rest = profile.own[name], profile.rest[name]
    if own.shape[1] > 1:
        return _of_components(profile, name, names, words, told)
    higher, spread = own[:, 0] > rest[:, 0], _differs_in_spread(profile)
    high, low = ("high in", "low in") if name != "share" or len(words) != 2 else (f"{w} {words[1]} in" for w in _OFTEN)
    found = [(high, higher & ~spread, name), (low, ~higher & ~spread, name)]
    if spread.any():
        narrow = profile.own["sd"][:, 0] < profile.rest["sd"][:, 0]
        found += [("varies little in", spread & narrow, "sd"), ("varies much in", spread & ~narrow, "sd")]
    return [_one(words, np.flatnonzero(there)[:told], profile, figure, names) for words, there, figure in found]


def _differs_in_spread(profile: Profile) -> NDArray[np.bool_]:
    """Where the mean lies within half a standard deviation of the others', and the spread says more.

    The divergence of two normal distributions is a term of the means, ``(m - m')^2 / 2 s'^2``, and one of the spreads,
    ``log(s'/s) + (s^2/s'^2 - 1) / 2`` (Kullback-Leibler); the larger one says more.
    """
    if not {"mean", "sd"} <= set(profile.own):
        return np.zeros(len(profile.others), dtype=np.bool_)
    of_own, of_rest = ([side[name][:, 0] for name in ("mean", "sd")] for side in (profile.own, profile.rest))
    with np.errstate(divide="ignore", invalid="ignore"):
        shift, scale = (of_own[0] - of_rest[0]) / of_rest[1], of_own[1] / of_rest[1]
        told: NDArray[np.bool_] = (np.abs(shift) < NEAR) & ((scale**2 - 1) / 2 - np.log(scale) > shift**2 / 2)
    return told


def _one(what: str, places: NDArray[np.intp], profile: Profile, name: str, names: Sequence[str]) -> str:
    """What it is in some of the other axis, such as high or low, and how much so."""
    if not len(places):
        return ""
    own, rest = profile.own[name][places, 0], profile.rest[name][places, 0]
    return f"{what} {_listed([names[j] for j in profile.others[places]])} ({_how_much(name, own, rest)})"


def _how_much(name: str, own: Floats, rest: Floats) -> str:
    if name == "rate":
        return _ratio(own, rest)
    if name == "share":
        return f"{_range(100 * own, '%')} against {_range(100 * rest, '%')}"
    return f"{name} {_range(own)} against {_range(rest)}"


def _ratio(own: Floats, rest: Floats) -> str:
    """How many times the others; a bound where this spans much."""
    with np.errstate(divide="ignore"):
        ratios = own / rest
    least, most = float(ratios.min()), float(ratios.max())
    if np.isinf(least):
        return "the others have none"
    if most == 0:
        return "none, and the others have some"
    if most <= WIDE * least:
        return f"{_range(ratios)} times the others"
    bound, ratio = ("least", least) if least > 1 else ("most", most)
    return f"at {bound} {_number(ratio)} times the others"


def _of_components(profile: Profile, name: str, names: Sequence[str], words: Sequence[str], told: int) -> list[str]:
    """What each of the first few is more often, or higher in, than elsewhere: one component of several."""
    parts = []
    for place, j in enumerate(profile.others[:told]):
        own, rest = profile.own[name][place], profile.rest[name][place]
        component = int(np.nanargmax(own - rest))
        called = words[component] if words else f"{name} {component}"
        scale, unit = (100, "%") if name == "share" else (1, "")
        figures = (_number(scale * float(each[component])) + unit for each in (own, rest))
        parts.append(f"{called} in {names[j]} ({' against '.join(figures)})")
    return parts


def _listed(names: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _range(values: Floats, unit: str = "") -> str:
    low, high = _number(float(values.min())), _number(float(values.max()))
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def _number(value: float) -> str:
    """To two digits, and all those before the point."""
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"
