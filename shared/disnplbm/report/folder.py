"""What a run folder holds, read and checked for the report."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from disnplbm.cell_types import DENSE
from disnplbm.errors import InputError
from disnplbm.families import CHECKED, check_of
from disnplbm.families.base import BlockFit
from disnplbm.notes import Hint, plural
from disnplbm.parts import only_part, slices_of
from disnplbm.posterior.similarity_store import Similarities, load_similarities
from disnplbm.posterior.trees.grown import Trees
from disnplbm.posterior.trees.store import load_trees
from disnplbm.report.arrow import from_integers, to_numbers
from disnplbm.report.heatmap import Heatmap, load_heatmaps

RUN_KEYS = (
    "name", "rows", "columns", "dimension", "row_clusters", "column_clusters", "blocks", "log_joint", "iterations",
    "shards", "seconds", "seconds_total", "seconds_per_iteration", "peak_memory_mb", "digest", "parameters",
    "versions", "data", "warnings", "created", "estimate", "ppc",
    "chains", "verdict",
)  # fmt: skip


@dataclass(frozen=True)
class Labels:
    """Names and clusters of one axis.

    Attributes
    ----------
    ids : pyarrow.Array of string, length items
        Names, which need not differ.
    labels : ndarray of int64, shape (items,)
        Cluster of each item.
    named : bool
        Whether the names say more than the position in the file.
    confidence : ndarray of float64, shape (items,), or None
        How sure the draws are of each item's place; None for a run that kept none.
    classes : pyarrow.Array of string, length items, or None
        Known class of each item, "" where that is not known; None where none are known.
    """

    ids: Any
    labels: NDArray[np.int64]
    named: bool
    confidence: NDArray[np.float64] | None = None
    classes: Any = None

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Items of each cluster, shape (clusters,)."""
        return np.bincount(self.labels).astype(np.int64)

    def of_part(self, here: slice, own: slice) -> Labels:
        """Those of a part's columns, with its clusters numbered from 0."""
        length = here.stop - here.start
        return Labels(
            self.ids.slice(here.start, length),
            self.labels[here] - own.start,
            self.named,
            None if self.confidence is None else self.confidence[here],
            None if self.classes is None else self.classes.slice(here.start, length),
        )

    def names(self, items: NDArray[np.int64]) -> list[str]:
        """Names of some items."""
        found: list[str] = self.ids.take(from_integers(items)).to_pylist()
        return found


@dataclass(frozen=True)
class Interval:
    """Posterior mean and 95 % interval of a figure of each block, each of shape (components, K, L)."""

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True)
class Blocks:
    """What all blocks say, as matrices over (row cluster, column cluster); NaN where a block has no cell.

    Attributes
    ----------
    cells : ndarray of int64, shape (K, L)
        Observed cells.
    figures : dict of ndarray of float64, shape (components, K, L)
        Of the observed cells, by the names that the family of cells gives them.
    fit : BlockFit, or None
        How they fit the model: of real numbers and of counts, or None.
    posterior : dict of Interval, or None
        Of some of the figures; None for a run that kept no draws.
    """

    cells: NDArray[np.int64]
    figures: dict[str, NDArray[np.float64]]
    fit: BlockFit | None = None
    posterior: dict[str, Interval] | None = None

    @property
    def components(self) -> int:
        """Numbers that a figure of a block is made of: one for each number of a cell, or a share for each category."""
        return max(map(len, self.figures.values()))

    @property
    def is_shares(self) -> bool:
        """Whether a block is the shares of several categories."""
        return "share" in self.figures and self.components > 1

    @property
    def shown(self) -> dict[str, NDArray[np.float64]]:
        """Figures to show: posterior means, or means of the cells where there are no draws."""
        return self.figures if self.posterior is None else {name: of.mean for name, of in self.posterior.items()}


@dataclass(frozen=True)
class Trace:
    """One value an iteration of one chain, each of shape (iterations,)."""

    iteration: NDArray[np.int64]
    log_joint: NDArray[np.float64]
    row_clusters: NDArray[np.float64]
    column_clusters: NDArray[np.float64]
    seconds: NDArray[np.float64]


