"""Counts beside factors of rows and columns, from a file and in Python."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from disnplbm import NPLBM
from disnplbm.errors import InputError
from disnplbm.report.document import run_document
from disnplbm.report.folder import read_run_folder

from .console import assert_refused, call, fit, save_csv
from .serving import no_settings, served  # noqa: F401 - a fixture

N, P = 60, 20
NAMES = [f"s{i}" for i in range(N)]
RATES = np.array([[0.2, 2.0], [2.0, 0.2]])


def factors() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(0)
    return rng.gamma(1.0, 5.0, N) + 0.1, rng.gamma(2.0, 1.0, P) + 0.1


def counts(seed: int = 0) -> NDArray[np.float64]:
    rows, columns = factors()
    mean = np.outer(rows, columns) * RATES[np.arange(N) % 2][:, np.arange(P) % 2]
    return np.random.default_rng(seed).poisson(mean).astype(float)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on counts beside factors of rows, which are in another order, and of columns; a cell is missing."""
    folder = tmp_path_factory.mktemp("factors")
    values, (rows, columns) = counts(), factors()
    values[3, 4] = np.nan
    save_csv(folder / "x.csv", values, NAMES)
    (folder / "x.csv").write_text((folder / "x.csv").read_text().replace("nan", ""))
    lines = [f"{name},{factor}" for name, factor in zip(NAMES, rows.tolist(), strict=True)]
    (folder / "sizes.csv").write_text("\n".join(["id,size", *lines[::-1]]) + "\n")
    np.save(folder / "columns.npy", columns)
    more = ("--exposure", folder / "sizes.csv", "--column-exposure", folder / "columns.npy", "--cells", "counts")
    outcome = fit(folder / "x.csv", folder / "run", *more, "--burn-in", 20, iterations=60)
    assert outcome.code == 0, outcome
    return folder


def test_rates_are_per_unit_and_the_same_in_python(folder: Path) -> None:
    record = json.loads((folder / "run" / "run.json").read_text())
    assert (record["row_clusters"], record["column_clusters"]) == (2, 2)
    assert record["parameters"]["exposure"] == "given"
    assert any("factors of the rows are in another order than x.csv" in note for note in record["warnings"])
    blocks = list(csv.DictReader(io.StringIO((folder / "run" / "blocks.csv").read_text())))
    assert sorted(float(block["rate"]) for block in blocks) == pytest.approx([0.2, 0.2, 2.0, 2.0], rel=0.1)
    values = counts()
    values[3, 4] = np.nan
    for n_shards in (1, 3):
        model = NPLBM(60, burn_in=20, cells="counts", exposure=factors(), random_state=0, n_shards=n_shards).fit(values)
        if n_shards == 1:
            assert model.digest_ == record["digest"]
        assert model.log_joint_ == pytest.approx(record["log_joint"], abs=1e-6)


def test_the_report_compares_counts_with_what_the_factors_let_expect(folder: Path) -> None:
    matrix = run_document(read_run_folder(folder / "run"))["matrix"]
    assert matrix["pixel"] == "ratio"
    observed, (rows, columns) = counts(), factors()
    observed[3, 4] = np.nan
    expected = np.outer(rows, columns)
    rate = np.nansum(observed) / expected[~np.isnan(observed)].sum()
    view = matrix["original"]
    assert view["rows"]["count"] == len(view["rows"]["exposure"]) == N
    np.testing.assert_allclose(
        np.outer(view["rows"]["exposure"], view["columns"]["exposure"]), rate * expected, rtol=1e-3
    )


def test_without_factors_large_rows_are_clusters_of_their_own(folder: Path) -> None:
    outcome = fit(folder / "x.csv", folder / "none", "--exposure", "none", "--cells", "counts", iterations=60)
    assert json.loads(outcome.out)["row_clusters"] > 2


def test_new_rows_and_columns_bring_their_factors(folder: Path) -> None:
    rows, columns = factors()
    labels = [line.split(",")[1] for line in (folder / "run" / "rows.csv").read_text().splitlines()[1:]]
    found = call("predict", folder / "run", folder / "x.csv", "--exposure", folder / "sizes.csv")
    assert found.code == 0, found
    assert [line.split(",")[1] for line in found.out.splitlines()[1:]] == labels
    assert "the factors are matched by their names" in found.err
    across = call(
        "predict", folder / "run", folder / "x.csv", "--axis", "columns", "--exposure", folder / "columns.npy"
    )
    own = [line.split(",")[1] for line in (folder / "run" / "columns.csv").read_text().splitlines()[1:]]
    assert [line.split(",")[1] for line in across.out.splitlines()[1:]] == own
    refused = call("predict", folder / "run", folder / "x.csv")
    assert_refused(refused, "fitted with factors of rows and columns, so new rows need theirs: --exposure")
    model = NPLBM(60, burn_in=20, cells="counts", exposure=(rows, columns)).fit(counts())
    assert (model.predict(counts(), exposure=rows) == model.row_labels_).all()
    # The same row, watched for twice as long, has twice the counts.
    doubled = model.score_samples(2.0 * counts(), exposure=2.0 * rows)
    assert (doubled > model.score_samples(2.0 * counts(), exposure=rows)).mean() > 0.9
    with pytest.raises(InputError, match="new rows need theirs: exposure"):
        model.predict(counts())
    with pytest.raises(InputError, match="exposure = margins: leave out exposure"):
        NPLBM(30, burn_in=10, cells="counts").fit(counts()).predict(counts(), exposure=rows)


def test_missing_cells_and_cuts_know_the_factors(folder: Path) -> None:
    listed = call("impute", folder / "run", folder / "x.csv", "--cells")
    (line,) = csv.DictReader(io.StringIO(listed.out))
    rows, columns = factors()
    assert float(line["mean"]) == pytest.approx(rows[3] * columns[4] * RATES[1, 0], rel=0.2)
    outcome = call("cut", folder / "run", "--rows", 2, "--refine")
    assert outcome.code == 0, outcome


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--exposure", "lost.csv"), "choose margins or none, or name a file of factors"),
        (("--column-exposure", "columns.npy"), "goes with factors of the rows, or with none: add --exposure none"),
        (("--exposure", "columns.npy"), "20 factors of the rows for 60 rows of x.csv"),
        (("--exposure", "sizes.csv", "--cells", "gaussian"), "factors of rows and columns are for counts"),
    ],
)
def test_what_does_not_fit_is_refused(folder: Path, more: tuple[str, ...], says: str) -> None:
    given = [folder / word if (folder / word).is_file() else word for word in more]
    assert_refused(fit(folder / "x.csv", folder / "refused", "--cells", "counts", *given), says)


@pytest.mark.usefixtures("no_settings")
def test_a_server_gives_the_run_of_fit(folder: Path, tmp_path: Path) -> None:
    more = ("--exposure", folder / "sizes.csv", "--column-exposure", folder / "columns.npy", "--cells", "counts")
    with served(tmp_path / "served") as server:
        ask = ("submit", folder / "x.csv", "--server", f"http://127.0.0.1:{server.port}", "--watch", "--json")
        found = call(*ask, *more, "--burn-in", 20, "--iterations", 60)
        expected = json.loads((folder / "run" / "run.json").read_text())
        assert found.code == 0, found
        assert found.record["digest"] == expected["digest"]
        assert set(expected["warnings"]) == set(found.record["warnings"])
        refused = call(*ask, "--exposure", folder / "columns.npy", "--cells", "counts")
        assert_refused(refused, "20 factors of the rows for 60 rows of x.csv")
