"""A part of a table in the working frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.cell_types import DENSE, cell_type_of
from disnplbm.data.prepared import Prepared
from disnplbm.data.shards import Loaded
from disnplbm.engine.options import Options
from disnplbm.errors import InputError
from disnplbm.families.base import Cells, Family
from disnplbm.families.cell_type import Facts
from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.families.gaussian.sparse_cells import SparseCells
from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats


@dataclass(frozen=True, slots=True, eq=False)
class ProblemPart:
    """What is known of a part, but for its cells.

    Parameters
    ----------
    family : Family
        In the working frame.
    cells : str
        Type of the cells: :data:`disnplbm.cell_types.DENSE` or one of those registered there.
    facts : dict
        What the family was made of; empty for real numbers.
    n_columns : int
        In the orientation of the shards.
    observed : int
        Observed cells.
    complete : bool
        That no cell is missing.
    log_constant : float
        What a log joint in the working frame lacks to be the one of the table in the user's units.
    """

    family: Family
    cells: str
    facts: Facts
    n_columns: int
    observed: int
    complete: bool
    log_constant: float

    @classmethod
    def of(cls, prepared: Prepared, options: Options, prior: NIWPrior | None = None) -> ProblemPart:
        """The part of cells of which all is known but the cells themselves; ``prior`` as for :meth:`of_numbers`."""
        complete = prepared.missing == 0
        if prepared.cells == DENSE:
            moments = prepared.mean, prepared.covariance
            return cls.of_numbers(
                options, *moments, prepared.n_others, prepared.observed, complete=complete, prior=prior
            )
        family = cell_type_of(prepared.cells).family(prepared.facts, options.power)
        constant = options.power * float(prepared.facts["log_constant"])
        known = prepared.n_others, prepared.observed, complete
        return cls(family, prepared.cells, prepared.facts, *known, constant)

    @classmethod
    def of_numbers(
        cls,
        options: Options,
        mean: ArrayLike,
        covariance: ArrayLike,
        n_columns: int,
        observed: int,
        *,
        complete: bool,
        prior: NIWPrior | None = None,
    ) -> ProblemPart:
        """The part of real numbers.

        Parameters
        ----------
        mean, covariance : array-like of shape (d,) and (d, d), or (d,) and (d,)
            Of all observed cells; where the options ask for a diagonal covariance the variances are enough.
        prior : NIWPrior, optional
            In the user's units, instead of the one that ``options`` describes.
        """
        mean, covariance = np.asarray(mean, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
        options = options.resolved(len(mean))
        frame = Frame.of(mean, covariance, diagonal=options.diagonal)
        if options.diagonal and prior is not None:
            raise InputError("a prior that is given as a whole needs covariance = full; state kappa0 and psi0_factor")
        if options.diagonal:
            prior = options.prior_of_parts(len(mean))
        else:
            prior = frame.prior(options.prior(mean, covariance) if prior is None else prior)
        family = Gaussian(prior, options.power, frame)
        constant = frame.log_jacobian(options.power * observed)
        return cls(family, DENSE, {}, n_columns, observed, complete, constant)

    @property
    def dimension(self) -> int:
        """Numbers in a cell."""
        return len(self.frame.centre) if self.cells == DENSE else 1

    @property
    def frame(self) -> Frame:
        """The working frame of real numbers."""
        return cast(Gaussian, self.family).frame

    @property
    def prior(self) -> NIWPrior:
        """The prior of real numbers, in the working frame."""
        return cast(Gaussian, self.family).prior

    @property
    def diagonal(self) -> bool:
        """Whether a cell is several numbers that are independent given its block."""
        return self.cells == DENSE and self.frame.diagonal

    def in_frame(self, loaded: Loaded) -> Cells:
        """The cells of a shard as the sampler takes them, of what :func:`~disnplbm.data.shards.load_shard` gives.

        Dense ones are changed in place.
        """
        if not isinstance(loaded, dict):
            return _framed(loaded, self.frame, complete=self.complete)
        if self.cells == DENSE:
            stored = loaded["indptr"], loaded["indices"], loaded["values"]
            return SparseCells(*stored, self.n_columns, self.frame, complete=self.complete)
        return cell_type_of(self.cells).cells(loaded, self.facts, complete=self.complete)


def _framed(values: Floats, frame: Frame, *, complete: bool) -> DenseCells:
    """Bring dense cells, shape (items, others, d), into the working frame, in place."""
    values -= frame.centre
    values /= frame.scale
    return DenseCells(values, complete=complete, diagonal=frame.diagonal)
