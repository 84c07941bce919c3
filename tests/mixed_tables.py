"""Tables of real numbers, counts and categories over the same rows, with planted clusters, as problems."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from disnplbm.data.typed import deal_cells
from disnplbm.dealing import slice_of
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, build_problem, problem_of_dealt
from disnplbm.model.statistics import Floats
from disnplbm.sampler.shard import Shard

#: Columns of real numbers, counts and categories.
LENGTHS = (5, 6, 4)


def planted(rows: np.ndarray, seed: int = 0, sharp: float = 3.0) -> tuple[Floats, Floats, Floats]:
    """Real numbers, counts and codes of three categories for rows of clusters 0, 1 and 2.

    The columns of each kind are in two clusters, even and odd ones.
    """
    rng = np.random.default_rng(seed)
    odd = [np.arange(length) % 2 for length in LENGTHS]
    sign = [np.cos(np.pi * (rows[:, None] + columns)) for columns in odd]
    numbers = sharp * sign[0] + 2 * sharp * (rows == 2)[:, None] + rng.normal(size=sign[0].shape)
    counts = rng.poisson(6.0 * np.exp(0.3 * sharp * sign[1])).astype(np.float64)
    chosen = np.where(rng.random(sign[2].shape) < 0.8, rows[:, None] + odd[2], rng.integers(3, size=sign[2].shape))
    return numbers, counts, (chosen % 3).astype(np.float64)


def problem_of(tables: tuple[Floats, Floats, Floats], n_shards: int, options: Options) -> Problem:
    """The tables as the three parts of one."""
    numbers, counts, codes = tables
    shards = [numbers[slice_of(index, n_shards)][..., None].copy() for index in range(n_shards)]
    moments = [float(numbers.mean())], [[float(numbers.var())]]
    of_numbers = build_problem(shards, n_shards, options, "rows", *moments, numbers.size, complete=True)
    of_others = [
        _typed(values, kind, n_shards, options) for values, kind in ((counts, "counts"), (codes, "categorical"))
    ]
    tables = [of_numbers, *of_others]
    shards_of_all = [
        Shard([table.shards[index].only_part.cells for table in tables], index, n_shards) for index in range(n_shards)
    ]
    parts = tuple(table.only_part for table in tables)
    return Problem(shards_of_all, options.parameters(n_shards, "rows"), parts, "rows", len(numbers))


class _Shape(NamedTuple):
    n: int
    p: int
    dimension: int = 1


def _typed(values: Floats, cells: str, n_shards: int, options: Options) -> Problem:
    chunks = [(0, csr_array(values))]
    names = [f"{cells}{column}" for column in range(values.shape[1])]
    dealt = deal_cells(
        _Shape(*values.shape),
        lambda: chunks,
        names,
        cells=cells,
        exposure="margins",
        transform="none",
        n_shards=n_shards,
        axis="rows",
    )
    return problem_of_dealt(dealt.prepared, dealt.shards, replace(options, cells=cells))
