"""What is asked of a run besides its options: which data, how they are cut, known classes, labels to start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from disnplbm.errors import InputError


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
    row_classes, column_classes : sequence of str, optional
        Known classes, compared with the result.
    start_rows, start_columns : sequence of int, optional
        Labels to start from.
    """

    name: str
    path: str
    n_shards: int | Literal["auto"] = "auto"
    axis: Literal["auto", "rows", "columns"] = "auto"
    transform: str = "none"
    row_classes: Sequence[str] | None = None
    column_classes: Sequence[str] | None = None
    start_rows: Sequence[int] | None = None
    start_columns: Sequence[int] | None = None

    def given(self) -> dict[str, Any]:
        """The fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def check_lengths(n: int, p: int, request: Mapping[str, Any]) -> None:
    """Refuse classes and labels that are not one for each row, or column.

    Parameters
    ----------
    n, p : int
        Rows and columns of the data.
    request : mapping
        The fields of a :class:`Request`.

    Raises
    ------
    InputError
    """
    for name, length, axis, noun in (
        ("row_classes", n, "rows", "row classes"),
        ("column_classes", p, "columns", "column classes"),
        ("start_rows", n, "rows", "row labels to start from"),
        ("start_columns", p, "columns", "column labels to start from"),
    ):
        given = request[name]
        if given is not None and len(given) != length:
            raise InputError(
                f"{len(given)} {noun} for {length} {axis} of {request['name']}; give one for each, in the same order"
            )
