"""What is told of clusters: how much is false, where the cells choose the clusters and are then asked about them."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from benchmarks.studies import known_classes
from benchmarks.studies.runs import markdown
from disnplbm import NPLBM
from disnplbm.data.array import ArraySource
from disnplbm.engine.explain import explain
from disnplbm.engine.options import Options
from disnplbm.errors import DataWarning
from disnplbm.estimator.fitting import read_problem
from disnplbm.model.statistics import Floats, Labels

#: Tables of each kind of cells, and their shape.
TABLES, SHAPE = 200, (120, 150)

#: Groups of rows, but in every fourth table, where there is one; share of the columns in which each differs.
GROUPS, PLANTED = 3, 0.1

#: Clusters that a table is cut into where there are more than groups; iterations of a fit.
OVER, OVER_NOISE, ITERATIONS = 6, 4, 60

INTRODUCTION = f"""## What sets a cluster apart

`disnplbm explain` names columns of which at most 5 % are expected to be false. Here are
{TABLES} simulated tables of counts and
as many of real numbers, {SHAPE[0]} x {SHAPE[1]}. A tenth of the columns differs between {GROUPS} groups of rows; every
fourth table has no groups. The cells choose the clusters, and are then asked what sets them apart.

- *as fitted*: the row clusters of the fit, in every fourth table.
- *cut finer*: {OVER} clusters, in every second table. A fit that may have so many makes them, or k-means where the fit
  has fewer.
- *no groups*: {OVER_NOISE} clusters of noise, found likewise.

A column is false if the groups that the cluster and its others mix make no difference in it. The false share of a table
is 0 where nothing is told. *Found* are the columns told among those that differ."""


class Table(NamedTuple):
    """A simulated table."""

    cells: Floats
    groups: Labels
    effects: Floats  # (groups, columns) what a column is in a group, beside what it is elsewhere


class Told(NamedTuple):
    """What came of one table."""

    false: int
    told: int
    different: int
    clusters: int


def simulate(kind: str, seed: int) -> Table:
    """Draw a table of counts, or of real numbers."""
    rng, (n, p) = np.random.default_rng(seed), SHAPE
    number = 1 if seed % 4 == 0 else GROUPS
    groups = rng.integers(0, number, n).astype(np.int32)
    planted = rng.random((number, p)) < (PLANTED if number > 1 else 0.0)
    if kind == "counts":
        base, size = np.exp(rng.normal(0.5, 1.0, p)), np.exp(rng.normal(0.0, 0.4, n))
        effects = np.ones((number, p))
        for group, there in enumerate(planted):
            _balance(effects[group], rng.permutation(np.flatnonzero(there)), base, rng)
        return Table(rng.poisson(size[:, None] * base * effects[groups]).astype(np.float64), groups, effects)
    effects = np.where(planted, rng.choice([-1.0, 1.0], (number, p)) * rng.uniform(0.5, 2.0, (number, p)), 0.0)
    return Table(rng.normal(size=(n, p)) + effects[groups], groups, effects)


def _balance(effects: Floats, columns: NDArray[np.intp], base: Floats, rng: np.random.Generator) -> None:
    """Raise half of some columns and lower the others by as much, so that the totals of rows tell no groups."""
    up, down = columns[::2], columns[1::2]
    if not len(down):
        return
    more = rng.uniform(0.5, 3.0, len(up))
    gain, room = float(base[up] @ more), 0.7 * float(base[down].sum())
    factor = min(1.0, room / gain)
    effects[up] = 1.0 + more * factor
    effects[down] = 1.0 - gain * factor / float(base[down].sum())


def tell(kind: str, seed: int) -> tuple[str, Told]:
    """Fit a table, cut it finer than its groups or not, and ask what sets the clusters apart."""
    table = simulate(kind, seed)
    noise, finer = seed % 4 == 0, seed % 2 == 1
    wanted = OVER_NOISE if noise else OVER if finer else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        model = NPLBM(ITERATIONS, cells=kind, random_state=seed, fix_row_clusters=wanted).fit(table.cells)
        rows = model.row_labels_
        if wanted is not None and model.n_row_clusters_ < wanted - 1:
            shown = np.log1p(table.cells) if kind == "counts" else table.cells
            rows = KMeans(wanted, n_init=5, random_state=seed).fit_predict(shown).astype(np.int32)
        problem = read_problem(ArraySource(table.cells), Options(cells=kind), axis="rows", transform="none")
    profiles = explain(problem, rows, model.column_labels_, np.random.default_rng(seed))
    false = told = different = 0
    for profile in profiles:
        there = rows == profile.label
        own, others = (np.bincount(table.groups[part], minlength=len(table.effects)) for part in (there, ~there))
        differs = (
            np.abs(own / max(own.sum(), 1) @ table.effects - others / max(others.sum(), 1) @ table.effects) > 1e-12
        )
        told += len(profile.others)
        false += int((~differs[profile.others]).sum())
        different += int(differs.sum())
    return "no groups" if noise else "cut finer" if finer else "as fitted", Told(false, told, different, len(profiles))


def section() -> str:
    """The page in docs/results."""
    rows = []
    for kind, noun in (("counts", "counts"), ("gaussian", "real numbers")):
        found: dict[str, list[Told]] = {}
        for seed in range(TABLES):
            name, told = tell(kind, seed)
            found.setdefault(name, []).append(told)
        found["all"] = [told for several in found.values() for told in several]
        rows += [[noun, name, *_summary(found[name])] for name in ("as fitted", "cut finer", "no groups", "all")]
    columns = ("cells", "clusters", "tables", "row clusters", "told", "false share", "standard error", "found")
    return f"{INTRODUCTION}\n\n{markdown(columns, rows)}\n\n{known_classes.section()}"


def _summary(several: list[Told]) -> list[str]:
    shares = np.array([told.false / max(told.told, 1) for told in several])
    told, false, different = (sum(getattr(one, name) for one in several) for name in ("told", "false", "different"))
    found = f"{(told - false) / different:.0%}" if different else ""
    return [
        str(len(several)),
        f"{np.mean([one.clusters for one in several]):.1f}",
        f"{told / len(several):.0f}",
        f"{shares.mean():.1%}",
        f"{shares.std(ddof=1) / np.sqrt(len(shares)):.1%}",
        found,
    ]
