"""What makes the clusters of a finished run, told from the dataset that is in the store."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from cachetools import LRUCache

from disnplbm.data.dataset import Dataset
from disnplbm.engine.explain import Profile, explain_level
from disnplbm.engine.levels import CutRun
from disnplbm.errors import InputError
from disnplbm.families.category_names import component_names
from disnplbm.files import scratch_folder
from disnplbm.model.statistics import Floats
from disnplbm.posterior.draws import Axis
from disnplbm.report.profiles import telling_figure, told_of_all
from disnplbm.runs.records import RunRecord
from disnplbm.runs.results import Results
from disnplbm_dashboard.turns import Turns

#: Cells of a table whose clusters are told here: some seconds. `disnplbm explain` takes larger ones.
MOST_CELLS = 5_000_000

#: Of the other axis, what is told of a cluster; and of its own, its most and its least typical members.
NAMED, TYPICAL = 12, 5

#: Files of a run that are needed.
_FILES = ("run.json", "rows.csv", "columns.csv", "tree.npz")

#: Explanations that are kept at hand, and that are made at a time; seconds to wait for a turn.
_KEPT, _AT_A_TIME, _SECONDS = 64, 1, 60.0


class Explanations:
    """Tells what makes clusters, and keeps what it told last."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._turns = Turns(_AT_A_TIME, _SECONDS, "runs")
        self._lock = threading.Lock()
        self._kept: LRUCache[tuple[str, Axis, int | None], dict[str, Any]] = LRUCache(_KEPT)

    def of(self, run: RunRecord, dataset: Dataset, axis: Axis, clusters: int | None) -> dict[str, Any]:
        """What makes each cluster of an axis of a finished run.

        Parameters
        ----------
        clusters : int, optional
            Of the level; by default all of the run.

        Raises
        ------
        InputError
            The table is large, or the tree has fewer branches.
        RunError
            The store cannot be read, or a file is damaged.
        """
        key = run.id, axis, clusters
        with self._lock:
            if key in self._kept:
                return self._kept[key]
        if dataset.n * dataset.p * dataset.dimension > MOST_CELLS:
            raise InputError("this table is too large to explain its clusters here: `disnplbm explain` does it")
        if "tree.npz" not in self._results.names(run):
            raise InputError("an earlier version wrote this run, without its trees: run it again")
        with self._turns.take_turn():
            found = self._explain(run, dataset, axis, clusters)
        with self._lock:
            self._kept[key] = found
        return found

    def _explain(self, run: RunRecord, dataset: Dataset, axis: Axis, clusters: int | None) -> dict[str, Any]:
        with scratch_folder("disnplbm-explain-") as folder:
            for name in _FILES:
                (folder / name).write_bytes(self._results.get(run, name))
            cut = CutRun.open(folder)
            number = "fine" if clusters is None else clusters
            names, others, profiles = explain_level(cut, cut.load_dataset(dataset, axis), axis, number)
        words = component_names(cut.trees.meta.cells, cut.trees.meta.facts)
        told = told_of_all(profiles, others, axis, words)
        return {
            "figure": telling_figure(profiles[0]),
            "components": list(words) if len(words) > 2 else [],
            "clusters": [_told(profile, names, others, text) for profile, text in zip(profiles, told, strict=True)],
        }


def _told(profile: Profile, names: Sequence[str], others: Sequence[str], told: str) -> dict[str, Any]:
    figure, last = telling_figure(profile), profile.typical[TYPICAL:][-TYPICAL:][::-1]
    return {
        "cluster": profile.label,
        "size": profile.size,
        "told": told,
        "apart": len(profile.others),
        "named": [
            {
                "name": others[j],
                "log_bayes_factor": float(profile.factors[place]),
                "own": _plain(profile.own[figure][place]),
                "rest": _plain(profile.rest[figure][place]),
            }
            for place, j in enumerate(profile.others[:NAMED].tolist())
        ],
        "typical": [names[i] for i in profile.typical[:TYPICAL].tolist()],
        "least_typical": [names[i] for i in last.tolist()],
    }


def _plain(values: Floats) -> list[float | None]:
    """Numbers as JSON has them: of a block without cells there are none."""
    return [float(value) if np.isfinite(value) else None for value in values]
