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
    higher = own[:, 0] > rest[:, 0]
    kind = words[1] if name == "share" and len(words) == 2 else ""
    return [
        _one(word, np.flatnonzero(there)[:told], profile, name, names, kind)
        for word, there in (("high", higher), ("low", ~higher))
    ]


def _one(word: str, places: NDArray[np.intp], profile: Profile, name: str, names: Sequence[str], kind: str) -> str:
    """High, or low, in some of the other axis, and how much so."""
    if not len(places):
        return ""
    own, rest = profile.own[name][places, 0], profile.rest[name][places, 0]
    listed = _listed([names[j] for j in profile.others[places]])
    what = f"{word} in {listed}" if not kind else f"{'often' if word == 'high' else 'seldom'} {kind} in {listed}"
    return f"{what} ({_how_much(name, own, rest)})"


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
