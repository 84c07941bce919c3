"""Chains with draws, as all studies of the posterior run them."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.studies.masks import Masked
from disnplbm import NPLBM
from disnplbm.model.statistics import Floats
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.imputation import cell_log_density

#: One chain on one shard; concentrations as in the paper.
CHAIN: dict[str, Any] = {"n_iterations": 300, "burn_in": 150, "n_draws": 75, "alpha": 5.0, "beta": 2.0}

IN_WORDS = (
    "one chain on one shard, 300 iterations, of which the second half gives 75 draws; alpha 5, beta 2 unless learned"
)

LEARNED: dict[str, Any] = {"alpha": "learn", "beta": "learn"}


def fitted(values: Floats, seed: int, **changes: Any) -> NPLBM:
    """A fit to a table that is transformed already; the changes are to :data:`CHAIN`."""
    return NPLBM(random_state=seed, **(CHAIN | changes)).fit(values)


def draws_of(model: NPLBM) -> Draws:
    """The draws of a fit that keeps some."""
    assert model.draws_ is not None
    return model.draws_


def held_out_density(model: NPLBM, split: Masked) -> Floats:
    """Log density of the cells that the model's table was without, averaged over its draws."""
    return cell_log_density(draws_of(model), split.rows, split.columns, split.cells)


def middle(numbers: Any) -> str:
    """Median and, where it is not a point, the range of 95 % of the draws."""
    low, median, high = np.quantile(numbers, (0.025, 0.5, 0.975), method="nearest")
    return str(median) if low == high else f"{median} ({low} to {high})"


def mean_and_error(values: list[float] | Floats) -> str:
    """Mean and its standard error."""
    array = np.asarray(values, dtype=np.float64)
    return f"{array.mean():.3f} ± {array.std(ddof=1) / np.sqrt(len(array)):.3f}"
