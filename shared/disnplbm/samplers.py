"""The samplers there are. Each is a folder; one line here registers it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from disnplbm.sampler.base import Sampler


class Registered(NamedTuple):
    """Where a sampler is, and what it can do."""

    module: str
    """It has a :class:`~disnplbm.sampler.base.Sampler` called SAMPLER, which is imported when a chain needs it."""

    variants: bool = False
    """Whether it has the local view and the averaged join too, which published figures need."""


#: By the name that ``--sampler`` takes.
SAMPLERS = {
    "collapsed": Registered("disnplbm.sampler.collapsed", variants=True),
    "split-merge": Registered("disnplbm.sampler.split_merge"),
}


def sampler_of(name: str) -> Sampler:
    """The sampler of a name; KeyError if none is registered."""
    found: Sampler = import_module(SAMPLERS[name].module).SAMPLER
    return found
