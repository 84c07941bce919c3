"""The tables of the report: sizes of the clusters, means and spreads of the blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disnplbm.report.colours import Kind, colour_table, hex_colour, ink_on
from disnplbm.report.folder import Blocks, Labels
from disnplbm.report.numbers import Column, count
from disnplbm.report.scale import Scale, fit_scale

STEPS = 21
"""Shades of the block table; odd, so that zero has a shade of its own."""
MAX_ROW_CLUSTERS, MAX_COLUMN_CLUSTERS, MAX_COMPONENTS = 60, 40, 8
MAX_SIZES = 500
MEMBERS = 5


@dataclass(frozen=True)
class Size:
    """One cluster in the table of sizes."""

    label: int
    size: str
    share: str
    bar: float
    members: str


@dataclass(frozen=True)
class BlockCell:
    """One block of the table; `shade` is None where the block has no observed cell.

    `posterior` and `interval` (the block's mean over the draws, its 95 % interval) are None where none were kept.
    """

    mean: str
    sd: str
    posterior: str | None
    interval: str | None
    cells: str
    shade: int | None


@dataclass(frozen=True)
class BlockTable:
    """Blocks of one component over the shown clusters."""

    component: int
    kind: Kind
    cells: list[list[BlockCell]]


@dataclass(frozen=True)
class BlockTables:
    """Tables of all shown components with their common headings (label, size)."""

    rows: list[tuple[int, str]]
    columns: list[tuple[int, str]]
    tables: list[BlockTable]
    note: str


def cluster_sizes(axis: Labels) -> list[Size]:
    """Clusters in the order of their labels; beyond MAX_SIZES clusters the smallest are left out."""
    sizes = axis.sizes
    largest = int(sizes.max())
    order = np.argsort(axis.labels, kind="stable").astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    table = []
    for label in _largest(sizes, MAX_SIZES):
        size = int(sizes[label])
        names = axis.names(order[starts[label] : starts[label] + min(size, MEMBERS)]) if axis.named else []
        more = f" and {count(size - MEMBERS)} more" if names and size > MEMBERS else ""
        share = size / len(axis.labels)
        table.append(Size(label, count(size), f"{share:.1%}", size / largest, ", ".join(names) + more))
    return table


def block_tables(blocks: Blocks, rows: Labels, columns: Labels, scale: Scale) -> BlockTables:
    """Means and standard deviations over the largest clusters, shaded like the first component's heatmap."""
    shown_rows = _largest(rows.sizes, MAX_ROW_CLUSTERS)
    shown_columns = _largest(columns.sizes, MAX_COLUMN_CLUSTERS)
    shown = np.ix_(shown_rows, shown_columns)
    tables = []
    for component in range(min(len(blocks.mean), MAX_COMPONENTS)):
        mean, sd = blocks.mean[component][shown], blocks.sd[component][shown]
        shades = scale if component == 0 else fit_scale(mean)
        intervals = [
            None if values is None else values[component][shown]
            for values in (blocks.mean_posterior, blocks.mean_low, blocks.mean_high)
        ]
        tables.append(BlockTable(component, shades.kind, _cells(mean, sd, blocks.cells[shown], shades, *intervals)))
    left_out = []
    for axis, size, limit in (("row", rows.sizes, MAX_ROW_CLUSTERS), ("column", columns.sizes, MAX_COLUMN_CLUSTERS)):
        if np.count_nonzero(size) > limit:
            left_out.append(f"the {limit} largest of {count(int(np.count_nonzero(size)))} {axis} clusters")
    if len(blocks.mean) > MAX_COMPONENTS:
        left_out.append(f"the first {MAX_COMPONENTS} of {len(blocks.mean)} components")
    note = f"Shown are {' and '.join(left_out)}; blocks.csv holds all." if left_out else ""
    return BlockTables(_headings(rows.sizes, shown_rows), _headings(columns.sizes, shown_columns), tables, note)


def shade_styles(kinds: set[Kind]) -> str:
    """CSS rules of the table's shades, with text that stands out on each, for both themes."""
    rules = []
    for kind in sorted(kinds):
        light, dark = (colour_table(kind, theme, STEPS) for theme in ("light", "dark"))
        for step in range(STEPS):
            pairs = [(hex_colour(table[step]), ink_on(table[step])) for table in (light, dark)]
            rules.append(
                f".{kind}.q{step}{{background:light-dark({pairs[0][0]},{pairs[1][0]});"
                f"color:light-dark({pairs[0][1]},{pairs[1][1]})}}"
            )
    return "\n".join(rules)


def _cells(
    mean: NDArray[np.float64],
    sd: NDArray[np.float64],
    cells: NDArray[np.int64],
    scale: Scale,
    posterior: NDArray[np.float64] | None,
    low: NDArray[np.float64] | None,
    high: NDArray[np.float64] | None,
) -> list[list[BlockCell]]:
    means, spreads = Column(mean.ravel().tolist()), Column(sd.ravel().tolist())
    # The shade is that of the number in the cell.
    shaded = mean if posterior is None else posterior
    shades = np.rint(scale.positions(np.nan_to_num(shaded)) * (STEPS - 1)).astype(np.int64)
    return [
        [
            BlockCell(
                means.format(float(mean[k, l])),
                spreads.format(float(sd[k, l])),
                None if posterior is None else means.format(float(posterior[k, l])),
                None if low is None or high is None else " to ".join(means.format(float(x[k, l])) for x in (low, high)),
                count(int(cells[k, l])),
                int(shades[k, l]) if np.isfinite(mean[k, l]) else None,
            )
            for l in range(mean.shape[1])  # noqa: E741
        ]
        for k in range(mean.shape[0])
    ]


def _headings(sizes: NDArray[np.int64], shown: list[int]) -> list[tuple[int, str]]:
    return [(label, count(int(sizes[label]))) for label in shown]


def _largest(sizes: NDArray[np.int64], limit: int) -> list[int]:
    """Labels of the `limit` largest clusters that are not empty, in the order of the labels."""
    by_size = np.argsort(-sizes, kind="stable")[:limit]
    return sorted(int(label) for label in by_size if sizes[label] > 0)
