"""Counts, 0/1 and categories from the file to the result: what is chosen, found, refused, and the same whatever way."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import scipy.io as sio
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from disnplbm import NPLBM
from disnplbm.engine.options import Options
from disnplbm.errors import InputError
from services.tables import fitted, stopped_fit

from .console import Outcome, assert_refused, call, fit, report_of

N, P, K, L = 120, 60, 3, 4

Table = NDArray[np.float64]


def blocks(low: float, high: float, seed: int = 0) -> Table:
    """A number for each of K x L blocks, that tells all rows and all columns apart; and the rows' classes."""
    levels = np.where((np.arange(K)[:, None] + np.arange(L)) % K == 0, high, low)
    levels[:, L - 1] = np.linspace(low, high, K)
    return levels[np.arange(N) % K][:, np.arange(P) % L]


def counts(seed: int = 0) -> Table:
    """Counts of rows and columns that differ in how much there is of them."""
    rng = np.random.default_rng(seed)
    much = rng.gamma(3.0, 1.0 / 3.0, size=(N, 1)) * rng.gamma(3.0, 1.0 / 3.0, size=P)
    return rng.poisson(blocks(0.05, 2.0) * much).astype(np.float64)


def yes_or_no(seed: int = 0) -> Table:
    return (np.random.default_rng(seed).random((N, P)) < blocks(0.1, 0.8)).astype(np.float64)


def grades(seed: int = 0) -> Table:
    """Three categories that are no numbers in order: 2, 5 and 7."""
    rng = np.random.default_rng(seed)
    first, second = blocks(0.1, 0.7), 0.2
    drawn = rng.random((N, P))
    return np.where(drawn < first, 2.0, np.where(drawn < first + second, 5.0, 7.0))


TABLES = {"counts": counts, "binary": yes_or_no, "categorical": grades}


def write_csv(path: Path, values: Table) -> Path:
    with path.open("w") as file:
        writer = csv.writer(file)
        writer.writerow(["id", *(f"g{j}" for j in range(values.shape[1]))])
        for i, row in enumerate(values):
            writer.writerow([f"r{i}", *("" if np.isnan(cell) else f"{cell:g}" for cell in row)])
    return path


