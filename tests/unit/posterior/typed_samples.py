"""Small sets of draws of counts, 0/1 and categories, for tests of what draws say of other cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from disnplbm.cell_types import cell_type_of
from disnplbm.families.exponential.sums import Sums
from disnplbm.model.partition import canonical_labels
from disnplbm.model.statistics import Floats
from disnplbm.posterior.draws import Draw, Draws, DrawsMeta

#: Types of cells, and the exposure of counts.
KINDS = [("counts", "margins"), ("counts", "none"), ("binary", "none"), ("categorical", "none")]


def table(cells: str, n: int = 3, p: int = 4, seed: int = 0, missing: float = 0.0) -> Floats:
    """A table of such cells; categories are 0, 2 and 5."""
    rng = np.random.default_rng(seed)
    if cells == "counts":
        values = rng.poisson(2.0 + 3.0 * (np.arange(n) % 2)[:, None], (n, p)).astype(float)
    else:
        levels = [0.0, 1.0] if cells == "binary" else [0.0, 2.0, 5.0]
        values = rng.choice(levels, (n, p))
        # Every category is there.
        values.flat[: len(levels)] = levels
    values[rng.random((n, p)) < missing] = np.nan
    return values


def sums_of(cells: str, values: Floats, facts: dict[str, Any], exposures: Floats) -> Floats:
    """Sums of each cell, shape (n, p, S), as the family's page in docs/model.md defines them; 0 where missing."""
    seen = ~np.isnan(values)
    if cells == "counts":
        sums = np.stack([np.nan_to_num(values), exposures], axis=-1)
    else:
        sums = np.stack([values == level for level in facts["levels"]], axis=-1).astype(float)
    return np.where(seen[..., None], sums, 0.0)


def exposures_of(values: Floats, new: Floats, exposure: str, axis: str = "rows") -> Floats:
    """Exposure of the cells of new rows (columns), from the totals of the fitted table and their own."""
    if exposure == "none":
        return np.ones(new.shape)
    others = np.nansum(values, axis=0 if axis == "rows" else 1)
    own = np.nansum(new, axis=1 if axis == "rows" else 0)
    return np.outer(own, others / others.sum()) if axis == "rows" else np.outer(others / others.sum(), own)


def meta_of(
    cells: str, values: Floats, exposure: str = "none", power: float = 1.0, row_limit: int | None = None
) -> DrawsMeta:
    """Meta of draws of a table."""
    cell_type = cell_type_of(cells)
    facts = cell_type.describe([csr_array(values)], exposure)[0] | {"axis": "rows"}
    family = cell_type.family(facts, power)
    return DrawsMeta.of_one(*values.shape, family, cells=cells, facts=facts, row_limit=row_limit)


def draws_of(
    values: Floats, meta: DrawsMeta, exposure: str, partitions: list[tuple[Any, Any]], first: float = 0.6
) -> Draws:
    """Draws with these partitions of rows and columns, made canonical; their concentrations differ."""
    totals = np.nansum(values, axis=1)
    shares = np.nansum(values, axis=0) / np.nansum(values)
    exposures = np.outer(totals, shares) if exposure == "margins" else np.ones(values.shape)
    sums = sums_of(meta.cells, values, meta.facts, exposures)
    draws = list[Draw]()
    for number, (rows, columns) in enumerate(partitions):
        z, w = canonical_labels(np.asarray(rows)), canonical_labels(np.asarray(columns))
        blocks = np.zeros((z.max() + 1, w.max() + 1, sums.shape[-1]))
        np.add.at(blocks, (z[:, None], w[None, :]), sums)
        draws.append(Draw.of_one(0, number + 1, 0.0, first + 0.3 * number, 0.9 + 0.2 * number, z, w, Sums(blocks)))
    return Draws.of(draws, meta)


#: Partitions of the rows and columns of a table of 3 x 4.
PARTITIONS = [([0, 0, 1], [0, 1, 0, 1]), ([0, 1, 2], [0, 0, 0, 1]), ([0, 1, 1], [0, 0, 0, 0])]
