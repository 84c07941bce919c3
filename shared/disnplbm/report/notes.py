"""Notes on a result in words: what was found, and what to do next."""

from __future__ import annotations

from disnplbm.posterior.granularity import Granularity

_TRANSFORMS = (
    "a transform (log for positive values that span decades, standardize for columns in different units), or"
    " `disnplbm calibrate`"
)


def granularity_note(found: Granularity) -> str:
    """One line on a partition that hardly tells groups."""
    noun = found.axis
    if found.kind == "one_cluster":
        return (
            f"all {found.items:,} {noun} are in one cluster: the model sees no groups among them. If there should be"
            f" groups, try {_TRANSFORMS} to see other likelihood powers"
        )
    alone = f", {found.single:,} of them with a single member" if found.single else ""
    return (
        f"{found.items:,} {noun} are in {found.clusters:,} clusters{alone}: the model follows single"
        f" {noun}, not groups. Try {_TRANSFORMS}, which finds a likelihood power with fewer clusters"
    )
