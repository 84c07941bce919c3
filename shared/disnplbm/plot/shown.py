"""What pictures are drawn from: a fitted model, or a run folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from disnplbm.cell_types import DENSE
from disnplbm.data.matching import is_counted
from disnplbm.errors import InputError
from disnplbm.families.category_names import category_names
from disnplbm.model.statistics import Labels
from disnplbm.posterior.trees.cutting import cut_labels
from disnplbm.posterior.trees.grown import AXES, Trees
from disnplbm.report.exposure import Expecting, find_expectation
from disnplbm.report.folder import Blocks, read_run_folder
from disnplbm.report.heatmap import Heatmap
from disnplbm.report.matrix import first_pixel
from disnplbm.report.traces import MEASURES

#: What may be drawn: a fitted model, or the path of a run folder.
Drawable = Any


class Branches(NamedTuple):
    """The branch of each fine cluster of the rows and of the columns; negative for what is set aside."""

    rows: Labels
    columns: Labels


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What a picture is drawn from.

    Parameters
    ----------
    cells, transform : str
        Type of the cells, and how numbers were transformed.
    expecting : callable, optional
        What tells the counts that are expected, where cells are compared with these.
    categories : sequence of str
        Names of the categories, or of the two values of 0/1 cells.
    pixel : {"cells", "mean", "ratio"}
        What a pixel shows to start with, as in the report.
    trees : Trees, optional
    first : dict
        Clusters of each axis that are shown first: a number, or None for all.
    curves : dict
        What is known of all levels of each axis, as run.json has it; empty without trees.
    traces : list of dict of ndarray
        Of each chain, by measure.
    names : dict
        Names of the rows and of the columns, or None.
    """

    cells: str
    expecting: Expecting | None
    transform: str
    categories: Sequence[str]
    heatmap: Heatmap
    pixel: str
    trees: Trees | None
    first: Mapping[str, int | None]
    curves: Mapping[str, Any]
    traces: Sequence[Mapping[str, NDArray[Any]]]
    burn_in: int
    names: Mapping[str, Sequence[str] | None]

    @classmethod
    def find(cls, what: Drawable) -> Self:
        """Take what can be drawn.

        Raises
        ------
        InputError
            It is neither a fitted model nor a folder with a finished run.
        """
        if isinstance(what, str | PathLike):
            return cls._read(Path(what))
        if not hasattr(what, "get_params"):
            kind = type(what).__name__
            raise InputError(f"{kind} cannot be drawn; give a fitted NPLBM, or the folder of a finished run")
        check_is_fitted(what)
        return cls._of(what._fitted)

    @classmethod
    def _of(cls, fitted: Any) -> Self:
        found, table, options = fitted.findings, fitted.table, fitted.options
        meta, result = found.meta, found.result
        sizes = np.outer(np.bincount(result.row_labels), np.bincount(result.column_labels))
        counted = meta.family.count_cells(result.blocks)
        figures = {name: np.moveaxis(values, -1, 0) for name, values in meta.family.figures(result.blocks).items()}
        blocks = Blocks(np.asarray(sizes if counted is None else counted).astype(np.int64), figures)
        expecting = find_expectation(meta.cells, options.exposure, meta.facts)
        of_axes = {} if found.level is None else {axis: getattr(found.level, axis).suggestion for axis in AXES}
        return cls(
            meta.cells,
            expecting,
            table.transform,
            category_names(meta.facts) if "levels" in meta.facts else (),
            found.heatmap,
            first_pixel(meta.cells, found.heatmap, blocks, compared=expecting is not None),
            found.trees,
            {axis: None if of.reason == "fine" else of.clusters for axis, of in of_axes.items()},
            {} if found.curves is None else found.curves.to_dict(),
            [{name: np.array(getattr(trace, name)) for name in MEASURES} for trace in result.traces],
            options.burn_in or 0,
            {"rows": table.row_names, "columns": None if is_counted(table.column_names) else table.column_names},
        )

    @classmethod
    def _read(cls, path: Path) -> Self:
        folder = read_run_folder(path)
        run = folder.run
        of_axes = run.get("level", {}).get("axes", {})
        facts = None if folder.trees is None else folder.trees.meta.facts
        expecting = find_expectation(folder.cells, run["parameters"].get("exposure", "none"), facts)
        return cls(
            folder.cells,
            expecting,
            run["data"].get("transform", "none"),
            run["data"].get("categories", ("0", "1") if folder.cells == "binary" else ()),
            folder.heatmap,
            first_pixel(folder.cells, folder.heatmap, folder.blocks, compared=expecting is not None),
            folder.trees,
            {axis: None if of["reason"] == "fine" else int(of["clusters"]) for axis, of in of_axes.items()},
            run.get("level_curves", {}),
            [{name: getattr(trace, name) for name in MEASURES} for trace in folder.traces],
            run["parameters"].get("burn_in") or 0,
            {axis: getattr(folder, axis).ids.to_pylist() if getattr(folder, axis).named else None for axis in AXES},
        )

    @property
    def value(self) -> str:
        """What the numbers of a picture are, for the legend."""
        if self.cells == DENSE:
            return "value" if self.transform == "none" else f"value after {self.transform}"
        return {"counts": "count", "binary": "value"}.get(self.cells, "category")

    def cut(self, rows: int | str | None, columns: int | str | None) -> Branches:
        """Merge clusters down to a number on each axis; None keeps the fit's, "auto" is what is shown first.

        Raises
        ------
        InputError
            There are not so many branches, or no trees.
        """
        return Branches(*(self._cut(axis, number) for axis, number in zip(AXES, (rows, columns), strict=True)))

    def _cut(self, axis: str, number: Any) -> Labels:
        if number == "auto":
            number = self.first.get(axis)
        if number is not None and (isinstance(number, bool) or not isinstance(number, Integral) or number < 1):
            raise InputError(
                f"{axis}={number!r} is not a number of clusters; give a whole number from 1, 'auto' or None"
            )
        if self.trees is None:
            if number is not None:
                raise InputError(f"there is no tree of the clusters to cut into {number}; give {axis}=None")
            return np.arange(len(getattr(self.heatmap.reordered, axis).shown), dtype=np.int32)
        return cut_labels(getattr(self.trees, axis), None if number is None else int(number), f"{axis[:-1]} clusters")
