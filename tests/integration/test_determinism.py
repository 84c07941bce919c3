"""The same data, seed, shards and options give the same bits: whatever the threads, the file format or the day."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from .console import blocks, child, fit, save_csv

FORMATS = ("npy", "fortran", "npz", "csv", "csv.gz", "tsv", "parquet")


@pytest.fixture(scope="module")
def x() -> NDArray[np.float64]:
    return blocks(300, 20)[0]


def labels(output: Path, axis: str) -> list[int]:
    with (output / f"{axis}.csv").open(newline="") as file:
        return [int(row["label"]) for row in csv.DictReader(file)]


def trace(output: Path) -> list[dict[str, str]]:
    """The trace without its seconds."""
    with (output / "trace.csv").open(newline="") as file:
        return [{name: value for name, value in row.items() if name != "seconds"} for row in csv.DictReader(file)]


def record(data: Path, output: Path, *options: object) -> dict[str, Any]:
    outcome = fit(data, output, *options, iterations=15)
    assert outcome.code == 0, outcome
    return outcome.record


def saved(x: NDArray[np.float64], folder: Path, kind: str) -> Path:
    """The matrix in a file of a kind."""
    path = folder / f"x.{kind}"
    text = save_csv(folder / "plain.csv", x).read_text()
    match kind:
        case "npy":
            np.save(path, x)
        case "fortran":
            path = folder / "fortran.npy"
            np.save(path, np.asfortranarray(x))
        case "npz":
            np.savez_compressed(path, x=x)
        case "csv":
            path.write_text(text)
        case "csv.gz":
            path.write_bytes(gzip.compress(text.encode()))
        case "tsv":
            path.write_text(text.replace(",", "\t"))
        case "parquet":
            pq.write_table(pa.table({f"c{j}": x[:, j] for j in range(x.shape[1])}), path)
    return path


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_any_number_of_threads_gives_the_same_digest(
    x: NDArray[np.float64], tmp_path: Path, missing: float, axis: str
) -> None:
    x = x.copy()
    x[np.random.default_rng(0).random(x.shape) < missing] = np.nan
    data = saved(x, tmp_path, "npy")
    options = ("--shards", 5, "--shard-axis", axis)
    digests = {record(data, tmp_path / str(t), *options, "--threads", t)["digest"] for t in (1, 2, 4)}
    assert len(digests) == 1


def test_any_number_of_threads_gives_the_same_digest_for_vectors(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(200, 8, 3)))
    digests = {
        record(tmp_path / "x.npy", tmp_path / str(t), "--shards", 5, "--threads", t)["digest"] for t in (1, 2, 4)
    }
    assert len(digests) == 1


def test_any_file_format_of_the_same_numbers_gives_the_same_digest(x: NDArray[np.float64], tmp_path: Path) -> None:
    records = [record(saved(x, tmp_path, kind), tmp_path / kind.replace(".", "-")) for kind in FORMATS]
    assert len({found["digest"] for found in records}) == 1
    assert len({found["data"]["sha256"] for found in records}) == 1


def test_missing_cells_and_zeros_are_the_same_in_any_spelling(tmp_path: Path) -> None:
    x = blocks()[0].round(1)
    x[::7, ::5] = np.nan
    x[3, :4] = 0.0
    np.save(tmp_path / "x.npy", x)
    rows = [["NA" if np.isnan(value) else repr(value) for value in row] for row in x.tolist()]
    rows[3][:4] = ["-0.0", "0", "0e5", "-0"]
    rows[0][0], rows[7][5] = "", "nan"
    (tmp_path / "x.csv").write_text("\r\n".join(",".join(row) for row in rows) + "\r\n")
    of_text, of_array = (record(tmp_path / f"x.{kind}", tmp_path / kind) for kind in ("csv", "npy"))
    assert of_text["digest"] == of_array["digest"]
    assert of_text["data"]["sha256"] == of_array["data"]["sha256"]


def test_two_runs_in_two_processes_give_the_same_folder(x: NDArray[np.float64], tmp_path: Path) -> None:
    data = saved(x, tmp_path, "npy")
    for name in ("a", "b"):
        assert child("fit", data, "--output", tmp_path / name, "--iterations", 15, "--shards", 3).code == 0
    for name in ("rows.csv", "columns.csv", "blocks.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert trace(tmp_path / "a") == trace(tmp_path / "b")


def test_another_seed_or_another_cut_gives_another_digest(x: NDArray[np.float64], tmp_path: Path) -> None:
    data = saved(x, tmp_path, "npy")
    cases = ((), ("--seed", 1), ("--shards", 2), ("--shard-axis", "columns"))
    digests = {record(data, tmp_path / str(number), *options)["digest"] for number, options in enumerate(cases)}
    assert len(digests) == len(cases)


@pytest.mark.parametrize("shards", [1, 4])
def test_the_transpose_gives_the_transposed_result(x: NDArray[np.float64], tmp_path: Path, shards: int) -> None:
    # The longer side is sharded either way, so both chains do the same steps on the same shards. Their data's mean is
    # summed in another order, which may move the last digits of the log joint but not a label.
    upright, turned = saved(x, tmp_path, "npy"), tmp_path / "turned.npy"
    np.save(turned, x.T)
    record(upright, tmp_path / "a", "--alpha", 5, "--beta", 2, "--shards", shards)
    record(turned, tmp_path / "b", "--alpha", 2, "--beta", 5, "--shards", shards)
    assert labels(tmp_path / "a", "rows") == labels(tmp_path / "b", "columns")
    assert labels(tmp_path / "a", "columns") == labels(tmp_path / "b", "rows")
    for ours, theirs in zip(trace(tmp_path / "a"), trace(tmp_path / "b"), strict=True):
        assert float(ours["log_joint"]) == pytest.approx(float(theirs["log_joint"]), rel=1e-9)
        assert ours["row_clusters"] == theirs["column_clusters"]
        assert ours["column_clusters"] == theirs["row_clusters"]


def test_the_transpose_of_whole_numbers_gives_the_same_bits(x: NDArray[np.float64], tmp_path: Path) -> None:
    # Sums of whole numbers are exact in any order; a mean of 0 keeps them whole in the working frame.
    whole = np.vstack([x.round(), -x.round()])
    np.save(tmp_path / "a.npy", whole)
    np.save(tmp_path / "b.npy", whole.T)
    ours = record(tmp_path / "a.npy", tmp_path / "a", "--alpha", 5, "--beta", 2)
    theirs = record(tmp_path / "b.npy", tmp_path / "b", "--alpha", 2, "--beta", 5)
    assert ours["log_joint"] == theirs["log_joint"]
    assert labels(tmp_path / "a", "rows") == labels(tmp_path / "b", "columns")


def test_rows_in_another_order_or_units_end_at_the_same_blocks(x: NDArray[np.float64], tmp_path: Path) -> None:
    classes = blocks(300, 20)[1]
    order = np.random.default_rng(0).permutation(len(x))
    for name, matrix, names in (
        ("plain", x, classes),
        ("shuffled", x[order], np.array(classes)[order].tolist()),
        ("scaled", 1000 * x - 7, classes),
    ):
        save_csv(tmp_path / f"{name}.csv", matrix, [f"k{k}" for k in names])
        found = record(tmp_path / f"{name}.csv", tmp_path / name, "--row-classes", "id")
        assert (found["row_clusters"], found["column_clusters"], found["ari"]) == (3, 2, 1.0)
