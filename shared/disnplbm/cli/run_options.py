"""What a run can be asked for, as options of ``fit`` and of ``submit``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from disnplbm.cli import common
from disnplbm.sampler.samplers import sampler_choices

_F = TypeVar("_F", bound=Callable[..., Any])

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    common.bounded(
        "--iterations",
        type=int,
        metavar="N",
        help="Length of a chain, burn-in included.  [default: 100, after the burn-in if that is given]",
    ),
    common.bounded(
        "--burn-in",
        type=int,
        metavar="N",
        help="Iterations before the first draw that is kept.  [default: 0; half of the iterations with several chains]",
    ),
    common.bounded(
        "--draws",
        type=int,
        metavar="N",
        help="States to keep after the burn-in (of the second half without one); by default up to 200 with a burn-in.",
    ),
    common.bounded(
        "--chains", default=1, show_default=True, metavar="N", help="Independent chains whose draws are pooled."
    ),
    click.option(
        "--estimate",
        type=click.Choice(["auto", "consensus", "map", "last"]),
        default="auto",
        show_default=True,
        help="What is reported; auto is the consensus of the draws, if there are any.",
    ),
    click.option(
        "--loss",
        type=click.Choice(["vi", "binder"]),
        help="What the consensus minimises over the draws: variation of information (default), or Binder's loss.",
    ),
    common.bounded(
        "--restarts",
        default=1,
        show_default=True,
        metavar="R",
        help="Start each chain where the best of R chains, a tenth as long, ended: by log joint.",
    ),
    click.option(
        "--sampler",
        type=click.Choice(sampler_choices()),
        default="auto",
        show_default=True,
        help="split-merge is exact for any number of shards, after the burn-in. auto: split-merge where a cell is"
        " several numbers, else collapsed.",
    ),
    common.bounded(
        "--alpha",
        default="1.0",
        show_default=True,
        metavar="NUMBER|learn",
        help="Concentration of rows: larger, more row clusters.",
    ),
    common.bounded(
        "--beta", default="1.0", show_default=True, metavar="NUMBER|learn", help="Concentration of columns."
    ),
    common.bounded(
        "--fix-row-clusters",
        type=int,
        metavar="K",
        help="At most K row clusters: the parametric model, Dirichlet(alpha).",
    ),
    common.bounded("--fix-column-clusters", type=int, metavar="L", help="At most L column clusters."),
    common.bounded(
        "--seed", default=0, show_default=True, help="Same data, seed, shards and options: same result, bit for bit."
    ),
    click.option(
        "--start",
        default="random",
        show_default=True,
        metavar="random|one|singletons|FILE",
        help="Where the chain starts. FILE is a label file or a run folder; labels go by the names of the rows.",
    ),
    common.bounded(
        "--shards",
        default="auto",
        show_default=True,
        metavar="auto|N",
        help="1 is exact; more are faster and approximate.",
    ),
    click.option(
        "--shard-axis",
        type=click.Choice(["auto", "rows", "columns"]),
        default="auto",
        show_default=True,
        help="auto takes the longer side.",
    ),
    common.transform,
    common.reading_options,
    click.option(
        "--row-classes",
        metavar="NAME|FILE",
        help="Known row classes, a column or a label file with ids: scored, not used.",
    ),
    click.option(
        "--column-classes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Known column classes, a label file with ids.",
    ),
    click.option(
        "--view",
        type=click.Choice(["global", "local"]),
        default="global",
        show_default=True,
        help="What a shard sees of the other rows.",
    ),
    click.option(
        "--join",
        "join_mode",
        type=click.Choice(["blockwise", "averaged"]),
        default="blockwise",
        show_default=True,
        help="How shards' clusters are joined; averaged is the published way.",
    ),
    click.option(
        "--pair-moves",
        type=click.Choice(["on", "off"]),
        default="on",
        show_default=True,
        help="Merge and split whole clusters.",
    ),
    common.covariance,
    click.option(
        "--prior-scale",
        type=click.Choice(["covariance", "precision"]),
        default="covariance",
        show_default=True,
        help="precision is the published code's, and depends on units.",
    ),
    common.bounded("--kappa0", default=1.0, show_default=True, help="Cells that the prior mean of a block is worth."),
    common.bounded(
        "--psi0-factor",
        default=1.0,
        show_default=True,
        help="Scales the prior spread of a block: larger, fewer blocks.",
    ),
    common.bounded(
        "--power", default=1.0, show_default=True, help="Likelihood power in (0, 1] for data the model does not fit."
    ),
)


def run_options(command: _F) -> _F:
    """Give a command the options of data and sampler; :func:`disnplbm.cli.asked.asked_for` makes a run of them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
