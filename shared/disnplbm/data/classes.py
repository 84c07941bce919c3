"""Label files: known classes, results of a run, or a start; one label per row."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path

import numpy as np

from disnplbm.data.source import check_readable
from disnplbm.data.text import Record, open_bytes, records
from disnplbm.errors import InputError

LABEL_NAMES = ("label", "class")
ID_NAME = "id"


def read_labels(path: str | Path) -> tuple[list[str] | None, list[str]]:
    """Read one label per row.

    Parameters
    ----------
    path : str or Path
        A csv (or tsv) with a column ``label`` or ``class`` and optionally ``id``; a text file with one label a line,
        with or without such a header; each also as .gz; or a .npy file with one axis.

    Returns
    -------
    ids : list of str or None
        Names of the rows, if the file has a column ``id``.
    labels : list of str
        In file order; whole numbers are written without a point.

    Raises
    ------
    InputError
        The file cannot be read, has no label column, or misses a label.
    """
    path = Path(path)
    check_readable(path)
    if path.suffix.lower() == ".npy":
        return None, _read_npy(path)
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    with open_bytes(path) as (stream, _):
        lines = records(stream, path, "\t" if ".tsv" in suffixes else ",")
        first = next(lines, None)
        if first is None:
            raise InputError(f"{path} holds blank lines only: give one label per line")
        header = [cell.strip().lower() for cell in first.cells]
        label_at = next((header.index(name) for name in LABEL_NAMES if name in header), None)
        if label_at is None and len(header) > 1:
            raise InputError(f"{path} has no column named label or class (found: {', '.join(header[:10])}); rename one")
        id_at = header.index(ID_NAME) if label_at is not None and ID_NAME in header else None
        ids, labels = [], []
        for record in lines if label_at is not None else chain([first], lines):
            # Interned: a million labels are a few strings.
            labels.append(sys.intern(_cell(path, record, label_at or 0, len(header))))
            if id_at is not None:
                ids.append(record.cells[id_at])
    if not labels:
        raise InputError(f"{path} has a header but no labels: give one label per line")
    return None if id_at is None else ids, labels


def _cell(path: Path, record: Record, position: int, width: int) -> str:
    if len(record.cells) != width:
        raise InputError(f"{path} line {record.line} has {len(record.cells)} cells where the first line has {width}")
    label = record.cells[position].strip()
    if not label:
        raise InputError(f"{path} line {record.line} has no label; give every row one")
    return label


def _read_npy(path: Path) -> list[str]:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise InputError(f"{path} is not a .npy array of plain labels; write it with numpy.save") from error
    if not isinstance(array, np.ndarray):
        raise InputError(f"{path} is a .npz archive under the name of a .npy array; write it with numpy.save")
    if array.ndim != 1 or array.size == 0:
        raise InputError(f"{path} has shape {array.shape}: labels have one axis and at least one entry")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise InputError(
                f"{path} entry {int(np.flatnonzero(~np.isfinite(array))[0]) + 1} is no label; give every row one"
            )
        if (array == np.trunc(array)).all():
            array = array.astype(np.int64)
    elif array.dtype.kind not in "biuU":
        raise InputError(f"{path} holds {array.dtype}, not labels; convert it to integers or strings")
    return [str(label) for label in array.tolist()]