def rows_of(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("cells", TABLES)
@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
def test_planted_clusters_are_found(cells: str, missing: bool) -> None:
    values = TABLES[cells]()
    if missing:
        values[np.random.default_rng(1).random(values.shape) < 0.1] = np.nan
    model = NPLBM(200, burn_in=100, cells=cells, n_shards=2).fit(values)
    assert model.sampler_ == "split-merge"
    assert adjusted_rand_score(np.arange(N) % K, model.row_labels_) > 0.95
    assert adjusted_rand_score(np.arange(P) % L, model.column_labels_) > 0.8
    assert np.isfinite(model.log_joint_)


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_counts_that_vary_more_than_poisson_counts_are_told(axis: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    wild = rng.poisson(4.0 * rng.gamma(0.5, 2.0, size=(N, P)) * blocks(0.2, 1.0)).astype(np.float64)
    table = write_csv(tmp_path / "x.csv", wild)
    options = ("--cells", "counts", "--iterations", 40, "--shards", 2, "--shard-axis", axis)
    done = call("fit", table, "--output", tmp_path / "run", "--fix-row-clusters", K, *options)
    assert done.code == 0, done.err
    ppc = json.loads((tmp_path / "run" / "run.json").read_text())["ppc"]
    lines = rows_of(tmp_path / "run", "blocks.csv")
    far = [float(line["dispersion"]) for line in lines if line["ppc"] and float(line["ppc"]) < 0.001 / ppc["judged"]]
    assert len(far) == ppc["not_poisson"] > 0
    assert ppc["largest_dispersion"] == max(far) > 1.5
    assert f"blocks     {ppc['sentence']}" in done.out
    assert "counts vary more than Poisson counts do" in ppc["sentence"]
    assert report_of(tmp_path / "run")["run"]["ppc"]["sentence"] == ppc["sentence"]
    (blocks_of_report,) = report_of(tmp_path / "run")["blocks"]["tables"]
    assert sum(map(sum, blocks_of_report["odd"])) == ppc["not_poisson"]


@pytest.mark.parametrize("cells", TABLES)
def test_figures_are_those_of_the_blocks(cells: str, tmp_path: Path) -> None:
    values = TABLES[cells]()
    values[0, 0] = np.nan
    done = fit(
        write_csv(tmp_path / "x.csv", values), tmp_path / "run", "--cells", cells, "--burn-in", "20", iterations=60
    )
    assert done.code == 0, done.err
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["data"]["cells"] == cells
    assert (record["ppc"] is None) == (cells != "counts")
    rows, columns = (
        np.array([int(row["label"]) for row in rows_of(tmp_path / "run", name)]) for name in ("rows.csv", "columns.csv")
    )
    shares, total = np.nansum(values, axis=1), np.nansum(values)
    expected = np.outer(shares, np.nansum(values, axis=0)) / total
    expected[0, 0] = 0.0
    for block in rows_of(tmp_path / "run", "blocks.csv"):
        here = np.ix_(rows == int(block["k"]), columns == int(block["l"]))
        seen = values[here][~np.isnan(values[here])]
        if cells == "counts":
            assert float(block["total"]) == seen.sum()
            assert float(block["rate"]) == pytest.approx(seen.sum() / expected[here].sum(), rel=1e-9)
            name = "rate"
        else:
            assert int(block["cells"]) == len(seen)
            wanted = {"share": 1.0} if cells == "binary" else {"share_0": 2.0, "share_1": 5.0, "share_2": 7.0}
            for name, level in wanted.items():
                assert float(block[name]) == pytest.approx((seen == level).mean(), rel=1e-9)
        drawn = [float(block[f"{name[:5]}_{part}{name[5:]}"]) for part in ("low", "posterior", "high")]
        assert drawn == sorted(drawn)
        assert drawn[0] >= 0.0


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
@pytest.mark.parametrize("cells", TABLES)
def test_dense_and_sparse_files_give_the_same_bits(cells: str, missing: bool, tmp_path: Path) -> None:
    values = TABLES[cells]()
    if missing:
        values[np.random.default_rng(1).random(values.shape) < 0.1] = np.nan
    write_csv(tmp_path / "x.csv", values)
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(values))
    sp.save_npz(tmp_path / "turned.npz", sp.csc_array(values.T))
    files = {"x.csv": (), "x.npz": (), "turned.npz": ("--transpose",)}
    if not missing:
        sio.mmwrite(tmp_path / "x.mtx", sp.coo_array(values))
        files["x.mtx"] = ()
    found = {
        name: fit(tmp_path / name, tmp_path / f"{name}-run", "--cells", cells, "--shards", "3", *more, iterations=15)
        for name, more in files.items()
    }
    digests = {name: done.record["digest"] for name, done in found.items()}
    digests["in memory"] = NPLBM(15, cells=cells, n_shards=3).fit(values).digest_
    digests["sparse in memory"] = NPLBM(15, cells=cells, n_shards=3).fit(sp.csr_array(values)).digest_
    digests["more threads"] = NPLBM(15, cells=cells, n_shards=3, n_jobs=4).fit(values).digest_
    assert len(set(digests.values())) == 1, digests


def chosen(values: Table, tmp_path: Path, *options: str) -> tuple[str, str]:
    """The type of cells that is chosen, and what is said."""
    done = fit(write_csv(tmp_path / "x.csv", values), tmp_path / "run", "--force", *options, iterations=2)
    assert done.code == 0, done.err
    return done.record["data"]["cells"], "\n".join(done.record["warnings"])


def test_auto_says_what_it_takes_the_cells_for_and_how_to_overrule_it(tmp_path: Path) -> None:
    cells, said = chosen(counts(), tmp_path)
    assert cells == "counts"
    assert "taken as counts: they are whole numbers," in said
    assert "(for real numbers: cells = 'gaussian')" in said
    cells, said = chosen(yes_or_no(), tmp_path)
    assert cells == "binary"
    assert "taken as yes and no: they are 0 or 1," in said
    few = (np.random.default_rng(0).random((N, P)) < 0.05).astype(np.float64)
    cells, said = chosen(few, tmp_path)
    assert cells == "counts"
    assert "with so few ones, the totals of rows and columns matter" in said
    assert "(for yes and no: cells = 'binary')" in said


def test_auto_takes_all_else_as_real_numbers(tmp_path: Path) -> None:
    for values in (counts() + 0.5, -counts(), grades(), counts() + 1.0):
        assert chosen(values, tmp_path) == ("gaussian", chosen(values, tmp_path)[1])
        assert "taken as" not in chosen(values, tmp_path)[1]
    assert chosen(counts(), tmp_path, "--transform", "log1p")[0] == "gaussian"
    assert chosen(counts(), tmp_path, "--cells", "gaussian")[0] == "gaussian"
    assert NPLBM(2).fit(np.stack([counts(), counts()], axis=-1)).cells_ == "gaussian"


def refused(tmp_path: Path, values: Table, *options: str) -> Outcome:
    done = fit(write_csv(tmp_path / "x.csv", values), tmp_path / "run", *options, iterations=2)
    assert done.code == 2
    assert done.out == ""
    assert len(done.err.strip().splitlines()) == 1
    return done


def test_a_cell_that_cannot_be_is_named(tmp_path: Path) -> None:
    values = counts()
    values[4, 7] = -3.0
    said = refused(tmp_path, values, "--cells", "counts").err
    assert "row 5, column g7: -3 is not one of the counts, which are whole numbers from 0" in said
    assert "--cells gaussian" in said
    values[4, 7] = 2.5
    with pytest.raises(InputError, match=r"row 5, column 7: 2.5 is not one of the counts.*cells='gaussian'"):
        NPLBM(2, cells="counts").fit(values)
    values = yes_or_no()
    values[2, 0] = 2.0
    assert (
        "row 3, column g0: 2 is not one of the 0/1 cells, which are 0 or 1"
        in refused(tmp_path, values, "--cells", "binary").err
    )


def test_a_table_that_cannot_be_is_refused(tmp_path: Path) -> None:
    many = np.arange(300.0).reshape(30, 10)
    assert (
        "the table has 300 different values, and categories are from 2 to 255"
        in refused(tmp_path, many, "--cells", "categorical").err
    )
    assert "every count is 0" in refused(tmp_path, np.zeros((5, 4)), "--cells", "counts").err
    assert "every cell has the same value" in refused(tmp_path, np.ones((5, 4)), "--cells", "binary").err
    said = refused(tmp_path, counts(), "--cells", "counts", "--transform", "log1p").err
    assert "--transform log1p is for real numbers, and the cells are counts: leave it out" in said
    with pytest.raises(InputError, match=r"a cell is 2 numbers, so the cells are not counts"):
        NPLBM(2, cells="counts").fit(np.stack([counts(), counts()], axis=-1))
    assert "--join averaged" in refused(tmp_path, counts(), "--cells", "counts", "--join", "averaged").err


@pytest.mark.parametrize("cells", ["auto", "gaussian", "counts", "binary", "categorical"])
def test_a_table_without_a_value_is_refused(tmp_path: Path, cells: str) -> None:
    said = "every cell is missing, so there is nothing to tell clusters apart"
    assert said in refused(tmp_path, np.full((5, 4), np.nan), "--cells", cells).err
    with pytest.raises(InputError, match=said):
        NPLBM(2, cells=cells).fit(np.full((5, 4), np.nan))


def test_without_exposure_rows_of_more_are_other_rows(tmp_path: Path) -> None:
    """With margins only the kind of a row counts, and without them how much there is of it too."""
    rng = np.random.default_rng(0)
    kind, much = np.arange(N) % 2, np.where(np.arange(N) < N // 2, 1.0, 6.0)
    values = rng.poisson(np.where((kind[:, None] + np.arange(P)) % 2, 2.0, 0.3) * much[:, None]).astype(np.float64)
    found = {
        exposure: NPLBM(60, burn_in=30, cells="counts", exposure=exposure).fit(values)
        for exposure in ("margins", "none")
    }
    assert adjusted_rand_score(kind, found["margins"].row_labels_) == 1.0
    assert adjusted_rand_score(2 * kind + (much > 1.0), found["none"].row_labels_) == 1.0


@pytest.mark.parametrize("cells", ["auto", "categorical"])
def test_a_run_that_was_stopped_goes_on_to_the_same_bits(cells: str, tmp_path: Path) -> None:
    values = counts() if cells == "auto" else grades()
    path = write_csv(tmp_path / "x.csv", values)
    options = Options(cells=cells, iterations=14, burn_in=6)
    whole = fitted(path, tmp_path / "whole", options, n_shards=2)
    stopped = stopped_fit(path, tmp_path / "stopped", options, n_shards=2)
    done = call("resume", stopped.path, "--json")
    assert done.code == 0, done.err
    for key in ("digest", "posterior", "log_joint"):
        assert done.record[key] == whole[key]
    for name in ("blocks.csv", "draws.npz", "tree.npz"):
        assert (stopped.path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize(("kind", "name"), [("counts", "x.npz"), ("binary", "x.npz"), ("categorical", "x.npy")])
def test_generated_tables_have_the_clusters_that_they_say(kind: str, name: str, tmp_path: Path) -> None:
    demo = tmp_path / "demo"
    size = ("--rows", 400, "--columns", 500, "--row-clusters", 3, "--column-clusters", 3, "--missing", 0.05)
    mean = {"counts": ("--mean", 0.8), "binary": ("--mean", 0.4), "categorical": ()}[kind]
    assert call("generate", "--cells", kind, *size, *mean, "--output", demo).out == (
        f"{demo / name}  400 x 500, 3 x 3 blocks\n"
    )
    assert {path.name for path in demo.iterdir()} == {name, "rows.csv", "columns.csv"}
    values = np.load(demo / name) if kind == "categorical" else sp.load_npz(demo / name).toarray()
    assert np.isnan(values).mean() == pytest.approx(0.05, abs=0.01)
    if mean:
        assert np.nanmean(values) == pytest.approx(mean[1], rel=0.2)
    classes = ("--row-classes", demo / "rows.csv", "--column-classes", demo / "columns.csv")
    record = json.loads(fit(demo / name, demo / "run", "--cells", kind, "--restarts", 5, *classes, iterations=100).out)
    assert record["ari"] > 0.95
    assert record["column_ari"] > 0.9
    if kind == "counts":
        assert record["ppc"]["not_poisson"] == 0


def test_generated_counts_differ_in_their_totals_and_repeat(tmp_path: Path) -> None:
    size = ("--cells", "counts", "--rows", 200, "--columns", 50, "--row-clusters", 2, "--column-clusters", 2)
    for folder in ("a", "b"):
        assert call("generate", *size, "--mean", 1, "--output", tmp_path / folder).code == 0
    assert (tmp_path / "a" / "x.npz").read_bytes() == (tmp_path / "b" / "x.npz").read_bytes()
    totals = sp.load_npz(tmp_path / "a" / "x.npz").sum(axis=1)
    assert totals.var() > 3 * totals.mean()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--cells", "binary", "--mean", "1"), "mean = 1 must be above 0 and below 1"),
        (("--cells", "counts", "--mean", "0"), "mean = 0 must be a number above 0"),
        (("--cells", "counts", "--mean", "nan"), "mean = nan must be a number above 0"),
        (("--mean", "2"), "mean = 2 is for counts and 0/1, and the cells are gaussian"),
        (("--cells", "counts", "--dimension", "2"), "dimension = 2 is for real numbers, and the cells are counts"),
    ],
)
def test_what_generate_does_not_take(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    assert_refused(call("generate", "--output", tmp_path / "demo", *options), words)
    assert not (tmp_path / "demo").exists()
