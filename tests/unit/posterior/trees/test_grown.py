"""Trees of a run, in the units of its table: what the losses of the model add up to."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm import NPLBM
from disnplbm.data.array import ArraySource
from disnplbm.engine.estimate import blocks_of
from disnplbm.engine.problem import Problem
from disnplbm.errors import InputError
from disnplbm.estimator.fitting import read_problem
from disnplbm.estimator.parameters import to_options
from disnplbm.sampler.joint import log_joint
from disnplbm.sampler.part import Part

from .test_growing import merged

OF_CHAINS = {"n_chains": 2, "n_iterations": 20, "n_draws": 4}


def table(seed: int = 0) -> np.ndarray:
    """Rows of several kinds, far from 0 and in small units."""
    rng = np.random.default_rng(seed)
    kinds = rng.normal(size=(8, 4))[np.arange(80) % 8][:, np.arange(12) % 4]
    return 5e3 + 1e-3 * (kinds + 0.2 * rng.normal(size=(80, 12)))


def joint(problem: Problem, model: NPLBM, rows: np.ndarray) -> float:
    """The log joint of the fit with other row labels, in the units of the table."""
    _, rows = np.unique(rows, return_inverse=True)
    (blocks,) = blocks_of(problem, rows.astype(np.int32), model.column_labels_)
    items, others = problem.oriented(rows, model.column_labels_)
    part = Part(problem.only_part.family, others, blocks, 1.0)
    return log_joint([part], np.bincount(items), 1.0, problem.parameters) + problem.log_constant


@pytest.mark.parametrize("more", [{"n_iterations": 20}, OF_CHAINS], ids=["one state", "draws"])
def test_losses_of_the_model_add_up_to_the_change_of_the_log_joint(more: dict[str, int]) -> None:
    values = table()
    model = NPLBM(tree_loss="model", **more).fit(values)
    options = to_options(model.get_params(deep=False)).resolved(1)
    problem = read_problem(ArraySource(values), options, axis="rows", transform="none")
    tree = model._grown().rows
    fit = joint(problem, model, model.row_labels_)
    assert fit == pytest.approx(model.log_joint_, rel=1e-9)
    assert len(tree.sizes) > 4
    for number in range(1, len(tree.sizes)):
        lost = fit - joint(problem, model, merged(model.row_labels_, tree, number))
        assert tree.losses[:number].sum() == pytest.approx(lost, rel=1e-8)


def test_a_tree_of_draws_has_the_clusters_of_the_fit_at_its_end() -> None:
    model = NPLBM(**OF_CHAINS).fit(table())
    rows, columns = model.cut(model.n_row_clusters_, model.n_column_clusters_)
    assert len(set(zip(rows, model.row_labels_, strict=True))) == model.n_row_clusters_ == rows.max() + 1
    assert len(set(zip(columns, model.column_labels_, strict=True))) == model.n_column_clusters_


def test_labels_of_a_level_say_how_sure_they_are() -> None:
    model = NPLBM(**OF_CHAINS).fit(table())
    fine, level = model.labels_frame(), model.labels_frame(2)
    assert np.array_equal(fine["confidence"], model.row_confidence_)
    assert list(level.columns)[:3] == ["cluster", "fine", "confidence"]
    assert level["confidence"].between(0.0, 1.0).all()
    assert list(NPLBM(5).fit(table()).labels_frame(2).columns) == ["cluster", "fine"]


def test_clusters_say_what_auto_takes() -> None:
    values = table()
    plain = NPLBM(20).fit(values)
    model = NPLBM(20, clusters="3x2").fit(values)
    assert model.digest_ == plain.digest_
    rows, columns = model.cut("auto", "auto")
    assert np.array_equal(rows, plain.cut(3, 2)[0])
    assert np.array_equal(columns, plain.cut(3, 2)[1])
    assert np.array_equal(NPLBM(20, clusters=3).fit(values).cut("auto")[0], rows)
    assert np.array_equal(NPLBM(20, clusters="fine").fit(values).cut("auto")[0], plain.row_labels_)
    with pytest.raises(InputError, match="clusters='3 by 2' is no level; give auto, fine, a number from 1, or two"):
        NPLBM(20, clusters="3 by 2").fit(values)
