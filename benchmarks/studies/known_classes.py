"""What is told of the clusters of tables whose classes are known, beside a t-test of the classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control, rankdata, ttest_ind
from sklearn.datasets import load_wine

from benchmarks.studies.count_methods import log_scaled
from benchmarks.studies.count_tables import dropseq
from benchmarks.studies.data import paper, wine
from benchmarks.studies.runs import markdown
from disnplbm import NPLBM
from disnplbm.engine.explain import Profile
from disnplbm.model.statistics import Floats

#: Columns named of a cluster; level of the test.
NAMED, LEVEL = 5, 0.05

INTRODUCTION = f"""### Beside known classes

Three tables whose rows have known classes: the paper's synthetic data (10 x 3 blocks), wine (three cultivars), and
single cells of three lines (Drop-seq). Each is fitted with seed 0 and told nothing, and its tree of rows is cut at the
number of classes. A cluster stands for the class that most of its rows have.
The synthetic data are drawn with seed 1. `explain` deals rows into folds with seed 0. Where data have that seed too,
whole clusters lie in one fold, and nothing is told of two of the ten.

The classes, and not the clusters, go into a test of their own: Welch's t-test of each column, the rows of the class
against all others. Of Drop-seq it tests logarithms of counts, each cell brought to the median total. *Test finds* are
the columns at {LEVEL:.0%} with Holm's correction, and *of these* how many `explain` tells. *Of those told* is the
share that the test finds at a false discovery rate of {LEVEL:.0%} (Benjamini and Hochberg), which `explain` aims at
too. *First {NAMED}* are the columns told with the largest factors, each with its rank in the test."""

KNOWN_MARKERS = """Genes that are known to be strong in a cell line: HCC827 has many copies of EGFR and of SEC61G beside
it, and in H2228 ALK is fused with another gene."""

MARKERS = {"HCC827": {"EGFR": "ENSG00000146648", "SEC61G": "ENSG00000132432"}, "H2228": {"ALK": "ENSG00000171094"}}


@dataclass(frozen=True, eq=False)
class Known:
    """A table with classes of its rows and names of its columns."""

    name: str
    values: Any
    classes: NDArray[np.generic]
    columns: list[str]
    tested: Floats
    options: dict[str, Any]

    def told(self) -> tuple[list[list[str]], list[str]]:
        """A line for each cluster of rows, and a sentence for each known marker."""
        codes = np.unique(self.classes, return_inverse=True)[1]
        model = NPLBM(random_state=0, **self.options).fit(self.values)
        number = min(int(codes.max()) + 1, model.n_row_clusters_)
        rows = model.cut(number)[0]
        profiles, lines, sentences = model.explain(self.values, number), list[list[str]](), list[str]()
        for profile in profiles:
            members = np.bincount(codes[rows == profile.label])
            its = codes == members.argmax()
            name = str(self.classes[its][0])
            lines.append([self.name, f"{name}: {members.max()} of {profile.size} rows", *self._beside(profile, its)])
            sentences += [
                _marker(profile, gene, name, self.columns.index(column))
                for gene, column in MARKERS.get(name, {}).items()
            ]
        return lines, sentences

    def _beside(self, profile: Profile, its: NDArray[np.bool_]) -> list[str]:
        p = ttest_ind(self.tested[its], self.tested[~its], equal_var=False).pvalue
        p = np.where(np.isnan(p), 1.0, p)
        ranks, told = rankdata(p, method="min"), profile.others
        differ, by_rate = holm(p) <= LEVEL, false_discovery_control(p) <= LEVEL
        return [
            f"{len(told):,}",
            f"{differ.sum():,}",
            f"{differ[told].sum():,}",
            f"{by_rate[told].mean():.0%}" if len(told) else "",
            ", ".join(f"{self.columns[j]} ({ranks[j]:.0f})" for j in told[:NAMED]),
        ]


def _marker(profile: Profile, gene: str, line: str, column: int) -> str:
    (places,) = np.nonzero(profile.others == column)
    if not len(places):
        return f"- {gene} in {line}: not told."
    own, rest = (side["rate"][places[0], 0] for side in (profile.own, profile.rest))
    times = f"{own / rest:.1f} times the others" if rest > 0 else "the others have none"
    return f"- {gene} in {line}: told in place {places[0] + 1:,} of {len(profile.others):,}; {times}."


def holm(p: Floats) -> Floats:
    """P-values with Holm's correction (1979), shape (m,)."""
    order = np.argsort(p, kind="stable")
    result = np.empty_like(p)
    result[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return result


def tables() -> Iterator[Known]:
    """The three tables."""
    synthetic, wines, cells = paper(2_000, 90, seed=1), wine(), dropseq()
    names = [f"column {j} of group {group}" for j, group in enumerate(synthetic.columns)]
    yield Known(synthetic.name, synthetic.values, synthetic.rows, names, synthetic.values, {})
    yield Known(
        wines.name,
        wines.values,
        wines.rows,
        load_wine().feature_names,
        wines.values,
        {"column_transform": wines.transform},
    )
    yield Known(
        cells.name,
        cells.counts,
        np.array(cells.class_names)[cells.classes],
        list(cells.columns),
        log_scaled(cells).toarray(),
        {"n_iterations": 40, "n_draws": 5, "cells": "counts"},
    )


def section() -> str:
    """This part of the page."""
    lines, sentences = list[list[str]](), list[str]()
    with warnings.catch_warnings():
        # What the tables are taken as is known here.
        warnings.simplefilter("ignore")
        for table in tables():
            for found, more in zip((lines, sentences), table.told(), strict=True):
                found += more
    header = ("table", "cluster", "told", "test finds", "of these", "of those told", f"first {NAMED}, and ranks")
    return "\n\n".join([INTRODUCTION, markdown(header, lines), KNOWN_MARKERS, "\n".join(sentences)])
