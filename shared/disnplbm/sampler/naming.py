"""What the user calls the items that a kernel could not draw for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import WeightError
from disnplbm.sampler.parameters import Parameters


def noun_of(parameters: Parameters, *, items: bool = True) -> str:
    """What the user calls an item that is sharded, or one of the other axis: "row" or "column"."""
    return "row" if (parameters.axis == "rows") is items else "column"


@contextmanager
def locate_errors(place: int | NDArray[np.intp] | Callable[[int], int], noun: str | None = None) -> Iterator[None]:
    """Name the item that a :class:`WeightError` raised within the block is about.

    Parameters
    ----------
    place : int, ndarray or callable
        Where the item stands among more items, counted from 0: whatever the kernel says, or an array or a function of
        the position that the kernel says.
    noun : str, optional
        What these are called; the error then says the number, counted from 1.
    """
    try:
        yield
    except WeightError as error:
        item = _among_all(place, error.item)
        raise (WeightError(item) if noun is None else WeightError(item, f"{noun} {item + 1}")) from None


def _among_all(place: int | NDArray[np.intp] | Callable[[int], int], position: int) -> int:
    if isinstance(place, int):
        return place
    return place(position) if callable(place) else int(place[position])
