"""Notes on a result in words: what was found, and what to do next."""

from __future__ import annotations

from disnplbm.cell_types import DENSE
from disnplbm.notes import Hint, Note
from disnplbm.posterior.granularity import Granularity

_REMEDIES = (
    *("a transform (", Hint("transform", "log"), " for positive values that span decades, "),
    *(Hint("transform", "standardize"), " for columns in different units), or a likelihood power below 1, such as "),
    Hint("power", 0.5),
)

_LIMITS = {"rows": Hint("fix_row_clusters", 20), "columns": Hint("fix_column_clusters", 20)}

_RESTARTS = ("more starts, such as ", Hint("restarts", 10))


def crowding_note(blocks: int, most: int) -> Note:
    """One line on a run of several shards that came near the blocks up to which its sweeps open clusters."""
    return Note(
        f"the run reached {blocks:,} blocks. With several shards, sweeps open clusters up to {most:,} blocks, so there"
        " may be more clusters than it shows. So many blocks mostly say that the cells are not normal: try ",
        *_REMEDIES,
        "; or ",
        Hint("shards", 1),
        kind="many-blocks",
    )


def granularity_note(found: Granularity, cells: str = DENSE) -> Note:
    """One line on a partition that hardly tells groups; what to do depends on the type of the cells."""
    noun, real = found.axis, cells == DENSE
    if found.kind == "one_cluster":
        all_in_one = f"all {found.items:,} {noun} are in one cluster: the model sees no groups among them. If there"
        return Note(
            f"{all_in_one} should be groups, try ",
            *(_REMEDIES if real else _RESTARTS),
            kind="one-cluster" if real else "all-in-one",
            place=[noun],
        )
    alone = f", {found.single:,} of them with a single member" if found.single else ""
    many = f"{found.items:,} {noun} are in {found.clusters:,} clusters{alone}: the model follows single {noun}, not"
    if real:
        return Note(f"{many} groups. For fewer clusters, try ", *_REMEDIES, kind="many-clusters", place=[noun])
    fewer = f"{many} groups. To look at fewer, merge them with `disnplbm cut`, or fit again with "
    return Note(fewer, _LIMITS[noun], kind="fine-clusters", place=[noun])
