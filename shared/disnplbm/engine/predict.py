"""What a finished run says of new rows, and of the cells that its table lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.classes import read_labels
from disnplbm.data.dataset import rechunked
from disnplbm.data.source import Source
from disnplbm.data.transform import Transform
from disnplbm.engine.folder import RunFolder
from disnplbm.errors import InputError
from disnplbm.posterior.draw_store import open_draws
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.imputation import impute
from disnplbm.posterior.predictive import log_density, predict_proba

Record = tuple[Any, ...]

#: Cells of new rows that are judged at a time.
CHUNK_BYTES = 64 * 2**20


def predicted(folder: Path, source: Source, threads: int) -> tuple[list[str], Iterator[Record]]:
    """Header and records of the rows of a table, judged by a run's draws.

    A record holds the row's name, the likeliest row cluster (-1 for none of them), its probability, that of none of
    them, and the log density of the row's observed cells.

    Parameters
    ----------
    folder : Path
        Of a finished run that kept draws.
    source : Source
        New rows of the same columns.
    threads : int
        The result does not depend on it.

    Raises
    ------
    InputError
        The run kept no draws, or the columns are others.
    """
    draws = _draws(folder)
    order, transform = _matched(draws, source), Transform.from_json(draws.meta.transform)
    labels = np.array(read_labels(folder / "rows.csv")[1], dtype=np.int64)

    def records() -> Iterator[Record]:
        start = 0
        # Every draw is read once for each chunk.
        for chunk in rechunked(source.chunks(), max(1, CHUNK_BYTES // (8 * draws.n_columns * draws.dimension))):
            values = transform.apply(chunk.values[:, order])
            shares = predict_proba(draws, labels, values, threads=threads)
            density = log_density(draws, values, threads=threads)
            names = chunk.ids or [str(start + i) for i in range(len(values))]
            start += len(values)
            best = shares.argmax(axis=1)
            for i, name in enumerate(names):
                label = int(best[i]) if best[i] < shares.shape[1] - 1 else -1
                yield name, label, round(float(shares[i, best[i]]), 6), round(float(shares[i, -1]), 6), density[i]

    return ["id", "label", "probability", "none", "log_density"], records()


def imputed(folder: Path, source: Source) -> tuple[list[str], Iterator[Record]]:
    """Header and records of the missing cells of the table that a run was fitted to: posterior mean and sd.

    In the units of the data, or of the transformed data for boxcox and log1p, whose moments have no simple inverse.

    Parameters
    ----------
    folder : Path
        Of a finished run that kept draws.
    source : Source
        The table that was fitted.

    Raises
    ------
    InputError
        The run kept no draws, or the table is another.
    """
    draws = _draws(folder)
    order, transform = _matched(draws, source), Transform.from_json(draws.meta.transform)
    chunks = list(source.chunks())
    values = np.concatenate([chunk.values[:, order] for chunk in chunks])
    if len(values) != draws.n_rows:
        raise InputError(
            f"{source.name} has {len(values)} rows and the run in {folder} was fitted to {draws.n_rows};"
            " give the table that was fitted"
        )
    names = [name for chunk in chunks for name in chunk.ids or ()] or [str(i) for i in range(len(values))]
    columns = draws.meta.column_names or tuple(str(j) for j in range(draws.n_columns))
    found = impute(draws, transform.apply(values))
    scale, centre = np.ones((draws.n_columns, draws.dimension)), np.zeros((draws.n_columns, draws.dimension))
    if transform.scale is not None and transform.center is not None:
        scale, centre = transform.scale, transform.center

    def records() -> Iterator[Record]:
        for i, j, c, mean, sd in found.records():
            cells = (mean * scale[j, c] + centre[j, c], sd * scale[j, c])
            yield (names[i], columns[j], c, *("" if np.isnan(cell) else cell for cell in cells))

    return ["row", "column", "component", "mean", "sd"], records()


def _draws(folder: Path) -> Draws:
    if not (folder / "run.json").is_file():
        raise InputError(f"{folder} holds no finished run; give the output folder of `disnplbm fit`")
    path = RunFolder(folder).draws
    if not path.is_file():
        raise InputError(f"the run in {folder} kept no draws; fit again with --burn-in or --draws")
    return open_draws(path)


def _matched(draws: Draws, source: Source) -> NDArray[np.intp]:
    """Where the fitted columns stand in a table."""
    names, fitted = list(source.column_names), draws.meta.column_names
    if len(names) != draws.n_columns or source.dimension != draws.dimension:
        raise InputError(
            f"{source.name} has {len(names)} columns of {source.dimension} numbers, and the run was fitted to"
            f" {draws.n_columns} of {draws.dimension}; give the same columns"
        )
    if fitted is None or list(fitted) == names or len(set(names)) < len(names):
        return np.arange(len(names))
    place = {name: j for j, name in enumerate(names)}
    for name in fitted:
        if name not in place:
            raise InputError(f"{source.name} has no column {name!r}, which was fitted; give the same columns")
    return np.array([place[name] for name in fitted])
