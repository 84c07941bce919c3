"""A finished run that kept draws, and how a table for it matches what was fitted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import some_names
from disnplbm.data.classes import read_labels
from disnplbm.data.matching import find_order, is_counted
from disnplbm.data.table import Source
from disnplbm.engine.folder import RunFolder
from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint
from disnplbm.posterior.draw_store import open_draws
from disnplbm.posterior.draws import Axis, Draws


def load_draws(folder: Path) -> Draws:
    """Load the draws that a run's reported partitions come from; InputError if it kept none."""
    record = RunFolder(folder).load_record()
    path = RunFolder(folder).draws
    if not path.is_file():
        raise InputError(
            f"the run in {folder} kept no draws; fit again with ", Hint("burn_in", 100), ", which keeps some"
        )
    draws = open_draws(path)
    # Those that the reported partitions come from; runs before this was written have the draws of all chains.
    chains = record.get("posterior", {}).get("chains")
    return draws if chains is None else draws.select(np.flatnonzero(np.isin(draws.numbers().chain, chains)))


def load_reported(folder: Path, draws: Draws, axis: Axis) -> NDArray[np.int64]:
    """Load the reported labels of the fitted rows or columns."""
    path = folder / f"{axis}.csv"
    words = read_labels(path).labels
    if len(words) != draws.length(axis) or not all(word.isascii() and word.isdigit() for word in words):
        raise InputError(f"{path} is damaged or not of the run that draws.npz is of; fit again with ", Hint("force"))
    return np.array(words, dtype=np.int64)


def match_columns(draws: Draws, source: Source) -> NDArray[np.intp]:
    """Find where the fitted columns stand in a table: by their names, or by position where one of the two has none."""
    names = list(source.column_names)
    fitted = list(draws.meta.column_names or names)
    check_dimension(draws, source)
    if len(names) != draws.n_columns:
        # What the reader says of columns of text is of more use.
        next(iter(source.chunks()), None)
        raise InputError(
            f"{source.name} has {len(names)} columns, and the run was fitted to {draws.n_columns}; give the same"
            " columns",
            *_differences(names, fitted),
        )
    place = {name: j for j, name in enumerate(names)}
    unknown = [name for name in fitted if name not in place]
    counted = is_counted(names) or is_counted(fitted)
    by_position = len(place) < len(names) or bool(unknown and counted)
    if by_position or (counted and names == fitted):
        why = f"{source.name} has no column names"
        if not is_counted(names):
            why = "the run's table had no column names" if counted else f"names of columns repeat in {source.name}"
        source.notes.append(f"{why}: its columns are taken in the order of those that were fitted")
        return np.arange(len(names))
    if unknown:
        raise InputError(f"{source.name} has no column {unknown[0]!r}, which was fitted; give the same columns")
    if names != fitted:
        source.notes.append(_other_order("columns", source))
    return np.array([place[name] for name in fitted])


def fitted_columns(draws: Draws) -> Sequence[str]:
    """Names of the fitted columns: "0", "1", ... if they have none."""
    return draws.meta.column_names or [str(j) for j in range(draws.n_columns)]


def observed_cells(values: Floats) -> NDArray[np.bool_]:
    """Whether cells, shape (n, p, d), have a value, shape (n, p)."""
    return np.asarray(~np.isnan(values[:, :, 0]))


def order_rows(folder: Path, names: list[str] | None, source: Source) -> NDArray[np.intp] | slice:
    """Where the fitted rows stand in a table; a note of the source says if they are not in their order."""
    fitted = read_labels(folder / "rows.csv").ids
    order = find_order(names, fitted, "row", f"rows of {source.name}", f"the run in {folder}")
    if not isinstance(order, slice) and (np.diff(order) != 1).any():
        source.notes.append(_other_order("rows", source))
    return order


def _other_order(noun: str, source: Source) -> str:
    return f"the {noun} of {source.name} are in another order than those fitted: matched by their names"


def _differences(names: Sequence[str], fitted: Sequence[str]) -> tuple[str | Hint, ...]:
    """What to change in a table with another number of columns."""
    theirs, known = set(names), set(fitted)
    extra, lost = [name for name in names if name not in known], [name for name in fitted if name not in theirs]
    if lost and not is_counted(fitted) and not is_counted(names):
        shown = some_names(map(repr, lost), len(lost))
        swapped = (
            *("; if rows and columns are swapped in it, add ", Hint("transpose", True), " (or "),
            *(Hint("transpose", False), ", where the run was fitted with ", Hint("transpose", True), ")"),
        )
        return (f" (it lacks {shown})", *(swapped if len(lost) == len(fitted) else ()))
    if len(names) <= len(fitted) or is_counted(fitted) != is_counted(names) or not extra:
        return ()
    shown = some_names(map(repr, extra), len(extra))
    return (f", without {shown} (", Hint("drop_columns"), ", or ", Hint("id_column"), " if it names the rows)")


def check_dimension(draws: Draws, source: Source) -> None:
    """Refuse cells of more or fewer numbers than were fitted."""
    if source.dimension != draws.dimension:
        raise InputError(
            f"{source.name} has cells of {source.dimension} numbers, and the run was fitted to cells of"
            f" {draws.dimension}; give the same kind of cells"
        )
