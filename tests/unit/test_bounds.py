"""The ranges of numeric options, and that every place that states them states the same."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import pytest

from disnplbm.bounds import Bound
from disnplbm.cli.fit import command
from disnplbm.described import BOUNDS, check
from disnplbm.engine.options import Options
from disnplbm.errors import InputError
from disnplbm.estimator import NPLBM
from disnplbm_dashboard.schemas.runs import NewRun

NUMERIC = [name for name in BOUNDS if name not in ("shards", "threads")]

#: Names of the estimator's own parameters, where they are others.
OF_ESTIMATOR = {name: f"n_{name}" for name in ("iterations", "draws", "chains", "restarts", "shards")}


def _outside(bound: Bound) -> list[Any]:
    if bound.whole:
        return [bound.least - 1, bound.most + 1]
    return [bound.least / 2, bound.most * 2, -bound.most, 0.0, 1e308, 1e-308, math.inf, math.nan]


OUTSIDE = [(name, value) for name, bound in BOUNDS.items() for value in _outside(bound)]


@pytest.mark.parametrize(("name", "value"), OUTSIDE)
def test_a_value_outside_is_refused_by_name_with_its_bound(name: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"^{name} = \S+ must be (at least|at most|a number from) \S+"):
        check(name, value)


@pytest.mark.parametrize("value", [True, "5", None, 2.5])
def test_what_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="must be a whole number from 1 to 1,000"):
        check("chains", value)


def test_a_whole_number_beyond_all_floats_is_refused() -> None:
    with pytest.raises(InputError, match="must be at most 1,000"):
        check("chains", 10**400)


def test_every_number_of_a_run_has_a_bound_and_its_default_lies_within() -> None:
    options = Options()
    numbers = {
        field.name
        for field in fields(options)
        if field.name not in ("pair_moves",) and any(kind in str(field.type) for kind in ("int", "float"))
    }
    assert numbers == set(NUMERIC)
    for name in numbers:
        value = getattr(options, name)
        if value is not None:
            check(name, value)


@pytest.mark.parametrize(("name", "value"), [pair for pair in OUTSIDE if pair[0] in NUMERIC])
def test_options_refuse_it(name: str, value: float) -> None:
    with pytest.raises(InputError, match=f"^{name} = "):
        Options(**{name: value})


@pytest.mark.parametrize(("name", "value"), [pair for pair in OUTSIDE if pair[0] != "threads"])
def test_the_estimator_refuses_it_by_its_own_name(name: str, value: float) -> None:
    own = "random_state" if name == "seed" else OF_ESTIMATOR.get(name, name)
    with pytest.raises(InputError, match=f"^The '{own}' parameter of NPLBM must be "):
        NPLBM(**{own: value}).fit([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("name", [name for name in BOUNDS if name != "threads"])
def test_the_schema_of_the_api_states_the_same(name: str) -> None:
    schema = NewRun.model_json_schema()
    found = (schema if name == "shards" else schema["$defs"]["RunOptions"])["properties"][name]
    number = next(kind for kind in [found, *found.get("anyOf", [])] if kind.get("type") in ("integer", "number"))
    assert (number["minimum"], number["maximum"]) == (BOUNDS[name].least, BOUNDS[name].most)


@pytest.mark.parametrize("name", list(BOUNDS))
def test_the_help_of_fit_states_the_same(name: str) -> None:
    said = {parameter.name: getattr(parameter, "help", None) for parameter in command.params}
    assert f"From {BOUNDS[name]}." in str(said[name])
