"""What makes the clusters that a run shows first, told with the run where that takes no time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from disnplbm.engine.explain import explain
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.engine.whole import join
from disnplbm.families.category_names import component_names
from disnplbm.model.statistics import Labels
from disnplbm.posterior.draws import Axis
from disnplbm.posterior.trees.choosing import MOST_FINE
from disnplbm.report.profiles import sentence_of, told_of_all

#: Largest table, in bytes, whose clusters are explained without being asked: a fraction of a second.
MOST_BYTES = 2**23


#: Whose clusters, and where run.json has what is told of them.
PROFILES: dict[Axis, str] = {"rows": "profiles", "columns": "column_profiles"}


def tell_profiles(
    problem: Problem, options: Options, axis: Axis, items: Labels, others: Labels, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Say in a sentence what makes each cluster of an axis; of none where the table is large, or they are many.

    Parameters
    ----------
    axis : {"rows", "columns"}
        Whose clusters.
    items : ndarray of int32, shape (n,)
        Clusters of that axis that are shown first; -1 for what is set aside there.
    others : ndarray of int32, shape (p,)
        Fine clusters of the other axis.
    names : sequence of str
        Of the other axis.

    Returns
    -------
    list of dict
        ``cluster``, ``size``, ``sentence`` and, of that, what is ``told`` of each, for JSON.
    """
    if problem.n_bytes > MOST_BYTES or items.max() >= MOST_FINE:
        return []
    words = component_names(problem.only_part.cells, problem.only_part.facts)
    profiles = explain(join(problem, options, axis), items, others, np.random.default_rng(0))
    return [
        {"cluster": each.label, "size": each.size, "sentence": sentence_of(each, told, axis), "told": told}
        for each, told in zip(profiles, told_of_all(profiles, names, axis, words), strict=True)
    ]


def tell_all_profiles(
    problem: Problem, options: Options, first: Sequence[Labels], fine: Sequence[Labels], names: Sequence[Sequence[str]]
) -> dict[Axis, list[dict[str, Any]]]:
    """Say of both axes what :func:`tell_profiles` says.

    Parameters
    ----------
    first, fine : sequence of ndarray of int32
        Clusters of the rows and of the columns: those shown first, and all.
    names : sequence of sequence of str
        Of the rows and of the columns.
    """
    return {
        "rows": tell_profiles(problem, options, "rows", first[0], fine[1], names[1]),
        "columns": tell_profiles(problem, options, "columns", first[1], fine[0], names[0]),
    }
