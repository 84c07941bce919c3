"""What makes the clusters of a finished run: the columns that set each one apart, and the rows that fit it best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.engine.problem import Problem
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.draws import Axis
from disnplbm.posterior.explaining.contrasts import log_bayes_factors, rest_of
from disnplbm.posterior.explaining.discoveries import chance_factors, q_values, ranked
from disnplbm.posterior.explaining.held_out import cells_held_out
from disnplbm.posterior.explaining.typical import margins
from disnplbm.posterior.export import write_table
from disnplbm.posterior.trees.losses import family_of_levels

if TYPE_CHECKING:
    from disnplbm.data.table import Source
    from disnplbm.engine.levels import CutRun

#: Share of the columns found that are expected to be false.
FALSE_SHARE = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What makes one cluster.

    Parameters
    ----------
    label, size : int
    others : ndarray of int, shape (m,)
        What sets it apart, of the other axis (columns, for a cluster of rows): the largest log Bayes factor first.
    factors, q : ndarray of shape (m,)
        Log Bayes factor and q-value of each.
    own, rest : dict of ndarray of shape (m, d)
        Figures of each in the cluster, and in all other clusters together.
    typical : ndarray of int
        Members, the one that fits the cluster best first.
    margins : ndarray of shape (size,)
        Of these: see :mod:`disnplbm.posterior.explaining.typical`.
    """

    label: int
    size: int
    others: NDArray[np.intp]
    factors: Floats
    q: Floats
    own: dict[str, Floats]
    rest: dict[str, Floats]
    typical: NDArray[np.intp]
    margins: Floats


def explain(
    problem: Problem, items: Labels, others: Labels, generator: np.random.Generator, false_share: float = FALSE_SHARE
) -> list[Profile]:
    """Say what makes each cluster of the axis that is cut.

    Parameters
    ----------
    problem : Problem
        Of one shard.
    items : ndarray of int32, shape (n,)
        Clusters of that axis, without holes; -1 takes no part.
    others : ndarray of int32, shape (p,)
        Fine clusters of the other axis.
    generator
        Deals the folds, and draws clusters at random.
    """
    shard, own = problem.shards[0], problem.only_part.family
    number = int(items.max()) + 1
    cells = shard.only_part.cells.by_cluster(items, number)
    blocks: Any = own.aggregate(cells, others, int(others.max()) + 1, axis=1)
    family = family_of_levels(own, blocks, "shared")
    if number > 1:
        observed = log_bayes_factors(cells_held_out(shard, items, others, generator, family, own), own)
        by_chance = chance_factors(shard, items, own, generator)
        q = q_values(observed, by_chance, false_share)
    else:
        observed, q = np.zeros((1, len(others))), np.ones((1, len(others)))
    # The figures that are told come from the clusters themselves, so these must show the difference too.
    shown = np.where(log_bayes_factors(cells, own) > 0.0, observed, 0.0)
    fits = margins(shard, items, others, blocks, family)
    figures, of_rest = own.figures(own.leave(cells)), own.figures(own.leave(rest_of(cells, own)))
    profiles = []
    for k in range(number):
        found, members = ranked(q[k], shown[k], false_share), np.flatnonzero(items == k)
        typical = members[np.argsort(-fits[members], kind="stable")]
        profiles.append(
            Profile(
                k,
                len(members),
                found,
                observed[k, found],
                q[k, found],
                {name: values[k, found] for name, values in figures.items()},
                {name: values[k, found] for name, values in of_rest.items()},
                typical,
                fits[typical],
            )
        )
    return profiles


def explain_run(
    run: CutRun, source: Source, axis: Axis, clusters: int | str
) -> tuple[Sequence[str], Sequence[str], list[Profile]]:
    """Say what makes each cluster of a finished run; see :func:`explain_level`.

    Parameters
    ----------
    source : Source
        The table that was fitted.

    Raises
    ------
    InputError
        It is another table, or the tree has fewer branches.
    """
    return explain_level(run, run.load(source, axis), axis, clusters)


def explain_level(
    run: CutRun, problem: Problem, axis: Axis, clusters: int | str
) -> tuple[Sequence[str], Sequence[str], list[Profile]]:
    """Say what makes each cluster of a level of a finished run.

    Parameters
    ----------
    problem : Problem
        What was fitted, as one shard of that axis.
    axis : {"rows", "columns"}
        Whose clusters.
    clusters : int, "auto" or "fine"
        The level: a number, as many as the report shows first, or as many as the run has.

    Returns
    -------
    names, others : sequence of str
        Of that axis, and of the other one.
    profiles : list of Profile

    Raises
    ------
    InputError
        The tree has fewer branches.
    """
    number = run.suggested(axis) if clusters == "auto" else None if clusters == "fine" else int(clusters)
    level = run.cut(number, None) if axis == "rows" else run.cut(None, number)
    items, others = (level.rows, level.columns) if axis == "rows" else (level.columns, level.rows)
    generator = np.random.default_rng(0)
    profiles = explain(problem, items, others, generator)
    other: Axis = "columns" if axis == "rows" else "rows"
    return run.names(axis), run.names(other), profiles


def write_profiles(folder: Path, profiles: Sequence[Profile], names: Sequence[str], others: Sequence[str]) -> None:
    """Write what sets each cluster apart, apart.csv, and how well each member fits, members.csv."""
    figures = list(profiles[0].own.items())
    titles = [
        name if values.shape[1] == 1 else f"{name}_{c}" for name, values in figures for c in range(values.shape[1])
    ]
    header = ("cluster", "name", "log_bayes_factor", "q", *titles, *(f"{title}_others" for title in titles))

    def lines() -> Iterator[Sequence[Any]]:
        for profile in profiles:
            sides = [np.concatenate(list(side.values()), axis=1) for side in (profile.own, profile.rest)]
            for place, j in enumerate(profile.others):
                numbers = ["" if np.isnan(each) else each for side in sides for each in side[place].tolist()]
                yield profile.label, others[j], round(float(profile.factors[place]), 4), profile.q[place], *numbers

    write_table(folder / "apart.csv", header, lines())
    members = (
        (profile.label, names[i], "" if np.isnan(margin) else round(margin, 4))
        for profile in profiles
        for i, margin in zip(profile.typical, profile.margins.tolist(), strict=True)
    )
    write_table(folder / "members.csv", ("cluster", "id", "fit"), members)
