"""What is asked of a run besides its options: which data, how they are cut, known classes, labels to start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from disnplbm.data.dataset import Dataset
from disnplbm.data.matching import LabelList, match
from disnplbm.data.sharding import Axis

PlainLabels = list[Any] | dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Request:
    """What to fit and how the data are cut, besides :class:`Options`.

    Parameters
    ----------
    name : str
        What to call the data.
    path : str
        Where they came from.
    n_shards : int or "auto"
    axis : {"auto", "rows", "columns"}
    transform : str
        As :func:`disnplbm.data.transform.check_transform` gives it.
    row_classes, column_classes : list of str, optional
        Known classes, compared with the result: one for each row (column) in the order of the table, or a mapping with
        the lists ``ids`` and ``labels`` in any order.
    start_rows, start_columns : list of int, optional
        Labels to start from, likewise.
    """

    name: str
    path: str
    n_shards: int | Literal["auto"] = "auto"
    axis: Literal["auto", "rows", "columns"] = "auto"
    transform: str = "none"
    row_classes: PlainLabels | None = None
    column_classes: PlainLabels | None = None
    start_rows: PlainLabels | None = None
    start_columns: PlainLabels | None = None

    def given(self) -> dict[str, Any]:
        """The fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


#: Fields of a :class:`Request` that hold labels: what they are, and of what.
_LABELS: tuple[tuple[str, Axis, str], ...] = (
    ("row_classes", "rows", "row classes"),
    ("column_classes", "columns", "column classes"),
    ("start_rows", "rows", "row labels to start from"),
    ("start_columns", "columns", "column labels to start from"),
)


LABEL_FIELDS = tuple(field for field, *_ in _LABELS)


def match_labels(dataset: Dataset, request: Mapping[str, Any]) -> tuple[dict[str, list[Any] | None], list[str]]:
    """Classes and labels to start from, in the order of the data.

    Parameters
    ----------
    dataset : Dataset
    request : mapping
        The fields of a :class:`Request`.

    Returns
    -------
    labels : dict
        row_classes, column_classes, start_rows and start_columns, each a list or None. Where the data have a column of
        classes, these are the row classes.
    notes : list of str
        How they were matched.

    Raises
    ------
    InputError
        They are not one for each row, or column.
    """
    found: dict[str, list[Any] | None] = {}
    notes: list[str] = []
    for field, axis, what in _LABELS:
        if request[field] is None:
            found[field] = None
            continue
        names = dataset.row_names if axis == "rows" else dataset.column_names
        listed = LabelList.from_plain(request[field])
        found[field], said = match(listed, names, axis.removesuffix("s"), what, request["name"])
        notes += said
    found["row_classes"] = found["row_classes"] or dataset.classes
    return found, notes
