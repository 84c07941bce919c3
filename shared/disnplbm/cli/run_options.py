"""What a run can be asked for, as options of ``fit`` and of ``submit``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from disnplbm.cli import common
from disnplbm.described import DESCRIBED

_F = TypeVar("_F", bound=Callable[..., Any])

_EXPOSURE = (
    "What counts are compared with: what the totals of their row and their column let expect (margins), or nothing"
    " (none). FILE gives a factor for each row instead, such as its size or the time it was watched. Factors are"
    " matched by row names, or taken in order."
)

#: What the command line takes in a way of its own, by the option that it stands in place of, or behind.
_OWN: dict[str, tuple[Callable[[Any], Any], ...]] = {
    "exposure": (
        click.option(
            "--exposure",
            default=DESCRIBED["exposure"].default,
            show_default=True,
            metavar="|".join((*DESCRIBED["exposure"].choices, "FILE")),
            help=_EXPOSURE,
        ),
        click.option(
            "--column-exposure",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="A factor for each column; with --exposure FILE or none.",
        ),
    ),
    "start": (
        click.option(
            "--start",
            default=DESCRIBED["start"].default,
            show_default=True,
            metavar="|".join((*DESCRIBED["start"].choices, "FILE")),
            help=f"{DESCRIBED['start'].help} FILE is a label file or a run folder. Labels are matched by row names.",
        ),
        common.bounded_option(
            "--shards",
            default="auto",
            show_default=True,
            metavar="auto|N",
            help="Parts of the table that are swept side by side. 1 is exact; more are faster and approximate.",
        ),
        click.option(
            "--shard-axis",
            type=click.Choice(["auto", "rows", "columns"]),
            default="auto",
            show_default=True,
            help="Which axis is cut into shards; auto takes the longer one,"
            " and of counts, 0/1 and categories the shorter one.",
        ),
    ),
}

_OF_DATA = (
    common.transform,
    common.reading_options,
    common.columns_as,
    click.option(
        "--row-classes",
        metavar="NAME|FILE",
        help="Known row classes: a column, or a label file with ids. They are compared with the clusters, and the fit"
        " does not use them.",
    ),
    click.option(
        "--column-classes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Known column classes, a label file with ids.",
    ),
    *common.covariates,
)


def run_options(command: _F) -> _F:
    """Give a command the options of data and sampler; :func:`disnplbm.cli.asked.parse_request` makes a run of them."""
    of_sampler = (option for name in DESCRIBED for option in _OWN.get(name, (common.described_option(name),)))
    for option in reversed((*of_sampler, *_OF_DATA)):
        command = option(command)
    return command
