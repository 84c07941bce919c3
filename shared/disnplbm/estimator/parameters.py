"""The estimator's parameters: what each may be, and the options of a run that they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import joblib  # type: ignore[import-untyped]
import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from disnplbm.bounds import Bound
from disnplbm.described import BOUNDS, DESCRIBED, Described, check
from disnplbm.engine.options import Options, lengths
from disnplbm.errors import DisnplbmError, InputError
from disnplbm.model.prior import NIWPrior
from disnplbm.notes import Hint


def _within(bound: Bound) -> Interval:
    return Interval(Integral if bound.whole else Real, bound.least, bound.most, closed="both")


def _allowed(option: Described) -> list[Any]:
    """What an option may be, as scikit-learn writes it."""
    if option.pattern is not None:
        return [str, Integral]
    kind = "boolean" if option.switch else _within(option.bound) if option.bound else StrOptions(set(option.choices))
    word = [] if option.word is None else [StrOptions({option.word})]
    return [kind, *word, *([] if option.absent is None else [None])]


CONSTRAINTS: dict[str, list[Any]] = {
    **{option.parameter or name: _allowed(option) for name, option in DESCRIBED.items()},
    "random_state": [*_allowed(DESCRIBED["seed"]), np.random.RandomState, None],
    "exposure": [*_allowed(DESCRIBED["exposure"]), "array-like", tuple],
    "row_covariates": ["array-like", None],
    "column_covariates": ["array-like", None],
    "columns_as": [Mapping, None],
    "start": [*_allowed(DESCRIBED["start"]), tuple],
    "n_shards": [_within(BOUNDS["shards"]), StrOptions({"auto"})],
    "shard_axis": [StrOptions({"auto", "rows", "columns"})],
    "prior": [NIWPrior, None],
    "column_transform": [str, Sequence],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


#: Parameters that are called otherwise than the option.
NAMES = {name: option.parameter for name, option in DESCRIBED.items() if option.parameter is not None} | {
    "shards": "n_shards",
    "threads": "n_jobs",
    "transform": "column_transform",
    "output": "folder",
}


def parameter(hint: Hint) -> str:
    """How to set an option of the estimator, or of the table that it is given.

    >>> parameter(Hint("transform", "standardize")), parameter(Hint("draws", 100)), parameter(Hint("seed"))
    ("column_transform='standardize'", 'n_draws=100', 'random_state')
    >>> parameter(Hint("drop_columns", ("a b",)))
    "X.drop(columns=['a b'])"
    """
    if hint.option == "drop_columns":
        return f"X.drop(columns={list(hint.value or ())!r})"
    if hint.option == "columns_as":
        return f"columns_as={dict(text.rpartition('=')[::2] for text in hint.value or ())!r}"
    if hint.option == "words":
        return "cells='categorical'"
    name = NAMES.get(hint.option, hint.option)
    if hint.option == "force":
        return "force=True"
    if hint.value is None:
        return name
    return f"{name}={hint.value!r}" if isinstance(hint.value, str) else f"{name}={hint.value}"


@contextmanager
def in_parameters() -> Iterator[None]:
    """Errors that leave the block name parameters of the estimator."""
    try:
        yield
    except DisnplbmError as error:
        error.naming = parameter
        raise


def to_options(parameters: Mapping[str, Any]) -> Options:
    """The parameters as a run's options."""
    seed = parameters["random_state"]
    if not isinstance(seed, Integral):
        seed = check_random_state(seed).randint(np.iinfo(np.int32).max)
    given = {name: _plain(parameters[option.parameter or name]) for name, option in DESCRIBED.items()}
    iterations, burn_in = lengths(given["iterations"], given["burn_in"], given["chains"])
    start = given["start"] if isinstance(given["start"], str) else "given"
    exposure = given["exposure"] if isinstance(given["exposure"], str) else "given"
    given["clusters"] = str(given["clusters"])
    more = {"iterations": iterations, "burn_in": burn_in, "seed": int(seed), "start": start, "exposure": exposure}
    return Options(**given | more)


def to_threads(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` stands for."""
    if n_jobs == 0:
        raise InputError("n_jobs=0 must be at least 1, or -1 for one thread for each processor")
    threads = int(joblib.effective_n_jobs(n_jobs))
    check("threads", threads)
    return threads


def _plain(value: Any) -> Any:
    """A number or a switch of NumPy's as Python's own."""
    return value.item() if isinstance(value, np.generic) else value
