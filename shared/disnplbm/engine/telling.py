"""What makes the row clusters that a run shows first, told with the run where that takes no time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from disnplbm.engine.explain import explain
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.engine.whole import join_rows
from disnplbm.families.category_names import component_names
from disnplbm.model.statistics import Labels
from disnplbm.posterior.trees.choosing import MOST_FINE
from disnplbm.report.profiles import sentence_of, told_of_all

#: Largest table, in bytes, whose clusters are explained without being asked: a fraction of a second.
MOST_BYTES = 2**23


def tell_profiles(
    problem: Problem, options: Options, rows: Labels, columns: Labels, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Say in a sentence what makes each row cluster; of none where the table is large.

    Parameters
    ----------
    rows : ndarray of int32, shape (n,)
        Clusters that are shown first; -1 for what is set aside there.
    columns : ndarray of int32, shape (p,)
        Fine clusters.
    names : sequence of str
        Of the columns.

    Returns
    -------
    list of dict
        ``cluster``, ``size``, ``sentence`` and, of that, what is ``told`` of each, for JSON.
    """
    if problem.n_bytes > MOST_BYTES or rows.max() >= MOST_FINE:
        return []
    words = component_names(problem.only_part.cells, problem.only_part.facts)
    profiles = explain(join_rows(problem, options), rows, columns, np.random.default_rng(0))
    return [
        {"cluster": each.label, "size": each.size, "sentence": sentence_of(each, told, "rows"), "told": told}
        for each, told in zip(profiles, told_of_all(profiles, names, "rows", words), strict=True)
    ]
