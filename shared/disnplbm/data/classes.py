"""Label files: known classes, results of a run, or a start; one label per row."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from disnplbm.data.cells import some_names
from disnplbm.data.formats import check_readable
from disnplbm.data.matching import LabelList, is_counted, match
from disnplbm.data.numerals import PLAIN, whole
from disnplbm.data.roles import FEWEST_ROWS, is_id_name
from disnplbm.data.text import Record, open_bytes, records
from disnplbm.errors import InputError
from disnplbm.notes import plural

LABEL_NAMES = ("label", "class")
ID_NAME = "id"


def read_labels(path: str | Path, id_column: str | None = None) -> LabelList[str]:
    """Read one label per row.

    Parameters
    ----------
    path : str or Path
        A csv (or tsv) with a column ``label`` or ``class`` and perhaps a column of ids; a text file with one label a
        line, with or without such a header; each also as .gz; or a .npy file with one axis.
    id_column : str, optional
        What the column of ids is called, besides ``id``. A first column called sample, name or index holds them too,
        and so does one without a name, one of words, or of whole numbers that do more than count the lines, of which no
        two are the same.

    Returns
    -------
    LabelList
        In file order; whole numbers are written without a point. Labels that are missing (blank, NA, NaN) are
        as they are in the file.

    Raises
    ------
    InputError
        The file cannot be read, or has no label column.
    """
    path = Path(path)
    check_readable(path)
    if path.suffix.lower() == ".npy":
        return LabelList(_read_npy(path))
    ids, labels = list[str](), list[str]()
    with open_bytes(path) as (stream, _):
        lines = records(stream, path, _delimiter(path), blank_lines=True)
        first = next((record for record in lines if record.cells != [""]), None)
        if first is None:
            raise InputError(f"{path} holds blank lines only: give one label per line")
        header = [cell.strip().lower() for cell in first.cells]
        label_at = _label_position(header)
        if label_at is None and len(header) > 1:
            raise InputError(f"{path} has no column named label or class (found: {', '.join(header[:10])}); rename one")
        id_at = None if label_at is None else _id_position(header, label_at, id_column)
        named = id_at is not None
        # Another first column may turn out to hold names.
        id_at = 0 if id_at is None and label_at else id_at
        # A blank line is a label that is missing only where a line is a label and nothing else.
        skipped = [""] if len(header) > 1 else None
        for record in lines if label_at is not None else chain([first], lines):
            if record.cells == skipped:
                continue
            cells = _cells(path, record, len(header))
            # Interned: a million labels are a few strings.
            labels.append(sys.intern(cells[label_at or 0].strip()))
            if id_at is not None:
                ids.append(cells[id_at].strip())
    if not labels:
        raise InputError(f"{path} has a header but no labels: give one label per line")
    return LabelList(labels, ids if named or _are_names(ids) or _are_numbers_of_rows(ids) else None)


def _delimiter(path: Path) -> str:
    """That which splits the first line so that a column of labels is in it; else that which the file's name says."""
    usual = "\t" if ".tsv" in [suffix.lower() for suffix in path.suffixes[-2:]] else ","
    for delimiter in (usual, ",", "\t", ";"):
        with open_bytes(path) as (stream, _):
            first = next(records(stream, path, delimiter), None)
        if first is not None and _label_position([cell.strip().lower() for cell in first.cells]) is not None:
            return delimiter
    return usual


def _label_position(header: list[str]) -> int | None:
    return next((header.index(name) for name in LABEL_NAMES if name in header), None)


def _are_names(cells: list[str]) -> bool:
    """Whether the cells of a column are words, each another one."""
    words = [cell for cell in cells if cell and not PLAIN.is_number(cell) and not PLAIN.is_missing(cell)]
    return 0 < len(words) == len(cells) == len(set(words))


