"""Responses with covariates: are blocks found, are unseen cells foreseen, do intervals hold, and what does it cost?"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks.rivals.scoal import scoal
from benchmarks.studies.runs import markdown
from disnplbm import NPLBM

Floats = NDArray[np.float64]

N, P, K, L = 150, 80, 4, 3

SEEDS = range(10)

#: Rows and columns that the fit does not see at all.
NEW_ROWS, NEW_COLUMNS = 10, 6

MISSING = 0.7

ITERATIONS, BURN_IN = 300, 100

#: Rows and columns of large tables, of which so many cells are seen.
LARGE, SEEN = ((25_000, 200), (50_000, 200), (100_000, 200)), 0.02

INTRODUCTION = f"""## Responses with covariates

{N} x {P} responses in {K} x {L} blocks, {MISSING:.0%} of them missing. Two covariates of rows and one of columns, all
N(0, 1). The intercept and the slopes of each block are N(0, 1), and the noise is 1. {NEW_ROWS} rows and {NEW_COLUMNS}
columns are kept apart: the fit does not see them, and they are new when cells are predicted."""


class Planted(NamedTuple):
    """A table, and what it was drawn from."""

    responses: Floats  # (n, p), all of them
    seen: NDArray[np.bool_]
    u: Floats  # (n, p, 4)
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]

    @property
    def observed(self) -> Floats:
        """NaN where missing."""
        return np.where(self.seen, self.responses, np.nan)


def draw(seed: int, n: int, p: int, missing: float) -> Planted:
    """Draw a table."""
    generator = np.random.default_rng(seed)
    rows, columns = generator.permutation(np.arange(n) % K), generator.permutation(np.arange(p) % L)
    of_rows, of_columns = generator.normal(size=(n, 2)), generator.normal(size=(p, 1))
    slopes = generator.normal(size=(K, L, 4))
    ones = np.ones((n, p))
    u = np.stack([ones, of_rows[:, :1] * ones, of_rows[:, 1:] * ones, of_columns.T * ones], axis=-1)
    responses = (slopes[rows][:, columns] * u).sum(axis=-1) + generator.normal(size=(n, p))
    return Planted(responses, generator.random((n, p)) >= missing, u, rows, columns)


class Outcome(NamedTuple):
    """What a fit of a table came to."""

    clusters: tuple[int, int]
    row_ari: float
    column_ari: float
    errors: dict[str, tuple[Floats, NDArray[np.bool_]]]  # of each kind of cells: errors, and whether intervals hold
    seconds: float
    rivals: dict[str, tuple[float, float]]  # error of unseen cells, and seconds


def section() -> str:
    """The page."""
    outcomes = [_outcome(seed) for seed in SEEDS]
    return "\n\n".join([INTRODUCTION, _recovery(outcomes), _coverage(outcomes), _rivals(outcomes), _speed()])


def _outcome(seed: int) -> Outcome:
    table = draw(seed, N, P, MISSING)
    n, p = N - NEW_ROWS, P - NEW_COLUMNS
    of_rows, of_columns = table.u[:, 0, 1:3], table.u[0, :, 3:]
    began = time.perf_counter()
    model = NPLBM(
        ITERATIONS,
        burn_in=BURN_IN,
        cells="responses",
        row_covariates=of_rows[:n],
        column_covariates=of_columns[:p],
        random_state=seed,
    ).fit(table.observed[:n, :p])
    seconds = time.perf_counter() - began
    return Outcome(
        (model.n_row_clusters_, model.n_column_clusters_),
        adjusted_rand_score(table.rows[:n], model.row_labels_),
        adjusted_rand_score(table.columns[:p], model.column_labels_),
        _foresee(model, table, n, p),
        seconds,
        {name: _judge(rival, table, n, p) for name, rival in RIVALS.items()},
    )


def _foresee(model: NPLBM, table: Planted, n: int, p: int) -> dict[str, tuple[Floats, NDArray[np.bool_]]]:
    import pandas as pd

    i, j = (part.ravel() for part in np.indices(table.seen.shape))
    of_rows = pd.DataFrame(table.u[n:, 0, 1:3], index=[str(r) for r in range(n, N)], columns=["row0", "row1"])
    of_columns = pd.DataFrame(table.u[0, p:, 3:], index=[str(c) for c in range(p, P)], columns=["column0"])
    found = model.predict_responses(i, j, table.observed.ravel(), row_covariates=of_rows, column_covariates=of_columns)
    unseen = ~table.seen.ravel()
    i, j, truth = i[unseen], j[unseen], table.responses.ravel()[unseen]
    errors, held = found.mean - truth, (found.low <= truth) & (truth <= found.high)
    kinds = {
        "known row and column": (i < n) & (j < p),
        "new row": (i >= n) & (j < p),
        "new column": (i < n) & (j >= p),
        "new row and column": (i >= n) & (j >= p),
    }
    return {kind: (errors[of_kind], held[of_kind]) for kind, of_kind in kinds.items()}


def _judge(rival: Callable[[Floats, Floats], Floats], table: Planted, n: int, p: int) -> tuple[float, float]:
    """The error of a rival in unseen cells of known rows and columns, and its seconds."""
    began = time.perf_counter()
    found = rival(table.u[:n, :p], table.observed[:n, :p])
    seconds = time.perf_counter() - began
    unseen = ~table.seen[:n, :p]
    return _rms((found - table.responses[:n, :p])[unseen]), seconds


def _regression(u: Floats, y: Floats) -> Floats:
    """One regression for all cells."""
    seen = ~np.isnan(y)
    return np.asarray(u @ np.linalg.lstsq(u[seen], y[seen], rcond=None)[0])


def _by_clusters(u: Floats, y: Floats) -> Floats:
    """A regression for each k-means cluster of rows, told K; missing cells are at the mean of their column."""
    filled = np.where(np.isnan(y), np.nanmean(y, axis=0), y)
    labels, result = KMeans(K, n_init=10, random_state=0).fit_predict(filled), np.empty(y.shape)
    for k in range(K):
        result[labels == k] = _regression(u[labels == k], y[labels == k])
    return result


def _blocks(u: Floats, y: Floats) -> Floats:  # noqa: ARG001 - a rival that sees no covariates
    """NPLBM of real numbers, which sees no covariates."""
    model = NPLBM(ITERATIONS, burn_in=BURN_IN, cells="gaussian").fit(y)
    return np.asarray(model.impute(y)[0])


def _told(u: Floats, y: Floats) -> Floats:
    """SCOAL, told K and L, ten restarts."""
    return scoal(u, y, K, L).predict(u)


RIVALS = {
    "one regression": _regression,
    "k-means of rows told K, a regression each": _by_clusters,
    "NPLBM of real numbers, without covariates": _blocks,
    "SCOAL told K and L, ten restarts": _told,
}


def _rms(errors: Floats) -> float:
    return float(np.sqrt((errors**2).mean()))


def _recovery(outcomes: list[Outcome]) -> str:
    right = sum(outcome.clusters == (K, L) for outcome in outcomes)
    header = ("seed", "K x L", "ARI of rows", "ARI of columns", "error of unseen cells", "seconds")
    rows = [
        (
            str(seed),
            "{} x {}".format(*outcome.clusters),
            f"{outcome.row_ari:.2f}",
            f"{outcome.column_ari:.2f}",
            f"{_rms(outcome.errors['known row and column'][0]):.3f}",
            f"{outcome.seconds:.1f}",
        )
        for seed, outcome in zip(SEEDS, outcomes, strict=True)
    ]
    said = f"{right} of {len(outcomes)} fits have {K} x {L} clusters. The noise is 1: nobody can foresee cells better."
    return f"### Are the blocks found?\n\n{said}\n\n{markdown(header, rows)}"


def _coverage(outcomes: list[Outcome]) -> str:
    rows = []
    for kind in outcomes[0].errors:
        errors, held = (np.concatenate([outcome.errors[kind][at] for outcome in outcomes]) for at in (0, 1))
        rows.append((kind, f"{len(held):,}", f"{_rms(errors):.3f}", f"{held.mean():.1%}"))
    header = ("unseen cells of a", "cells", "error", "in their 95 % interval")
    return f"### Do the intervals hold?\n\nOver all seeds:\n\n{markdown(header, rows)}"


def _rivals(outcomes: list[Outcome]) -> str:
    ours = [(_rms(outcome.errors["known row and column"][0]), outcome.seconds) for outcome in outcomes]
    of_all = {"NPLBM of responses": ours, **{name: [each.rivals[name] for each in outcomes] for name in RIVALS}}
    rows = []
    for name, pairs in of_all.items():
        errors, seconds = np.array(pairs).T
        rows.append(
            (name, f"{errors.mean():.3f}", f"{errors.min():.3f} to {errors.max():.3f}", f"{seconds.mean():.2f}")
        )
    header = ("method", "error, mean of the seeds", "least and largest", "seconds")
    return f"### Beside other methods\n\nUnseen cells of known rows and columns:\n\n{markdown(header, rows)}"


def _speed() -> str:
    rows = []
    for n, p in LARGE:
        table = draw(0, n, p, 1.0 - SEEN)
        given = {"row_covariates": table.u[:, 0, 1:3], "column_covariates": table.u[0, :, 3:]}
        y = table.observed
        model = NPLBM(20, cells="responses", **given).fit(y)
        iterations = model.seconds_["sampling"] / 20
        rows.append((f"{n:,} x {p}", f"{int(table.seen.sum()):,}", f"{iterations:.3f}"))
    said = f"{SEEN:.0%} of the cells are seen. 20 iterations of `split-merge` on one shard, from the start."
    header = ("table", "seen cells", "seconds an iteration")
    return f"### What an iteration costs\n\n{said}\n\n{markdown(header, rows)}"
