"""Notes on a result in words: what was found, and what to do next."""

from __future__ import annotations

from disnplbm.posterior.granularity import Granularity

_REMEDIES = (
    "a transform (--transform log for positive values that span decades, --transform standardize for columns in"
    " different units), or a likelihood power below 1 (`disnplbm calibrate` compares several)"
)


def crowding_note(blocks: int, most: int) -> str:
    """One line on a run of several shards that came near the blocks up to which its sweeps open clusters."""
    return (
        f"the run reached {blocks:,} blocks. With several shards, sweeps open clusters up to {most:,} blocks, so there"
        " may be more clusters than it shows. So many blocks mostly say that the cells are not normal: try"
        f" {_REMEDIES}; or --shards 1"
    )


def granularity_note(found: Granularity) -> str:
    """One line on a partition that hardly tells groups."""
    noun = found.axis
    if found.kind == "one_cluster":
        return (
            f"all {found.items:,} {noun} are in one cluster: the model sees no groups among them. If there should be"
            f" groups, try {_REMEDIES}"
        )
    alone = f", {found.single:,} of them with a single member" if found.single else ""
    return (
        f"{found.items:,} {noun} are in {found.clusters:,} clusters{alone}: the model follows single"
        f" {noun}, not groups. For fewer clusters, try {_REMEDIES}"
    )
