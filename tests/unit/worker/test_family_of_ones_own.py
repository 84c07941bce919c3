"""A family of one's own is a module, and a line that registers it: ``fit`` and the workers run it as they run ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from disnplbm.cell_types import CELL_TYPES
from disnplbm.data.reading import Reading
from disnplbm.described import DESCRIBED
from disnplbm.engine.as_fitted import open_as_fitted
from disnplbm.engine.impute import impute_table
from disnplbm.engine.options import Options
from disnplbm.engine.predict import predict_table
from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats
from services.tables import fitted

from . import waiting
from .test_sweep import compare_with_local_engine


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CELL_TYPES, "waiting", (waiting.__name__, "CELL_TYPE"))
    # What is described is made of the registry when it is imported.
    monkeypatch.setitem(DESCRIBED, "cells", replace(DESCRIBED["cells"], choices=("auto", "gaussian", *CELL_TYPES)))


def times() -> Floats:
    """90 x 40 waiting times in 3 x 2 blocks, of which some are missing."""
    rng = np.random.default_rng(0)
    mean = np.array([[1.0, 9.0], [9.0, 1.0], [30.0, 30.0]])
    values = rng.exponential(mean[np.arange(90) % 3][:, np.arange(40) % 2])
    values[rng.random(values.shape) < 0.05] = np.nan
    return values


def test_its_module_is_short() -> None:
    assert len(Path(waiting.__file__).read_text().splitlines()) < 150


def test_fit_runs_it_on_three_shards_and_reports_it(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", times())
    options = Options(cells="waiting", iterations=120, burn_in=60, seed=1)
    record = fitted(tmp_path / "x.npy", tmp_path / "run", options, n_shards=3)
    assert (record["data"]["cells"], record["parameters"]["sampler"]) == ("waiting", "split-merge")
    for axis, length, number in (("rows", 90, 3), ("columns", 40, 2)):
        lines = (tmp_path / "run" / f"{axis}.csv").read_text().split()[1:]
        found = [int(line.split(",")[1]) for line in lines]
        assert adjusted_rand_score(np.arange(length) % number, found) > 0.95
    assert (tmp_path / "run" / "blocks.csv").read_text().startswith("k,l,rows,columns,cells,rate,rate_posterior,")
    assert (tmp_path / "run" / "report.html").is_file()


def test_new_rows_of_it_are_refused_in_words(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", times())
    options = Options(cells="waiting", iterations=20, burn_in=10, seed=1)
    fitted(tmp_path / "x.npy", tmp_path / "run", options, n_shards=1)
    source, _ = open_as_fitted(tmp_path / "run", tmp_path / "x.npy", Reading(), ())
    with pytest.raises(InputError, match="new rows and missing cells cannot be judged where cells are waiting times"):
        list(predict_table(tmp_path / "run", source, 1)[1])
    with pytest.raises(InputError, match="new rows and missing cells cannot be judged where cells are waiting times"):
        impute_table(tmp_path / "run", source)


def test_workers_run_it_to_the_same_bits(tmp_path: Path) -> None:
    compare_with_local_engine(tmp_path, Options(iterations=6, cells="waiting", seed=5), values=times())


def test_a_cell_that_is_none_is_named(tmp_path: Path) -> None:
    values = times()
    values[3, 2] = -1.0
    np.save(tmp_path / "x.npy", values)
    with pytest.raises(InputError, match="row 4, column 2: -1 is not one of the waiting times, which are above 0"):
        fitted(tmp_path / "x.npy", tmp_path / "run", Options(cells="waiting"))
