"""Real numbers that are mostly zero: the same result from any file, and the one that the dense table has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io as sio
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from disnplbm import NPLBM
from disnplbm.data import sparse_numbers
from disnplbm.engine.options import Options
from disnplbm.errors import InputError
from disnplbm.model.prior import NIWPrior
from services.tables import fitted, stopped_fit

from .console import call, fit

N, P, K, L = 150, 80, 4, 3

Table = NDArray[np.float64]


def measured(*, missing: bool = False) -> Table:
    """Logarithms of what was counted and one: eight in ten are 0."""
    rng = np.random.default_rng(3)
    rates = np.where((np.arange(K)[:, None] + np.arange(L)) % K == 0, 2.0, 0.03)
    values = np.log1p(rng.poisson(rates[np.arange(N) % K][:, np.arange(P) % L]) * 1.5)
    if missing:
        values[rng.random(values.shape) < 0.05] = np.nan
    return np.asarray(values)


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that sets how many cells a table has at least that is kept sparse; 1,000 to begin with."""

    def set_least(cells: int) -> None:
        monkeypatch.setattr(sparse_numbers, "LEAST_CELLS", cells)

    set_least(1000)
    return set_least


@pytest.mark.parametrize("sampler", ["collapsed", "split-merge"])
@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
def test_all_files_of_a_table_give_the_same_bits(sampler: str, missing: bool, tmp_path: Path, limit: Any) -> None:
    values = measured(missing=missing)
    # Text with the very same numbers.
    with (tmp_path / "x.csv").open("w") as file:
        file.write("id," + ",".join(f"g{j}" for j in range(P)) + "\n")
        for i, row in enumerate(values.tolist()):
            file.write(f"r{i}," + ",".join("" if cell != cell else repr(cell) for cell in row) + "\n")
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(values))
    sp.save_npz(tmp_path / "turned.npz", sp.csc_array(values.T))
    np.save(tmp_path / "x.npy", values)
    files = {"x.csv": (), "x.npz": (), "turned.npz": ("--transpose",), "x.npy": ()}
    if not missing:
        sio.mmwrite(tmp_path / "x.mtx", sp.coo_array(values), precision=17)
        files["x.mtx"] = ()
    how = ("--shards", "3", "--sampler", sampler)
    digests = {
        name: fit(tmp_path / name, tmp_path / f"{name}-run", *how, *more, iterations=12).record["digest"]
        for name, more in files.items()
    }
    digests["in memory"] = NPLBM(12, 3, sampler=sampler).fit(values).digest_
    digests["sparse in memory"] = NPLBM(12, 3, sampler=sampler).fit(sp.csr_array(values)).digest_
    digests["more threads"] = NPLBM(12, 3, sampler=sampler, n_jobs=4).fit(values).digest_
    assert len(set(digests.values())) == 1, digests
    blocks = {(tmp_path / f"{name}-run" / "blocks.csv").read_bytes() for name in files}
    assert len(blocks) == 1


@pytest.mark.parametrize("sampler", ["collapsed", "split-merge"])
@pytest.mark.parametrize("axis", ["rows", "columns"])
@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
def test_partitions_are_worth_what_they_are_worth_in_the_dense_table(
    sampler: str, axis: str, missing: bool, limit: Any
) -> None:
    """Statistics that differ in the last digits lead to the same draws for so short a while."""
    values = measured(missing=missing)
    how: dict[str, Any] = {"shard_axis": axis, "sampler": sampler, "n_shards": 2}
    sparse = NPLBM(5, **how).fit(values)
    limit(10**9)
    dense = NPLBM(5, **how).fit(values)
    assert sparse.digest_ != dense.digest_
    np.testing.assert_array_equal(sparse.row_labels_, dense.row_labels_)
    np.testing.assert_array_equal(sparse.column_labels_, dense.column_labels_)
    np.testing.assert_allclose(sparse.trace_["log_joint"], dense.trace_["log_joint"], rtol=1e-10)
    for name in ("mean", "sd"):
        np.testing.assert_allclose(sparse.block_figures_[name], dense.block_figures_[name], rtol=1e-9, atol=1e-12)
    assert sparse.normality_.to_dict() == dense.normality_.to_dict()


def test_chains_reach_what_those_of_the_dense_table_reach(limit: Any) -> None:
    values = sp.csr_array(measured(missing=True))
    rich: dict[str, Any] = {"burn_in": 30, "n_draws": 10, "n_chains": 2, "alpha": "learn", "n_restarts": 2}
    own = {"prior": NIWPrior([0.3], 1.0, [[0.5]], 3.0)}
    for how in (rich, own):
        limit(1000)
        model = NPLBM(60, 2, **how).fit(values)
        assert adjusted_rand_score(np.arange(N) % K, model.row_labels_) > 0.7
        limit(10**9)
        dense = NPLBM(60, 2, **how).fit(values)
        reached, expected = (each.trace_["log_joint"][-20:].mean() for each in (model, dense))
        assert reached == pytest.approx(expected, abs=50.0)
        if model.draws_ is not None:
            expected = dense.predict_proba(measured()[:5])
            np.testing.assert_allclose(model.predict_proba(measured()[:5]), expected, atol=0.1)


