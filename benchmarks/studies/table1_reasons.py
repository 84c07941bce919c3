"""Why a row of the table falls short of the paper's figures: measured, with labels that only judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import completeness_score, homogeneity_score

from benchmarks.studies.fits import draws_of, fitted
from benchmarks.studies.runs import several
from disnplbm import NPLBM
from disnplbm.model.statistics import Floats
from disnplbm.posterior.scores import partition_scores

#: ARI that the best chain of a posterior must have more than a row for the row's search to be at fault.
MARGIN = 0.05

EXPLANATION = f"""Under each table: why a row of ours is not better. Homogeneity is 1 if no cluster mixes classes,
completeness is 1 if no class is cut (their harmonic mean is the NMI). To tell the model's fault from the search's, all
chains of the same posterior are looked at together: ten seeds of each sampler, and one of each that is started at the
classes (which judges, and enters no figure of the table). If the consensus of the chain whose draws have the highest
mean log joint is nearer to the classes than the row is, by more than {MARGIN} in ARI, the row's search falls short;
else the model itself does. (Mean log joint ranks the modes that chains sit in; it is not the posterior mass of a
mode.)"""


@dataclass(frozen=True, eq=False)
class Run:
    """One fit of a row of the table."""

    rows: NDArray[Any]
    columns: NDArray[Any] | None = None
    log_joint: float = float("nan")


@dataclass(frozen=True, eq=False)
class Row:
    """A row of the table: a method, and its runs over the seeds.

    Parameters
    ----------
    name : str
    runs : list of Run
    posterior : str
        Same for rows whose chains have the same posterior; empty for what is not ours.
    options : dict, optional
        Of the chains whose consensus the runs are.
    """

    name: str
    runs: list[Run]
    posterior: str = ""
    options: dict[str, Any] | None = None


def consensus_run(model: NPLBM) -> Run:
    """The consensus of a fit, and the mean log joint of its draws."""
    return Run(model.row_labels_, model.column_labels_, float(draws_of(model).numbers().log_joint.mean()))


def better(figure: float, limit: float) -> bool:
    """Whether a figure is higher in two printed digits."""
    return float(f"{figure:.2f}") > limit


def scores(row: Row, classes: NDArray[Any]) -> Floats:
    """ARI and NMI of each run, shape (runs, 2)."""
    return np.array([partition_scores(classes, run.rows) for run in row.runs])


def reasons(values: Floats, classes: NDArray[Any], rows: Sequence[Row], paper: tuple[float, float]) -> list[str]:
    """A line for each row of ours whose ARI or NMI is not above the paper's (ARI, NMI)."""
    short = {row.name: _short(row, classes, paper) for row in rows if row.posterior}
    found = {row.name for row in rows if row.posterior and all(scores(row, classes)[:, 0] == 1)}
    wanted = {row.posterior for row in rows if short.get(row.name) and row.name not in found}
    chains: dict[str, list[Run]] = defaultdict(list)
    for row in rows:
        if row.posterior in wanted and row.options is not None:
            chains[row.posterior] += [*row.runs, _from_the_classes(values, classes, row)]
    lines = []
    for row in rows:
        if short.get(row.name):
            reason = (
                "the classes are found exactly; there is no more to gain."
                if row.name in found
                else _reason(classes, row, chains[row.posterior] or row.runs)
            )
            lines.append(f"- {row.name} ({short[row.name]}): {reason}")
    return lines


def _short(row: Row, classes: NDArray[Any], paper: tuple[float, float]) -> str:
    """The figures that are not above the paper's."""
    means = scores(row, classes).mean(axis=0)
    named = zip(("ARI", "NMI"), means, paper, strict=True)
    return " and ".join(name for name, figure, limit in named if not better(figure, limit))


def _from_the_classes(values: Floats, classes: NDArray[Any], row: Row) -> Run:
    """Where a chain with the row's settings ends that starts at the classes and at columns of its own."""
    codes = np.unique(classes, return_inverse=True)[1]
    return consensus_run(fitted(values, 0, start=(codes, row.runs[0].columns), **(row.options or {})))


def _reason(classes: NDArray[Any], row: Row, chains: list[Run]) -> str:
    homogeneity = np.mean([homogeneity_score(classes, run.rows) for run in row.runs])
    completeness = np.mean([completeness_score(classes, run.rows) for run in row.runs])
    numbers, known = [len(np.unique(run.rows)) for run in row.runs], len(np.unique(classes))
    best = max(chains, key=lambda run: run.log_joint)
    ari, mean = partition_scores(classes, best.rows)[0], scores(row, classes)[:, 0].mean()
    mean_joint = np.mean([run.log_joint for run in row.runs])
    return (
        f"K = {several(numbers)} for {known} classes, homogeneity {homogeneity:.2f}, completeness {completeness:.2f}."
        f" The best chain (log joint {best.log_joint:.0f}, the row's mean {mean_joint:.0f}) has K ="
        f" {len(np.unique(best.rows))} and ARI {ari:.2f}: {'the search' if ari > mean + MARGIN else 'the model'}."
    )