def _are_numbers_of_rows(cells: list[str]) -> bool:
    """Whether the cells of a column are whole numbers, each another one, that do more than count the lines."""
    numbers = [number for cell in cells if (number := whole(cell)) is not None]
    if len(numbers) < len(cells) or len(set(numbers)) < len(numbers) or len(numbers) < FEWEST_ROWS:
        return False
    return numbers[0] not in (0, 1) or numbers != [*range(numbers[0], numbers[0] + len(numbers))]


def paired(
    truth: LabelList[str], found: LabelList[str], truth_name: str, found_name: str
) -> tuple[list[str], list[str], list[str]]:
    """Two lists of labels of the same items side by side, without the items that lack a label in one of them.

    Returns
    -------
    truth, found : list of str
    notes : list of str
        How they were matched, and how many items were left out.

    Raises
    ------
    InputError
        They are not of the same items, or no item has a label in both.
    """
    both_named = truth.ids is not None and found.ids is not None
    _refuse_unequal(truth, found, truth_name, found_name)
    names = truth.ids if both_named else [str(i) for i in range(len(truth.labels))]
    others = found if both_named else LabelList(found.labels)
    matched, notes = match(others, names or [], "row", f"labels in {found_name}", truth_name)
    if truth.ids is None and found.ids is not None:
        notes = [f"the labels in {truth_name} have no ids: those in {found_name} are taken in the same order"]
    known = [
        i for i, pair in enumerate(zip(truth.labels, matched, strict=True)) if not any(map(PLAIN.is_missing, pair))
    ]
    if not known:
        raise InputError(f"no item has a label in both {truth_name} and {found_name}: there is nothing to compare")
    left_out = len(matched) - len(known)
    if left_out:
        notes.append(f"{plural(left_out, 'item')} without a label left out")
    return [truth.labels[i] for i in known], [matched[i] for i in known], notes


def _refuse_unequal(truth: LabelList[str], found: LabelList[str], truth_name: str, found_name: str) -> None:
    """Raise InputError if two files are not of the same items; it says what each of them lacks."""
    if truth.ids is None or found.ids is None:
        if len(truth.labels) != len(found.labels):
            raise InputError(
                f"{truth_name} has {plural(len(truth.labels), 'label')} and {found_name} has {len(found.labels):,}:"
                " give files of the same items (labels are compared in order, since only one file or none has ids)"
            )
        return
    ours, theirs = ([name.strip() for name in ids] for ids in (truth.ids, found.ids))
    if is_counted(ours) != is_counted(theirs):
        # One of the two has no names, which `match` sees to.
        return
    lacking = [
        f"{name} lacks {plural(len(lost), 'id')} of {other} ({some_names(lost, len(lost))})"
        for name, other, lost in (
            (found_name, truth_name, _without(ours, theirs)),
            (truth_name, found_name, _without(theirs, ours)),
        )
        if lost
    ]
    if lacking:
        raise InputError(f"{', and '.join(lacking)}: give files of the same items")


def _without(names: Sequence[str], others: Sequence[str]) -> list[str]:
    known = set(others)
    return [name for name in names if name not in known]


def _id_position(header: list[str], label_at: int, id_column: str | None) -> int | None:
    for name in (ID_NAME, (id_column or ID_NAME).strip().lower()):
        if name in header and header.index(name) != label_at:
            return header.index(name)
    return 0 if label_at != 0 and (not header[0] or is_id_name(header[0])) else None


def _cells(path: Path, record: Record, width: int) -> list[str]:
    """The cells of a line; a delimiter too many at its end makes none."""
    cells = record.cells
    if len(cells) == width + 1 and not cells[-1].strip():
        cells = cells[:-1]
    if len(cells) != width:
        raise InputError(
            f"{path} line {record.line} has {len(cells)} cells where the first line has {width}; add or remove cells"
        )
    return cells


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
        whole = bool((np.isnan(array) | (array == np.trunc(array))).all())
        return ["" if np.isnan(label) else f"{label:.0f}" if whole else str(label) for label in array.tolist()]
    if array.dtype.kind not in "biuU":
        raise InputError(f"{path} holds {array.dtype}, not labels; convert it to integers or strings")
    return [str(label) for label in array.tolist()]
