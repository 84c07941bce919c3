"""Tables of several kinds, and what ``fit`` makes of them: what a cluster must agree with to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from disnplbm.data.source import open_source
from disnplbm.data.synthetic import generate
from disnplbm.engine.fit import prepare_run, run
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.options import Options
from disnplbm.errors import Interrupted
from disnplbm.runs.request import Request


def wine(folder: Path) -> Path:
    """The wine data, 178 x 13, in their own units."""
    from sklearn.datasets import load_wine

    return _saved(folder, load_wine().data)


def missing(folder: Path) -> Path:
    """2,000 x 60 in 8 x 4 blocks, of which a twentieth of the cells is missing."""
    generate(folder, rows=2000, columns=60, row_clusters=8, column_clusters=4, missing=0.05, seed=3)
    return folder / "x.npy"


def triples(folder: Path) -> Path:
    """600 x 12 cells of three numbers each, in 4 x 3 blocks."""
    generate(folder, rows=600, columns=12, row_clusters=4, column_clusters=3, dimension=3, seed=5)
    return folder / "x.npy"


def paper(folder: Path) -> Path:
    """20,000 x 90, as in the paper."""
    generate(folder, rows=20000, columns=90, row_clusters=10, column_clusters=3, seed=0)
    return folder / "x.npy"


def words(folder: Path) -> Path:
    """3,000 x 400 counts of which nine in ten are 0, and some are missing, in 6 x 5 blocks."""
    rng = np.random.default_rng(7)
    rates = rng.gamma(0.5, 0.2, size=(6, 5))
    values = rng.poisson(rates[rng.integers(6, size=3000)][:, rng.integers(5, size=400)]).astype(np.float64)
    values[rng.random(values.shape) < 0.001] = np.nan
    return _saved(folder, values)


def levels(folder: Path) -> Path:
    """2,500 x 400 logarithms, in a sparse file: nine in ten are 0, and some are missing, in 5 x 4 blocks."""
    rng = np.random.default_rng(9)
    rates = rng.gamma(0.5, 0.2, size=(5, 4))
    values = np.log1p(rng.poisson(rates[rng.integers(5, size=2500)][:, rng.integers(4, size=400)]))
    values[rng.random(values.shape) < 0.001] = np.nan
    folder.mkdir(parents=True, exist_ok=True)
    sp.save_npz(folder / "x.npz", sp.csr_array(values))
    return folder / "x.npz"


def votes(folder: Path) -> Path:
    """300 x 40 cells of yes and no, in 4 x 3 blocks."""
    rng = np.random.default_rng(8)
    shares = rng.beta(0.5, 0.5, size=(4, 3))
    return _saved(folder, rng.random((300, 40)) < shares[rng.integers(4, size=300)][:, rng.integers(3, size=40)])


TABLES: dict[str, Callable[[Path], Path]] = {
    "wine": wine,
    "missing": missing,
    "triples": triples,
    "paper": paper,
    "words": words,
    "votes": votes,
    "levels": levels,
}


def fitted(path: Path, folder: Path, options: Options, **request: Any) -> dict[str, Any]:
    """Run ``fit`` on a table in this process; what its run.json says."""
    with RunFolder.stage(folder, force=False) as target:
        prepare_run(target, open_source(path), Request(path.name, str(path), **request), options, _silent)
    return run(target, 1, _silent, lambda: nullcontext(lambda: False))


def stopped_fit(path: Path, folder: Path, options: Options, **request: Any) -> RunFolder:
    """The same, stopped after an iteration: the folder that ``resume`` goes on with."""
    with RunFolder.stage(folder, force=False) as target:
        prepare_run(target, open_source(path), Request(path.name, str(path), **request), options, _silent)
    with suppress(Interrupted):
        run(target, 1, _silent, lambda: nullcontext(lambda: True))
    return target


def _saved(folder: Path, values: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "x.npy", np.asarray(values, dtype=np.float64))
    return folder / "x.npy"


def _silent(stage: str, done: int, total: int, note: str = "") -> None:
    """No progress."""
