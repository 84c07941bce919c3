"""Labels that were given for the rows (or columns) of a table, brought into the order of the table by their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import some_names
from disnplbm.errors import InputError
from disnplbm.notes import Hint, Note, plural

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class LabelList(Generic[_T]):
    """One label for each row, or each column.

    Parameters
    ----------
    ids : sequence of str, optional
        Names of the rows (columns) that the labels are of; None: they are in the order of the table.
    """

    labels: Sequence[_T]
    ids: Sequence[str] | None = None

    def to_plain(self) -> list[_T] | dict[str, list[Any]]:
        """As JSON has it: a list, or an object with the lists ``ids`` and ``labels``."""
        if self.ids is None:
            return list(self.labels)
        return {"ids": list(self.ids), "labels": list(self.labels)}

    @classmethod
    def from_plain(cls, given: Any) -> LabelList[Any]:
        """Read what `to_plain` wrote.

        Raises
        ------
        InputError
            There is not one id for each label.
        """
        if not isinstance(given, dict):
            return LabelList(given)
        if len(given["ids"]) != len(given["labels"]):
            raise InputError(f"{len(given['ids'])} ids for {len(given['labels'])} labels: give one for each")
        return LabelList(given["labels"], given["ids"])


def match(given: LabelList[_T], names: Sequence[str], noun: str, what: str, table: str) -> tuple[list[_T], list[str]]:
    """Labels in the order of a table.

    They are matched by their ids. They are taken by their position where they have none, or where the ids only count
    the rows of a table without names.

    Parameters
    ----------
    names : sequence of str
        Of the rows (columns) of the table; "0", "1", ... if it has none.
    noun : {"row", "column"}
    what : str
        What the labels are, as messages call it: "row classes".
    table : str
        The name of the table.

    Returns
    -------
    labels : list
        One for each name.
    notes : list of str
        How they were matched, where that is not plain.

    Raises
    ------
    InputError
        There are other ids than names, an id is there twice, or, without ids, there are more or fewer labels than
        names.
    """
    labels, n = list(given.labels), len(names)
    names = [name.strip() for name in names]
    ids = None if given.ids is None else [name.strip() for name in given.ids]
    if ids == names:
        return labels, []
    if ids is None or (is_counted(ids) and set(ids).isdisjoint(names)):
        if len(labels) != n:
            raise InputError(
                f"{len(labels)} {what} for {plural(n, noun)} of {table}; give one for each, in the same order"
            )
        return labels, [f"the {what} have no ids: taken in the order of the {noun}s of {table}"]
    _refuse_repeated(ids, f"the {what}", noun)
    place = {name: i for i, name in enumerate(ids)}
    known = set(names)
    unknown, missing = [name for name in ids if name not in known], [name for name in names if name not in place]
    if unknown and is_counted(names):
        of_rows = Note("name the column that holds them (", Hint("id_column"), ")")
        raise InputError(
            f"the {what} have ids ({some_names(ids, len(ids))}) and the {noun}s of {table} have no names to match: ",
            of_rows if noun == "row" else "name the columns",
            ", or leave the ids out to take the labels in order",
        )
    if unknown or missing:
        odd, fault = (
            (unknown, f"are for {noun}s that {table} does not have")
            if unknown
            else (missing, f"lack {noun}s of {table}")
        )
        raise InputError(
            f"the {what} {fault}: {some_names(odd, len(odd))}; give one for each {noun}, by the same names"
        )
    _refuse_repeated(names, table, noun)
    return [labels[place[name]] for name in names], [
        f"the {what} are in another order than {table}: matched by their ids"
    ]


def find_order(
    names: Sequence[str] | None, wanted: Sequence[str] | None, noun: str, what: str, table: str
) -> NDArray[np.intp] | slice:
    """Where the wanted names stand among others, as an index; everything as it is where one of the two only counts.

    Parameters
    ----------
    names, wanted : sequence of str, optional
        None: there are no names.
    noun, what, table : str
        As in :func:`match`; the wanted names stand in the table.

    Raises
    ------
    InputError
        Both have names, and not the same ones.
    """
    if names is None or wanted is None or is_counted(names) or is_counted(wanted):
        return slice(None)
    return np.array(match(LabelList(range(len(names)), names), wanted, noun, what, table)[0])


def is_counted(names: Sequence[str]) -> bool:
    """Whether names are only positions: the table has no names."""
    return all(name == str(i) for i, name in enumerate(names))


def _refuse_repeated(names: Sequence[str], where: str, noun: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(
            f"{where}: {noun} names occur more than once, so that they cannot be matched:"
            f" {some_names(repeated, len(repeated))}; make them different, or use the order of the table without ids"
        )