def test_a_run_is_finished_cut_refined_and_filled_in(tmp_path: Path, limit: Any) -> None:
    values = measured(missing=True)
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(values))
    folder = tmp_path / "run"
    done = fit(tmp_path / "x.npz", folder, "--burn-in", "20", "--draws", "10", iterations=40)
    assert done.code == 0, done.err
    record = json.loads((folder / "run.json").read_text())
    assert record["ppc"]["judged"] > 0
    assert any("of the cells are 0, and a block takes them as measurements" in note for note in record["warnings"])
    cut = call("cut", folder, "--rows", 2, "--refine", "--table", tmp_path / "x.npz")
    assert cut.code == 0, cut.err
    np.save(tmp_path / "x.npy", values)
    for ask in (("impute", "--cells"), ("impute",), ("predict",)):
        told = [call(ask[0], folder, tmp_path / name, *ask[1:]) for name in ("x.npz", "x.npy")]
        assert [each.code for each in told] == [0, 0], told
        assert told[0].out == told[1].out
        assert len(told[0].out.splitlines()) == 1 + (np.isnan(values).sum() if "--cells" in ask else N)


def test_cells_that_were_transformed_are_filled_in_as_the_dense_table_is(tmp_path: Path, limit: Any) -> None:
    values = np.expm1(measured(missing=True))
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(values))
    np.save(tmp_path / "x.npy", values)
    how = ("--transform", "log1p", "--burn-in", "20", "--draws", "10")
    assert fit(tmp_path / "x.npz", tmp_path / "run", *how, iterations=40).code == 0
    told = [call("impute", tmp_path / "run", tmp_path / name, "--cells").out for name in ("x.npz", "x.npy")]
    assert told[0] == told[1]
    assert len(told[0].splitlines()) == 1 + np.isnan(values).sum()


def test_a_stopped_run_goes_on_to_the_same_bits(tmp_path: Path, limit: Any) -> None:
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(measured(missing=True)))
    options = Options(iterations=14, burn_in=6)
    whole = fitted(tmp_path / "x.npz", tmp_path / "whole", options, n_shards=2)
    stopped = stopped_fit(tmp_path / "x.npz", tmp_path / "stopped", options, n_shards=2)
    # Its shards are what they are, whatever would be made of the table today.
    limit(10**9)
    done = call("resume", stopped.path, "--json")
    assert done.code == 0, done.err
    for key in ("digest", "posterior", "log_joint", "ppc"):
        assert done.record[key] == whole[key]
    for name in ("blocks.csv", "draws.npz", "tree.npz"):
        assert (stopped.path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_the_picture_is_that_of_the_dense_table(axis: str, tmp_path: Path, limit: Any) -> None:
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(measured(missing=True)))
    pictures = []
    for least in (1000, 10**9):
        limit(least)
        folder = tmp_path / str(least)
        assert fit(tmp_path / "x.npz", folder, "--shards", "2", "--shard-axis", axis).code == 0
        with np.load(folder / "heatmap.npz") as file:
            pictures.append(dict(file))
    sparse, dense = pictures
    assert sparse.keys() == dense.keys()
    for name, values in sparse.items():
        np.testing.assert_allclose(values, dense[name], atol=1e-6, err_msg=name)


def test_check_says_what_zeros_are_taken_for_whatever_the_file(tmp_path: Path, limit: Any) -> None:
    values = measured()
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(values))
    np.save(tmp_path / "x.npy", values)
    told = [call("check", tmp_path / name).out.splitlines() for name in ("x.npz", "x.npy")]
    assert told[0][1:] == told[1][1:]
    share = (values == 0).mean()
    (note,) = [line for line in told[0] if line.startswith("note: ")]
    assert note.startswith(f"note: {share:.0%} of the cells are 0, and a block takes them as measurements.")


def test_a_sparse_table_in_memory_is_filled_in_sparse(limit: Any) -> None:
    values = np.expm1(measured(missing=True))
    model = NPLBM(40, burn_in=20, n_draws=5, column_transform="log1p").fit(sp.csr_array(values))
    for sparse, dense in zip(model.impute(sp.csr_array(values)), model.impute(values), strict=True):
        assert sp.issparse(sparse)
        np.testing.assert_array_equal(sparse.toarray(), dense)
    rows = sp.csr_array(values[:7])
    np.testing.assert_array_equal(model.predict_proba(rows), model.predict_proba(values[:7]))


def test_new_rows_that_have_no_room_are_refused(limit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    values = sp.csr_array(measured())
    model = NPLBM(10, burn_in=5, n_draws=2).fit(values)
    monkeypatch.setattr("disnplbm.estimator.tables.available_bytes", lambda: 1000)
    with pytest.raises(InputError, match=r"^X \(150 x 80\) needs about .* are available; give fewer rows at a time$"):
        model.predict(values)


def test_a_transform_that_leaves_no_zeros_makes_the_table_dense(limit: Any) -> None:
    values = measured()
    found = {way: NPLBM(3, column_transform="standardize").fit(make(values)).digest_ for way, make in FORMS.items()}
    limit(10**9)
    assert set(found.values()) == {NPLBM(3, column_transform="standardize").fit(values).digest_}


#: A dense and a sparse table.
FORMS = {"dense": np.asarray, "sparse": sp.csr_array}
