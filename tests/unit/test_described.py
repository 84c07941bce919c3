"""Which options say anything of a run."""

from __future__ import annotations

import pytest

from disnplbm.described import DESCRIBED, applying
from disnplbm.engine.options import Options

PRIOR = {"kappa0", "psi0_factor", "prior_scale", "covariance", "tree_loss"}
VARIANTS = {"view", "join"}


@pytest.mark.parametrize(
    ("cells", "sampler", "dimension", "silent"),
    [
        ("counts", "split-merge", 1, PRIOR | VARIANTS),
        ("counts", "collapsed", 1, PRIOR),
        ("binary", "split-merge", 1, PRIOR | VARIANTS | {"exposure"}),
        ("categorical", "collapsed", 1, PRIOR | {"exposure"}),
        ("gaussian", "collapsed", 1, {"exposure", "covariance"}),
        ("gaussian", "split-merge", 2, VARIANTS | {"exposure"}),
        ("auto", "auto", 2, set()),
    ],
)
def test_a_run_has_the_options_that_say_something_of_it(
    cells: str, sampler: str, dimension: int, silent: set[str]
) -> None:
    parameters = Options(cells=cells, sampler=sampler).to_dict() | {"shards": 2}
    shown = applying(parameters, dimension)
    assert parameters.keys() - shown.keys() == silent | {"crossings"}
    assert all(shown[name] == parameters[name] for name in shown)
    assert list(shown) == [name for name in parameters if name in shown]


def test_crossings_are_of_a_crossed_start() -> None:
    assert applying(Options(start="crossed", crossings=3).to_dict(), 1)["crossings"] == 3


def test_options_are_for_types_of_cells_and_samplers_that_there_are() -> None:
    for option in DESCRIBED.values():
        assert option.cells is None or option.cells in DESCRIBED["cells"].choices
        assert set(option.samplers) <= set(DESCRIBED["sampler"].choices)
        assert option.start is None or option.start in DESCRIBED["start"].choices
