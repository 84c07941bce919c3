"""What the prior's scale and weight do to the posterior, and whether held-out cells can choose them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.studies.fits import IN_WORDS, draws_of, fitted, held_out_density, mean_and_error, middle
from benchmarks.studies.masks import data_set, masked
from benchmarks.studies.runs import markdown, spread
from disnplbm.model.statistics import Floats
from disnplbm.posterior.scores import partition_scores

SEEDS = range(5)

PSI0_FACTORS = (0.01, 0.1, 1.0, 10.0)
KAPPA0 = (0.01, 0.1, 1.0)

INTRODUCTION = f"""## Sensitivity to the prior, and choosing it without labels

`--psi0-factor` and `--kappa0` on a grid, on the five splits of the section before (a tenth of the cells held out;
all figures are of fits without them): {IN_WORDS};
split-merge. K and L: posterior median, and the range of 95 % of the draws, of all splits together. ARI: of the
consensus, mean and standard deviation over splits. Held out: mean log predictive density of a held-out cell and its
standard error; behind: what a setting lacks of the best one, on the same splits. The default is in italics, the best
held-out density in bold.

If the held-out density is to choose the prior, there are two rules: the setting of highest density, and the simplest
(the fewest blocks, K x L) that is not behind it by more than one standard error of the difference. The labels are in
neither; they only judge the choice."""


@dataclass(frozen=True, eq=False)
class Setting:
    """A point of the grid, and what came of it over the splits."""

    psi0_factor: float
    kappa0: float
    row_clusters: NDArray[np.int64]
    column_clusters: NDArray[np.int64]
    ari: list[float]
    density: Floats

    @property
    def name(self) -> str:
        """The options in short."""
        return f"{self.psi0_factor:g} / {self.kappa0:g}"

    @property
    def blocks(self) -> float:
        """Median number of blocks."""
        return float(np.median(self.row_clusters * self.column_clusters))


def section() -> str:
    """The page in docs/results."""
    return "\n\n".join([INTRODUCTION, *(_table(name) for name in ("wine", "Chowdary", "Nutt", "velib"))])


def simplest_of_the_best(blocks: Floats, density: Floats) -> int:
    """The setting of fewest blocks that the best does not beat by more than a standard error of the difference.

    Parameters
    ----------
    blocks : ndarray of shape (m,)
        Of each setting.
    density : ndarray of shape (m, s)
        Of each setting in the same s >= 2 splits.
    """
    behind = density[density.mean(axis=1).argmax()] - density
    error = behind.std(axis=1, ddof=1) / np.sqrt(density.shape[1])
    near = behind.mean(axis=1) <= error
    return int(np.where(near, blocks, np.inf).argmin())


def _setting(name: str, psi0_factor: float, kappa0: float) -> Setting:
    splits = [masked(name, seed) for seed in SEEDS]
    models = [
        fitted(split.train, seed, sampler="split-merge", psi0_factor=psi0_factor, kappa0=kappa0)
        for seed, split in zip(SEEDS, splits, strict=True)
    ]
    numbers = [draws_of(model).numbers() for model in models]
    return Setting(
        psi0_factor,
        kappa0,
        np.concatenate([of_chain.row_clusters for of_chain in numbers]),
        np.concatenate([of_chain.column_clusters for of_chain in numbers]),
        [partition_scores(data_set(name).rows, model.row_labels_)[0] for model in models],
        np.array([held_out_density(model, split).mean() for model, split in zip(models, splits, strict=True)]),
    )


def _table(name: str) -> str:
    data = data_set(name)
    classes = len(np.unique(data.rows))
    settings = [_setting(name, *point) for point in product(PSI0_FACTORS, KAPPA0)]
    density = np.array([setting.density for setting in settings])
    best = settings[int(density.mean(axis=1).argmax())]
    simple = settings[simplest_of_the_best(np.array([setting.blocks for setting in settings]), density)]
    rows = []
    for setting in settings:
        figure = mean_and_error(setting.density)
        default = setting.psi0_factor == setting.kappa0 == 1
        rows.append(
            (
                f"*{setting.name}*" if default else setting.name,
                middle(setting.row_clusters),
                middle(setting.column_clusters),
                *([spread(setting.ari)] if classes > 1 else []),
                f"**{figure}**" if setting is best else figure,
                "" if setting is best else mean_and_error(best.density - setting.density),
            )
        )
    scored = ("consensus ARI",) if classes > 1 else ()
    table = markdown(("psi0 factor / kappa0", "K", "L", *scored, "held out", "behind"), rows)
    n, p = data.values.shape[:2]
    head = f"### {name} ({n:,} x {p}" + (f"; {classes} classes)" if classes > 1 else "; no classes known)")
    return f"{head}\n\n{table}\n\n{_verdict(settings, best, simple, classes)}"


def _verdict(settings: list[Setting], best: Setting, simple: Setting, classes: int) -> str:
    """What both rules choose, beside the default and the best that labels could have chosen."""
    edges = [
        f"{name} is the {'smallest' if value == grid[0] else 'largest'} tried"
        for name, value, grid in (("psi0 factor", best.psi0_factor, PSI0_FACTORS), ("kappa0", best.kappa0, KAPPA0))
        if value in (grid[0], grid[-1])
    ]

    def scored(setting: Setting) -> str:
        return setting.name + (f", ARI {np.mean(setting.ari):.2f}" if classes > 1 else "")

    edge = f" ({', '.join(edges)})" if edges else ""
    text = f"Highest density: {scored(best)}{edge}. Simplest within one standard error: {scored(simple)}."
    if classes == 1:
        return text
    (default,) = (setting for setting in settings if setting.psi0_factor == setting.kappa0 == 1)
    ceiling = max(settings, key=lambda setting: float(np.mean(setting.ari)))
    return (
        f"{text} The default: ARI {np.mean(default.ari):.2f}. The grid's highest ARI, which only labels could choose:"
        f" {scored(ceiling)}."
    )
