"""Classes and labels to start from, in the order of the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from disnplbm.data.dataset import Dataset
from disnplbm.data.matching import LabelList, match
from disnplbm.data.sharding import Axis
from disnplbm.runs.request import Request

#: Fields of a :class:`Request` that hold labels: what they are, and of what.
_LABELS: tuple[tuple[str, Axis, str], ...] = (
    ("row_classes", "rows", "row classes"),
    ("column_classes", "columns", "column classes"),
    ("start_rows", "rows", "row labels to start from"),
    ("start_columns", "columns", "column labels to start from"),
)


def match_labels(dataset: Dataset, asked: Request) -> tuple[Request, list[str]]:
    """Bring classes and labels to start from into the order of the data.

    Returns
    -------
    asked : Request
        Each of them is a list or None. Where the data have a column of classes, these are the row classes.
    notes : list of str
        How they were matched.

    Raises
    ------
    InputError
        They are not one for each row, or column.
    """
    found: dict[str, Any] = {}
    notes: list[str] = []
    for field, axis, what in _LABELS:
        given = getattr(asked, field)
        if given is None:
            continue
        names = dataset.row_names if axis == "rows" else dataset.column_names
        found[field], said = match(LabelList.from_plain(given), names, axis.removesuffix("s"), what, asked.name)
        notes += said
    if dataset.classes is not None:
        found.setdefault("row_classes", list(dataset.classes))
    return replace(asked, **found), notes
