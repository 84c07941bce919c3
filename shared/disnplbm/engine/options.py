"""Options of a run, in the user's orientation: what the command line and the estimator fill in."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

from disnplbm.data.shards import Axis
from disnplbm.errors import InputError, RunError
from disnplbm.model.prior import NIWPrior, PriorScale, default_prior
from disnplbm.model.statistics import Floats
from disnplbm.sampler.parameters import JoinMode, Parameters, View
from disnplbm.sampler.starts import StartKind


@dataclass(frozen=True, slots=True)
class Options:
    """What governs a run besides its data; JSON-able, and checked when made.

    Parameters
    ----------
    iterations : int
        At least 1.
    burn_in : int
        Iterations at the start that the chain needs to forget where it started: shaded in the report's traces. The last
        state is reported whatever it is.
    alpha, beta : float
        Concentrations of rows and of columns.
    seed : int
    start : {"random", "one", "singletons", "given"}
    view, join, pair_moves, power
        As in :class:`disnplbm.sampler.parameters.Parameters`.
    prior_scale : {"covariance", "precision"}
    kappa0 : float
        How many cells the prior mean is worth.
    psi0_factor : float
        Multiplies the prior's scale matrix.
    """

    iterations: int = 100
    burn_in: int = 0
    alpha: float = 1.0
    beta: float = 1.0
    seed: int = 0
    start: StartKind = "random"
    view: View = "global"
    join: JoinMode = "blockwise"
    pair_moves: bool = True
    power: float = 1.0
    prior_scale: PriorScale = "covariance"
    kappa0: float = 1.0
    psi0_factor: float = 1.0

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise InputError(f"iterations = {self.iterations} must be at least 1")
        if not 0 <= self.burn_in < self.iterations:
            raise InputError(f"burn-in = {self.burn_in} must be at least 0 and below iterations = {self.iterations}")
        if self.start not in get_args(StartKind):
            raise InputError(f"start = {self.start!r} is unknown; choose {', '.join(get_args(StartKind))}")
        if self.prior_scale not in ("covariance", "precision"):
            raise InputError(f"prior scale {self.prior_scale!r} is unknown; choose covariance or precision")
        self.parameters(1, "rows")
        self.prior([0.0], [[1.0]])

    def parameters(self, n_shards: int, axis: Axis) -> Parameters:
        """Parameters of the chain in shard orientation."""
        alpha, beta = (self.alpha, self.beta) if axis == "rows" else (self.beta, self.alpha)
        return Parameters(
            alpha=alpha,
            beta=beta,
            power=self.power,
            view=self.view,
            join=self.join,
            pair_moves=self.pair_moves,
            seed=self.seed,
            n_shards=n_shards,
        )

    def prior(self, mean: Floats | list[float], covariance: Floats | list[list[float]]) -> NIWPrior:
        """The prior of blocks for data of that mean, shape (d,), and covariance, shape (d, d)."""
        return default_prior(
            mean, covariance, kappa0=self.kappa0, scale=self.prior_scale, scale_factor=self.psi0_factor
        )

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Options:
        """Options from what :meth:`to_dict` gave; RunError if this version has others."""
        names = {field.name for field in fields(cls)}
        if record.keys() != names:
            odd = ", ".join(sorted(record.keys() ^ names))
            raise RunError(f"the run was begun by a version with other options ({odd}); start it anew with --force")
        return cls(**record)
