"""Transforms in order: each is fitted to the table as the ones before it leave it, in passes of bounded memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from disnplbm.data.transforms.columns import Center, Standardize
from disnplbm.data.transforms.logarithms import Log, Log1p
from disnplbm.data.transforms.power import BoxCox
from disnplbm.data.transforms.rows import StandardizeRows
from disnplbm.data.transforms.step import Cells, LinearStep, Progress, Step, Table
from disnplbm.errors import InputError

NONE = "none"

STEPS: dict[str, type[Step]] = {step.kind: step for step in (Log, Log1p, BoxCox, Center, Standardize, StandardizeRows)}

KINDS: tuple[str, ...] = (NONE, *STEPS)
"""Names to choose from."""

MOST_STEPS = 4
"""So many transforms can follow one another."""


@dataclass(frozen=True)
class Transform:
    """Fitted transforms, the first of them first; without any, cells stay as they are."""

    steps: tuple[Step, ...] = ()

    @property
    def name(self) -> str:
        """Their names, as :func:`check_transform` gives them."""
        return ",".join(step.kind for step in self.steps) or NONE

    def apply(self, values: Cells) -> Cells:
        """Transform cells.

        Parameters
        ----------
        values : ndarray, shape (c, p, d)
            Cells of some rows; NaN stays NaN.

        Returns
        -------
        ndarray, shape (c, p, d)
            A new array, or `values` itself for "none".

        Raises
        ------
        InputError
            A value is outside of a transform's domain.
        """
        for step in self.steps:
            values = step.apply(values)
        return values

    def apply_to_stored(self, values: Cells) -> Cells:
        """Transform the cells that are not 0, shape (m,), where :func:`keeps_zeros` says that the others stay 0."""
        return self.apply(values.reshape(1, -1, 1)).reshape(-1)

    def inverse(self, values: Cells, source: Cells) -> Cells:
        """Take transformed cells back to the units of the data.

        Parameters
        ----------
        values : ndarray, shape (c, p, d)
            A mean comes back as the mean where all steps keep units, and else as a number near the median.
        source : ndarray, shape (c, p, d)
            The same rows of the data, which standardize-rows goes by.
        """
        return _invert(self.steps, values, source)

    def in_plain_units(self, mean: Cells, sd: Cells, source: Cells) -> tuple[Cells, Cells]:
        """Means and standard deviations in the units of the data.

        With log, log1p or boxcox: in those after the last such step, since moments have no simple way back through it.

        Parameters
        ----------
        mean, sd, source : ndarray, shape (c, p, d)
            As for :meth:`inverse`.
        """
        linear = list[LinearStep]()
        for step in reversed(self.steps):
            if not isinstance(step, LinearStep):
                break
            linear.insert(0, step)
        start = cells = Transform(self.steps[: len(self.steps) - len(linear)]).apply(source)
        for step in linear:
            sd = sd * step.slope(cells)
            cells = step.apply(cells)
        return _invert(linear, mean, start), sd

    def to_json(self) -> str:
        """JSON text; `from_json` gives back the same bits."""
        records = [{"kind": step.kind, **step.to_record()} for step in self.steps]
        if len(records) == 1:
            return json.dumps(records[0])
        return json.dumps({"kind": self.name, "steps": records} if records else {"kind": NONE})

    @classmethod
    def from_json(cls, text: str) -> Transform:
        """Read what `to_json` wrote."""
        record: dict[str, Any] = json.loads(text)
        if record["kind"] == NONE:
            return cls()
        return cls(tuple(STEPS[step["kind"]].from_record(step) for step in record.get("steps", [record])))


def keeps_zeros(name: str) -> bool:
    """Whether transforms, as :func:`check_transform` gives them, leave every zero a zero.

    >>> keeps_zeros("none"), keeps_zeros("log1p"), keeps_zeros("log1p,center")
    (True, True, False)
    """
    return name == NONE or all(STEPS[kind].keeps_zeros for kind in name.split(","))


def check_transform(names: str | Sequence[str]) -> str:
    """The names of transforms in the one spelling that is stored: separated by commas, in order.

    Parameters
    ----------
    names : str or sequence of str
        "none", one name, or several in order.

    Raises
    ------
    InputError
        A name is unknown, "none" stands beside others, or there are more than :data:`MOST_STEPS`.

    Examples
    --------
    >>> check_transform("log1p, center")
    'log1p,center'
    """
    given = [name.strip() for name in (names.split(",") if isinstance(names, str) else names)] or [""]
    for name in given:
        if name not in KINDS:
            raise InputError(
                f"unknown transform {name!r}; choose one of {', '.join(KINDS)}, or several in order, like log1p,center"
            )
    if len(given) > 1 and NONE in given:
        raise InputError("the transform none stands alone; leave it out, or leave the others out")
    if len(given) > MOST_STEPS:
        raise InputError(f"{len(given)} transforms are given; give at most {MOST_STEPS}")
    return ",".join(given)


def fit_transform(
    dataset: Table, names: str | Sequence[str], progress: Progress | None = None
) -> tuple[Transform, list[str]]:
    """Fit transforms to a dataset, one after another.

    Parameters
    ----------
    names : str or sequence of str
        As :func:`check_transform` takes them.
    progress : callable, optional
        Called with columns done and in all while Box-Cox is fitted.

    Returns
    -------
    transform : Transform
    warnings : list of str
        What became of constant columns and rows.

    Raises
    ------
    InputError
        Unknown name, or a value outside of a domain: names the column and says what to do.
    """
    name = check_transform(names)
    fitted, warnings = Transform(), list[str]()
    for kind in () if name == NONE else name.split(","):
        table = _Transformed(dataset, fitted) if fitted.steps else dataset
        try:
            step, said = STEPS[kind].fit(table, progress)
        except InputError as error:
            if fitted.steps:
                raise InputError(f"after {fitted.name}, ", error.note) from error
            raise
        fitted = Transform((*fitted.steps, step))
        warnings += said
    return fitted, warnings


def _invert(steps: Sequence[Step], values: Cells, source: Cells) -> Cells:
    sources = list[Cells]()
    for step in steps:
        sources.append(source)
        source = step.apply(source)
    for step, before in zip(reversed(steps), reversed(sources), strict=True):
        values = step.inverse(values, before)
    return values


class _Transformed:
    """A table as transforms leave it, made anew in each pass."""

    def __init__(self, table: Table, transform: Transform) -> None:
        self.n, self.p, self.dimension, self.column_names = table.n, table.p, table.dimension, table.column_names
        self._table, self._transform = table, transform

    def arrays(self) -> Iterator[tuple[int, Cells]]:
        """First row and transformed cells of each stretch."""
        for first, values in self._table.arrays():
            yield first, self._transform.apply(values)
