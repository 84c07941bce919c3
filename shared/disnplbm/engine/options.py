"""Options of a run, in the user's orientation: what the command line and the estimator fill in."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from disnplbm.bounds import MOST_NUMBERS_FULL
from disnplbm.cell_types import DENSE
from disnplbm.data.sharding import Axis
from disnplbm.described import DESCRIBED
from disnplbm.errors import InputError, RunError
from disnplbm.model.prior import NIWPrior, PriorScale, default_prior
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint, Note
from disnplbm.posterior.draw_store import draws_bytes
from disnplbm.posterior.losses import LossName
from disnplbm.posterior.trees.losses import TreeLoss
from disnplbm.sampler.parameters import JoinMode, Parameters, View
from disnplbm.sampler.short_chains import CROSSED, ShortChains
from disnplbm.sampler.starts import RANDOM_CLUSTERS, StartKind

Estimate = Literal["auto", "consensus", "map", "last"]

Covariance = Literal["full", "diagonal"]

Exposure = Literal["margins", "none", "given"]

_DRAWS = (Hint("burn_in"), " or ", Hint("draws"))

#: Draws kept by default where there is a burn-in.
DRAWS = 200

#: Iterations by default, after the burn-in where one is given.
ITERATIONS: int = DESCRIBED["iterations"].default


def lengths(iterations: int | None, burn_in: int | None, chains: int) -> tuple[int, int]:
    """Iterations and burn-in of a run where one of them, or both, are not given.

    A burn-in without iterations adds to the default of :data:`ITERATIONS`. Several chains are compared by their draws,
    so they have a burn-in of half of the iterations; one chain has none.

    Parameters
    ----------
    iterations, burn_in : int or None
        None is not given.
    """
    if iterations is None:
        iterations = ITERATIONS + (burn_in or 0)
    if burn_in is None:
        burn_in = iterations // 2 if chains > 1 else 0
    return iterations, burn_in


@dataclass(frozen=True, slots=True)
class Options:
    """What governs a run besides its data; JSON-able, and checked when made.

    :data:`disnplbm.described.DESCRIBED` says what each is, what it may be, and what it is by default.

    ``start`` and ``exposure`` may be "given" too: labels, and factors, then stand beside the options.
    """

    iterations: int = DESCRIBED["iterations"].default
    burn_in: int = DESCRIBED["burn_in"].default
    draws: int | None = DESCRIBED["draws"].default
    estimate: Estimate = DESCRIBED["estimate"].default
    clusters: str = DESCRIBED["clusters"].default
    tree_loss: TreeLoss = DESCRIBED["tree_loss"].default
    loss: LossName | None = DESCRIBED["loss"].default
    chains: int = DESCRIBED["chains"].default
    restarts: int = DESCRIBED["restarts"].default
    sampler: str = DESCRIBED["sampler"].default
    cells: str = DESCRIBED["cells"].default
    exposure: Exposure = DESCRIBED["exposure"].default
    alpha: float | Literal["learn"] = DESCRIBED["alpha"].default
    beta: float | Literal["learn"] = DESCRIBED["beta"].default
    fix_row_clusters: int | None = DESCRIBED["fix_row_clusters"].default
    fix_column_clusters: int | None = DESCRIBED["fix_column_clusters"].default
    seed: int = DESCRIBED["seed"].default
    start: StartKind | Literal["crossed"] = DESCRIBED["start"].default
    crossings: int = DESCRIBED["crossings"].default
    anneal: int = DESCRIBED["anneal"].default
    view: View = DESCRIBED["view"].default
    join: JoinMode = DESCRIBED["join"].default
    pair_moves: bool = DESCRIBED["pair_moves"].default
    power: float = DESCRIBED["power"].default
    covariance: Covariance = DESCRIBED["covariance"].default
    prior_scale: PriorScale = DESCRIBED["prior_scale"].default
    kappa0: float = DESCRIBED["kappa0"].default
    psi0_factor: float = DESCRIBED["psi0_factor"].default

    def __post_init__(self) -> None:
        for name, option in DESCRIBED.items():
            # Labels and factors that are given stand beside the options.
            if not (name in ("start", "exposure") and getattr(self, name) == "given"):
                option.check(name, getattr(self, name))
        if self.burn_in >= self.iterations:
            raise InputError(
                *(Hint("burn_in", self.burn_in), " must be below ", Hint("iterations", self.iterations)),
                *(", which include it: use ", Hint("iterations", self.burn_in + ITERATIONS)),
                *(" or a smaller ", Hint("burn_in")),
            )
        if self.start == CROSSED and self.restarts > 1:
            raise InputError(
                Hint("start", CROSSED), " tries short chains of its own: leave out ", Hint("restarts", self.restarts)
            )
        if self.anneal and self.shorts.number:
            by = Hint("start", CROSSED) if self.start == CROSSED else Hint("restarts", self.restarts)
            raise InputError(by, " and ", Hint("anneal", self.anneal), " are two ways to start: leave out one of them")
        least = self.first_kept or self.iterations
        if self.anneal > least:
            until = "the burn-in of" if self.first_kept else "the"
            raise InputError(
                Hint("anneal", self.anneal),
                f" must be at most {until} {least} iterations: use fewer, or a longer chain",
            )
        room = self.iterations - self.first_kept
        if self.draws is not None and self.draws > room:
            after = "after the burn-in" if self.burn_in else "of the second half, since no burn-in is given"
            raise InputError(
                *(Hint("draws", self.draws), f" must be at most the {room} iterations {after}: use more "),
                *(Hint("iterations"), " or fewer ", Hint("draws")),
            )
        if self.estimate in ("consensus", "map") and self.n_draws == 0:
            raise InputError(Hint("estimate", self.estimate), " needs draws; give ", *_DRAWS)
        if self.loss is not None and self.n_draws == 0:
            raise InputError(Hint("loss", self.loss), " needs draws to average over; give ", *_DRAWS)
        if self.diagonal and self.prior_scale == "precision":
            needs = (Hint("prior_scale", "precision"), " needs ", Hint("covariance", "full"))
            raise InputError(*needs, ": it is there for published figures")
        self.parameters(1, "rows")

    @property
    def diagonal(self) -> bool:
        """Whether the numbers of a cell are independent given its block."""
        return self.covariance == "diagonal"

    @property
    def shorts(self) -> ShortChains:
        """The short chains that each chain starts from."""
        return ShortChains.planned(self.start, self.restarts, self.crossings, self.iterations)

    @property
    def first_start(self) -> StartKind:
        """Where a chain starts, or the first of its short ones."""
        return "random" if self.start == "crossed" else self.start

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

    def resolved(self, dimension: int, cells: str = DENSE) -> Options:
        """The same options for cells of that many numbers and that type, with nothing left to choose.

        A cell of one number has one variance, whichever covariance is asked for.

        Raises
        ------
        InputError
            The cells are too many numbers for the covariance asked for, or the join is for real numbers.
        """
        if cells != DENSE and self.join == "averaged":
            raise InputError(
                Hint("join", "averaged"),
                f" is for real numbers, and the cells are {cells}: use ",
                Hint("join", "blockwise"),
            )
        if dimension > MOST_NUMBERS_FULL and not self.diagonal:
            raise InputError(
                f"a cell is {dimension:,} numbers, and a block can have a full covariance of at most"
                f" {MOST_NUMBERS_FULL}: use ",
                Hint("covariance", "diagonal"),
                ", or keep fewer numbers (their leading principal components)",
            )
        covariance: Covariance = self.covariance if dimension > 1 else "full"
        of_type = replace(self, cells=cells)
        return replace(of_type, sampler=of_type._sampler_for(dimension), covariance=covariance)

    def notes(self, dimension: int) -> list[Note]:
        """What these options leave to choose for cells of that many numbers, and the choice, for people to read."""
        sampler = self._sampler_for(dimension)
        if sampler == self.sampler or dimension == 1:
            return []
        chosen = f"a cell is {dimension} numbers: the sampler is {sampler}, which finds clusters of such cells more"
        return [Note(f"{chosen} reliably; choose another with ", Hint("sampler"), kind="sampler")]

    def _sampler_for(self, dimension: int) -> str:
        if self.sampler != "auto":
            return self.sampler
        able = self.view == "global" and self.join == "blockwise"
        better = dimension > 1 or self.cells not in ("auto", DENSE)
        return "split-merge" if better and able else "collapsed"

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
            anneal=self.anneal,
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

        An option that an earlier version did not have is at its default, which is how that version ran; its cells were
        real numbers.
        """
        names = {field.name for field in fields(cls)}
        if record.keys() - names:
            odd = ", ".join(sorted(record.keys() - names))
            raise RunError(
                f"the run was begun by a version with other options ({odd}); start it anew with ", Hint("force")
            )
        return cls(**{"cells": DENSE, **record})
