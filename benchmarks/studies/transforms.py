"""The transform that `check` recommends, beside what comes of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from benchmarks.studies.data import REAL_DATA, DataSet, expression, expression_like, paper, votes, wine
from benchmarks.studies.runs import markdown, runs
from disnplbm.data.advice import Advice, advise
from disnplbm.data.sample import Sample

SEEDS = range(3)

TEXT = """## Which transform

`disnplbm check` recommends one transform from a sample of the table: a logarithm where cells are not negative, span
decades and are skewed within rough blocks, and the logarithm mends it; else `standardize` where columns are of
different units; else none. The table has what it recommends, and K x L and ARI against the known classes of the rows
for each transform: 100 iterations with default options, means over seeds {first} to {last}. The recommended one is in
bold.

Compare within a line: where the model finds many more clusters than there are classes, ARI is low whatever the
transform. On expression tables (Chowdary, Nutt, log-normal) `standardize` is never the best. The recommended transform
is not always the best, either: no transform is better on Chowdary, `standardize` on iris and digits, whose columns have
one unit, and `log,center` on wine and breast cancer.
"""


def tables() -> Iterator[DataSet]:
    """Real tables and generated ones, as they come."""
    yield wine()
    for name, load in (("iris", load_iris), ("breast cancer", load_breast_cancer), ("digits", load_digits)):
        bunch = load()
        yield DataSet(name, bunch.data, bunch.target, None, "none")
    yield expression("chowdary-2006")
    yield expression("nutt-2003-v3")
    yield votes()
    yield expression_like(72, 1868, 2)
    yield expression_like(100, 500, 4, seed=1)
    yield expression_like(60, 800, 3, noise=0.8, seed=2)
    yield paper(1000, 90)


def advice_on(values: np.ndarray) -> Advice:
    """What `check` recommends."""
    sample = Sample(values.shape[1], 1)
    sample.add(values[:, :, None])
    return advise(sample, [str(j) for j in range(values.shape[1])])


def row(data: DataSet) -> tuple[str, ...]:
    """One line of the table."""
    advice, low = advice_on(data.values), np.nanmin(data.values)
    logarithm = "log" if low > 0 else "log1p"
    cells = [f"{data.name}, {data.values.shape[0]:,} x {data.values.shape[1]:,}", advice.transform]
    for names in ("none", "standardize", logarithm, f"{logarithm},center"):
        if low < 0 and logarithm in names:
            cells.append("")
            continue
        found = runs(DataSet(data.name, data.values, data.rows, None, names), SEEDS)
        said = "{:.0f} x {:.0f}, {:.2f}".format(
            *(np.mean([getattr(outcome, of) for outcome in found]) for of in ("row_clusters", "column_clusters", "ari"))
        )
        cells.append(f"**{said}**" if names == advice.transform else said)
    return tuple(cells)


def section() -> str:
    """The page's text."""
    velib = np.load(REAL_DATA / "velib.npz")["data"]
    flat = advice_on(velib.reshape(len(velib), -1))
    header = ("table", "recommended", "none", "standardize", "log (log1p with zeros)", "log, center")
    return "\n".join(
        [
            TEXT.format(first=SEEDS[0], last=SEEDS[-1]),
            markdown(header, map(row, tables())),
            "",
            f"Velib (1,189 stations x 168 hours, loads from 0 to 1, no classes): {flat.transform}; {flat.reason}.",
        ]
    )
