"""Every numeric option at its ends and beyond, alone and in pairs: refused with its bound, or a finite result."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from disnplbm.bounds import NU0_OVER
from disnplbm.described import BOUNDS
from disnplbm.errors import InputError
from disnplbm.estimator import NPLBM
from disnplbm.model.prior import NIWPrior

from .console import Outcome, assert_refused, child, fit
from .serving import Server, served

ITERATIONS = 5

#: What is varied. Lengths and numbers of chains make a run longer, as they are asked to: those have tests of their own.
NAMES = ["alpha", "beta", "kappa0", "psi0_factor", "power", "fix_row_clusters", "fix_column_clusters", "seed"]

SAMPLERS = st.sampled_from(["collapsed", "split-merge"])


def _values(name: str) -> list[Any]:
    bound = BOUNDS[name]
    if bound.whole:
        return [bound.least - 1, bound.least, bound.most, bound.most + 1]
    return [0.0, 1e-308, bound.least, bound.most, 1e308, math.inf, math.nan]


PAIRS = st.dictionaries(st.sampled_from(NAMES), st.none(), min_size=1, max_size=2).flatmap(
    lambda names: st.fixed_dictionaries({name: st.sampled_from(_values(name)) for name in names})
)


def _allowed(name: str, value: float) -> bool:
    return BOUNDS[name].least <= value <= BOUNDS[name].most


def _all_allowed(options: dict[str, Any]) -> bool:
    return all(_allowed(name, value) for name, value in options.items())


def _table(d: int, *, missing: bool) -> np.ndarray:
    generator = np.random.default_rng(0)
    values = generator.normal(size=(20, 6, d))
    values[:10] += 3.0
    if missing:
        values[3, 2] = values[11] = math.nan
    return values[..., 0] if d == 1 else values


def _refusal(model: NPLBM, values: np.ndarray) -> str | None:
    """What a fit is refused with; None, and a finite result, if it is not."""
    try:
        model.fit(values)
    except InputError as error:
        return str(error)
    assert _finite(model)
    return None


def _record(outcome: Outcome) -> dict[str, Any]:
    assert outcome.code == 0, outcome.err
    return outcome.record


def _finite(model: NPLBM) -> bool:
    return math.isfinite(model.log_joint_) and bool(np.isfinite(model.trace_["log_joint"]).all())


@settings(max_examples=40)
@given(
    options=PAIRS, sampler=SAMPLERS, shards=st.sampled_from([1, 3]), d=st.sampled_from([1, 2]), missing=st.booleans()
)
@example(options={"alpha": 1e308}, sampler="collapsed", shards=1, d=1, missing=False)
@example(options={"alpha": 1e308}, sampler="split-merge", shards=1, d=1, missing=False)
@example(options={"psi0_factor": 1e-308}, sampler="split-merge", shards=1, d=1, missing=False)
@example(options={"alpha": 1e6}, sampler="split-merge", shards=1, d=1, missing=False)
@example(options={"fix_row_clusters": 10_000_000}, sampler="split-merge", shards=3, d=1, missing=False)
def test_the_estimator(options: dict[str, Any], sampler: str, shards: int, d: int, missing: bool) -> None:
    values = _table(d, missing=missing)
    named = {"random_state" if name == "seed" else name: value for name, value in options.items()}
    model = NPLBM(ITERATIONS, shards, sampler=sampler, burn_in=2, **named)
    if not _all_allowed(options):
        with pytest.raises(InputError, match=r"must be "):
            model.fit(values)
        return
    model.fit(values)
    assert _finite(model)
    assert model.n_row_clusters_ <= min(20, options.get("fix_row_clusters", 20))
    assert model.n_column_clusters_ <= min(6, options.get("fix_column_clusters", 6))


@settings(max_examples=25)
@given(
    d=st.sampled_from([1, 2]),
    mu0=st.sampled_from([-1e300, -1e12, 0.0, 1e6, 1e12, 1e300]),
    kappa0=st.sampled_from([BOUNDS["kappa0"].least, 1.0, BOUNDS["kappa0"].most]),
    psi0=st.sampled_from([1e-300, 1e-36, 1e-20, 1.0, 1e20, 1e36, 1e300]),
    over=st.sampled_from([NU0_OVER.least, 1.0, NU0_OVER.most / 2]),
    sampler=SAMPLERS,
)
def test_a_prior_of_ones_own(d: int, mu0: float, kappa0: float, psi0: float, over: float, sampler: str) -> None:
    prior = NIWPrior(np.full(d, mu0), kappa0, psi0 * np.eye(d), d - 1 + over)
    said = _refusal(NPLBM(ITERATIONS, 2, sampler=sampler, prior=prior), _table(d, missing=False))
    assert said is None or "out of proportion to the data" in said
    assert said is None or abs(mu0) >= 1e12 or not 1e-35 < psi0 < 1e35


@pytest.mark.parametrize("changes", [{"nu0": 1e308}, {"kappa0": 1e308}, {"nu0": math.nan}])
def test_a_prior_beyond_the_bounds_is_refused_when_it_is_made(changes: dict[str, float]) -> None:
    given_prior = {"mu0": [0.0], "kappa0": 1.0, "psi0": [[1.0]], "nu0": 2.0} | changes
    with pytest.raises(InputError, match=f"prior: {next(iter(changes))} = "):
        NPLBM(ITERATIONS, prior=NIWPrior(**given_prior)).fit(_table(1, missing=False))


@pytest.mark.parametrize("scale", [1e-100, 1e-12, 1.0, 1e12, 1e100])
@pytest.mark.parametrize("prior_scale", ["covariance", "precision"])
def test_tables_in_extreme_units(scale: float, prior_scale: str) -> None:
    model = NPLBM(ITERATIONS, prior_scale=prior_scale, psi0_factor=BOUNDS["psi0_factor"].least)
    said = _refusal(model, _table(1, missing=False) * scale)
    # The precision of the data depends on their units; nothing else does.
    assert said is None or (prior_scale == "precision" and "with prior_scale = covariance" in said)


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_a_new_item_of_extreme_cells_is_named(axis: str) -> None:
    model = NPLBM(10, burn_in=5).fit(_table(1, missing=False))
    new = np.zeros((3, 6) if axis == "rows" else (20, 3))
    new[(1, 4) if axis == "rows" else (4, 1)] = 1e200
    for judge in (model.predict_proba, model.score_samples):
        with pytest.raises(InputError, match=f"^new {axis[:-1]} 2: its cells are so large"):
            judge(new, axis=axis)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("extremes") / "x.npy"
    np.save(path, _table(1, missing=False))
    return path


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(options=PAIRS, sampler=SAMPLERS)
def test_fit(options: dict[str, Any], sampler: str, table: Path, tmp_path: Path) -> None:
    flags = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    outcome = fit(table, tmp_path / "run", "--sampler", sampler, "--force", *flags, iterations=ITERATIONS)
    if _all_allowed(options):
        assert math.isfinite(_record(outcome)["log_joint"])
    else:
        beyond = [name for name, value in options.items() if not _allowed(name, value)]
        assert any(f"--{name.replace('_', '-')} " in assert_refused(outcome, "must be") for name in beyond)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with served(tmp_path_factory.mktemp("extremes-server")) as found:
        yield found


@pytest.mark.long
@settings(max_examples=20)
@given(options=PAIRS, sampler=SAMPLERS)
@example(options={"alpha": 1e308}, sampler="collapsed")
@example(options={"psi0_factor": 1e-308}, sampler="split-merge")
def test_the_api(options: dict[str, Any], sampler: str, server: Server, table: Path) -> None:
    dataset = server.upload(table.read_bytes(), "x.npy")
    asked = {"dataset": dataset, "shards": 1, "options": {"iterations": ITERATIONS, "sampler": sampler, **options}}
    if not _all_allowed(options):
        status, problem, _ = server.ask("POST", "/runs", asked)
        assert status in (400, 422)
        assert any(name in json.dumps(problem) for name in options)
        return
    run = server.submit(dataset, **asked["options"])
    assert math.isfinite(server.wait(run)["log_joint"])


def test_the_largest_lengths_are_refused_or_kept_within_the_run(table: Path, tmp_path: Path) -> None:
    for name in ("burn-in", "draws"):
        most = BOUNDS[name.replace("-", "_")].most
        assert_refused(fit(table, tmp_path / "run", f"--{name}", most), f"--{name} {most} must be")
    assert _record(fit(table, tmp_path / "run", "--shards", 10_000, "--threads", 1024))["shards"] == 20


@pytest.mark.long
def test_as_many_clusters_as_there_are_rows_and_no_more_work(table: Path, tmp_path: Path) -> None:
    """A process of its own, with little memory: twenty rows cannot have more than twenty clusters."""
    for number, options in enumerate((("--alpha", "1e6"), ("--alpha", "1e9"), ("--fix-row-clusters", 2**31 - 1))):
        same = ("--sampler", "split-merge", "--iterations", 12, "--shards", 1, "--json")
        outcome = child("fit", table, "--output", tmp_path / str(number), *same, *options)
        assert outcome.code == 0, outcome.err
        assert outcome.record["row_clusters"] <= 20
        assert outcome.record["peak_memory_mb"] < 1000
