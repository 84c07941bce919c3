"""Labels of a run back beside its data: a copy of the table as AnnData, with the clusters in obs and var."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from disnplbm.data.array import ArraySource
from disnplbm.data.table import Source
from disnplbm.data.typed import csr_chunks
from disnplbm.errors import InputError, RunError
from disnplbm.extras import load
from disnplbm.model.statistics import Floats, Labels

#: What obs and var call the clusters, and what begins the names of all else that is added.
NAME = "disnplbm"

#: What is added for each row, or each column, by its name behind :data:`NAME`; labels become categories.
Columns = Mapping[str, "Labels | Floats"]


def write_h5ad(
    table: Path,
    source: Source,
    names: Sequence[str],
    target: Path,
    rows: Columns,
    columns: Columns,
    record: dict[str, Any],
) -> None:
    """Write a copy of a table with labels in obs and var, and the run in uns.

    Parameters
    ----------
    table : Path
        That was fitted. A .h5ad file is copied with all that is in it.
    source : Source
        The same, to be read where it is no .h5ad file.
    names : sequence of str
        Of its rows.
    target : Path
        A new file.
    rows, columns : mapping
        What is added, by name: "" are the clusters.
    record : dict
        What run.json holds.

    Raises
    ------
    InputError
        There is such a file, or AnnData is not installed.
    RunError
        The file cannot be written.
    """
    if target.exists():
        raise InputError(f"{target} exists; choose another name for the labelled copy, or remove it")
    swapped = bool(record["data"]["reading"].get("transpose"))
    _load_anndata()
    partial = target.with_name(f"{target.name}.partial")
    try:
        if table.suffix == ".h5ad":
            shutil.copyfile(table, partial)
        else:
            _to_anndata(source, names, swapped=swapped).write_h5ad(partial)
        _annotate(partial, *((columns, rows) if swapped else (rows, columns)), record)
        partial.replace(target)
    except OSError as error:
        raise RunError(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


def to_anndata(given: Any, *, copy: bool) -> Any:
    """AnnData of a table in memory; of AnnData a copy, or with ``copy=False`` itself.

    Raises
    ------
    InputError
        AnnData is not installed, or it is no table.
    """
    anndata = _load_anndata()
    if isinstance(given, anndata.AnnData):
        return given.copy() if copy else given
    source = ArraySource(given)
    if source.dimension > 1:
        raise InputError(f"AnnData holds one number a cell, and a cell of X has {source.dimension}")
    names = source.row_names or [str(i) for i in range(source.rows)]
    return _to_anndata(source, names)


def annotate(data: Any, rows: Columns, columns: Columns, about: dict[str, Any]) -> None:
    """Put labels into obs and var of AnnData, in their order, and what is known of the fit into uns."""
    for frame, added in ((data.obs, rows), (data.var, columns)):
        for name, values in added.items():
            frame[_title(name)] = _as_column(values)
    data.uns[NAME] = about


def _load_anndata() -> Any:
    return load("anndata", "a labelled table", "'disnplbm[bio]'")


def _title(name: str) -> str:
    return f"{NAME}_{name}" if name else NAME


def _as_column(values: Labels | Floats) -> Any:
    """Labels as categories, in their order; other numbers as they are."""
    if not np.issubdtype(values.dtype, np.integer):
        return values
    from pandas import Categorical

    return Categorical([str(label) for label in values.tolist()], [str(label) for label in np.unique(values).tolist()])


def _to_anndata(source: Source, names: Sequence[str], *, swapped: bool = False) -> Any:
    from anndata import AnnData
    from pandas import DataFrame

    cells = sp.csr_matrix(sp.vstack([rows for _, rows in csr_chunks(source)], format="csr"))
    obs, var = DataFrame(index=list(names)), DataFrame(index=[str(name) for name in source.column_names])
    if swapped:
        cells, obs, var = sp.csr_matrix(cells.T), var, obs
    return AnnData(cells, obs=obs, var=var)


def _annotate(path: Path, rows: Columns, columns: Columns, record: dict[str, Any]) -> None:
    import h5py
    from anndata.io import write_elem

    with h5py.File(path, "r+") as file:
        for axis, added in (("obs", rows), ("var", columns)):
            group = file[axis]
            length = len(group[group.attrs["_index"]])
            if any(len(values) != length for values in added.values()):
                raise InputError(f"the run read another part of the file than {axis} describes; it cannot be labelled")
            order = list(group.attrs["column-order"])
            for name, values in added.items():
                title = _title(name)
                if title in group:
                    del group[title]
                write_elem(group, title, _as_column(values))
                order += [] if title in order else [title]
            group.attrs["column-order"] = np.array(order, dtype=h5py.string_dtype())
        if NAME in file.require_group("uns"):
            del file["uns"][NAME]
        kept = {"run": record["name"], "digest": record["digest"], "log_joint": record["log_joint"]}
        write_elem(file["uns"], NAME, {**kept, "parameters": json.dumps(record["parameters"])})
