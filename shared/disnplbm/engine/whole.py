"""The table of a run, however it is cut, as one shard of rows or of columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from disnplbm.cell_types import DENSE, cell_type_of
from disnplbm.data.covariates import RESPONSES
from disnplbm.data.dataset import rows_of_chunk
from disnplbm.data.factors import GIVEN
from disnplbm.data.sharding import Axis
from disnplbm.dealing import items_of, slice_of
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.families.base import Cells, SparseCellsOf
from disnplbm.families.cell_type import Exposure, Factors, Facts, csr_arrays, unpack_numbers
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.families.gaussian.sparse_cells import SparseCells
from disnplbm.families.responses.cells import SparseResponses
from disnplbm.model.statistics import Floats
from disnplbm.sampler.shard import Shard


def join(problem: Problem, options: Options, axis: Axis = "rows") -> Problem:
    """Put the shards of a problem together; the cells are copied unless it is one shard of that axis already.

    One shard at a time is held.

    Parameters
    ----------
    axis : {"rows", "columns"}
        What the one shard is of.
    """
    if problem.axis == axis and len(problem.shards) == 1:
        return problem
    part = problem.only_part
    family, facts = part.family, part.facts
    joined = _join_shards(problem, axis)
    cells: Cells
    if isinstance(joined, SparseResponses):
        cells, facts = joined, {**facts, "axis": axis}
    elif not isinstance(joined, csr_array):
        cells = DenseCells(joined, complete=part.complete, diagonal=part.diagonal)
    elif part.cells == DENSE:
        table = csr_arrays(joined, joined.data)
        where = table["indptr"], table["indices"], table["values"]
        cells = SparseCells(*where, joined.shape[1], part.frame, complete=part.complete)
    else:
        kind, exposure = cell_type_of(part.cells), exposure_of(facts, options)
        if isinstance(exposure, Factors) and axis == "columns":
            exposure = Factors(exposure.columns, exposure.rows)
        described, (arrays,) = kind.describe([joined], exposure)
        facts = {**facts, **described, "axis": axis}
        cells, family = kind.cells(arrays, facts, complete=part.complete), kind.family(facts, options.power)
    n_items, n_columns = problem.n_items, part.n_columns
    if problem.axis != axis:
        n_items, n_columns = n_columns, n_items
    return replace(
        problem,
        shards=[Shard([cells], 0, 1)],
        parts=(replace(part, family=family, facts=facts, n_columns=n_columns),),
        axis=axis,
        n_items=n_items,
        parameters=replace(problem.parameters, n_shards=1),
    )


def exposure_of(facts: Facts, options: Options) -> Exposure:
    """What the counts of a run are compared with; factors that were given are among its facts."""
    if options.exposure != GIVEN:
        return options.exposure
    items, others = (unpack_numbers(part) for part in facts["totals"])
    return Factors(items, others) if facts["axis"] == "rows" else Factors(others, items)


def _join_shards(problem: Problem, axis: Axis) -> Floats | csr_array | SparseResponses:
    """All cells, the axis first: dense ones in the working frame, sparse ones in the units of the table."""
    if problem.only_part.cells == RESPONSES:
        # They have covariates of their own.
        shards: Any = [problem.shards[index].only_part.cells for index in range(len(problem.shards))]
        order = np.argsort(np.concatenate([items_of(e, problem.n_items, len(shards)) for e in range(len(shards))]))
        return cast(SparseResponses, shards[0].joined(shards[1:], order, turned=problem.axis != axis))
    whole, parts, items = list[Floats](), list[csr_array](), list[NDArray[np.int64]]()

    def put(shard: Shard) -> None:
        if isinstance(shard.only_part.cells, SparseCellsOf):
            parts.append(shard.only_part.cells.to_csr())
            items.append(items_of(shard.index, problem.n_items, shard.n_shards))
            return
        dense: Any = shard.only_part.cells
        if not whole:
            whole.append(np.empty((problem.n_items, dense.n_columns, dense.dimension)))
        ours = whole[0][slice_of(shard.index, shard.n_shards)]
        for start, values in dense.stretches(rows_of_chunk(dense.n_columns, dense.dimension)):
            ours[start : start + len(values)] = values

    for index in range(len(problem.shards)):
        put(problem.shards[index])
    if whole:
        return whole[0] if problem.axis == axis else whole[0].swapaxes(0, 1)
    table = csr_array(vstack(parts))[np.argsort(np.concatenate(items))]
    return csr_array(table if problem.axis == axis else table.T)