@dataclass(frozen=True)
class RunFolder:
    """Everything the report shows; `traces` are of all chains, `similarities` of a run that kept draws.

    `trees` are None where the run has none, and where the pictures are in another order. Of a table of several parts,
    it shows one, and `title` says which.
    """

    run: dict[str, Any]
    rows: Labels
    columns: Labels
    blocks: Blocks
    traces: tuple[Trace, ...]
    heatmap: Heatmap
    similarities: Similarities | None = None
    trees: Trees | None = None
    title: str = ""

    @property
    def cells(self) -> str:
        """Type of the cells."""
        # A run from before there were others has real numbers.
        return str(self.run["data"].get("cells", DENSE))


def read_run_folder(folder: Path) -> RunFolder:
    """Read a finished run of a table of one part; raises InputError naming the first file that does not fit."""
    return only_part(read_parts_of_run(folder))


def read_parts_of_run(folder: Path) -> tuple[RunFolder, ...]:
    """Read a finished run as one for each part of its table, with all rows and the part's columns.

    Clusters of columns are numbered from 0 in each. What concerns all parts, as the trace does, is in each.

    Raises
    ------
    InputError
        It names the first file that is missing or does not fit.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; give the output folder of `disnplbm fit`")
    run = _read_run(folder / "run.json")
    parts = run.get("parts", [{"columns": run["columns"], "column_clusters": run["column_clusters"]}])
    rows, columns = _read_labels(folder / "rows.csv"), _read_labels(folder / "columns.csv")
    heatmaps = load_heatmaps(folder / "heatmap.npz", len(parts))
    pictured = heatmaps[0].shape[0], sum(heatmap.shape[1] for heatmap in heatmaps)
    for name, shape in (
        ("rows.csv and columns.csv", (len(rows.labels), len(columns.labels))),
        ("heatmap.npz", pictured),
    ):
        if shape != (run["rows"], run["columns"]):
            raise InputError(
                f"{folder}: {name} hold {shape[0]} x {shape[1]} items, but run.json says {run['rows']} x "
                f"{run['columns']}; the folder mixes two runs, fit again with ",
                Hint("force"),
            )
    traces = _read_traces(folder / "trace.csv")
    drawn = run.get("posterior") is not None
    similarities = _read_similarities(folder / "similarity.npz", rows, columns) if drawn else None
    trees = _read_trees(folder / "tree.npz", rows, columns)
    table, found = _read_table(folder / "blocks.csv"), list[RunFolder]()
    places = slices_of([part["columns"] for part in parts]), slices_of([part["column_clusters"] for part in parts])
    for number, (part, heatmap, here, own) in enumerate(zip(parts, heatmaps, *places, strict=True)):
        of_run = run if len(parts) == 1 else _run_of_part(run, part, own)
        labels = columns if len(parts) == 1 else columns.of_part(here, own)
        of_table = table if len(parts) == 1 else _blocks_of_part(table, number, own)
        sizes = len(rows.sizes), len(labels.sizes)
        blocks = _read_blocks(folder / "blocks.csv", of_table, *sizes, of_run["data"].get("categories", ()))
        together = None if similarities is None else similarities.of_part(here, own)
        grown = None if trees is None else trees.of_part(number)
        shown = grown if grown is not None and is_in_order(grown, heatmap) else None
        found.append(RunFolder(of_run, rows, labels, blocks, traces, heatmap, together, shown, _title(part, own)))
    return tuple(found)


def _title(part: Mapping[str, Any], own: slice) -> str:
    """What a part is called, and its clusters; nothing where it is the only one."""
    if "name" not in part:
        return ""
    last = own.stop - 1
    clusters = f"column cluster {last}" if own.start == last else f"column clusters {own.start} to {last}"
    return f"{part['name']}: {plural(part['columns'], 'column')}, {clusters} of the run"


def _run_of_part(run: Mapping[str, Any], part: Mapping[str, Any], own: slice) -> dict[str, Any]:
    """What run.json says, with what it says of a part in place of what it says of all."""
    of_data = ("cells", "transform", "missing_cells", "categories")
    data = run["data"] | {name: part[name] for name in of_data if name in part}
    told = [
        each | {"cluster": each["cluster"] - own.start}
        for each in run.get("column_profiles", [])
        if own.start <= each["cluster"] < own.stop
    ]
    whole = {name: value for name, value in run.items() if name not in ("level", "level_curves")}
    return whole | {"data": data, "ppc": part["ppc"], "column_profiles": told}


def _blocks_of_part(table: dict[str, Any], number: int, own: slice) -> dict[str, Any]:
    """The lines of blocks.csv that are of a part, without the figures that its blocks do not have."""
    there = pc.equal(table["part"], number)
    found = {name: column.filter(there) for name, column in table.items() if name != "part"}
    kept = {name: column for name, column in found.items() if column.null_count < len(column)}
    return kept | {"l": pc.subtract(kept["l"], own.start)}


def _read_trees(path: Path, rows: Labels, columns: Labels) -> Trees | None:
    if not path.is_file():
        return None
    trees = load_trees(path)
    for tree, axis in ((trees.rows, rows), (trees.columns, columns)):
        if not np.array_equal(tree.sizes, axis.sizes):
            raise InputError(f"{path}: does not fit rows.csv and columns.csv; fit again with ", Hint("force"))
    return trees


def is_in_order(trees: Trees, heatmap: Heatmap) -> bool:
    """Whether clusters stand in the picture as the leaves of their trees do, so that branches are together there."""
    view = heatmap.reordered
    pairs = (view.rows, trees.rows), (view.columns, trees.columns)
    return all(np.array_equal(bands.shown, tree.leaves) for bands, tree in pairs)


def _read_run(path: Path) -> dict[str, Any]:
    try:
        run: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path}: missing; is {path.parent} the output folder of a finished run?") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({error})") from error
    for key in RUN_KEYS:
        if key not in run:
            raise InputError(f"{path}: the key {key!r} is missing; the run was written by another version, fit again")
    return run


def _read_table(path: Path, types: dict[str, Any] | None = None) -> dict[str, Any]:
    """Columns by their names: a table would look for each among all of them."""
    options = csv.ConvertOptions(column_types=types or {}, strings_can_be_null=False)
    parsing = csv.ParseOptions(newlines_in_values=True)
    try:
        with path.open("rb") as file:
            table = csv.read_csv(file, parse_options=parsing, convert_options=options)
        return dict(zip(table.column_names, table.columns, strict=True))
    except FileNotFoundError as error:
        raise InputError(f"{path}: missing; is {path.parent} the output folder of a finished run?") from error
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"{path}: cannot be read as CSV ({str(error).splitlines()[0]})") from error


def _column(table: dict[str, Any], name: str, path: Path, dtype: type[np.generic]) -> NDArray[Any]:
    if name not in table:
        raise InputError(f"{path}: there is no column {name!r}; the run was written by another version, fit again")
    try:
        return to_numbers(table[name], dtype)
    except ValueError as error:
        raise InputError(f"{path}: column {name!r} holds no numbers; fit again with ", Hint("force")) from error


def _read_labels(path: Path) -> Labels:
    table = _read_table(path, {"id": pa.string(), "label": pa.int64(), "known_class": pa.string()})
    labels = _column(table, "label", path, np.int64)
    if "id" not in table or not len(labels) or labels.min() < 0:
        raise InputError(f"{path}: expected the columns id and label with labels from 0 on; fit again")
    named = _are_names(table["id"])
    ids = pa.concat_arrays(table.pop("id").chunks)
    drawn = "confidence" in table
    confidence = _column(table, "confidence", path, np.float64) if drawn else None
    classes = pa.concat_arrays(table["known_class"].chunks) if "known_class" in table else None
    return Labels(ids, labels, named, confidence, classes)


def _are_names(ids: Any) -> bool:
    """Whether they are not the numbers from 0 on."""
    first = 0
    for chunk in ids.chunks:
        numbers = pc.cast(from_integers(np.arange(first, first + len(chunk))), pa.string())
        if not pc.all(pc.equal(chunk, numbers)).as_py():
            return True
        first += len(chunk)
    return False


_PLACE = ("k", "l", "rows", "columns", "cells")
"""Columns of blocks.csv that say which block a line is of."""

_PARTS = ("posterior", "low", "high")
"""What is known of a figure where there are draws."""


def _read_blocks(
    path: Path, table: dict[str, Any], row_clusters: int, column_clusters: int, categories: Sequence[str]
) -> Blocks:
    k, l = _column(table, "k", path, np.int64), _column(table, "l", path, np.int64)  # noqa: E741
    if not ((k >= 0) & (k < row_clusters) & (l >= 0) & (l < column_clusters)).all():
        raise InputError(
            f"{path}: names clusters that rows.csv and columns.csv do not have; fit again with ", Hint("force")
        )
    cells = np.zeros((row_clusters, column_clusters), dtype=np.int64)
    cells[k, l] = _column(table, "cells", path, np.int64)
    names = _names(table, categories)
    figures = [name for name in names if name not in CHECKED and not name.endswith(tuple(f"_{p}" for p in _PARTS))]
    if not figures:
        raise InputError(f"{path}: says nothing of its blocks; the run was written by another version, fit again")

    def matrices(name: str) -> NDArray[np.float64]:
        columns = names.get(name, [name])
        found = np.full((len(columns), row_clusters, column_clusters), np.nan)
        for component, column in enumerate(columns):
            found[component, k, l] = _column(table, column, path, np.float64)
        return found

    fit = None
    if (found := check_of(names)) is not None:
        check, columns = found
        fit = check(cells.astype(np.float64), *(np.moveaxis(matrices(name), 0, -1) for name in columns))
    posterior = {
        name: Interval(*(matrices(f"{name}_{part}") for part in _PARTS))
        for name in figures
        if f"{name}_{_PARTS[0]}" in names
    }
    return Blocks(cells, {name: matrices(name) for name in figures}, fit, posterior or None)


def _names(table: dict[str, Any], categories: Sequence[str]) -> dict[str, list[str]]:
    """What a table says of blocks, by its names: one column each, or one for each component (``mean_0``, ...).

    The components are named after the categories where these are words.
    """
    told = categories[1:] if len(categories) == 2 else categories
    by_word = {name: [f"{name}_{word}" for word in told] for name in ("share", *(f"share_{part}" for part in _PARTS))}
    if told and all(column in table for column in by_word["share"]):
        return {name: columns for name, columns in by_word.items() if all(column in table for column in columns)}
    names: dict[str, list[str]] = {}
    for column in table:
        if column not in _PLACE:
            names.setdefault(re.sub(r"_\d+$", "", column), []).append(column)
    return names


def _read_traces(path: Path) -> tuple[Trace, ...]:
    table = _read_table(path)
    chain, iteration = _column(table, "chain", path, np.int64), _column(table, "iteration", path, np.int64)
    if len(chain) == 0:
        raise InputError(f"{path}: holds no iteration; finish the run with `disnplbm resume {path.parent}`")
    names = ("log_joint", "row_clusters", "column_clusters", "seconds")
    series = [_column(table, name, path, np.float64) for name in names]
    of_chains = [chain == number for number in np.unique(chain)]
    return tuple(Trace(iteration[here], *(values[here] for values in series)) for here in of_chains)


def _read_similarities(path: Path, rows: Labels, columns: Labels) -> Similarities:
    similarities = load_similarities(path)
    for found, axis in ((similarities.rows, rows), (similarities.columns, columns)):
        items = len(axis.labels) if found.items is None else len(found.items)
        if (items, len(found.clusters)) != (len(axis.labels), len(axis.sizes)):
            raise InputError(f"{path}: does not fit rows.csv and columns.csv; fit again with ", Hint("force"))
    return similarities
