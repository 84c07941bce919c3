"""A family of one's own: waiting times x > 0, exponential in each block with a rate theta ~ Gamma(A, rate B).

A set of cells is known by its number N and its sum T, and

    LM(N, T) = A log B - logGamma(A) + logGamma(A + power N) - (A + power N) log(B + power T).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.families.base import Average, Family, Rows, SparseCells, SparseCellsOf
from disnplbm.families.cell_type import Arrays, CellType, Facts, csr_arrays
from disnplbm.families.exponential.family import ExponentialFamily
from disnplbm.families.exponential.kernels import log_marginal
from disnplbm.families.exponential.sums import Sums
from disnplbm.kernels.choice import logs
from disnplbm.kernels.compiler import OPTIONS
from disnplbm.kernels.special import log, log_gamma
from disnplbm.model.statistics import Floats, Labels

A, B = 1.5, 0.7


class WaitingPrior(NamedTuple):
    """Prior of a block's rate, and the power of the likelihood."""

    shape: float
    rate: float
    power: float


@overload(log_marginal, jit_options=OPTIONS)
def _compile_log_marginal(prior, sums):  # type: ignore[no-untyped-def]
    if getattr(prior, "instance_class", None) is not WaitingPrior:
        return None

    def of_number_and_time(prior, sums):  # type: ignore[no-untyped-def]
        shape, rate = prior.shape + prior.power * sums[0], prior.rate + prior.power * sums[1]
        of_prior = prior.shape * log(prior.rate) - log_gamma(prior.shape)
        return of_prior + log_gamma(shape) - shape * log(rate)

    return of_number_and_time


class Waiting(ExponentialFamily):
    """Exponential cells."""

    def __init__(self, power: float) -> None:
        super().__init__(WaitingPrior(A, B, power), 2)

    def tempered(self, power: float) -> Waiting:
        return Waiting(power)

    def _posterior(self, sums: Floats) -> tuple[Floats, Floats]:
        return A + self.power * sums[..., 0], B + self.power * sums[..., 1]

    def _natural(self, theta: Floats) -> Floats:
        return self.power * np.stack([logs(theta.ravel()).reshape(theta.shape), -theta], axis=-1)

    def draw_parameters(self, sums: Floats, generator: np.random.Generator) -> Floats:
        shape, rate = self._posterior(sums)
        return self._natural(generator.standard_gamma(shape) / rate)

    def mean_parameters(self, sums: Floats) -> Floats:
        shape, rate = self._posterior(sums)
        return self._natural(shape / rate)

    def figures(self, blocks: Sums) -> dict[str, Floats]:
        number, time = blocks.values[..., :1], blocks.values[..., 1:]
        return {"rate": np.divide(number, time, out=np.full(time.shape, np.nan), where=time > 0.0)}

    def draw_figures(self, blocks: Sums, average: Average, generator: np.random.Generator) -> dict[str, Floats]:
        shape, rate = self._posterior(blocks.values)
        return {"rate": average((generator.standard_gamma(shape) / rate)[..., None])}

    def count_cells(self, blocks: Sums) -> Floats:
        return blocks.values[..., 0]

    def may_be(self, cells: Sums, most: NDArray[np.int64]) -> bool:
        return bool((cells.values >= 0.0).all() and (cells.values[..., 0] <= most[:, None]).all())


class Times(SparseCellsOf[Sums]):
    """The waiting times of a shard."""

    numbers = 2

    def __init__(self, values: csr_array, *, complete: bool) -> None:
        super().__init__(values.indptr, values.indices, values.data, values.shape[1], complete=complete)
        self._values = values.toarray()

    def to_csr(self) -> csr_array:
        return csr_array(self._values)

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Sums:
        sums = np.zeros((n_groups, len(self._values[rows]), 2))
        np.add.at(sums, column_labels, np.swapaxes(self._cells()[rows], 0, 1))
        return Sums(np.ascontiguousarray(np.swapaxes(sums, 0, 1)))

    def by_cluster(self, labels: Labels, n_clusters: int) -> Sums:
        sums = np.zeros((n_clusters, self.n_columns, 2))
        np.add.at(sums, labels[labels >= 0], self._cells()[labels >= 0])
        return Sums(sums)

    def _cells(self) -> Floats:
        return np.stack([~np.isnan(self._values), np.nan_to_num(self._values)], axis=-1)


class WaitingTable(CellType):
    """Numbers above 0."""

    noun = "waiting times"

    def refuse(self, cells: NDArray[np.float64]) -> tuple[NDArray[np.bool_], str]:
        return cells <= 0.0, "above 0"

    def describe(self, parts: Sequence[csr_array], exposure: str) -> tuple[Facts, list[Arrays]]:
        return {"others": parts[0].shape[1], "log_constant": 0.0}, [csr_arrays(part, part.data) for part in parts]

    def cells(self, arrays: Arrays, facts: Facts, *, complete: bool) -> SparseCells:
        stored: Any = (arrays["values"], arrays["indices"], arrays["indptr"])
        return Times(csr_array(stored, (len(arrays["indptr"]) - 1, facts["others"])), complete=complete)

    def family(self, facts: Facts, power: float) -> Family:
        return Waiting(power)


CELL_TYPE = WaitingTable()
