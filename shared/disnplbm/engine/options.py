"""Options of a run, in the user's orientation: what the command line and the estimator fill in."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

from disnplbm.bounds import BOUNDS, MOST_NUMBERS_FULL, check
from disnplbm.data.shards import Axis
from disnplbm.errors import InputError, RunError
from disnplbm.model.prior import NIWPrior, PriorScale, default_prior
from disnplbm.model.statistics import Floats
from disnplbm.posterior.draw_store import draws_bytes
from disnplbm.posterior.losses import LossName
from disnplbm.sampler.parameters import JoinMode, Parameters, View
from disnplbm.sampler.samplers import sampler_choices
from disnplbm.sampler.starts import RANDOM_CLUSTERS, StartKind

Estimate = Literal["auto", "consensus", "map", "last"]

Covariance = Literal["full", "diagonal"]

#: Draws kept by default where there is a burn-in.
DRAWS = 200

#: Iterations by default, after the burn-in where one is given.
ITERATIONS = 100


def lengths(iterations: int | None, burn_in: int | None, chains: int) -> tuple[int, int]:
    """Iterations and burn-in of a run where one of them, or both, are not given.

    A burn-in without iterations adds to the default of :data:`ITERATIONS`. Several chains are compared by their draws,
    so they have a burn-in of half of the iterations; one chain has none.

    Parameters
    ----------
    iterations, burn_in : int or None
        None is not given.
    chains : int
    """
    if iterations is None:
        iterations = ITERATIONS + (burn_in or 0)
    if burn_in is None:
        burn_in = iterations // 2 if chains > 1 else 0
    return iterations, burn_in


@dataclass(frozen=True, slots=True)
class Options:
    """What governs a run besides its data; JSON-able, and checked when made against :mod:`disnplbm.bounds`.

    Parameters
    ----------
    iterations : int
    burn_in : int
        Iterations at the start that the chain needs to forget where it started: shaded in the report's traces, and no
        draw is kept of them.
    draws : int, optional
        States to keep, at even distances after the burn-in (after half of the iterations if none is given); None is
        up to :data:`DRAWS` with a burn-in and none without.
    estimate : {"auto", "consensus", "map", "last"}
        What is reported: the consensus of the draws, the draw of the highest joint density, or the last state. "auto"
        is the consensus where there are draws.
    loss : {"vi", "binder"}, optional
        What the consensus minimises the expectation of, over the draws; None is "vi" (variation of information).
    chains : int
        Independent chains, run one after another; their draws are pooled.
    restarts : int
        Short chains that each chain starts from the best of (:mod:`disnplbm.engine.restarts`); 1 is none.
    sampler : str
        "auto", or one of :data:`disnplbm.sampler.samplers.SAMPLERS`.
        "auto" is "collapsed" where a cell is one number and "split-merge" where it is several (docs/adr/0012).
    alpha, beta : float or "learn"
        Concentrations of rows and of columns.
    fix_row_clusters, fix_column_clusters : int, optional
        Clusters there may be, under a symmetric Dirichlet of that concentration.
    seed : int
    start : {"random", "one", "singletons", "given"}
    view, join, pair_moves, power
        As in :class:`disnplbm.sampler.parameters.Parameters`.
    covariance : {"full", "diagonal"}
        Of a block's cells, where a cell is several numbers: with "diagonal" they are independent given the block.
    prior_scale : {"covariance", "precision"}
    kappa0 : float
        How many cells the prior mean is worth.
    psi0_factor : float
        Multiplies the prior's scale matrix.
    """

    iterations: int = ITERATIONS
    burn_in: int = 0
    draws: int | None = None
    estimate: Estimate = "auto"
    loss: LossName | None = None
    chains: int = 1
    restarts: int = 1
    sampler: str = "auto"
    alpha: float | Literal["learn"] = 1.0
    beta: float | Literal["learn"] = 1.0
    fix_row_clusters: int | None = None
    fix_column_clusters: int | None = None
    seed: int = 0
    start: StartKind = "random"
    view: View = "global"
    join: JoinMode = "blockwise"
    pair_moves: bool = True
    power: float = 1.0
    covariance: Covariance = "full"
    prior_scale: PriorScale = "covariance"
    kappa0: float = 1.0
    psi0_factor: float = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name in BOUNDS and getattr(self, field.name) not in (None, "learn"):
                check(field.name, getattr(self, field.name))
        if self.burn_in >= self.iterations:
            raise InputError(
                f"burn_in = {self.burn_in} must be below iterations = {self.iterations}, which include it: use"
                f" --iterations {self.burn_in + ITERATIONS} or a smaller --burn-in"
            )
        room = self.iterations - self.first_kept
        if self.draws is not None and self.draws > room:
            after = "after the burn-in" if self.burn_in else "of the second half, since no burn-in is given"
            raise InputError(
                f"draws = {self.draws} must be at most the {room} iterations {after}: use more --iterations or fewer"
                " --draws"
            )
        if self.estimate not in get_args(Estimate):
            raise InputError(f"estimate = {self.estimate!r} is unknown; choose {', '.join(get_args(Estimate))}")
        if self.estimate in ("consensus", "map") and self.n_draws == 0:
            raise InputError(f"estimate = {self.estimate!r} needs draws; give burn-in or draws")
        if self.loss not in (None, *get_args(LossName)):
            raise InputError(f"loss = {self.loss!r} is unknown; choose {', '.join(get_args(LossName))}")
        if self.loss is not None and self.n_draws == 0:
            raise InputError(f"loss = {self.loss!r} needs draws to average over; give burn-in or draws")
        if self.sampler not in sampler_choices():
            raise InputError(f"sampler = {self.sampler!r} is unknown; choose {', '.join(sampler_choices())}")
        if self.start not in get_args(StartKind):
            raise InputError(f"start = {self.start!r} is unknown; choose {', '.join(get_args(StartKind))}")
        if self.prior_scale not in ("covariance", "precision"):
            raise InputError(f"prior scale {self.prior_scale!r} is unknown; choose covariance or precision")
        if self.covariance not in get_args(Covariance):
            raise InputError(f"covariance = {self.covariance!r} is unknown; choose {', '.join(get_args(Covariance))}")
        if self.diagonal and self.prior_scale == "precision":
            raise InputError("prior_scale = 'precision' needs covariance = 'full': it is there for published figures")
        self.parameters(1, "rows")

    @property
    def diagonal(self) -> bool:
        """Whether the numbers of a cell are independent given its block."""
        return self.covariance == "diagonal"

    @property
    def first_kept(self) -> int:
        """Iterations before the first that may be kept as a draw."""
        return self.burn_in or (self.iterations // 2 if self.draws else 0)

    @property
    def n_draws(self) -> int:
        """Draws that the run keeps."""
        if self.draws is not None:
            return self.draws
        return min(DRAWS, self.iterations - self.burn_in) if self.burn_in else 0

    def is_kept(self, iteration: int) -> bool:
        """Whether the state after an iteration, counted from 1, is kept as a draw."""
        if self.n_draws == 0:
            return False
        thinning = (self.iterations - self.first_kept) // self.n_draws
        behind = self.iterations - iteration
        return behind % thinning == 0 and behind // thinning < self.n_draws

    def bytes_of_draws(self, n: int, p: int, dimension: int) -> int:
        """The most bytes that the draws of n x p cells take, unless they have more clusters than a random start has."""
        clusters = {"n_row_clusters": min(RANDOM_CLUSTERS, n), "n_column_clusters": min(RANDOM_CLUSTERS, p)}
        return draws_bytes(n, p, self.chains * self.n_draws, **clusters, dimension=dimension, diagonal=self.diagonal)

    @property
    def estimated(self) -> str:
        """What is reported: "consensus", "map" or "last"."""
        if self.estimate == "auto":
            return "consensus" if self.n_draws else "last"
        return self.estimate

    def resolved(self, dimension: int) -> Options:
        """The same options for cells of that many numbers, with nothing left to choose.

        A cell of one number has one variance, whichever covariance is asked for.

        Raises
        ------
        InputError
            The cells are too many numbers for the covariance asked for.
        """
        if dimension > MOST_NUMBERS_FULL and not self.diagonal:
            raise InputError(
                f"a cell is {dimension:,} numbers, and a block can have a full covariance of at most"
                f" {MOST_NUMBERS_FULL}: use --covariance diagonal, or keep fewer numbers (their leading principal"
                " components)"
            )
        covariance: Covariance = self.covariance if dimension > 1 else "full"
        return replace(self, sampler=self._sampler_for(dimension), covariance=covariance)

    def notes(self, dimension: int) -> list[str]:
        """What these options leave to choose for cells of that many numbers, and the choice, for people to read."""
        sampler = self._sampler_for(dimension)
        if sampler == self.sampler or dimension == 1:
            return []
        return [
            f"a cell is {dimension} numbers: the sampler is {sampler}, which finds clusters of such cells more"
            " reliably; choose another with --sampler"
        ]

    def _sampler_for(self, dimension: int) -> str:
        if self.sampler != "auto":
            return self.sampler
        able = self.view == "global" and self.join == "blockwise"
        return "split-merge" if dimension > 1 and able else "collapsed"

    def parameters(self, n_shards: int, axis: Axis, dimension: int = 1) -> Parameters:
        """Parameters of the chain in shard orientation, for cells of that many numbers."""
        of_items, of_others = (self.alpha, self.fix_row_clusters), (self.beta, self.fix_column_clusters)
        if axis == "columns":
            of_items, of_others = of_others, of_items
        return Parameters(
            sampler=self._sampler_for(dimension),
            alpha=1.0 if of_items[0] == "learn" else of_items[0],
            beta=1.0 if of_others[0] == "learn" else of_others[0],
            learn_alpha=of_items[0] == "learn",
            learn_beta=of_others[0] == "learn",
            row_limit=of_items[1],
            column_limit=of_others[1],
            approach=self.burn_in or self.iterations // 2,
            power=self.power,
            view=self.view,
            join=self.join,
            pair_moves=self.pair_moves,
            seed=self.seed,
            n_shards=n_shards,
            axis=axis,
        )

    def prior_of_parts(self, copies: int) -> NIWPrior:
        """The prior of each number of a cell with a diagonal covariance, in units of its standard deviation."""
        of_part = default_prior([0.0], [[1.0]], kappa0=self.kappa0, scale_factor=self.psi0_factor)
        return replace(of_part, copies=copies)

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
        """Options from what :meth:`to_dict` gave; RunError if this version does not have all of them.

        An option that an earlier version did not have is at its default, which is how that version ran.
        """
        names = {field.name for field in fields(cls)}
        if record.keys() - names:
            odd = ", ".join(sorted(record.keys() - names))
            raise RunError(f"the run was begun by a version with other options ({odd}); start it anew with --force")
        return cls(**record)
