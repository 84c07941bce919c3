"""The tables of the report: sizes of the clusters, means and spreads of the blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.report.colours import Kind, colour_table, hex_colour, ink_on
from disnplbm.report.folder import Blocks, Labels
from disnplbm.report.numbers import Column, count, fixed, significant
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

    `lines` are the mean and, below it, the standard deviation: for a run with draws both with 95 % intervals.
    `detail` is what the block's read-out adds; `odd` marks cells that are plainly not normal.
    """

    lines: list[str]
    detail: str
    shade: int | None
    odd: bool


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
        shades = scale if component == 0 else fit_scale(blocks.mean[component][shown])
        tables.append(BlockTable(component, shades.kind, _cells(blocks, component, shown, shades)))
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


def _cells(blocks: Blocks, component: int, shown: Any, scale: Scale) -> list[list[BlockCell]]:
    """The blocks of one component at the shown clusters, as ``np.ix_`` gives them."""
    mean, sd, cells = blocks.mean[component][shown], blocks.sd[component][shown], blocks.cells[shown]
    skewness, kurtosis, p = (
        getattr(blocks.normality, name)[..., component][shown] for name in ("skewness", "kurtosis", "p")
    )
    odd = blocks.normality.plain[..., component][shown]
    means, spreads = Column(mean.ravel().tolist()), Column(sd.ravel().tolist())
    # The shade is that of the number in the cell.
    shaded = mean if blocks.posterior is None else blocks.posterior[0].mean[component][shown]
    shades = np.rint(scale.positions(np.nan_to_num(shaded)) * (STEPS - 1)).astype(np.int64)

    def cell(at: tuple[int, int]) -> BlockCell:
        lines = [means.format(float(mean[at])), f"± {spreads.format(float(sd[at]))}"]
        detail = f"{count(int(cells[at]))} cells"
        if blocks.posterior is not None:
            detail += f", {lines[0]} {lines[1]}"
            (centre, *of_mean), (spread, *of_sd) = (
                [
                    column.format(float(getattr(interval, part)[component][shown][at]))
                    for part in ("mean", "low", "high")
                ]
                for interval, column in zip(blocks.posterior, (means, spreads), strict=True)
            )
            lines = [centre, " to ".join(of_mean), f"± {spread}", " to ".join(of_sd)]
        if np.isfinite(skewness[at]):
            detail += (
                f"; skewness {fixed(float(skewness[at]), 2)}, excess kurtosis {fixed(float(kurtosis[at]), 2)},"
                f" p {significant(float(p[at]), 2)}"
            )
        elif p[at] == 0:
            detail += "; all cells equal"
        shade = int(shades[at]) if np.isfinite(mean[at]) else None
        return BlockCell(lines, detail, shade, bool(odd[at]))

    return [[cell((k, l)) for l in range(mean.shape[1])] for k in range(mean.shape[0])]  # noqa: E741


def _headings(sizes: NDArray[np.int64], shown: list[int]) -> list[tuple[int, str]]:
    return [(label, count(int(sizes[label]))) for label in shown]


def _largest(sizes: NDArray[np.int64], limit: int) -> list[int]:
    """Labels of the `limit` largest clusters that are not empty, in the order of the labels."""
    by_size = np.argsort(-sizes, kind="stable")[:limit]
    return sorted(int(label) for label in by_size if sizes[label] > 0)
