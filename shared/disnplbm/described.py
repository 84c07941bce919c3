"""What a run can be asked for. Each option is described here, once.

The command line's options, the checks of the estimator's parameters, the API's schema and the page's form are made of
these descriptions; :class:`disnplbm.engine.options.Options` has a field for each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from disnplbm.bounds import MOST_NUMBERS, MOST_NUMBERS_FULL, Bound
from disnplbm.cell_types import CELL_TYPES, DENSE, MIXED
from disnplbm.errors import InputError
from disnplbm.notes import Hint
from disnplbm.samplers import SAMPLERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """An option.

    Parameters
    ----------
    label : str
        What the page calls it.
    help : str
        What it does, in sentences for everybody.
    group : str
        Where the page puts it; "" is the top.
    default
        None is explained by ``absent``.
    absent : str, optional
        What holds if nothing is given; an option without it is never None.
    bound : Bound, optional
        Of a number.
    word : str, optional
        What it may be in place of a number.
    choices : tuple of str
        Of one that is a choice.
    unserved : tuple of str
        Choices that no server takes, and so no page offers.
    pattern : str, optional
        What a text is like, as a regular expression; ``form`` says it in words, and ``metavar`` in short.
    parameter : str, optional
        What the estimator calls it, if that is not its name.
    cells : str, optional
        The type of cells that it is for; None: all.
    several : bool
        Whether it is for cells of several numbers alone.
    samplers : tuple of str
        Those that it is for; empty: all.
    start : str, optional
        The start that it is for; None: all.
    """

    label: str
    help: str
    group: str
    default: Any
    absent: str | None = None
    bound: Bound | None = None
    word: str | None = None
    choices: tuple[str, ...] = ()
    unserved: tuple[str, ...] = ()
    pattern: str | None = None
    form: str = ""
    metavar: str = ""
    parameter: str | None = None
    cells: str | None = None
    several: bool = False
    samplers: tuple[str, ...] = ()
    start: str | None = None

    def applies(self, cells: str, sampler: str, dimension: int) -> bool:
        """Whether it says anything of a run with such cells, each so many numbers, and that sampler.

        Where these are "auto", or the cells of several types, it may.
        """
        return (
            (self.cells in (None, cells) or cells in ("auto", MIXED))
            and (not self.samplers or sampler in (*self.samplers, "auto"))
            and (not self.several or dimension > 1)
        )

    @property
    def switch(self) -> bool:
        """Whether it is on or off."""
        return self.bound is None and not self.choices and self.pattern is None

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that it cannot have.

        Parameters
        ----------
        name : str
            Of the option.
        value

        Raises
        ------
        InputError
            It says the name, the value, and what is allowed.
        """
        if value is None and self.absent is not None:
            return
        if self.switch:
            if not isinstance(value, bool):
                raise InputError(Hint(name, value), " must be True or False")
        elif self.pattern is not None:
            if not isinstance(value, str) or not re.fullmatch(self.pattern, value):
                raise InputError(Hint(name, value), f" is no level; give {self.form}")
        elif self.bound is None:
            if not isinstance(value, str) or value not in self.choices:
                raise InputError(Hint(name, value), f" is unknown; choose {_listed(self.choices)}")
        elif self.word is None or value != self.word:
            self.bound.check(name, value, other=_other(self))


def _other(option: Described) -> str:
    """What an option may be instead of a number, for an error."""
    if option.word is not None:
        return f" or {option.word!r}"
    return " or None" if option.absent is not None else ""


def _listed(choices: Sequence[str]) -> str:
    """The choices as a person lists them: a, b or c."""
    return " or ".join(part for part in (", ".join(choices[:-1]), choices[-1]) if part)


_ITERATIONS, _CHAINS = 10_000_000, 1_000

_SURE, _NUMBERS, _SAMPLER, _PRIOR = (
    "How sure it is",
    "Numbers of clusters",
    "Sampler and shards",
    "Prior and likelihood",
)

#: A level of one axis.
LEVEL = "(auto|fine|[1-9][0-9]{0,8})"

#: Samplers that have the local view and the averaged join too.
VARIED = tuple(name for name, found in SAMPLERS.items() if found.variants)

