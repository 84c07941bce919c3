"""Tables of real numbers that are mostly zero: which ones are kept without their zeros, and how they come to shards.

It is the table that decides, and never its file: a dense file and a sparse one of the same cells give the same shards,
and the same bits. Below the limits here a table is dense, from whatever file
(docs/adr/0028-real-numbers-without-their-zeros.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from disnplbm.data.advice import advise
from disnplbm.data.dealt_rows import Chunks, StoredCells, deal_rows
from disnplbm.data.prepared import Prepared, check_moments
from disnplbm.data.sample import Sample
from disnplbm.data.sharding import choose_sharding
from disnplbm.data.transform import NONE, STEPS, Transform, fit_transform, keeps_zeros
from disnplbm.data.transforms.step import Table
from disnplbm.data.typed import CsrRows, Dealt
from disnplbm.errors import InputError
from disnplbm.families.cell_type import csr_arrays
from disnplbm.kernels.sparse_statistics import StoredMoments
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint, Note

LEAST_CELLS = 1_000_000
"""A table of fewer cells is dense: it is swept in milliseconds either way."""

LEAST_ZEROS = 0.5
"""A table of a smaller share of zeros is dense: its passes take no longer so, and hardly more memory."""


def is_kept_sparse(shape: tuple[int, int, int], stored: int, transform: str) -> bool:
    """Whether a table of real numbers is kept without its zeros.

    Parameters
    ----------
    shape : tuple of int
        Rows, columns, numbers in a cell.
    stored : int
        Numbers that are missing or not 0.
    transform : str
        As :func:`disnplbm.data.transform.check_transform` gives it.
    """
    rows, columns, dimension = shape
    cells = rows * columns
    many = cells >= LEAST_CELLS and cells - stored >= LEAST_ZEROS * cells
    return dimension == 1 and many and keeps_zeros(transform)


class DealtNumbers(NamedTuple):
    """A table of real numbers in shards without zeros, the transform it went through, and what is odd about it."""

    dealt: Dealt
    transform: Transform
    notes: list[Note]


def deal_numbers(
    table: Table,
    chunks: Chunks,
    *,
    transform: str,
    n_shards: int | str,
    axis: str,
) -> DealtNumbers:
    """Transform the cells of a table that is kept sparse, and deal them out to shards.

    Parameters
    ----------
    chunks : callable
        Gives first row and cells of each stretch of rows, and is called twice.
    transform : str
        One that keeps zeros.
    n_shards, axis
        As :func:`disnplbm.data.sharding.choose_sharding` takes them.

    Raises
    ------
    InputError
        The numbers are too large or too small, or outside of the transform's domain.
    """
    fitted, stored = _ZeroKeeping(table, transform), StoredCells(table.n, table.p)
    moments, sample, missing = StoredMoments(), Sample(table.p, 1), 0

    def transformed() -> CsrRows:
        for first, raw in chunks():
            yield first, csr_array((fitted.apply(raw.data), raw.indices, raw.indptr), raw.shape)

    for first, rows in transformed():
        moments.add(rows.data)
        sample.add_sparse(rows)
        missing += int(np.count_nonzero(np.isnan(rows.data)))
        stored.add(first, rows, np.float64)
    observed = table.n * table.p - missing
    found = moments.with_zeros(observed)
    mean, covariance = found.mean, found.scatter / max(observed, 1)
    check_moments(mean, covariance, np.array([stored.number - missing > 0]), transform)
    sharding = choose_sharding(table, n_shards=n_shards, axis=axis, numbers=stored.number)
    shards = [csr_arrays(part, part.data) for part in deal_rows(transformed(), stored, sharding)]
    prepared = Prepared(
        n=table.n,
        p=table.p,
        dimension=1,
        axis=sharding.axis,
        transform=transform,
        mean=tuple(mean.tolist()),
        covariance=(tuple(covariance[0].tolist()),),
        observed=observed,
        missing=missing,
        sparse=True,
    )
    advice = advise(sample, table.column_names).note(transform)
    notes = [zeros_note((table.n * table.p - stored.number) / observed), *([] if advice is None else [advice])]
    return DealtNumbers(Dealt(prepared, sharding, shards), fitted.transform, notes)


class _ZeroKeeping:
    """A transform that keeps zeros, on the cells alone that are not 0."""

    def __init__(self, table: Table, name: str) -> None:
        self._table, self._name = table, name
        # They have nothing to fit but the check of their domain, which `apply` makes.
        self.transform = Transform(tuple(STEPS[kind]() for kind in name.split(",") if kind != NONE))

    def apply(self, values: Floats) -> Floats:
        try:
            return self.transform.apply_to_stored(values)
        except InputError:
            # This one names the cell.
            fit_transform(self._table, self._name)
            raise


def zeros_note(share: float) -> Note:
    """What a share of zeros means for a model of normal cells."""
    return Note(
        f"{share:.0%} of the cells are 0, and a block takes them as measurements. If the numbers come from counts, the"
        " counts tell more: fit those with ",
        Hint("cells", "counts"),
        "; if a zero stands for what was not measured, leave the cell blank",
        kind="shape",
    )
