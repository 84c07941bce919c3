"""Words of the estimator for what the library says in those of the command line."""

from __future__ import annotations

import doctest
import inspect

import pytest

from disnplbm import NPLBM, InputError, wording
from disnplbm.errors import RunError, WeightError
from disnplbm.wording import in_parameters, own_words


def test_the_examples_run() -> None:
    assert doctest.testmod(wording).failed == 0


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("fit again with --burn-in or --draws", "fit again with burn_in or n_draws"),
        ("try --sampler split-merge.", "try sampler='split-merge'."),
        ("use --transform log1p, or --transform standardize-rows", None),
        ("alpha = 0 must be at least 1e-09", "alpha = 0 must be at least 1e-09"),
        ("well-known row--column words stay", "well-known row--column words stay"),
    ],
)
def test_options_become_parameters(said: str, meant: str | None) -> None:
    assert in_parameters(said) == (meant or "use column_transform='log1p', or column_transform='standardize-rows'")


def test_every_parameter_it_names_exists() -> None:
    assert set(wording._PARAMETERS.values()) <= set(inspect.signature(NPLBM).parameters)


def test_what_fails_on_the_way_leaves_in_the_words_of_the_estimator_too() -> None:
    with (
        pytest.raises(RunError, match=r"row r7: the log weights .*\(column_transform='standardize' helps\)"),
        own_words(),
    ):
        raise WeightError(7, "row r7")


def test_an_error_leaves_in_the_words_of_the_estimator() -> None:
    with pytest.raises(InputError, match=r"^n_chains = 0 is too few$"), own_words():
        raise InputError("chains = 0 is too few")
