"""Do intervals hold what they say, and is a confidence of 0.8 right in eight cases of ten? On tables from the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from benchmarks.studies.generative import Drawn, draw_table
from benchmarks.studies.kept import kept_draws, problem_of
from benchmarks.studies.reliability_chart import reliability_chart
from benchmarks.studies.runs import markdown
from disnplbm.engine.options import Options
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.summary import Summary, summarise_draws

#: Tables, and rows and columns of each.
TABLES, SHAPE = 450, (12, 10)

#: So that nothing rests on one shard holding all rows.
N_SHARDS = 3

ALPHA, BETA = 1.2, 0.8

#: Fixed numbers, so that nothing of the prior is taken from the data; nu0 = d + 3.
PRIOR = NIWPrior(np.array([0.3]), 0.5, np.array([[1.0]]), 4.0)

#: What is kept of a chain: 199 draws.
BURN_IN, THIN, DRAWS = 63, 3, 199

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "reliability.svg"


@dataclass(frozen=True, eq=False)
class Found:
    """What came of all tables.

    Parameters
    ----------
    centres, chosen : ndarray of bool
        Whether the interval of a block's mean holds the truth: of every block of every consensus, and of the one block
        of each that holds cell (1, 1).
    confidence, right : ndarray
        Of every row: what the run says, and what came out.
    """

    centres: np.ndarray
    chosen: np.ndarray
    confidence: Floats
    right: Floats


def study() -> Found:
    """Simulate the tables and sample their posteriors with ``split-merge``."""
    centres: list[bool] = []
    chosen: list[bool] = []
    confidence, right = [], []
    for number in range(TABLES):
        generator = np.random.default_rng([7, number])
        drawn = draw_table(SHAPE, PRIOR, ALPHA, BETA, generator)
        summary = sampled(drawn.values, number, generator)
        held = covered(summary, drawn)
        centres.extend(held.ravel().tolist())
        chosen.append(bool(held[summary.rows.labels[0], summary.columns.labels[0]]))
        confidence.append(summary.rows.confidence)
        right.append(truth(summary.rows.labels, drawn.row_labels))
    return Found(np.array(centres), np.array(chosen), np.concatenate(confidence), np.concatenate(right))


def sampled(values: Floats, seed: int, generator: np.random.Generator) -> Summary:
    """What a run says of a table."""
    options = Options(
        sampler="split-merge",
        alpha=ALPHA,
        beta=BETA,
        seed=seed,
        iterations=BURN_IN + THIN * DRAWS,
        burn_in=BURN_IN,
        draws=DRAWS,
    )
    problem = problem_of(values, PRIOR, N_SHARDS, options)
    draws = Draws.of(kept_draws(problem, options), problem.draws_meta(options, "none", None))
    return summarise_draws(draws, generator, None)


def covered(summary: Summary, drawn: Drawn) -> np.ndarray:
    """Whether the interval of each block's mean holds the mean of the true means of its cells, shape (K, L)."""
    rows, columns = summary.rows.labels, summary.columns.labels
    of_cells = drawn.means[np.ix_(drawn.row_labels, drawn.column_labels)][..., 0]
    interval = summary.blocks.centre
    result = np.empty((int(rows.max()) + 1, int(columns.max()) + 1), dtype=bool)
    for k, g in np.ndindex(result.shape):
        mean = of_cells[np.ix_(rows == k, columns == g)].mean()
        result[k, g] = interval.low[k, g, 0] <= mean <= interval.high[k, g, 0]
    return result


def truth(labels: Labels, known: Labels) -> Floats:
    """Share of the other members of each item's cluster that truly are with it; of a lone item, whether it is alone."""
    alike, true = labels[:, None] == labels, known[:, None] == known
    others = alike.sum(axis=1) - 1
    together = (alike & true).sum(axis=1) - 1
    return np.asarray(np.where(others > 0, together / np.maximum(others, 1), true.sum(axis=1) == 1))


def section() -> str:
    """The page in docs/results."""
    found = study()
    rows = []
    for what, held in (("every block", found.centres), ("the block of cell (1, 1)", found.chosen)):
        low, high = binomtest(int(held.sum()), len(held)).proportion_ci()
        rows.append((what, f"{len(held):,}", f"{held.mean():.2%}", f"{low:.1%} to {high:.1%}"))
    curve = _curve(found)
    PICTURE.write_text(reliability_chart(curve), encoding="utf-8")
    bins = [(f"{said:.3f}", f"{was:.3f}", f"{count:,}") for said, was, count in curve]
    return "\n".join(
        [
            "## Coverage and calibration",
            "",
            f"{TABLES} tables of {SHAPE[0]} x {SHAPE[1]} cells, drawn from the model under a fixed prior (nu0 = d + 3,"
            f" alpha {ALPHA}, beta {BETA}), each sampled by `split-merge` on {N_SHARDS} shards: {DRAWS} draws, {THIN}"
            f" iterations apart, after {BURN_IN}. A 95 % interval of a block of the consensus should hold the mean of"
            " the true means of its cells in 95 % of cases. The last column is the 95 % interval of the share itself"
            " (blocks of one table are not independent, so that for every block it is too narrow).",
            "",
            markdown(("intervals of the mean of", "number", "hold the truth", "95 % interval"), rows),
            "",
            "A row's confidence is the probability that it is together with another member of its cluster, chosen at"
            " random. Rows in ten bins of confidence, and the share of cases in which they truly are together:",
            "",
            "![Reliability curve](../images/reliability.svg)",
            "",
            markdown(("confidence (mean of bin)", "together in truth", "rows"), bins),
        ]
    )


def _curve(found: Found) -> list[tuple[float, float, int]]:
    """Mean confidence, mean outcome and number of rows of each bin."""
    number = np.minimum((found.confidence * 10).astype(int), 9)
    return [
        (float(found.confidence[number == b].mean()), float(found.right[number == b].mean()), int((number == b).sum()))
        for b in range(10)
        if (number == b).any()
    ]
