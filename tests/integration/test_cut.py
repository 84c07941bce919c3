"""The clusters of a run merged down to as many as one wants: ``disnplbm cut``."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from anndata import AnnData, read_h5ad
from scipy.cluster.hierarchy import fcluster, is_valid_linkage
from scipy.sparse import csr_matrix
from sklearn.metrics import adjusted_rand_score

from disnplbm import NPLBM
from disnplbm.engine.options import Options
from disnplbm.errors import InputError
from disnplbm.posterior.trees import choosing
from services.tables import stopped_fit

from .console import Outcome, call, fit
from .test_cells import K, L, N, P, Table, counts, rows_of, write_csv, yes_or_no


def groups(seed: int = 0) -> Table:
    """Counts in K x L blocks, each of which is a mixture of four: a fit finds more than K row clusters."""
    rng = np.random.default_rng(seed)
    coarse = np.where((np.arange(K)[:, None] + np.arange(L)) % K == 0, 1.5, -1.0)[:, None, :, None]
    rates = 0.3 * np.exp(coarse + 0.4 * rng.normal(size=(K, 4, L, 2)))
    rates = rates.reshape(4 * K, 2 * L)
    return rng.poisson(rates[np.arange(4 * N) % (4 * K)][:, np.arange(4 * P) % (2 * L)]).astype(np.float64)


def truth() -> np.ndarray:
    return (np.arange(4 * N) % (4 * K)) // 4


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cut")
    done = fit(write_csv(folder / "x.csv", groups()), folder / "run", "--cells", "counts", iterations=60)
    assert done.code == 0, done.err
    return folder / "run"


def labels(folder: Path, axis: str, column: str = "label") -> np.ndarray:
    return np.array([int(row[column]) for row in rows_of(folder, f"{axis}.csv")])


def test_a_level_merges_whole_clusters(run: Path) -> None:
    done = call("cut", run, "--rows", K, "--columns", L)
    assert done.code == 0, done.err
    level = run / f"cut-{K}x{L}"
    assert done.out.splitlines()[-1] == f"written    {level}"
    for axis, number in (("rows", K), ("columns", L)):
        found, fine = labels(level, axis), labels(level, axis, "fine")
        assert np.array_equal(fine, labels(run, axis))
        assert np.array_equal(np.unique(found[found >= 0]), np.arange(number))
        assert len(set(zip(found, fine, strict=True))) == len(set(fine)) > number
        assert (np.diff(np.bincount(found[found >= 0])) <= 0).all()
    assert adjusted_rand_score(truth(), labels(level, "rows")) > 0.9
    assert [row["id"] for row in rows_of(level, "rows.csv")] == [f"r{i}" for i in range(4 * N)]


def test_blocks_of_a_level_are_those_of_its_cells(run: Path) -> None:
    for more in ((), ("--refine",)):
        assert call("cut", run, "--rows", K, "--output", run / "level", *more).code == 0
        rows, columns, values = labels(run / "level", "rows"), labels(run / "level", "columns"), groups()
        expected = np.outer(values.sum(axis=1), values.sum(axis=0)) / values.sum()
        for block in rows_of(run / "level", "blocks.csv"):
            here = np.ix_(rows == int(block["k"]), columns == int(block["l"]))
            assert float(block["total"]) == values[here].sum()
            assert float(block["rate"]) == pytest.approx(values[here].sum() / expected[here].sum(), rel=1e-9)


def test_a_refined_level_has_everybody_in_a_cluster(run: Path) -> None:
    done = call("cut", run, "--rows", K, "--columns", L, "--refine")
    assert done.code == 0, done.err
    level = run / f"cut-{K}x{L}-refined"
    for axis, number in (("rows", K), ("columns", L)):
        found = labels(level, axis)
        assert np.array_equal(np.unique(found), np.arange(number))
        assert (np.diff(np.bincount(found)) <= 0).all()
    assert adjusted_rand_score(truth(), labels(level, "rows")) == 1.0


def test_scipy_reads_the_trees(run: Path) -> None:
    with np.load(run / "tree.npz") as stored:
        for axis in ("rows", "columns"):
            tree = stored[axis]
            assert is_valid_linkage(tree)
            assert len(tree) == labels(run, axis).max()
            assert len(np.unique(fcluster(tree, 2, "maxclust"))) == 2


def test_real_numbers_and_yes_or_no_have_levels_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    means = 3.0 * rng.normal(size=(K, L))
    numbers = means[np.arange(N) % K][:, np.arange(P) % L] + rng.normal(size=(N, P))
    for name, values in (("numbers", numbers), ("votes", yes_or_no())):
        folder = tmp_path / name
        assert fit(write_csv(tmp_path / f"{name}.csv", values), folder, iterations=40).code == 0
        assert call("cut", folder, "--rows", 2, "--refine").code == 0
        assert set(labels(folder / "cut-2xall-refined", "rows")) == {0, 1}
        assert call("cut", folder, "--rows", K, "--refine").code == 0
        assert adjusted_rand_score(np.arange(N) % K, labels(folder / f"cut-{K}xall-refined", "rows")) > 0.95


def test_the_estimator_cuts_as_the_command_does(run: Path) -> None:
    model = NPLBM(60, cells="counts").fit(groups())
    assert call("cut", run, "--rows", K, "--output", run / "level").code == 0
    rows, columns = model.cut(K)
    assert np.array_equal(rows, labels(run / "level", "rows"))
    assert np.array_equal(columns, model.column_labels_)
    with np.load(run / "tree.npz") as stored:
        assert np.array_equal(stored["rows"], model.row_tree_)
        assert np.array_equal(stored["columns"], model.column_tree_)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).cut(K)[0], rows)
    with pytest.raises(InputError, match=r"400 row clusters are too many: the tree has \d+ of at least 5 members"):
        model.cut(400)


def refused(*words: object) -> Outcome:
    done = call("cut", *words)
    assert done.code == 2
    assert len(done.err.strip().splitlines()) == 1
    return done


def test_what_cannot_be_cut_is_refused_in_one_line(run: Path, tmp_path: Path) -> None:
    assert "say how many clusters: --rows 5" in refused(run).err
    assert "400 column clusters are too many: the tree has " in refused(run, "--rows", 2, "--columns", 400).err
    assert "holds no finished run" in refused(tmp_path, "--rows", 2).err
    assert "--table goes with --refine" in refused(run, "--rows", 2, "--table", run).err
    other = write_csv(tmp_path / "other.csv", counts())
    said = refused(run, "--rows", 2, "--refine", "--table", other).err
    assert "another table" in said or "was fitted to" in said
    changed = groups()
    changed[0, 0] += 1.0
    again = write_csv(tmp_path / "again.csv", changed)
    assert "is another table than the run" in refused(run, "--rows", 2, "--refine", "--table", again).err


def test_a_run_without_a_tree_and_a_damaged_one_are_named(run: Path, tmp_path: Path) -> None:
    assert fit(write_csv(tmp_path / "x.csv", counts()), tmp_path / "run", iterations=3).code == 0
    tree = tmp_path / "run" / "tree.npz"
    whole = tree.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:100] + b"x" + whole[101:], b""):
        tree.write_bytes(damaged)
        done = call("cut", tmp_path / "run", "--rows", 2)
        assert (done.code, len(done.err.strip().splitlines())) == (1, 1), done.err
        assert "tree.npz is damaged" in done.err
    tree.write_bytes((run / "tree.npz").read_bytes())
    done = call("cut", tmp_path / "run", "--rows", 2)
    assert done.code == 1
    assert "the folder mixes two runs" in done.err
    tree.unlink()
    assert "has no tree of its clusters" in refused(tmp_path / "run", "--rows", 2).err


def test_many_clusters_are_shown_at_a_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "MOST_FINE", 4)
    done = fit(write_csv(tmp_path / "x.csv", groups()), tmp_path / "run", "--cells", "counts", iterations=60)
    assert done.code == 0, done.err
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    level = record["level"]
    assert level["sentence"].startswith(f"Shown first: {K} of {record['row_clusters']} row clusters and ")
    assert level["rows"] == K < record["row_clusters"]
    assert adjusted_rand_score(truth(), labels(tmp_path / "run", "rows", "level")) > 0.9
    assert call("cut", tmp_path / "run", "--rows", "auto", "--output", tmp_path / "level").code == 0
    for axis in ("rows",):
        assert np.array_equal(labels(tmp_path / "level", axis), labels(tmp_path / "run", axis, "level"))
    model = NPLBM(60, cells="counts").fit(groups())
    assert np.array_equal(model.cut("auto")[0], labels(tmp_path / "run", "rows", "level"))
    with pytest.raises(InputError, match="'all' is not a number of clusters; give a whole number from 1, 'auto'"):
        model.cut("all")


def test_few_clusters_are_shown_as_they_are(run: Path) -> None:
    assert "level" not in json.loads((run / "run.json").read_text())
    assert call("cut", run, "--rows", "auto", "--output", run / "same").code == 0
    assert np.array_equal(labels(run / "same", "rows"), labels(run, "rows"))
    for number in ("most", "0", "2.5"):
        said = refused(run, "--rows", number).err
        assert f"'{number}' is not a whole number from 1; give a number of clusters, or auto" in said


def test_labels_go_back_into_a_copy_of_the_anndata_file(tmp_path: Path) -> None:
    values = groups()
    given = AnnData(csr_matrix(values))
    given.obs_names, given.var_names = [f"r{i}" for i in range(4 * N)], [f"g{j}" for j in range(4 * P)]
    given.obs["donor"] = np.arange(4 * N) % 5
    given.layers["twice"] = csr_matrix(2 * values)
    given.write_h5ad(tmp_path / "x.h5ad")
    before = (tmp_path / "x.h5ad").read_bytes()
    done = fit(tmp_path / "x.h5ad", tmp_path / "run", "--cells", "counts", "--burn-in", "30", iterations=60)
    assert done.code == 0, done.err
    done = call("cut", tmp_path / "run", "--rows", K, "--write-h5ad", tmp_path / "labelled.h5ad")
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1] == f"written    {tmp_path / 'run' / f'cut-{K}xall'}, {tmp_path / 'labelled.h5ad'}"
    assert (tmp_path / "x.h5ad").read_bytes() == before
    found = read_h5ad(tmp_path / "labelled.h5ad")
    assert found.obs["disnplbm"].dtype == "category"
    level = tmp_path / "run" / f"cut-{K}xall"
    assert found.obs["disnplbm"].astype(int).tolist() == labels(level, "rows").tolist()
    assert found.obs["disnplbm_fine"].astype(int).tolist() == labels(level, "rows", "fine").tolist()
    assert found.var["disnplbm"].astype(int).tolist() == labels(tmp_path / "run", "columns").tolist()
    assert "disnplbm_fine" not in found.var
    assert found.obs["disnplbm_confidence"].between(0, 1).all()
    assert found.uns["disnplbm"]["digest"] == json.loads((tmp_path / "run" / "run.json").read_text())["digest"]
    assert np.array_equal(found.layers["twice"].toarray(), 2 * values)
    assert found.obs["donor"].tolist() == given.obs["donor"].tolist()
    again = call("cut", tmp_path / "run", "--rows", K, "--write-h5ad", tmp_path / "labelled.h5ad")
    assert again.code == 2
    assert "exists; choose another name" in again.err
    # A labelled copy is labelled anew.
    moved = call(
        "cut",
        tmp_path / "run",
        "--rows",
        2,
        "--table",
        tmp_path / "labelled.h5ad",
        "--write-h5ad",
        tmp_path / "anew.h5ad",
    )
    assert moved.code == 0, moved.err
    assert read_h5ad(tmp_path / "anew.h5ad").obs["disnplbm"].nunique() == 2


@pytest.mark.parametrize("transposed", [False, True])
def test_any_table_becomes_a_labelled_anndata_file(tmp_path: Path, transposed: bool) -> None:
    values = groups()
    more = ("--transpose",) if transposed else ()
    done = fit(write_csv(tmp_path / "x.csv", values), tmp_path / "run", "--cells", "counts", *more, iterations=60)
    assert done.code == 0, done.err
    assert call("cut", tmp_path / "run", "--rows", 2, "--write-h5ad", tmp_path / "x.h5ad").code == 0
    found = read_h5ad(tmp_path / "x.h5ad")
    assert np.array_equal(found.X.toarray(), values)
    assert (found.obs_names[3], found.var_names[5]) == ("r3", "g5")
    level = tmp_path / "run" / "cut-2xall"
    own, other = (found.var, found.obs) if transposed else (found.obs, found.var)
    assert own["disnplbm"].astype(int).tolist() == labels(level, "rows").tolist()
    assert other["disnplbm"].astype(int).tolist() == labels(level, "columns").tolist()


def test_a_damaged_record_is_named(run: Path, tmp_path: Path) -> None:
    record = (run / "run.json").read_text()
    folder = Path(shutil.copytree(run, tmp_path / "run"))
    data = json.loads(record)["data"]
    for damaged in (record[:300], "", "[]", "{}", json.dumps(json.loads(record) | {"data": data | {"path": None}})):
        (folder / "run.json").write_text(damaged)
        done = call("cut", folder, "--rows", 2, "--refine")
        assert (done.code, done.out) == (1, "")
        assert f"{folder / 'run.json'} is damaged; fit again with --force" in done.err
    (folder / "run.json").write_text(json.dumps(json.loads(record) | {"level": None}))
    done = call("cut", folder, "--rows", "auto")
    assert done.code == 1
    assert "run.json is damaged" in done.err


def test_a_run_of_a_version_with_fewer_options_is_refined(run: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run, tmp_path / "run"))
    record = json.loads((folder / "run.json").read_text())
    del record["parameters"]["pair_moves"]
    (folder / "run.json").write_text(json.dumps(record))
    assert call("cut", folder, "--rows", K, "--refine").code == 0


def test_labels_no_tree_can_have_are_refused(run: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run, tmp_path / "run"))
    lines = (folder / "rows.csv").read_text().splitlines()
    for label in ("99999999999", "9" * 30):
        (folder / "rows.csv").write_text("\n".join([lines[0], f"r0,{label}", *lines[2:]]) + "\n")
        done = call("cut", folder, "--rows", 2)
        assert done.code == 1
        assert "does not fit tree.npz" in done.err


def test_files_of_others_are_never_replaced(run: Path, tmp_path: Path) -> None:
    before = (run / "rows.csv").read_bytes()
    assert "rows.csv is not of this command" in refused(run, "--rows", 2, "--output", run).err
    assert (run / "rows.csv").read_bytes() == before
    (tmp_path / "blocks.csv").write_text("mine")
    assert "blocks.csv is not of this command" in refused(run, "--rows", 2, "--output", tmp_path).err
    assert "is a file; choose another folder" in refused(run, "--rows", 2, "--output", tmp_path / "blocks.csv").err


def test_a_table_that_moved_is_asked_for(run: Path, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "x.csv", groups())
    folder = Path(shutil.copytree(run, tmp_path / "run"))
    record = json.loads((folder / "run.json").read_text())
    record["data"]["path"] = "elsewhere.csv"
    (folder / "run.json").write_text(json.dumps(record))
    said = refused(folder, "--rows", 2, "--refine").err
    assert "read elsewhere.csv, and there is no such file here now; give the table with --table" in said
    done = call("cut", folder, "--rows", 2, "--refine", "--table", table)
    assert (done.code, done.err) == (0, "")


def test_no_advice_names_an_option_that_the_command_lacks(run: Path, tmp_path: Path) -> None:
    lines = write_csv(tmp_path / "x.csv", groups()).read_text().splitlines()
    wordy = [f"{line},{'text' if i else 'more'}" for i, line in enumerate(lines)]
    for name, text in (("headless", lines[1:]), ("wordy", wordy), ("odd", [*lines[:-1], lines[-1][:-1] + "oops"])):
        table = tmp_path / f"{name}.csv"
        table.write_text("\n".join(text) + "\n")
        said = refused(run, "--rows", 2, "--refine", "--table", table).err
        assert f"{table} is another table than the run in {run} was fitted to (line " in said
        assert said.count("--") == 1


def test_a_run_that_is_not_finished_says_how_to_go_on(tmp_path: Path) -> None:
    folder = stopped_fit(write_csv(tmp_path / "x.csv", groups()), tmp_path / "run", Options(iterations=5)).path
    assert f"is not finished; `disnplbm resume {folder}` continues it" in refused(folder, "--rows", 2).err


def test_one_is_no_plural(tmp_path: Path) -> None:
    assert fit(write_csv(tmp_path / "x.csv", groups()[:1]), tmp_path / "run", "--cells", "counts").code == 0
    out = call("cut", tmp_path / "run", "--rows", "auto").out
    assert out.splitlines()[0] == "rows       1 of 1 cluster, of 1 row"


def test_another_table_is_never_labelled(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "labelled.h5ad"
    for name, values in (("turned", groups()[::-1]), ("other", groups(1)), ("few", groups()[:9])):
        table = write_csv(tmp_path / f"{name}.csv", values)
        said = refused(run, "--rows", 2, "--write-h5ad", target, "--table", table).err
        assert f"{table} is another table than the run" in said
    for odd in (tmp_path / "labelled.csv", tmp_path / "nowhere" / "labelled.h5ad"):
        said = refused(run, "--rows", 2, "--write-h5ad", odd).err
        assert "name a file that ends in .h5ad, in a folder that there is" in said
    assert not target.exists()