DESCRIBED: dict[str, Described] = {
    "iterations": Described(
        label="Iterations",
        help="Length of a chain, burn-in included. A few hundred are enough for most tables.",
        group="",
        default=100,
        absent="100, plus the burn-in",
        bound=Bound(1, _ITERATIONS),
        parameter="n_iterations",
    ),
    "burn_in": Described(
        label="Burn-in",
        help="Iterations before the first state is kept. Half of the iterations is a good choice. With 0 no state is"
        " kept, and the result does not say how sure it is.",
        group="",
        default=0,
        absent="0; half with several chains",
        bound=Bound(0, _ITERATIONS - 1),
    ),
    "seed": Described(
        label="Seed",
        help="The same data, seed, shards and options give the same result, bit for bit.",
        group="",
        default=0,
        # Signed numbers of 64 bits are what a database holds.
        bound=Bound(0, 2**63 - 1),
        parameter="random_state",
    ),
    "draws": Described(
        label="Draws",
        help="States to keep after the burn-in, or in the second half if there is none.",
        group=_SURE,
        default=None,
        absent="up to 200 with a burn-in",
        bound=Bound(0, _ITERATIONS),
        parameter="n_draws",
    ),
    "chains": Described(
        label="Chains",
        help="Independent chains, whose draws are pooled if they agree.",
        group=_SURE,
        default=1,
        # Below where the random streams of chains would meet.
        bound=Bound(1, _CHAINS),
        parameter="n_chains",
    ),
    "restarts": Described(
        label="Restarts",
        help="Short chains to try before each chain, each a tenth as long. The chain starts where the best of them"
        " ended, by log joint. 1 tries none.",
        group=_SURE,
        default=1,
        bound=Bound(1, _CHAINS),
        parameter="n_restarts",
    ),
    "estimate": Described(
        label="Estimate",
        help="What is reported: the consensus of the draws, the draw of the highest density (map), or the last state."
        " auto is the consensus if there are draws.",
        group=_SURE,
        default="auto",
        choices=("auto", "consensus", "map", "last"),
    ),
    "clusters": Described(
        label="Clusters shown first",
        help="How many clusters the result shows first: all that the fit found (fine), a number of row clusters such as"
        " 5, or of both axes, 5x4. auto shows all up to 24, and of more as many as the chains agree on or the tree"
        " suggests. The chains stay as they are.",
        group=_NUMBERS,
        default="auto",
        pattern=f"{LEVEL}(x{LEVEL})?",
        form="auto, fine, a number from 1, or two of them with an x between, such as 5x4",
        metavar="auto|fine|K|KxL",
    ),
    "tree_loss": Described(
        label="Loss of the tree",
        help="What clusters of real numbers lose when they merge. shared: all blocks have one variance, so that a noisy"
        " row is no branch of its own. model: each block has its own, and the losses add up to the log joint.",
        group=_NUMBERS,
        default="shared",
        choices=("shared", "model"),
        cells=DENSE,
    ),
    "loss": Described(
        label="Loss",
        help="What the consensus minimises over the draws: variation of information (vi), or Binder's loss.",
        group=_SURE,
        default=None,
        absent="vi",
        choices=("vi", "binder"),
    ),
    "cells": Described(
        label="Cells",
        help="What the cells are: real numbers (gaussian), counts, 0 or 1 (binary), one of a few values (categorical),"
        " responses that depend on covariates, or of several kinds (mixed: `disnplbm fit` alone). auto looks at them,"
        " and says what it finds, never responses.",
        group="",
        default="auto",
        choices=("auto", DENSE, *CELL_TYPES, MIXED),
        unserved=(MIXED,),
    ),
    "exposure": Described(
        label="Exposure",
        help="What counts are compared with: what the totals of their row and their column let expect (margins), or"
        " nothing (none).",
        group=_PRIOR,
        default="margins",
        choices=("margins", "none"),
        cells="counts",
    ),
    "alpha": Described(
        label="Alpha, of rows",
        help="Concentration of rows: larger, more row clusters. learn leaves the choice to the sampler.",
        group=_NUMBERS,
        default=1.0,
        bound=Bound(1e-9, 1e9),
        word="learn",
    ),
    "beta": Described(
        label="Beta, of columns",
        help="Concentration of columns: larger, more column clusters. learn leaves the choice to the sampler.",
        group=_NUMBERS,
        default=1.0,
        bound=Bound(1e-9, 1e9),
        word="learn",
    ),
    "fix_row_clusters": Described(
        label="Most row clusters",
        help="Most row clusters there may be: the parametric model, under a symmetric Dirichlet.",
        group=_NUMBERS,
        default=None,
        absent="no limit",
        # A label is a signed number of 32 bits.
        bound=Bound(1, 2**31 - 1),
    ),
    "fix_column_clusters": Described(
        label="Most column clusters",
        help="Most column clusters there may be.",
        group=_NUMBERS,
        default=None,
        absent="no limit",
        bound=Bound(1, 2**31 - 1),
    ),
    "sampler": Described(
        label="Sampler",
        help="split-merge is exact for any number of shards, after the burn-in; collapsed is exact with one. auto is"
        " collapsed for real numbers, one a cell, and else split-merge.",
        group=_SAMPLER,
        default="auto",
        choices=("auto", *SAMPLERS),
    ),
    "start": Described(
        label="Start",
        help="Where each chain starts: at random clusters, at one cluster, with each row and column on its own, or"
        " crossed. A crossed start tries 12 short chains from random clusters, then 40 from the rows of one with the"
        " columns of another. The chain starts where the best of them ended. That finds better clusters of real tables,"
        " and takes 1,040 iterations more.",
        group=_SAMPLER,
        default="random",
        choices=("random", "one", "singletons", "crossed"),
    ),
    "crossings": Described(
        label="Crossings",
        help="Rounds of a crossed start. Each has two short chains of 20 iterations.",
        group=_SAMPLER,
        default=20,
        bound=Bound(1, 1_000),
        start="crossed",
    ),
    "anneal": Described(
        label="Annealed iterations",
        help="Iterations at the start in which the power of the likelihood rises from half to full: for clusters that"
        " overlap. They belong to the burn-in. 0 is none.",
        group=_SAMPLER,
        default=0,
        bound=Bound(0, _ITERATIONS),
    ),
    "view": Described(
        label="View of a shard",
        help="What a shard sees of the other rows.",
        group=_SAMPLER,
        default="global",
        choices=("global", "local"),
        samplers=VARIED,
    ),
    "join": Described(
        label="Join of shards",
        help="How clusters that shards found are joined into clusters of all rows. averaged is the published way.",
        group=_SAMPLER,
        default="blockwise",
        choices=("blockwise", "averaged"),
        samplers=VARIED,
    ),
    "pair_moves": Described(
        label="Pair moves",
        help="Merge and split whole clusters.",
        group=_SAMPLER,
        default=True,
    ),
    "covariance": Described(
        label="Covariance",
        help="How the numbers of a cell vary within a block, where a cell is several numbers. diagonal takes them as"
        f" independent, up to {MOST_NUMBERS:,} of them; full takes up to {MOST_NUMBERS_FULL}.",
        group=_PRIOR,
        default="full",
        choices=("full", "diagonal"),
        cells=DENSE,
        several=True,
    ),
    "prior_scale": Described(
        label="Prior scale",
        help="precision is what the published code uses; it depends on the units of the data.",
        group=_PRIOR,
        default="covariance",
        choices=("covariance", "precision"),
        cells=DENSE,
    ),
    "kappa0": Described(
        label="Kappa 0",
        help="Weight of the prior mean of a block, in cells: the larger, the closer the means of blocks are to it.",
        group=_PRIOR,
        default=1.0,
        bound=Bound(1e-9, 1e9),
        cells=DENSE,
    ),
    "psi0_factor": Described(
        label="Psi 0 factor",
        help="Multiplies the prior spread of a block: larger, fewer blocks.",
        group=_PRIOR,
        default=1.0,
        bound=Bound(1e-12, 1e12),
        cells=DENSE,
    ),
    "power": Described(
        label="Power",
        help="Power of the likelihood, for data that the model does not fit: smaller, fewer clusters.",
        group=_PRIOR,
        default=1.0,
        bound=Bound(1e-6, 1.0),
    ),
}


def applying(values: Mapping[str, Any], dimension: int) -> dict[str, Any]:
    """The parameters of a run that say anything of it.

    Parameters
    ----------
    values : mapping
        By their names; what is no option applies.
    dimension : int
        Numbers in a cell.
    """
    cells, sampler = str(values.get("cells", DENSE)), str(values.get("sampler", "auto"))
    return {
        name: value
        for name, value in values.items()
        if (option := DESCRIBED.get(name)) is None
        or (option.applies(cells, sampler, dimension) and option.start in (None, values.get("start")))
    }


#: What numbers may be: of the options, and of shards and threads.
BOUNDS: dict[str, Bound] = {
    **{name: option.bound for name, option in DESCRIBED.items() if option.bound is not None},
    "shards": Bound(1, 10_000),
    "threads": Bound(1, 1_024),
}


def check(name: str, value: Any) -> None:
    """Refuse a number that is outside of its range; InputError says which and why."""
    BOUNDS[name].check(name, value)
