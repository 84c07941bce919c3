"""What makes the clusters that a run shows first, told with the run where that takes no time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from disnplbm.engine.explain import Profile, explain
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.engine.whole import join
from disnplbm.families.category_names import component_names
from disnplbm.model.statistics import Labels
from disnplbm.parts import slices_of, split_labels
from disnplbm.posterior.draws import Axis
from disnplbm.posterior.trees.choosing import MOST_FINE
from disnplbm.report.profiles import ONLY, found_of, sentence_of, told_of_all, told_of_parts

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
    tell = _tell_rows if axis == "rows" else _tell_columns
    return [
        {"cluster": each.label, "size": each.size, "sentence": sentence_of(each, told, axis), "told": told}
        for each, told in tell(problem, options, items, others, names)
    ]


def _tell_rows(
    problem: Problem, options: Options, rows: Labels, columns: Labels, names: Sequence[str]
) -> list[tuple[Profile, str]]:
    """Each cluster of rows, and what the columns of all parts say of it."""
    profiles, found = list[Profile](), list[list[str]]()
    labels = zip(slices_of(problem.lengths), split_labels(columns, problem.lengths), strict=True)
    for number, (where, fine) in enumerate(labels):
        profiles, words = _profiles(problem.alone(number), options, "rows", rows, fine)
        found.append([found_of(profile, names[where], words) for profile in profiles])
    if len(profiles) == 1:
        return [(profiles[0], ONLY)]
    told = [told_of_parts(of_parts, "rows") for of_parts in zip(*found, strict=True)]
    return list(zip(profiles, told, strict=True))


def _tell_columns(
    problem: Problem, options: Options, columns: Labels, rows: Labels, names: Sequence[str]
) -> list[tuple[Profile, str]]:
    """Each cluster of columns, and what the rows say of it beside the others of its part."""
    told = list[tuple[Profile, str]]()
    for number, where in enumerate(slices_of(problem.lengths)):
        labels = columns[where]
        first = int(labels[labels >= 0].min())
        own = np.where(labels >= 0, labels - first, labels).astype(np.int32)
        profiles, words = _profiles(problem.alone(number), options, "columns", own, rows)
        texts = told_of_all(profiles, names, "columns", words)
        told += [(replace(each, label=first + each.label), text) for each, text in zip(profiles, texts, strict=True)]
    return told


def _profiles(
    problem: Problem, options: Options, axis: Axis, items: Labels, others: Labels
) -> tuple[list[Profile], Sequence[str]]:
    """What makes each cluster of a table of one part, and what its categories are called."""
    words = component_names(problem.only_part.cells, problem.only_part.facts)
    return explain(join(problem, options, axis), items, others, np.random.default_rng(0)), words


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
